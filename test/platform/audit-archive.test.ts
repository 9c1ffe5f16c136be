// Old audit entries move to R2, stay readable page by page, and cannot be changed there unnoticed.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { isTransient } from "../../src/db/errors"
import { archiveAuditEntries } from "../../src/platform/audit/archive"
import { consume, platform, run, sendOperatorCommand, withSettings } from "../support/app"
import { addEntries, ageEntries, archiveAudit, listArchiveKeys } from "../support/archives"
import { costsOf } from "../support/costs"
import { failCalls } from "../support/external-calls"
import { makeEndpoint, makeKey, makeStore } from "../support/factories"
import { failEachKindOfRoundTrip, failEveryOther, failRoundTrips } from "../support/faults"
import { cronWithJobs } from "../support/jobs"
import { count, rows } from "../support/rows"

const NO_RATE_LIMITS = { TENANCY_API_RATE_LIMIT: "1000000", TENANCY_API_RATE_LIMIT_PER_IP: "0" }

let token: string
beforeEach(async () => {
  token = await makeKey()
})

const readPage = async (store: string, query: string) => {
  const { status, body } = await platform("GET", `/stores/${store}/events?${query}`, { token, env: NO_RATE_LIMITS })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** Reads all pages of a store's audit log. */
async function readAll(store: string, perPage: number) {
  const pages = []
  for (let page = 1, last = 1; page <= last; page++) {
    const body = await readPage(store, `per_page=${perPage}&page=${page}`)
    last = body.meta.last_page
    pages.push(body)
  }
  return pages
}

const verify = async () => (await sendOperatorCommand("audit:verify")).body.data

/** Makes two stores with old and new entries. */
async function makeLogs(): Promise<string[]> {
  const stores = [await makeStore(), await makeStore()]
  await ageEntries(400)
  for (const daysAgo of [130, 100, 91]) for (const store of stores) await addEntries(store, 4, daysAgo)
  for (const store of stores) await addEntries(store, 3, 5)
  return stores
}

/** Asserts that the logs are complete, archived and unchanged, whichever runs died before. */
async function expectArchived(logs: Record<string, unknown>): Promise<void> {
  for (const [store, pages] of Object.entries(logs)) expect(await readAll(store, 5)).toEqual(pages)
  expect(await count("audit_entries where created_at < unixepoch() * 1000 - 90 * 86400000")).toBe(0)
  expect(await verify()).toEqual({ log: "audit", objects: expect.any(Number), entries: 26, problems: [], next: null })
}

describe("the archive", () => {
  test("has the old entries, and the pages of a store's log stay the same", async () => {
    const [store = "", other = ""] = await makeLogs()
    const before = [await readAll(store, 5), await readAll(other, 4), await readPage(store, "per_page=100")]
    await cronWithJobs("30 2 * * *")
    expect(await count("audit_entries where created_at < unixepoch() * 1000 - 90 * 86400000")).toBe(0)
    expect([await readAll(store, 5), await readAll(other, 4), await readPage(store, "per_page=100")]).toEqual(before)
    expect(before[2]).toMatchObject({ meta: { total: 16 } })
    await addEntries(store, 1, 0)
    expect((await readPage(store, "per_page=100")).meta.total).toBe(17)
  })

  test("continues with further objects, so a month may have several of a shard", async () => {
    const store = await makeStore()
    await ageEntries(100)
    await addEntries(store, 3, 100)
    await archiveAudit()
    await addEntries(store, 3, 95)
    const before = await readAll(store, 2)
    await archiveAudit()
    const keys = await listArchiveKeys()
    const [shard] = keys.map((key) => key.split("/")[2]).filter((name, index, all) => all.indexOf(name) !== index)
    expect(keys.filter((key) => key.split("/")[2] === shard).map((key) => key.match(/\/(\d{8})-/)?.[1])).toEqual([
      "00000001",
      "00000002",
    ])
    expect(await readAll(store, 2)).toEqual(before)
    expect((await verify()).problems).toEqual([])
  })

  test("has gzip-compressed lines of JSON with a header, under the month and the shard", async () => {
    const store = await makeStore()
    await ageEntries(400)
    await addEntries(store, 2, 100)
    const stored = await rows("select * from audit_entries where type = 'store_updated' order by id")
    await archiveAudit()
    const key = (await listArchiveKeys()).at(-1) ?? ""
    const month = new Date(Number(stored[0]?.created_at)).toISOString().slice(0, 7)
    expect(key).toMatch(new RegExp(`^audit/${month}/[0-9a-f]{2}/\\d{8}-[0-9a-f]{64}\\.ndjson\\.gz$`))
    const body = (await env.ARCHIVE.get(key))?.body.pipeThrough(new DecompressionStream("gzip"))
    const [header, ...entries] = (await new Response(body).text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(header).toMatchObject({
      format: 1,
      log: "audit",
      month,
      entries: 2,
      previous: expect.stringMatching(/^\w{64}$/),
    })
    expect(entries).toEqual(
      stored.map((row) => ({
        ...row,
        data: JSON.parse(String(row.data)),
        created_at: new Date(Number(row.created_at)).toISOString(),
      })),
    )
  })

  test("splits the entries of one store into several objects, and a page of them reads few rows", async () => {
    const store = await makeStore()
    await ageEntries(400)
    await addEntries(store, 5_600, 120)
    await archiveAudit()
    expect(await rows("select objects, entries from archives")).toEqual([
      { objects: expect.any(Number), entries: 5_601 },
    ])
    const costs = []
    for (const page of [10, 180]) costs.push(await costsOf(() => readPage(store, `page=${page}`)))
    for (const { rowsRead } of costs) expect(rowsRead).toBeLessThan(40)
    expect(costs[0]?.roundTrips).toBe(3)
    const { data } = await readPage(store, "page=187&per_page=30")
    expect(data.map((entry: { data: { from: number } }) => entry.data.from).slice(-3)).toEqual([2, 1, undefined])
  })

  test("keeps everything in the database when TENANCY_AUDIT_HOT_DAYS is 0", async () => {
    await addEntries(await makeStore(), 3, 5_000)
    await ageEntries(400)
    const settings = withSettings({ TENANCY_AUDIT_HOT_DAYS: "0" })
    await run((ctx) => archiveAuditEntries(ctx, Date.now()), { env: settings })
    expect(await listArchiveKeys()).toEqual([])
  })

  test("is read again after a transient error of the bucket", async () => {
    const [store = ""] = await makeLogs()
    const log = await readAll(store, 5)
    await archiveAudit()
    const get = vi.spyOn(env.ARCHIVE, "get").mockRejectedValueOnce(new Error("get: We encountered an internal error."))
    expect(await readAll(store, 5)).toEqual(log)
    expect(get.mock.results.length).toBeGreaterThan(1)
  })

  test("answers 503 and logs the key while an object is missing", async () => {
    const [store = ""] = await makeLogs()
    await archiveAudit()
    await env.ARCHIVE.delete(await listArchiveKeys())
    const error = vi.spyOn(console, "error").mockReturnValue()
    const { status, headers, body } = await platform("GET", `/stores/${store}/events?page=2&per_page=5`, { token })
    expect([status, headers.get("Retry-After"), body.error.code]).toEqual([503, "60", "temporarily_unavailable"])
    expect(String(error.mock.calls[0]?.[0])).toContain("audit/")
  })
})

describe("a run that dies", () => {
  test("before or after any kind of call is repeated, and nothing is lost or duplicated", async () => {
    const stores = await makeLogs()
    const logs = Object.fromEntries(await Promise.all(stores.map(async (store) => [store, await readAll(store, 5)])))
    const saved = await env.DB.prepare("select * from audit_entries").all()
    const kinds = await failEachKindOfRoundTrip(async (decide, label) => {
      await restoreRows(saved.results)
      const runOnce = async () => {
        const restoreCalls = failCalls(({ target, callSite }) => decide([`${target} ${callSite}`]))
        const trips = failRoundTrips(decide, "the Worker died")
        const outcome = await run((ctx) => archiveAuditEntries(ctx, Date.now())).catch(() => "died")
        trips.mockRestore()
        restoreCalls()
        // Readers see all of the log, however far the run came.
        if (outcome === "died") for (const store of stores) expect(await readAll(store, 5), label).toEqual(logs[store])
        return outcome
      }
      while (await runOnce());
      await expectArchived(logs)
    })
    expect(kinds).toBeGreaterThan(5)
  }, 240_000)

  test("leaves the work to a run at the same time, of which one archives the entries", async () => {
    const stores = await makeLogs()
    const logs = Object.fromEntries(await Promise.all(stores.map(async (store) => [store, await readAll(store, 5)])))
    const results = await Promise.allSettled([1, 2, 3].map(() => run((ctx) => archiveAuditEntries(ctx, Date.now()))))
    expect(results.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0)
    for (const result of results)
      if (result.status === "rejected")
        expect([result.reason.name, isTransient(result.reason)]).toEqual(["WriteConflict", false])
    await archiveAudit()
    await expectArchived(logs)
  })

  test("is not repeated by duplicate messages", async () => {
    await makeLogs()
    const message = { job: "archive", log: "audit", at: Date.now() }
    await Promise.all([1, 2, 3].map(() => consume("tenancy-slow-jobs", [message])))
    const objects = await count("archive_objects")
    await consume("tenancy-slow-jobs", [message])
    expect(await count("archive_objects")).toBe(objects)
    expect(await listArchiveKeys()).toHaveLength(objects)
  })
})

/** Restores the audit log as it was before it was archived. */
async function restoreRows(saved: Record<string, unknown>[]): Promise<void> {
  for (const table of ["archives", "archive_objects", "audit_archive_parts", "audit_entries"])
    await env.DB.exec(`delete from ${table}`)
  await env.ARCHIVE.delete(await listArchiveKeys())
  const counters = await env.DB.prepare("select * from counters where list like 'audit:%'").all()
  const columns = Object.keys(saved[0] ?? {})
  const insert = env.DB.prepare(
    `insert into audit_entries (${columns}) select ${columns.map((column) => `value ->> '${column}'`)} from json_each(?)`,
  )
  await insert.bind(JSON.stringify(saved)).run()
  for (const { list, total } of counters.results)
    await env.DB.prepare("update counters set total = ? where list = ?").bind(total, list).run()
}

describe("audit:verify", () => {
  const makeArchive = async () => {
    await makeLogs()
    await archiveAudit()
    const keys = await listArchiveKeys()
    const problems = (await verify()).problems
    expect([problems, keys.length > 4]).toEqual([[], true])
    return keys
  }

  const read = async (key = "") =>
    new Uint8Array((await (await env.ARCHIVE.get(key))?.arrayBuffer()) ?? new ArrayBuffer())

  test("names an object of which one byte was changed", async () => {
    const [, key = ""] = await makeArchive()
    const bytes = await read(key)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    await env.ARCHIVE.put(key, bytes)
    expect((await verify()).problems).toEqual([
      { object: key, problem: "changed", detail: expect.stringMatching(/^its SHA-256 is \w{64}$/) },
    ])
  })

  test("names an object that was deleted", async () => {
    const [, , key = ""] = await makeArchive()
    await env.ARCHIVE.delete(key)
    expect((await verify()).problems).toEqual([
      { object: key, problem: "missing", detail: "the bucket has no such object" },
    ])
  })

  test("names two objects that were exchanged", async () => {
    const [first = "", second = ""] = await makeArchive()
    const [one, two] = [await read(first), await read(second)]
    await env.ARCHIVE.put(first, two)
    await env.ARCHIVE.put(second, one)
    const { problems } = await verify()
    expect(problems).toHaveLength(2)
    expect(problems).toContainEqual({ object: first, problem: "reordered", detail: `it has the contents of ${second}` })
    expect(problems).toContainEqual({ object: second, problem: "reordered", detail: `it has the contents of ${first}` })
  })

  test("names what is missing when records were deleted with their objects", async () => {
    await makeArchive()
    const [{ shard, number } = {}] = await rows(
      "select shard, max(number) as number from archive_objects group by shard having max(number) > 1",
    )
    await env.DB.prepare("delete from archive_objects where shard = ? and number = 1").bind(shard).run()
    const [gap] = (await verify()).problems
    expect(gap).toMatchObject({ problem: "missing", detail: "no record of the 1 objects before it" })
    await env.DB.prepare("delete from archive_objects where shard = ?").bind(shard).run()
    expect((await verify()).problems).toEqual([
      {
        object: "audit/",
        problem: "missing",
        detail: expect.stringMatching(`^${number} objects with \\d+ entries have no record$`),
      },
    ])
  })

  test("names an object whose record was exchanged with its neighbor's", async () => {
    await makeArchive()
    const [{ shard } = {}] = await rows("select shard from archive_objects where number = 2")
    await env.DB.prepare(
      "update archive_objects set number = case number when 1 then -2 when 2 then -1 else number end where shard = ?",
    )
      .bind(shard)
      .run()
    await env.DB.prepare("update archive_objects set number = -number where number < 0").run()
    const problems = (await verify()).problems.map(({ problem }: { problem: string }) => problem)
    expect(problems).toEqual(["missing", "missing", "reordered"])
  })
})

describe("recent entries", () => {
  test("tell whether a commit took effect, and which store an event is about, while everything older is archived", async () => {
    const [store = ""] = await makeLogs()
    await archiveAudit()
    const [{ seq } = {}] = await rows("select seq from stores where id = ?", store)
    const endpoint = await makeEndpoint({ stores: [store], storeSeqs: [Number(seq)] })
    const trips = failEveryOther('insert into "audit_entries"', "after")
    const { status } = await platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" } })
    expect([status, trips.mock.calls.length > 0]).toEqual([200, true])
    trips.mockRestore()
    const entries = await rows("select data from audit_entries where type = 'store_updated' and interface = 'api'")
    expect(entries).toHaveLength(1)
    expect(await rows("select endpoint_id, event, store_id from webhook_deliveries")).toEqual([
      { endpoint_id: endpoint.id, event: "store.updated", store_id: store },
    ])
  })
})
