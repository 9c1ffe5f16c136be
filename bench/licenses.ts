// Measures license API requests on small and large tables: milliseconds per request, and rows read as counted by D1.
import "../tools/lib/worker-imports.ts"
import { MANY_LICENSES_PRODUCT, makeManyLicenses } from "../test/support/many-licenses.ts"
import { callApi } from "../tools/lib/api.ts"
import { getMedian } from "./lib/load.ts"
import type { Stage, Topic } from "./lib/topic.ts"

/** Licenses; each has three activations. */
const TABLE_SIZES = [1_000, 1_000_000]
const REQUESTS_PER_CALL = 51

/** The installation that the benchmark activates; its license is in the middle of the tables. */
const INSTALLATION_HEADERS = { "X-API-URL": "https://here.example", "X-API-IP": "203.0.113.9" }

type Key = "external" | "internal"
type Call = [key: Key, method: "GET" | "POST", path: string, json?: Record<string, unknown>]

export const licenses: Topic = async (stage) => {
  const keys = { external: await issueKey(stage, "external"), internal: await issueKey(stage, "internal") }
  let names: string[] = []
  const columns: string[][] = []
  for (const total of TABLE_SIZES) {
    await makeManyLicenses(stage.central, total)
    const calls = await buildCalls(stage, keys, total)
    const times = []
    for (const call of Object.values(calls)) times.push((await measureMedianMs(stage, keys, call)).toFixed(1))
    const rows = await countRowsRead(stage, total)
    names = ["license manager", ...Object.keys(calls)]
    const label = `${total.toLocaleString("en").replaceAll(",", " ")} licenses`
    columns.push(
      [`rows read, ${label}`, ...Object.keys(calls).map((name) => String(rows[name] ?? ""))],
      ["ms", ...times],
    )
  }
  return names.map((name, row) => [name, ...columns.map((column) => column[row] ?? "")])
}

const issueKey = async ({ urls, operatorToken }: Stage, type: Key): Promise<string> => {
  const path = "/api/operator/v1/license-keys:create"
  const { key } = await callApi<{ key: string }>(urls.platform, operatorToken, "POST", path, {
    type,
    name: "Benchmark",
  })
  return key
}

const getMiddleCode = (total: number): string => `MANY-${Math.ceil(total / 2)}`

/** Builds the calls by row name. */
async function buildCalls(stage: Stage, keys: Record<Key, string>, total: number): Promise<Record<string, Call>> {
  const named = { product_id: MANY_LICENSES_PRODUCT, license_code: getMiddleCode(total) }
  const activate: Call = ["external", "POST", "/license/activate", named]
  const { lic_response } = (await send(stage, keys, activate)) as { lic_response: string }
  return {
    "verify by license data": [
      "external",
      "POST",
      "/license/verify",
      { product_id: MANY_LICENSES_PRODUCT, license_data: lic_response },
    ],
    "verify by code": ["external", "POST", "/license/verify", named],
    "activate again": activate,
    "list, page 1": ["internal", "GET", "/product-licenses"],
    "list of one product": ["internal", "GET", `/product-licenses?product_reference_id=${MANY_LICENSES_PRODUCT}`],
    "search, 10 matches": ["internal", "GET", "/product-licenses?search=zephyr"],
  }
}

/** Counts the rows that the queries of those calls read, except the API key lookup. */
async function countRowsRead({ central }: Stage, total: number): Promise<Record<string, number>> {
  // lint: D1 reports rows read only to the caller of the query, not through the Worker's API
  const queries = await import("../src/license/activations/queries")
  // lint: as above
  const { readLicensePage } = await import("../src/license/licenses/queries")
  // lint: as above
  const { selectProductByReference: productByReference } = await import("../src/license/products/queries")
  // lint: as above
  const { batch, centralDatabase } = await import("../src/db/client")
  let read = 0
  const counting = {
    prepare: (sql: string) => central.prepare(sql),
    batch: async (statements: D1PreparedStatement[]) => {
      const results = await central.batch(statements)
      for (const { meta } of results) read += meta.rows_read
      return results
    },
  }
  const db = centralDatabase({ DB: counting } as unknown as Parameters<typeof centralDatabase>[0])
  const ctx = { db } as unknown as Parameters<typeof readLicensePage>[0]
  const place = { domain: "here.example", ip: "203.0.113.9" }
  const product = productByReference({ referenceId: MANY_LICENSES_PRODUCT })
  const byCode = queries.selectMatchByCode(getMiddleCode(total), place)
  const page = { page: 1, per_page: 15 }
  const work: Record<string, () => Promise<unknown>> = {
    "verify by license data": () => batch(db, [product, queries.selectMatchByActivation(total)]),
    "verify by code": () => batch(db, [product, byCode]),
    "activate again": () => batch(db, [product, byCode]),
    "list, page 1": () => readLicensePage(ctx, page),
    "list of one product": () => readLicensePage(ctx, { ...page, product_reference_id: MANY_LICENSES_PRODUCT }),
    "search, 10 matches": () => readLicensePage(ctx, { ...page, search: "zephyr" }),
  }
  const rows: Record<string, number> = {}
  for (const [name, run] of Object.entries(work)) {
    read = 0
    await run()
    rows[name] = read
  }
  return rows
}

/** Measures the median of sequential requests. */
async function measureMedianMs(stage: Stage, keys: Record<Key, string>, call: Call): Promise<number> {
  const times = []
  for (let request = 0; request < REQUESTS_PER_CALL; request += 1) {
    const started = performance.now()
    await send(stage, keys, call)
    times.push(performance.now() - started)
  }
  return getMedian(times)
}

async function send({ urls }: Stage, keys: Record<Key, string>, [key, method, path, json]: Call): Promise<unknown> {
  const answer = await fetch(`${urls.platform}/api/${key}${path}`, {
    method,
    headers: { ...INSTALLATION_HEADERS, "X-API-KEY": keys[key], ...(json && { "Content-Type": "application/json" }) },
    body: json && JSON.stringify(json),
  })
  const body = (await answer.json()) as { is_active?: boolean; data?: unknown }
  if (!answer.ok || body.is_active === false)
    throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(body)}`)
  return body
}
