// Limits the cost of every page that the console's links lead to: round trips, rows read and bytes.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { console as consoleApp } from "../../src/console/app"
import { listDeclarations } from "../../src/console/form-access"
import { call } from "../support/app"
import { type Costs, costsOf } from "../support/costs"
import { multiplyRows } from "../support/duplicate-rows"
import { findBareMoments } from "../support/moments"
import { crawl, getFilterUrls, isRoute, PAGE_ROUTES } from "./crawler"
import { createSampleData } from "./sample-data"
import { signIn } from "./support"

/** One for the session and two for the page. */
const MAX_ROUND_TRIPS = 3

/** The system page asks every database for its size, and the page of a product another app for its reviews. */
const ROUND_TRIP_EXCEPTIONS: Record<string, number> = {
  "/console/system": 7,
  "/console/system?span=day": 7,
  "/console/system?span=week": 7,
  "/console/sites/acme/products/3": 4,
  "/console/sites/acme/products/4": 4,
}

/** First every list fills a page, then it grows fivefold. */
const INITIAL_FACTOR = 60
const GROWTH_FACTOR = 5

/**
 * The overview counts each kind of item only up to 500. The late deliveries read at most 50 of each endpoint. Copies of
 * reviews are of users and products that need not exist.
 */
const MAX_COUNTED_ROWS: Record<string, number> = {
  "/console": 6_000,
  "/console/system/late-deliveries": 2_000,
  "/console/sites/acme/reviews": 250,
}

/**
 * Lists that no index serves in their order scan at most 5,000 rows: combined filters, filters of events, deliveries
 * and the audit log, filtered stores in the order of their names, and search texts that are too short for the text index.
 */
const BOUNDED_SCANS = [
  /\?\w+=[^&]*&(?!sort=)/,
  /^\/console\/(audit|deliveries|events|invoices)\?/,
  // Copies of a credit note are about the same invoice.
  /^\/console\/invoices\/INV-/,
  /^\/console\/stores\?q=ac(&|$)/,
  /^\/console\/stores\?.+&sort=-?name/,
  /^\/console\/sites\/\w+\/products\?search=ac$/,
  // Among the latest orders.
  /^\/console\/sites\/\w+\/orders\?/,
]

/** 5,000 rows, each with its index entries, itself and its copy in the sort, plus a page. */
const MAX_SCANNED_ROWS = 21_000

/** The audit log finds a text as a subject, as a store, and in the newest entries: 5,000 of each. */
const MAX_NAMED_ROWS = 30_000

const getMaxRows = (path: string): number | undefined =>
  (/^\/console\/audit\?.*q=/.test(path) ? MAX_NAMED_ROWS : undefined) ??
  MAX_COUNTED_ROWS[path.replace(/\?period=\w+$/, "")] ??
  (BOUNDED_SCANS.some((pattern) => pattern.test(path)) ? MAX_SCANNED_ROWS : undefined)

/**
 * Tables that do not grow: plans and operators are created by hand and listed whole; counters have one row per status
 * and event type.
 */
const CONSTANT_TABLES = ["plans", "operators", "counters", "webhook_totals"]

/** Copies of domains belong to copies of stores, because a plan limits the domains per store. */
const OWNER_COLUMNS = { domains: "store_id" }

/** The latest rows differ after the growth, and some have more related rows than others. */
const ROW_TOLERANCE = 5

/** Enough stores to tell a full scan from a bounded one. */
const STORE_FACTOR = 12_000

/** Rows read for a page of 50 that an index finds directly. */
const MAX_INDEXED_ROWS = 1_500

const declarations = listDeclarations(consoleApp)

/** Routes that no link leads to, or that are not pages. */
const UNLINKED_ROUTES = [
  "/console/invitation",
  "/console/login",
  "/console/login/code",
  "/console/stores.csv",
  "/console/invoices.csv",
  "/console/orders.csv",
  "/console/payments.csv",
  "/console/subscriptions.csv",
  "/console/licenses.csv",
  "/console/domains.csv",
  "/console/audit.csv",
  "/console/deliveries.csv",
  "/console/stores/bulk/matching",
  "/console/events/live/stream",
  "/console/sites/:site",
  "/console/sites/:site/media/files/:id/picture",
  "/console/sites/:site/users/:id/export",
  "/console/products/:id/versions/:version",
]

/** Compressed size of the files that a browser caches on its first visit. */
const MAX_ASSET_BYTES = 40_000

const getGzipBytes = async (text: string): Promise<number> =>
  (await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer()).byteLength

test("loads every page in at most three round trips, and reads no more rows when the tables grow fivefold", async () => {
  // A fixed clock avoids the write that records a session's last use once per minute.
  vi.useFakeTimers({ toFake: ["Date"] })
  await createSampleData()
  const admin = await signIn()
  const crawled = await crawl(admin.get)
  for (const [path, html] of crawled) expect(findBareMoments(html), path).toEqual([])
  const pages = [...new Set([...crawled.keys(), ...[...crawled].flatMap(([path, html]) => getFilterUrls(path, html))])]
  // Links lead to those confirmation pages whose action is possible and has no input.
  const unlinked = PAGE_ROUTES.filter(
    (route) => declarations.get(route)?.kind !== "confirmed" && !pages.some((path) => isRoute(route, path)),
  )
  expect(unlinked.toSorted()).toEqual(UNLINKED_ROUTES.toSorted())

  const costs = async () => {
    const found = new Map<string, Costs>()
    for (const path of pages) found.set(path, await costsOf(() => admin.get(path)))
    return found
  }
  const grow = async (times: number) => {
    await multiplyRows(env.DB, times, { skippedTables: CONSTANT_TABLES, ownerColumns: OWNER_COLUMNS })
    await multiplyRows(env.SITES_1, times)
  }
  await grow(INITIAL_FACTOR)
  const full = await costs()
  await grow(GROWTH_FACTOR)
  const fuller = await costs()
  const slow = [...fuller].filter(
    ([path, { roundTrips }]) => roundTrips > (ROUND_TRIP_EXCEPTIONS[path] ?? MAX_ROUND_TRIPS),
  )
  const grown = pages
    .map((path) => ({ path, before: full.get(path)?.rowsRead ?? 0, after: fuller.get(path)?.rowsRead ?? 0 }))
    .filter(({ path, before, after }) => after > (getMaxRows(path) ?? before + ROW_TOLERANCE))
  expect({ slow: slow.map(([path, { roundTrips }]) => [path, roundTrips]), grown }).toEqual({ slow: [], grown: [] })
}, 240_000)

test("bounds the rows that filtered lists read, however many stores there are", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  await createSampleData()
  const admin = await signIn()
  const lists = ["/console/stores", "/console/subscriptions", "/console/domains"]
  const paths: string[] = []
  for (const list of lists) paths.push(...getFilterUrls(list, (await admin.get(list)).text))
  await multiplyRows(env.DB, STORE_FACTOR, {
    onlyTables: ["stores", "subscriptions", "domains"],
    ownerColumns: OWNER_COLUMNS,
  })
  const counted = await env.DB.prepare("select count(*) as n from stores").first<{ n: number }>()
  expect(counted?.n).toBeGreaterThan(MAX_SCANNED_ROWS)
  const grown: [string, number][] = []
  for (const path of paths.filter((one) => one.includes("?"))) {
    const { rowsRead } = await costsOf(() => admin.get(path))
    if (rowsRead > (getMaxRows(path) ?? MAX_INDEXED_ROWS)) grown.push([path, rowsRead])
  }
  expect(grown).toEqual([])
}, 240_000)

test("keeps the compressed size of assets and pages small", async () => {
  await createSampleData()
  const admin = await signIn()
  const pages = await crawl(admin.get)
  const weights: [path: string, html: number][] = []
  for (const [path, html] of pages) weights.push([path, await getGzipBytes(html)])
  const first = pages.get("/console") ?? ""
  const files = [...first.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "")
  expect(files.length).toBeGreaterThan(1)
  let assets = 0
  for (const file of files) assets += await getGzipBytes((await call("GET", file)).text)
  process.stdout.write(
    `console, gzip: assets ${assets} B; heaviest pages ${weights
      .sort((a, b) => b[1] - a[1])
      .slice(0, 8)
      .map(([path, weight]) => `${path} ${weight}`)
      .join(", ")}\n`,
  )
  expect(assets).toBeLessThan(MAX_ASSET_BYTES)
  for (const [path, weight] of weights) expect(weight < 20_000, path).toBe(true)
}, 240_000)
