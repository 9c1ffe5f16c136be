// What a page costs, of every page that the console's links lead to: round trips, rows, bytes.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import { call } from "../support/app"
import { type Costs, costsOf } from "../support/costs"
import { multiply } from "../support/duplicate-rows"
import { filtersOf, isOf, PAGES, walk } from "./every-page"
import { someOfEverything } from "./sample-data"
import { signIn } from "./support"

/** The session's round trip, and two of the page. */
const TRIPS = 3

/** The system page asks every database for its size. */
const MORE_TRIPS: Record<string, number> = { "/console/system": 5 }

/** First a page of every list, then five times as much. */
const FULL = 60
const FULLER = 5

/** The overview counts what needs somebody, each thing up to 500 and no further. */
const COUNTS_UP_TO: Record<string, number> = { "/console": 6_000 }

/**
 * What no index leads to in the list's order is sifted from the first 5 000 that one does lead to: several filters at once, what is asked
 * of events, deliveries and the trail, and a text that is too short for the index of texts, or whose stores are wanted by name.
 */
const SIFTED = [
  /\?\w+=[^&]*&(?!sort=)/,
  /^\/console\/(audit|deliveries|events)\?/,
  /^\/console\/stores\?q=(ac(&|$)|.*sort=-?name)/,
]

/** 5 000 rows, each with its entries in the indexes of texts and of rows, itself and as it is sorted, and a page. */
const SIFTED_ROWS = 21_000

const mostOf = (path: string): number | undefined =>
  COUNTS_UP_TO[path] ?? (SIFTED.some((pattern) => pattern.test(path)) ? SIFTED_ROWS : undefined)

/**
 * What does not grow: plans and operators, which people make by hand and a page of them shows whole; counts and totals, of which there is
 * one for each status and each kind of event.
 */
const STAY = ["plans", "operators", "counters", "webhook_totals"]

/** A plan limits the domains of a store, so that there are more where there are more stores. */
const ELSEWHERE_OWNED = { domains: "store_id" }

/** The newest rows are others once there are more, and one of them may have what another has not. */
const OTHERS = 5

/** Times as many stores, so that a scan of them is told from what is sifted. */
const MANY = 12_000

/** What a page of 50 reads where an index leads to just them. */
const FEW_ROWS = 1_500

/** Pages reached otherwise, or no pages at all. */
const ELSEWHERE = [
  "/console/login",
  "/console/login/code",
  "/console/stores.csv",
  "/console/events/live/stream",
  "/console/sites/:site",
  "/console/sites/:site/media/files/:id/picture",
  "/console/products/:id/versions/:version",
]

/** Gzip of what a browser keeps after its first visit. */
const ASSETS = 40_000

const zipped = async (text: string): Promise<number> =>
  (await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer()).byteLength

test("a page takes two round trips after the session's, and reads as many rows when the tables are five times as long", async () => {
  // The clock stands still: noting that a session was used, once a minute, is no cost of a page.
  vi.useFakeTimers({ toFake: ["Date"] })
  await someOfEverything()
  const admin = await signIn()
  const walked = await walk(admin.get)
  const pages = [...new Set([...walked.keys(), ...[...walked].flatMap(([path, html]) => filtersOf(path, html))])]
  const missed = PAGES.filter((route) => !pages.some((path) => isOf(route, path)))
  expect(missed.toSorted()).toEqual(ELSEWHERE.toSorted())

  const costs = async () => {
    const found = new Map<string, Costs>()
    for (const path of pages) found.set(path, await costsOf(() => admin.get(path)))
    return found
  }
  const grow = async (times: number) => {
    await multiply(env.DB, times, { stay: STAY, elsewhere: ELSEWHERE_OWNED })
    await multiply(env.SITES_1, times)
  }
  await grow(FULL)
  const full = await costs()
  await grow(FULLER)
  const fuller = await costs()
  const slow = [...fuller].filter(([path, { roundTrips }]) => roundTrips > (MORE_TRIPS[path] ?? TRIPS))
  const grown = pages
    .map((path) => ({ path, before: full.get(path)?.rowsRead ?? 0, after: fuller.get(path)?.rowsRead ?? 0 }))
    .filter(({ path, before, after }) => after > (mostOf(path) ?? before + OTHERS))
  expect({ slow: slow.map(([path, { roundTrips }]) => [path, roundTrips]), grown }).toEqual({ slow: [], grown: [] })
}, 240_000)

test("what is sifted ends at so many rows, however many stores there are and however few are wanted", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  await someOfEverything()
  const admin = await signIn()
  const lists = ["/console/stores", "/console/subscriptions", "/console/domains"]
  const paths: string[] = []
  for (const list of lists) paths.push(...filtersOf(list, (await admin.get(list)).text))
  await multiply(env.DB, MANY, { only: ["stores", "subscriptions", "domains"], elsewhere: ELSEWHERE_OWNED })
  const counted = await env.DB.prepare("select count(*) as n from stores").first<{ n: number }>()
  expect(counted?.n).toBeGreaterThan(SIFTED_ROWS)
  const grown: [string, number][] = []
  for (const path of paths.filter((one) => one.includes("?"))) {
    const { rowsRead } = await costsOf(() => admin.get(path))
    if (rowsRead > (mostOf(path) ?? FEW_ROWS)) grown.push([path, rowsRead])
  }
  expect(grown).toEqual([])
}, 240_000)

test("a first visit weighs little, and every page by itself as well", async () => {
  await someOfEverything()
  const admin = await signIn()
  const pages = await walk(admin.get)
  const weights: [path: string, html: number][] = []
  for (const [path, html] of pages) weights.push([path, await zipped(html)])
  const first = pages.get("/console") ?? ""
  const files = [...first.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "")
  expect(files.length).toBeGreaterThan(1)
  let assets = 0
  for (const file of files) assets += await zipped((await call("GET", file)).text)
  process.stdout.write(
    `console, gzip: assets ${assets} B; heaviest pages ${weights
      .sort((a, b) => b[1] - a[1])
      .slice(0, 8)
      .map(([path, weight]) => `${path} ${weight}`)
      .join(", ")}\n`,
  )
  expect(assets).toBeLessThan(ASSETS)
  for (const [path, weight] of weights) expect(weight < 20_000, path).toBe(true)
}, 240_000)
