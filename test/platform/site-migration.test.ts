// Moving a store to another site database: nothing is lost, made up or doubled, wherever a run dies and whoever writes beside it; its
// people read as ever, and who writes is told to come again.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { expireOrders } from "../../src/apps/ecommerce/orders/expire"
import { sweepAllMedia } from "../../src/content/media/sweep"
import { deliverDue } from "../../src/content/notifications/deliver"
import { HOUR, MINUTE } from "../../src/lib/time"
import { copiedTables } from "../../src/platform/site-migration/copy"
import { RANGE } from "../../src/platform/site-migration/id-ranges"
import { moveOn, overdueMoves } from "../../src/platform/site-migration/service"
import { purgeStore, removeStore } from "../../src/platform/stores/remove"
import { allSiteTables } from "../../src/platform/stores/site-tables"
import { type Answer, call, consume, run } from "../support/app"
import { makeSite, type Site, WRITES } from "../support/content-writes"
import { makeReadyStore } from "../support/factories"
import { failTrips } from "../support/faults"
import { keysOf, upload } from "../support/media-factories"
import { aroundTrips } from "../support/round-trips"
import { rows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"

const DATABASES = { SITES_1: env.SITES_1, SITES_2: env.SITES_2 }
type Name = keyof typeof DATABASES

/** What no move takes along. */
const LEFT = ["held_sites", "site_trail"]

beforeEach(makeSecondDatabase)

const operator = (command: string, json: Record<string, unknown>): Promise<Answer> =>
  call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json })

/** Every row that a database has of a site, by table. */
async function rowsOf(name: Name, site: string, tables = copiedTables()): Promise<Record<string, string[]>> {
  const db = DATABASES[name]
  const answers = await db.batch(
    tables.map((table) => db.prepare(`select * from "${table}" where site_id = ?`).bind(site)),
  )
  const found = tables.map((table, index) => [
    table,
    (answers[index]?.results ?? []).map((row) => JSON.stringify(row)).sort(),
  ])
  return Object.fromEntries(found.filter(([, all]) => all?.length))
}

/** A store with what every write of its API leaves. */
async function makeFull(): Promise<Site> {
  const site = await makeSite()
  for (const make of Object.values(WRITES)) await (await make(site))()
  return site
}

const isLost = (thrown: unknown): boolean =>
  thrown instanceof Error && (/network connection lost/.test(thrown.message) || isLost(thrown.cause))

/** Takes the steps of a move as the queue and the cron have them taken, until nothing is left to do. */
async function finish(store: string, isDown: () => "before" | "after" | null = () => null): Promise<void> {
  for (let step = 0; (await rows("select 1 from store_moves")).length; step++) {
    if (step > 20) throw new Error("the move does not end")
    const now = new Date(Date.now() + step * 16 * MINUTE)
    vi.useFakeTimers({ toFake: ["Date"], now })
    const faults = failTrips(isDown)
    await run((ctx) => moveOn(ctx, store)).catch((cause) => {
      if (!isLost(cause)) throw cause
    })
    faults.mockRestore()
    vi.useRealTimers()
  }
}

const databaseOf = async (store: string) => (await rows("select database from stores where id = ?", store))[0]?.database

/** Delivers the latest message of a store's move: it carries the token of the job's lease. */
async function takeStep(store: string): Promise<void> {
  const sent = vi.mocked(env.JOB_QUEUE.send).mock.calls.map(([message]) => message)
  const latest = sent.findLast((message) => message.job === "move" && message.store === store)
  if (latest?.job === "move") await run((ctx) => moveOn(ctx, store, latest))
}

describe("a store that is moved", () => {
  test("has all it had, under the numbers it had, and nothing stays behind", async () => {
    const site = await makeFull()
    const was = await rowsOf("SITES_1", site.store)
    expect(Object.keys(was).length).toBeGreaterThan(18)
    const files = await keysOf(site.store)
    const answer = await operator("site-moves:create", { site: site.store, to: "SITES_2" })
    expect([answer.status, answer.body.data]).toMatchObject([200, { from: "SITES_1", to: "SITES_2", state: "copying" }])
    await finish(site.store)
    expect(await databaseOf(site.store)).toBe("SITES_2")
    expect(await rowsOf("SITES_2", site.store)).toEqual(was)
    expect(
      await rowsOf(
        "SITES_1",
        site.store,
        allSiteTables().filter((name) => name !== "site_trail"),
      ),
    ).toEqual({})
    expect(await rowsOf("SITES_2", site.store, ["held_sites"])).toEqual({})
    expect(await keysOf(site.store)).toEqual(files)
    const trail = await rows("select type, interface from audit_entries where subject_type = 'site_move' order by id")
    expect(trail).toEqual([
      { type: "site_move_created", interface: "cli" },
      { type: "site_move_moved", interface: "system" },
    ])
  })

  test("is written as ever afterwards, on rows numbered apart from those of any other database", async () => {
    const site = await makeFull()
    await operator("site-moves:create", { site: site.store, to: "SITES_2" })
    await finish(site.store)
    const other = await makeReadyStore()
    const { status, body } = await upload(site.media, "after.txt", "text")
    expect([status, body.id > RANGE, body.id < 2 * RANGE]).toEqual([201, true, true])
    expect((await site.media("GET", "/files")).body.map((file: { id: number }) => file.id)).toContain(body.id)
    // And back: what is numbered from the second range no store of the first database will ever be.
    await operator("site-moves:create", { site: site.store, to: "SITES_1" })
    await finish(site.store)
    expect(await databaseOf(site.store)).toBe("SITES_1")
    const next = await upload(site.media, "back.txt", "text")
    expect([next.status, next.body.id > 2 * RANGE]).toEqual([201, true])
    expect(await databaseOf(other)).not.toBeNull()
  })

  test("is read while it is moved, and whoever writes it is told to come again, by every route", async () => {
    const site = await makeSite()
    const wrong: string[] = []
    for (const [name, make] of Object.entries(WRITES)) {
      const write = await make(site)
      const was = JSON.stringify(await rowsOf("SITES_1", site.store))
      await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(site.store).run()
      const { status, headers } = await write()
      const isSame = JSON.stringify(await rowsOf("SITES_1", site.store)) === was
      await env.SITES_1.exec("delete from held_sites")
      const isTold = status === 503 && headers.get("Retry-After") === "30"
      const isCentral = name.startsWith("billing.")
      if (!isSame || (!isTold && !isCentral)) wrong.push(`${name}: ${status} ${isSame}`)
    }
    expect(wrong).toEqual([])
    await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(site.store).run()
    expect((await site.media("GET", "/files")).status).toBe(200)
  })
})

test("every table of a site that is copied is held against every write", async () => {
  const { results } = await env.SITES_1.prepare("select name from sqlite_master where type = 'trigger'").all<{
    name: string
  }>()
  const triggers = new Set(results.map(({ name }) => name))
  const wanted = copiedTables()
    .filter((name) => !["counters", "inbox_counts"].includes(name))
    .flatMap((name) => ["insert", "update", "delete"].map((verb) => `${name}_held_${verb}`))
  expect(wanted.filter((name) => !triggers.has(name))).toEqual([])
  const { results: tables } = await env.SITES_1.prepare(
    "select name from sqlite_master where type = 'table' and sql like '%`site_id`%'",
  ).all<{ name: string }>()
  expect(tables.map(({ name }) => name).sort()).toEqual([...copiedTables(), ...LEFT].sort())
})

test("a run may die at any trip, before it or after: the next one goes on, and all is there once", async () => {
  const site = await makeFull()
  const was = await rowsOf("SITES_1", site.store)
  let from: Name = "SITES_1"
  let to: Name = "SITES_2"
  let trips = 0
  for (const fault of ["before", "after"] as const) {
    for (let at = 0; at === 0 || at < trips; at++) {
      await operator("site-moves:create", { site: site.store, to })
      let made = 0
      await finish(site.store, () => (made++ === at ? fault : null))
      trips = made
      const [here, there] = [
        await rowsOf(to, site.store),
        await rowsOf(from, site.store, [...copiedTables(), "held_sites"]),
      ]
      expect([await databaseOf(site.store), there], `${fault} ${at}`).toEqual([to, {}])
      expect(here, `${fault} ${at}`).toEqual(was)
      ;[from, to] = [to, from]
    }
  }
  expect(trips).toBeGreaterThan(60)
}, 900_000)

test("rows that are long are moved a few at a time: no trip carries more than an isolate can hold", async () => {
  const { store } = await makeSite()
  const columns = "site_id, slug, name, name_key, content, status, template, created_at, updated_at"
  await env.SITES_1.prepare(
    `insert into pages (${columns}) with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)
     select ?1, 'p' || i, 'p', 'p', ?2, 'published', 'default', 1, 1 from n`,
  )
    .bind(store, "long".repeat(50_000))
    .run()
  const was = await rowsOf("SITES_1", store, ["pages"])
  await operator("site-moves:create", { site: store, to: "SITES_2" })
  const sizes: number[] = []
  const trips = aroundTrips(async (send) => {
    const answer = await send()
    sizes.push(JSON.stringify(answer).length)
    return answer
  })
  await run((ctx) => moveOn(ctx, store))
  trips.mockRestore()
  expect(await databaseOf(store)).toBe("SITES_2")
  expect(await rowsOf("SITES_2", store, ["pages"])).toEqual(was)
  expect(Math.max(...sizes)).toBeLessThan(3_000_000)
})

describe("beside a store that is moved", () => {
  test("all others of its database are written as ever, by people and by the cron", async () => {
    const [moved, other] = [await makeSite(), await makeSite()]
    const at = new Date(Date.now() - MINUTE)
    for (const { store } of [moved, other]) {
      const columns =
        "site_id, title, message, type, target, status, scheduled_at, created_by_name, created_at, updated_at"
      await env.SITES_1.prepare(
        `insert into notifications (${columns}) values (?, 't', 'm', 'general', 'all', 'scheduled', ?, 'x', 1, 1)`,
      )
        .bind(store, at.getTime())
        .run()
      await env.SITES_1.prepare("insert into media_orphans (site_id, path, due_at) values (?, 'gone.txt', 1)")
        .bind(store)
        .run()
      const folder =
        "insert into media_folders (site_id, parent_id, name, name_key, slug, removed_at, created_at, updated_at)"
      await env.SITES_1.prepare(`${folder} values (?, 0, 'f', 'f', 'f', 1, 1, 1)`).bind(store).run()
      await env.SITES_1.prepare(
        "insert into orders (site_id, user_id, status, currency, total_cents, created_at, updated_at) values (?, 1, 'pending', 'EUR', 1, 1, 1)",
      )
        .bind(store)
        .run()
    }
    await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(moved.store).run()
    const was = await rowsOf("SITES_1", moved.store)
    expect(await run(deliverDue)).toBeUndefined()
    await run(sweepAllMedia)
    await run(expireOrders)
    expect(await rowsOf("SITES_1", moved.store)).toEqual(was)
    const { notifications, media_orphans, media_folders, orders } = await rowsOf("SITES_1", other.store)
    expect([media_orphans, media_folders]).toEqual([undefined, undefined])
    expect([String(notifications), String(orders)]).toEqual([
      expect.stringContaining('"sent"'),
      expect.stringContaining('"cancelled"'),
    ])
    expect((await upload(other.media, "a.txt", "text")).status).toBe(201)
  })

  test("messages about it are no failures: the cron takes up what they were about", async () => {
    const { store } = await makeSite()
    await env.SITES_1.prepare(
      "insert into notifications (site_id, title, message, type, target, status, created_by_name, created_at, updated_at) values (?, 't', 'm', 'general', 'all', 'sending', 'x', 1, 1)",
    )
      .bind(store)
      .run()
    await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(store).run()
    const { retryMessages, explicitAcks } = await consume("tenancy-jobs", [
      { job: "notify", database: "SITES_1", notification: 1 },
    ])
    expect([retryMessages.length, explicitAcks.length]).toEqual([0, 1])
  })

  test("writes of the same moment are all there or were all refused", async () => {
    const site = await makeSite()
    const user = await site.user({ isStaff: true })
    await operator("site-moves:create", { site: site.store, to: "SITES_2" })
    const names = Array.from({ length: 30 }, (_, index) => `Bowl ${index}`)
    const writing = Promise.all(
      names.map(async (name, index) => {
        await scheduler.wait(index * 4)
        const { status } = await site.send("POST", "/products", user, {
          name,
          price_cents: 1,
          currency: "EUR",
          stock: 1,
        })
        return { name, status }
      }),
    )
    for (let step = 0; step < 2; step++) await takeStep(site.store)
    const told = await writing
    expect(told.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
    await finish(site.store)
    const kept = await env.SITES_2.prepare("select name from products where site_id = ? and name like 'Bowl %'")
      .bind(site.store)
      .all<{ name: string }>()
    const made = told.filter(({ status }) => status === 201).map(({ name }) => name)
    expect(kept.results.map(({ name }) => name).sort()).toEqual(made.sort())
  })
})

describe("a move", () => {
  test("that is cancelled leaves the store where it was, writable, and nothing in the other database", async () => {
    const site = await makeFull()
    const was = await rowsOf("SITES_1", site.store)
    await operator("site-moves:create", { site: site.store, to: "SITES_2" })
    // It dies in the middle of its copy.
    let trips = 0
    const faults = failTrips(() => (trips++ > 30 ? "before" : null))
    await run((ctx) => moveOn(ctx, site.store)).catch(() => undefined)
    faults.mockRestore()
    await env.DB.exec("delete from locks")
    const { body } = await operator("site-moves:list", {})
    expect(body.data).toMatchObject([{ site: site.store, state: "copying" }])
    expect(body.data[0].tables_copied).toBeGreaterThan(0)
    expect((await upload(site.media, "a.txt", "text")).status).toBe(503)
    expect((await operator("site-moves:cancel", { site: site.store })).body.data).toMatchObject({ state: "cancelled" })
    await finish(site.store)
    expect(await databaseOf(site.store)).toBe("SITES_1")
    expect(await rowsOf("SITES_1", site.store)).toEqual(was)
    expect(await rowsOf("SITES_2", site.store, allSiteTables())).toEqual({})
    expect((await upload(site.media, "a.txt", "text")).status).toBe(201)
  })

  test.each([
    [
      "says something else, in as many rows,",
      "products",
      "AFTER INSERT ON products BEGIN UPDATE products SET name = 'Other' WHERE id = NEW.id; END",
    ],
    ["lacks a row", "users", "BEFORE INSERT ON users BEGIN SELECT RAISE(IGNORE); END"],
  ])("whose copy %s ends there, and the store is written again", async (_, table, slip) => {
    const site = await makeFull()
    const was = await rowsOf("SITES_1", site.store)
    await env.SITES_2.exec(`CREATE TRIGGER slip ${slip}`)
    await operator("site-moves:create", { site: site.store, to: "SITES_2" })
    await finish(site.store)
    expect(await databaseOf(site.store)).toBe("SITES_1")
    expect(await rowsOf("SITES_1", site.store)).toEqual(was)
    expect(await rowsOf("SITES_2", site.store, allSiteTables())).toEqual({})
    expect((await upload(site.media, "a.txt", "text")).status).toBe(201)
    const [entry] = await rows("select data from audit_entries where type = 'site_move_cancelled'")
    expect(JSON.parse(String(entry?.data))).toEqual({ from: "SITES_1", to: "SITES_2", differs: table })
  })

  test("of a store that is deleted on its way leaves nothing in either database", async () => {
    const site = await makeFull()
    await operator("site-moves:create", { site: site.store, to: "SITES_2" })
    let trips = 0
    const faults = failTrips(() => (trips++ > 50 ? "before" : null))
    await run((ctx) => moveOn(ctx, site.store)).catch(() => undefined)
    faults.mockRestore()
    await run((ctx) => removeStore(ctx, site.store, { confirm: site.store, reason: "api" }))
    await run((ctx) => moveOn(ctx, site.store))
    // For all that anybody knows the run may be between two lines, and hold the store behind the purge.
    await run((ctx) => purgeStore(ctx, site.store))
    expect(await rowsOf("SITES_2", site.store, ["held_sites"])).not.toEqual({})
    await env.DB.exec("delete from locks")
    await run((ctx) => purgeStore(ctx, site.store))
    for (const name of ["SITES_1", "SITES_2"] as const)
      expect(await rowsOf(name, site.store, allSiteTables())).toEqual({
        site_incarnations: [JSON.stringify({ site_id: site.store, store_seq: null })],
      })
    expect(await rows("select * from store_moves union all select 1, 1, 1, 1, 1, 1, 1, 1, 1 from purges")).toEqual([])
  })

  test("lets go of the store at once, and of the old rows once nobody reads them any more; the cron finds a lost one", async () => {
    const { store, media } = await makeSite()
    await operator("site-moves:create", { site: store, to: "SITES_2" })
    const later = new Date(Date.now() + MINUTE)
    expect(await run((ctx) => overdueMoves(ctx, 20), { now: later })).toEqual([{ store, seq: expect.any(Number) }])
    await takeStep(store)
    await takeStep(store)
    expect((await upload(media, "a.txt", "text")).status).toBe(201)
    expect(Object.keys(await rowsOf("SITES_1", store)).length).toBeGreaterThan(0)
    expect(await run((ctx) => overdueMoves(ctx, 20), { now: later })).toEqual([])
    const afterwards = new Date(Date.now() + HOUR)
    expect(await run((ctx) => overdueMoves(ctx, 20), { now: afterwards })).toEqual([{ store, seq: expect.any(Number) }])
  })

  test("is refused to where the store is, to no database, while it is moved elsewhere, and of no store", async () => {
    const id = await makeReadyStore()
    const to = async (site: string, name: string) => {
      const { status, body } = await operator("site-moves:create", { site, to: name })
      return [status, body.error?.code ?? body.data?.state]
    }
    expect(await to(id, "SITES_1")).toEqual([422, "validation_failed"])
    expect(await to(id, "DB")).toEqual([422, "validation_failed"])
    expect(await to("nobody", "SITES_2")).toEqual([404, "not_found"])
    expect((await operator("site-moves:cancel", { site: id })).status).toBe(404)
    expect(await to(id, "SITES_2")).toEqual([200, "copying"])
    expect(await to(id, "SITES_2")).toEqual([200, "copying"])
    await finish(id)
    expect((await rows("select 1 from audit_entries where type = 'site_move_created'")).length).toBe(1)
  })

  test("is refused to and from a database that numbered its rows as the first one does", async () => {
    const id = await makeReadyStore()
    await env.SITES_2.exec(
      "insert into tags (site_id, slug, name, name_key, created_at, updated_at) values ('x', 'x', 'x', 'x', 1, 1)",
    )
    const { status, body } = await operator("site-moves:create", { site: id, to: "SITES_2" })
    expect([status, Object.keys(body.errors ?? body.error.errors)]).toEqual([422, ["to"]])
  })
})

test("where there is more than one database, a new store's rows are numbered apart from the first one's", async () => {
  await makeReadyStore()
  const id = await makeReadyStore()
  expect(await databaseOf(id)).toBe("SITES_2")
  const { results } = await env.SITES_2.prepare("select id from users where site_id = ?").bind(id).all<{ id: number }>()
  expect(results.map((row) => row.id > RANGE)).toEqual([true])
})
