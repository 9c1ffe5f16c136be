// Site migration: no row is lost or duplicated, whichever run dies and whatever is written in parallel. Reads
// work as usual, and writes are refused with Retry-After.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { expireOrders } from "../../src/apps/ecommerce/orders/expire"
import { sweepMedia } from "../../src/content/media/sweep"
import { deliverDueNotifications } from "../../src/content/notifications/deliver"
import { HOUR, MINUTE } from "../../src/lib/time"
import { RANGE_SIZE } from "../../src/platform/site-migration/id-ranges"
import { listCopiedTables } from "../../src/platform/site-migration/rows"
import { listOverdueMigrations, runSiteMigration } from "../../src/platform/site-migration/service"
import { removeStore } from "../../src/platform/stores/remove"
import { listSiteTables } from "../../src/platform/stores/site-tables"
import { consume, isolate, run, sendOperatorCommand } from "../support/app"
import { checkedEnv } from "../support/checked-database"
import { makeSite, reuseSite, WRITES } from "../support/content-writes"
import { duplicateSite } from "../support/duplicate-site"
import { makeReadyStore } from "../support/factories"
import { failRoundTrips } from "../support/faults"
import { listObjectKeys, upload } from "../support/media-factories"
import { interceptRoundTrips } from "../support/round-trips"
import { rows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"
import { finishMigration, makeSiteWithData, readDatabase, readSiteRows } from "../support/site-migration"

/** Tables that are not copied. */
const EXCLUDED_TABLES = ["held_sites", "site_trail", "site_events", "account_mails"]

const makeDataCopy = reuseSite(makeSiteWithData)

beforeEach(makeSecondDatabase)

/** Delivers the latest message of a store's migration, which has the token of the job's lease. */
async function deliverLatestMessage(store: string): Promise<void> {
  const sent = vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([message]) => message)
  const latest = sent.findLast((message) => message.job === "move" && message.store === store)
  if (latest?.job === "move") await consume("tenancy-slow-jobs", [latest])
}

describe("site migration", () => {
  test("migrates all rows with their ids and leaves nothing in the source", async () => {
    const site = await makeDataCopy()
    const before = await readSiteRows("SITES_1", site.store)
    expect(Object.keys(before).length).toBeGreaterThan(18)
    const files = await listObjectKeys(site.store)
    const response = await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" })
    expect([response.status, response.body.data]).toMatchObject([
      200,
      { from: "SITES_1", to: "SITES_2", state: "copying" },
    ])
    await finishMigration(site.store)
    expect(await readDatabase(site.store)).toBe("SITES_2")
    expect(await readSiteRows("SITES_2", site.store)).toEqual(before)
    expect(
      await readSiteRows(
        "SITES_1",
        site.store,
        listSiteTables().filter((name) => !["site_trail", "site_events", "account_mails"].includes(name)),
      ),
    ).toEqual({})
    expect(await readSiteRows("SITES_2", site.store, ["held_sites"])).toEqual({})
    expect(await listObjectKeys(site.store)).toEqual(files)
    const entries = await rows("select type, interface from audit_entries where subject_type = 'site_move' order by id")
    expect(entries).toEqual([
      { type: "site_move_created", interface: "cli" },
      { type: "site_move_moved", interface: "system" },
    ])
  })

  test("generates ids in a disjoint range after a migration, and after migrating back", async () => {
    const site = await makeDataCopy()
    await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" })
    await finishMigration(site.store)
    const other = await makeReadyStore()
    const { status, body } = await upload(site.media, "after.txt", "text")
    expect([status, body.id > RANGE_SIZE, body.id < 2 * RANGE_SIZE]).toEqual([201, true, true])
    expect((await site.media("GET", "/files")).body.map((file: { id: number }) => file.id)).toContain(body.id)
    // And back: no store of the first database ever uses ids of the second range.
    await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_1" })
    await finishMigration(site.store)
    expect(await readDatabase(site.store)).toBe("SITES_1")
    const next = await upload(site.media, "back.txt", "text")
    expect([next.status, next.body.id > 2 * RANGE_SIZE]).toEqual([201, true])
    expect(await readDatabase(other)).not.toBeNull()
  })

  test("migrates stores with rows of tables without generated ids into a database that has such rows", async () => {
    // The stores are created while there is only one site database, so that both are in it.
    isolate.env = checkedEnv()
    const [first, second] = [await makeDataCopy(), await makeSite()]
    await makeSecondDatabase()
    await duplicateSite(first.store, second.store, "copy")
    for (const { store } of [second, first]) {
      const before = await readSiteRows("SITES_1", store)
      expect(Object.keys(before)).toEqual(expect.arrayContaining(["order_items", "pictures"]))
      await sendOperatorCommand("site-moves:create", { site: store, to: "SITES_2" })
      await finishMigration(store)
      expect(await readDatabase(store)).toBe("SITES_2")
      expect(await readSiteRows("SITES_2", store)).toEqual(before)
    }
  })

  test("serves reads and refuses writes with Retry-After on every route during a migration", async () => {
    const site = await makeSite()
    const failures: string[] = []
    for (const [name, make] of Object.entries(WRITES)) {
      const write = await make(site)
      const before = JSON.stringify(await readSiteRows("SITES_1", site.store))
      await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(site.store).run()
      const { status, headers } = await write()
      const isUnchanged = JSON.stringify(await readSiteRows("SITES_1", site.store)) === before
      await env.SITES_1.exec("delete from held_sites")
      const isRefused = status === 503 && headers.get("Retry-After") === "30"
      const isCentral = /^(billing|storeWebhooks)\./.test(name)
      if (!isUnchanged || (!isRefused && !isCentral)) failures.push(`${name}: ${status} ${isUnchanged}`)
    }
    expect(failures).toEqual([])
    await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(site.store).run()
    expect((await site.media("GET", "/files")).status).toBe(200)
  })
})

test("locks every copied table against inserts, updates and deletes", async () => {
  const { results } = await env.SITES_1.prepare("select name from sqlite_master where type = 'trigger'").all<{
    name: string
  }>()
  const triggers = new Set(results.map(({ name }) => name))
  const expected = listCopiedTables()
    .filter((name) => !["counters", "inbox_counts"].includes(name))
    .flatMap((name) => ["insert", "update", "delete"].map((operation) => `${name}_held_${operation}`))
  expect(expected.filter((name) => !triggers.has(name))).toEqual([])
  const { results: tables } = await env.SITES_1.prepare(
    "select name from sqlite_master where type = 'table' and sql like '%`site_id`%'",
  ).all<{ name: string }>()
  expect(tables.map(({ name }) => name).sort()).toEqual([...listCopiedTables(), ...EXCLUDED_TABLES].sort())
})

test("copies long rows in small batches that fit into an isolate's memory", async () => {
  const { store } = await makeSite()
  const columns = "site_id, slug, name, name_key, content, status, template, created_at, updated_at"
  await env.SITES_1.prepare(
    `insert into pages (${columns}) with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)
     select ?1, 'p' || i, 'p', 'p', ?2, 'published', 'default', 1, 1 from n`,
  )
    .bind(store, "long".repeat(50_000))
    .run()
  const before = await readSiteRows("SITES_1", store, ["pages"])
  await sendOperatorCommand("site-moves:create", { site: store, to: "SITES_2" })
  const sizes: number[] = []
  const trips = interceptRoundTrips(async (send) => {
    const response = await send()
    sizes.push(JSON.stringify(response).length)
    return response
  })
  await run((ctx) => runSiteMigration(ctx, store))
  trips.mockRestore()
  expect(await readDatabase(store)).toBe("SITES_2")
  expect(await readSiteRows("SITES_2", store, ["pages"])).toEqual(before)
  expect(Math.max(...sizes)).toBeLessThan(3_000_000)
})

test("copies a row whose JSON text is longer than D1's 2 MB for a value", async () => {
  const { store } = await makeSite()
  const columns =
    "site_id, slug, name, name_key, content, search_text, status, is_featured, created_at, updated_at, author_id"
  // Each control character takes six bytes in JSON.
  const text = "\u0001".repeat(200_000)
  await env.SITES_1.prepare(
    `insert into posts (${columns}) values (?1, 'long', '"é😀', 'p', ?2, ?2, 'published', 1, 1, 1, null)`,
  )
    .bind(store, text)
    .run()
  const before = await readSiteRows("SITES_1", store)
  await sendOperatorCommand("site-moves:create", { site: store, to: "SITES_2" })
  await run((ctx) => runSiteMigration(ctx, store))
  expect(await readDatabase(store)).toBe("SITES_2")
  expect(await readSiteRows("SITES_2", store)).toEqual(before)
})

test("site databases store integers and texts only, which a migration reads as JSON", async () => {
  const { results } = await env.SITES_1.prepare(
    `select lower(found.type) as type, group_concat(t.name || '.' || found.name) as columns
     from sqlite_master as t, pragma_table_info(t.name) as found
     where t.type = 'table' and t.name in (select value from json_each(?)) group by 1`,
  )
    .bind(JSON.stringify(listCopiedTables()))
    .all<{ type: string; columns: string }>()
  expect(results.filter(({ type }) => !["integer", "text"].includes(type))).toEqual([])
  expect(results).toHaveLength(2)
})

describe("other work during a site migration", () => {
  test("writes to other stores of the database as usual, by requests and by the cron", async () => {
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
    const before = await readSiteRows("SITES_1", moved.store)
    expect(await run((ctx) => deliverDueNotifications(ctx, "SITES_1"))).toBeNull()
    await run((ctx) => sweepMedia(ctx, "SITES_1"))
    await run((ctx) => expireOrders(ctx, "SITES_1"))
    expect(await readSiteRows("SITES_1", moved.store)).toEqual(before)
    const { notifications, media_orphans, media_folders, orders } = await readSiteRows("SITES_1", other.store)
    expect([media_orphans, media_folders]).toEqual([undefined, undefined])
    expect([String(notifications), String(orders)]).toEqual([
      expect.stringContaining('"sent"'),
      expect.stringContaining('"cancelled"'),
    ])
    expect((await upload(other.media, "a.txt", "text")).status).toBe(201)
  })

  test("acknowledges queue messages about a migrating store, because the cron retries their work", async () => {
    const { store } = await makeSite()
    await env.SITES_1.prepare(
      "insert into notifications (site_id, title, message, type, target, status, created_by_name, created_at, updated_at) values (?, 't', 'm', 'general', 'all', 'sending', 'x', 1, 1)",
    )
      .bind(store)
      .run()
    await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(store).run()
    const { retryMessages, explicitAcks } = await consume("tenancy-slow-jobs", [
      { job: "notify", database: "SITES_1", notification: 1 },
    ])
    expect([retryMessages.length, explicitAcks.length]).toEqual([0, 1])
  })

  test("migrates exactly the concurrent writes that were accepted", async () => {
    const site = await makeSite()
    const user = await site.createUser({ isStaff: true })
    await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" })
    const names = Array.from({ length: 30 }, (_, index) => `Bowl ${index}`)
    const sendProduct = async (name: string) => {
      const fields = { name, price_cents: 1, currency: "EUR", stock: 1 }
      return { name, status: (await site.send("POST", "/products", user, fields)).status }
    }
    // Three clients, each of which sends its next write when the last one returned.
    const sendProducts = async (client: number) => {
      const responses: Awaited<ReturnType<typeof sendProduct>>[] = []
      for (const name of names.filter((_, index) => index % 3 === client)) responses.push(await sendProduct(name))
      return responses
    }
    const writes = Promise.all([0, 1, 2].map(sendProducts))
    for (let step = 0; step < 2; step++) await deliverLatestMessage(site.store)
    const responses = (await writes).flat()
    expect(responses.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
    await finishMigration(site.store)
    const stored = await env.SITES_2.prepare("select name from products where site_id = ? and name like 'Bowl %'")
      .bind(site.store)
      .all<{ name: string }>()
    const madeTrips = responses.filter(({ status }) => status === 201).map(({ name }) => name)
    expect(stored.results.map(({ name }) => name).sort()).toEqual(madeTrips.sort())
  })
})

describe("site migration commands", () => {
  test("leaves a store writable in its database after a cancelled migration, and nothing in the target", async () => {
    const site = await makeDataCopy()
    const before = await readSiteRows("SITES_1", site.store)
    await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" })
    // The run dies in the middle of its copy.
    let trips = 0
    const faults = failRoundTrips(() => (trips++ > 30 ? "before" : null))
    await run((ctx) => runSiteMigration(ctx, site.store)).catch(() => undefined)
    faults.mockRestore()
    await env.DB.exec("delete from locks")
    const { body } = await sendOperatorCommand("site-moves:list", {})
    expect(body.data).toMatchObject([{ site: site.store, state: "copying" }])
    expect(body.data[0].tables_copied).toBeGreaterThan(0)
    expect((await upload(site.media, "a.txt", "text")).status).toBe(503)
    expect((await sendOperatorCommand("site-moves:cancel", { site: site.store })).body.data).toMatchObject({
      state: "cancelled",
    })
    await finishMigration(site.store)
    expect(await readDatabase(site.store)).toBe("SITES_1")
    expect(await readSiteRows("SITES_1", site.store)).toEqual(before)
    expect(await readSiteRows("SITES_2", site.store, listSiteTables())).toEqual({})
    expect((await upload(site.media, "a.txt", "text")).status).toBe(201)
  })

  test.each([
    [
      "has different rows",
      "products",
      "AFTER INSERT ON products BEGIN UPDATE products SET name = 'Other' WHERE id = NEW.id; END",
    ],
    ["lacks a row", "users", "BEFORE INSERT ON users BEGIN SELECT RAISE(IGNORE); END"],
  ])("aborts a migration whose copy %s, and unlocks the store", async (_, table, slip) => {
    const site = await makeDataCopy()
    const before = await readSiteRows("SITES_1", site.store)
    await env.SITES_2.exec(`CREATE TRIGGER slip ${slip}`)
    await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" })
    await finishMigration(site.store)
    expect(await readDatabase(site.store)).toBe("SITES_1")
    expect(await readSiteRows("SITES_1", site.store)).toEqual(before)
    expect(await readSiteRows("SITES_2", site.store, listSiteTables())).toEqual({})
    expect((await upload(site.media, "a.txt", "text")).status).toBe(201)
    const [entry] = await rows("select data from audit_entries where type = 'site_move_cancelled'")
    expect(JSON.parse(String(entry?.data))).toEqual({ from: "SITES_1", to: "SITES_2", differs: table })
  })

  test("leaves nothing in either database when the store is deleted during its migration", async () => {
    const site = await makeDataCopy()
    await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" })
    let trips = 0
    const faults = failRoundTrips(() => (trips++ > 50 ? "before" : null))
    const [move, purge] = [
      { job: "move", store: site.store },
      { job: "purge", store: site.store },
    ]
    await consume("tenancy-slow-jobs", [move])
    faults.mockRestore()
    await run((ctx) => removeStore(ctx, site.store, { confirm: site.store, reason: "api" }))
    await consume("tenancy-slow-jobs", [move])
    // The run may still be alive and lock the store after the purge.
    await consume("tenancy-slow-jobs", [purge])
    expect(await readSiteRows("SITES_2", site.store, ["held_sites"])).not.toEqual({})
    await env.DB.exec("delete from locks")
    await consume("tenancy-slow-jobs", [purge])
    for (const name of ["SITES_1", "SITES_2"] as const)
      expect(await readSiteRows(name, site.store, listSiteTables())).toEqual({
        site_incarnations: [JSON.stringify({ site_id: site.store, store_seq: null })],
      })
    expect(await rows("select * from store_moves union all select 1, 1, 1, 1, 1, 1, 1, 1, 1 from purges")).toEqual([])
  })

  test("unlocks the store immediately, deletes the old rows after a grace period, and resumes a lost run", async () => {
    const { store, media } = await makeSite()
    await sendOperatorCommand("site-moves:create", { site: store, to: "SITES_2" })
    const later = new Date(Date.now() + MINUTE)
    expect(await run((ctx) => listOverdueMigrations(ctx, 20), { now: later })).toEqual([
      { store, seq: expect.any(Number) },
    ])
    await deliverLatestMessage(store)
    await deliverLatestMessage(store)
    expect((await upload(media, "a.txt", "text")).status).toBe(201)
    expect(Object.keys(await readSiteRows("SITES_1", store)).length).toBeGreaterThan(0)
    expect(await run((ctx) => listOverdueMigrations(ctx, 20), { now: later })).toEqual([])
    const afterwards = new Date(Date.now() + HOUR)
    expect(await run((ctx) => listOverdueMigrations(ctx, 20), { now: afterwards })).toEqual([
      { store, seq: expect.any(Number) },
    ])
  })

  test("refuses the store's own database, an unknown database and an unknown store", async () => {
    const id = await makeReadyStore()
    const to = async (site: string, name: string) => {
      const { status, body } = await sendOperatorCommand("site-moves:create", { site, to: name })
      return [status, body.error?.code ?? body.data?.state]
    }
    expect(await to(id, "SITES_1")).toEqual([422, "validation_failed"])
    expect(await to(id, "DB")).toEqual([422, "validation_failed"])
    expect(await to("nobody", "SITES_2")).toEqual([404, "not_found"])
    expect((await sendOperatorCommand("site-moves:cancel", { site: id })).status).toBe(404)
    expect(await to(id, "SITES_2")).toEqual([200, "copying"])
    expect(await to(id, "SITES_2")).toEqual([200, "copying"])
    await finishMigration(id)
    expect((await rows("select 1 from audit_entries where type = 'site_move_created'")).length).toBe(1)
  })

  test("refuses a database whose ids may overlap with the first one's", async () => {
    const id = await makeReadyStore()
    await env.SITES_2.exec(
      "insert into tags (site_id, slug, name, name_key, created_at, updated_at) values ('x', 'x', 'x', 'x', 1, 1)",
    )
    const { status, body } = await sendOperatorCommand("site-moves:create", { site: id, to: "SITES_2" })
    expect([status, Object.keys(body.errors ?? body.error.errors)]).toEqual([422, ["to"]])
  })
})

test("generates a new store's ids in a disjoint range when there are several databases", async () => {
  await makeReadyStore()
  const id = await makeReadyStore()
  expect(await readDatabase(id)).toBe("SITES_2")
  const { results } = await env.SITES_2.prepare("select id from users where site_id = ?").bind(id).all<{ id: number }>()
  expect(results.map((row) => row.id > RANGE_SIZE)).toEqual([true])
})
