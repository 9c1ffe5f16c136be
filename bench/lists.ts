// Measures the list of stores with a thousand and a hundred thousand stores: rows read as counted by D1, and
// milliseconds per request.
import "../tools/lib/worker-imports.ts"
import { makeManyStores, NEEDLE, NEEDLE_COUNT } from "../test/support/many-stores.ts"
import { getMedian } from "./lib/load.ts"
import type { Stage, Topic } from "./lib/topic.ts"

const TABLE_SIZES = [1_000, 100_000]
const PER_PAGE = 30
const REQUESTS_PER_QUERY = 21

interface Query {
  page?: number
  status?: "suspended"
  q?: string
}

/** Builds the queries by row name. */
const buildQueries = (total: number): Record<string, Query> => {
  const last = Math.ceil(total / PER_PAGE)
  return {
    "page 1": {},
    "middle page": { page: Math.ceil(last / 2) },
    "last page": { page: last },
    "page 1, filtered by status": { status: "suspended" },
    [`q=${NEEDLE}, ${NEEDLE_COUNT} matches`]: { q: NEEDLE },
    [`q=${NEEDLE.slice(0, 2)}, ${NEEDLE_COUNT} matches`]: { q: NEEDLE.slice(0, 2) },
    "q without matches": { q: "nothing at all" },
    "q that matches every store": { q: "number" },
  }
}

export const lists: Topic = async (stage) => {
  const columns: string[][] = []
  for (const total of TABLE_SIZES) {
    for (const table of ["stores", "domains", "usage_snapshots", "subscriptions"]) {
      await stage.central.prepare(`delete from ${table}`).run()
    }
    await makeManyStores(stage.central, total)
    const rows = []
    const times = []
    for (const query of Object.values(buildQueries(total))) {
      rows.push(String(await countRowsRead(stage, query)))
      times.push((await measureMedianMs(stage, query)).toFixed(1))
    }
    const stores = `${total.toLocaleString("en").replace(",", " ")} stores`
    columns.push([`rows read, ${stores}`, ...rows], ["ms", ...times])
  }
  const names = ["GET /stores", ...Object.keys(buildQueries(TABLE_SIZES[0] ?? 0))]
  return names.map((name, row) => [name, ...columns.map((column) => column[row] ?? "")])
}

/** Counts the rows that the list's statements read. */
async function countRowsRead({ central }: Stage, { page = 1, ...filter }: Query): Promise<number> {
  // lint: D1 reports rows read only to the caller of the query, not through the Worker's API
  const { loadStorePage: pageOfStores } = await import("../src/platform/stores/queries")
  // lint: as above
  const { centralDatabase } = await import("../src/db/client")
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
  await pageOfStores(db, { page, per_page: PER_PAGE }, filter)
  return read
}

/** Measures the median of sequential requests. */
async function measureMedianMs({ urls, key }: Stage, query: Query): Promise<number> {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const times = []
  for (let request = 0; request < REQUESTS_PER_QUERY; request += 1) {
    const started = performance.now()
    const answer = await fetch(`${urls.platform}/api/platform/v1/stores?${parameters}`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`GET /stores?${parameters} answered ${answer.status}`)
    times.push(performance.now() - started)
  }
  return getMedian(times)
}
