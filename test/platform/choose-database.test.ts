// The site database of a new store is chosen by the recorded sizes of the databases.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { pickDatabase } from "../../src/platform/stores/choose-database"
import { provisionStore } from "../../src/platform/stores/provision"
import type { DatabaseStatus } from "../../src/platform/system/databases"
import { cron, platform, run } from "../support/app"
import { makeKey, makeReadyStore, makeStore } from "../support/factories"
import { rows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"

const NAMES = ["A", "B", "C"]
const GB = 1_000_000_000
const ok = (name: string, bytes: number | null): DatabaseStatus => ({ name, bytes, status: "ok" })

describe("pickDatabase", () => {
  const pick = (recorded: DatabaseStatus[], counts: Record<string, number> = {}) =>
    pickDatabase(NAMES, recorded, new Map(Object.entries(counts)))

  test.each<[string, DatabaseStatus[], Record<string, number>, string | null]>([
    ["the smallest", [ok("A", 2 * GB), ok("B", GB), ok("C", 3 * GB)], { B: 900 }, "B"],
    [
      "the one with the fewest stores of equal size",
      [ok("A", GB), ok("B", GB + 100), ok("C", GB)],
      { A: 2, B: 1, C: 3 },
      "B",
    ],
    ["the first without any metrics or stores", [], {}, "A"],
    ["a new one, which has no metrics yet", [ok("A", GB), ok("B", GB)], {}, "C"],
    ["not one that is nearly full", [ok("A", 7 * GB), ok("B", 7 * GB - 1), ok("C", 8 * GB)], {}, "B"],
    ["the smallest of those that are nearly full", [ok("A", 9 * GB), ok("B", 8 * GB), ok("C", 7 * GB)], {}, "C"],
    [
      "one that works",
      [
        { name: "A", bytes: null, status: "unreachable" },
        { name: "B", bytes: 1, status: "refuses_writes" },
        ok("C", GB),
      ],
      {},
      "C",
    ],
    ["none when all are full", NAMES.map((name) => ({ name, bytes: 9.99 * GB, status: "full" as const })), {}, null],
  ])("picks %s", (_, recorded, counts, expected) => {
    expect(pick(recorded, counts)).toBe(expected)
  })
})

/** Stores the metrics of a minute in which the databases had these states. */
async function record(databases: DatabaseStatus[]): Promise<void> {
  await cron("* * * * *")
  await env.DB.prepare("update system_metrics set detail = ? where id = 0")
    .bind(JSON.stringify({ databases, queues: [] }))
    .run()
}

const databasesOf = async () => (await rows("select database from stores order by seq")).map(({ database }) => database)

test("a new store goes to the other database when one is full, although that one has fewer stores", async () => {
  await makeSecondDatabase()
  await makeReadyStore()
  expect(await databasesOf()).toEqual(["SITES_1"])
  await record([ok("SITES_1", GB), { name: "SITES_2", bytes: 9.99 * GB, status: "full" }])
  await makeReadyStore()
  expect(await databasesOf()).toEqual(["SITES_1", "SITES_1"])
  await record([ok("SITES_1", 3 * GB), ok("SITES_2", 2 * GB)])
  await makeReadyStore()
  expect(await databasesOf()).toEqual(["SITES_1", "SITES_1", "SITES_2"])
})

test("returns 503 with Retry-After for a new store while every database is full, and provisions a pending one later", async () => {
  const pending = await makeStore()
  await record([{ name: "SITES_1", bytes: 9.99 * GB, status: "full" }])
  expect(await run((ctx) => provisionStore(ctx, pending))).toBe(false)
  expect(await rows("select status, database from stores")).toEqual([{ status: "pending", database: null }])
  const json = { subdomain: "later", name: "Later", owner_email: "a@example.com", password: "correct-horse-battery" }
  const refused = await platform("POST", "/stores", { token: await makeKey(), json })
  expect([refused.status, refused.headers.get("Retry-After"), refused.body.error.code]).toEqual([
    503,
    "300",
    "temporarily_unavailable",
  ])
  expect(await rows("select id from stores")).toEqual([{ id: pending }])
  await record([ok("SITES_1", GB)])
  expect(await run((ctx) => provisionStore(ctx, pending))).toBe(true)
  expect(await rows("select status, database from stores")).toEqual([{ status: "ready", database: "SITES_1" }])
})
