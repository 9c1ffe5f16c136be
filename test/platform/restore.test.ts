// Restores make a store equal to a backup, in place or as a new store, and never touch another store.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { listBackupTables } from "../../src/platform/backups/manifest"
import { purgeStore, removeStore } from "../../src/platform/stores/remove"
import { call, consume, platform, run, sendOperatorCommand } from "../support/app"
import { finishRestore, listBackupKeys, makeBackup, restore } from "../support/backups"
import { hostOfStore } from "../support/content-factories"
import { makeSite, reuseSite, type Site } from "../support/content-writes"
import { duplicateSite } from "../support/duplicate-site"
import { makeKey } from "../support/factories"
import { failEachKindOfRoundTrip } from "../support/faults"
import { upload } from "../support/media-factories"
import { rows, siteRows } from "../support/rows"
import { makeSiteWithData, readSiteRows } from "../support/site-migration"
import { diffStates, readState, type State } from "../support/state"

/** Tables of jobs, metrics and the audit log, which a restore writes, and the internal tables of search indexes. */
const WRITTEN_TABLES =
  /^central\.(store_backups|store_restores|locks|audit_entries|webhook_\w+|counters|mails|stores_\w+|system_metrics)$|^sites\.\w+_search_\w+$/

/** Reads the restored rows of a site, without totals that are derived from single rows. */
async function readRestored(store: string): Promise<Record<string, string[]>> {
  const all = await readSiteRows("SITES_1", store, listBackupTables())
  return { ...all, counters: all.counters?.filter((row) => !/"list":"(version|\w+:\d+)"/.test(row)) ?? [] }
}

const readFiles = async (store: string): Promise<Record<string, string>> => {
  const { objects } = await env.MEDIA.list({ prefix: `${store}/` })
  const entries = objects.map(async ({ key }) => [
    key.slice(store.length + 1),
    `${(await env.MEDIA.head(key))?.httpMetadata?.contentType} ${await (await env.MEDIA.get(key))?.text()}`,
  ])
  return Object.fromEntries(await Promise.all(entries))
}

/** Changes a store: adds, changes and removes rows and files. */
async function change({ store, media }: Site): Promise<void> {
  await upload(media, "added.txt", "added")
  const { objects } = await env.MEDIA.list({ prefix: `${store}/`, limit: 1 })
  await env.MEDIA.delete(objects.map(({ key }) => key))
  await sendOperatorCommand("pages:save", { site: store, name: "Added", slug: "added", content: "x" })
  await env.SITES_1.batch(
    [
      "delete from posts where site_id = ?1",
      "update products set name = 'changed', slug = slug || '-changed' where site_id = ?1",
      "delete from orders where site_id = ?1",
      "update users set phone = '123' where site_id = ?1",
      "delete from pictures where site_id = ?1",
    ].map((statement) => env.SITES_1.prepare(statement).bind(store)),
  )
}

/** Lists changes of rows and files that mention no store of the list, except in tables that every job writes. */
function findForeignChanges(before: State, after: State, stores: readonly string[]): string[] {
  return diffStates(before, after).filter((line) => {
    const [, table = ""] = line.split(" ")
    return !WRITTEN_TABLES.test(table) && !stores.some((store) => line.includes(store))
  })
}

let site: Site

const makeSmallSite = reuseSite(async () => {
  const made = await makeSite()
  await upload(made.media, "kept.txt", "kept")
  return made
})

const makeTwoSites = reuseSite(async () => {
  const made = await makeSiteWithData()
  await upload(made.media, "kept.txt", "kept")
  await upload(made.media, "large.bin", new Uint8Array(5_000_000).fill(65))
  await duplicateSite(made.store, (await makeSite()).store, "other")
  return made
})

beforeEach(async () => {
  site = await makeSmallSite()
})

/** Makes `site` a store with rows in every table and a large file, and returns another one with the same rows and files. */
async function makeFullSites(): Promise<string> {
  site = await makeTwoSites()
  const [other] = await rows("select id from stores where id <> ?", site.store)
  return String(other?.id)
}

describe("a restore in place", () => {
  test("restores every row and file, and touches no other store", async () => {
    await makeFullSites()
    const [expected, files] = [await readRestored(site.store), await readFiles(site.store)]
    const version = "select total from counters where site_id = ? and list = 'version'"
    await makeBackup(site.store)
    await change(site)
    const [before] = await siteRows(version, site.store)
    const state = await readState()
    const result = await restore({ store: site.store })
    expect(result).toMatchObject({ state: "done", error: null })
    expect(await readRestored(site.store)).toEqual(expected)
    expect(await readFiles(site.store)).toEqual(files)
    expect(findForeignChanges(state, await readState(), [site.store])).toEqual([])
    // Caches identify content by its version, so it must not be reused for other content.
    const [after] = await siteRows(version, site.store)
    expect(Number(after?.total)).toBeGreaterThan(Number(before?.total))
    expect(await siteRows("select * from held_sites")).toEqual([])
    expect(await siteRows("select count(*) as n from user_tokens where site_id = ?", site.store)).toEqual([{ n: 0 }])
    const audit = await rows("select type, interface from audit_entries where subject_type = 'restore' order by id")
    expect(audit).toEqual([
      { type: "restore_created", interface: "cli" },
      { type: "restore_completed", interface: "system" },
    ])
  })

  test("changes nothing in a dry run, and lists the differences", async () => {
    await makeFullSites()
    await makeBackup(site.store)
    await change(site)
    const state = await readState()
    const { differences, dry_run, state: phase } = await restore({ store: site.store, "dry-run": true })
    expect([phase, dry_run]).toEqual(["done", true])
    expect(differences).toMatchObject({
      tables: {
        pages: { added: 0, removed: 1, changed: 0 },
        products: { added: 0, removed: 0, changed: expect.any(Number) },
        pictures: { added: expect.any(Number), removed: 0, changed: 0 },
      },
      files: { added: 1, removed: 1, changed: 0 },
    })
    expect(findForeignChanges(state, await readState(), [])).toEqual([])
    const { differences: none } = await (async () => {
      await restore({ store: site.store })
      return restore({ store: site.store, "dry-run": true })
    })()
    expect(none).toEqual({ tables: {}, files: { added: 0, removed: 0, changed: 0 } })
  })

  test("keeps the subscription, the owner, the domains and the credentials, and restores name and apps", async () => {
    const read = () =>
      Promise.all([
        rows("select * from subscriptions where store_id = ?", site.store),
        rows("select * from domains where store_id = ?", site.store),
        rows("select * from server_tokens where site_id = ?", site.store),
        rows("select owner_email, status, seq from stores where id = ?", site.store),
      ])
    const [{ name, apps } = {}] = await rows("select name, apps from stores where id = ?", site.store)
    await makeBackup(site.store)
    await env.DB.prepare("update subscriptions set status = 'past_due' where store_id = ?").bind(site.store).run()
    await env.DB.prepare("update stores set name = 'New name', owner_email = 'new@example.com' where id = ?")
      .bind(site.store)
      .run()
    const before = await read()
    await restore({ store: site.store })
    expect(await read()).toEqual(before)
    expect(await rows("select name, apps from stores where id = ?", site.store)).toEqual([{ name, apps }])
  })

  test("does not send a notification again that was waiting when the backup was made", async () => {
    const columns = "site_id, title, message, type, target, status, created_by_name, created_at, updated_at"
    await env.SITES_1.prepare(
      `insert into notifications (${columns}) values (?, 'Waiting', 'm', 'general', 'all', 'scheduled', 'x', 1, 1)`,
    )
      .bind(site.store)
      .run()
    await makeBackup(site.store)
    await restore({ store: site.store })
    const [notification] = await siteRows("select status from notifications where title = 'Waiting'")
    expect(notification).toEqual({ status: "cancelled" })
  })

  test("takes the backup of the given time or id, and never one of an earlier store of the same name", async () => {
    const first = await makeBackup(site.store)
    await env.DB.prepare("update store_backups set created_at = 1000 where id = ?").bind(first).run()
    const second = await makeBackup(site.store)
    const chosen = async (at?: string) =>
      (await restore({ store: site.store, "dry-run": true, ...(at && { at }) })).backup
    expect([await chosen(), await chosen(first), await chosen("1970-01-01T00:00:02Z")]).toEqual([second, first, first])
    const reject = async (at?: string, store = site.store) => {
      const { status, body } = await sendOperatorCommand("stores:restore", { store, ...(at && { at }) })
      expect([status, body.error?.code, Object.keys(body.errors ?? {})]).toEqual([422, "validation_failed", ["at"]])
      return body.errors?.at?.[0]
    }
    expect(await reject("1969-01-01")).toBe("No backup up to this time.")
    expect(await reject("01J00000000000000000000000")).toBe("This store has no backup with this ID.")
    expect(await reject("soon")).toBe("The at field must be a valid date.")
    expect(await reject(undefined, "nope")).toBe("This store has no backup.")
    await env.DB.exec("update store_backups set store_seq = store_seq - 1")
    expect(await reject(first)).toBe("This store has no backup with this ID.")
    expect(await reject()).toBe("This store has no backup.")
  })

  test("resumes after a failure before or after any kind of round trip", async () => {
    await makeFullSites()
    const [expected, files] = [await readRestored(site.store), await readFiles(site.store)]
    await makeBackup(site.store)
    const kinds = await failEachKindOfRoundTrip(async (decide, label) => {
      await change(site)
      await sendOperatorCommand("stores:restore", { store: site.store })
      await finishRestore(site.store, decide)
      expect(await readRestored(site.store), label).toEqual(expected)
      expect(await readFiles(site.store), label).toEqual(files)
      expect(await siteRows("select * from held_sites"), label).toEqual([])
    })
    expect(kinds).toBeGreaterThan(10)
  }, 240_000)
})

describe("a backup that cannot be restored", () => {
  /** Restores in place, and asserts that it fails without a change. */
  async function assertRefused(reason: RegExp): Promise<void> {
    const state = await readState()
    const result = await restore({ store: site.store })
    expect(result).toMatchObject({ state: "failed", error: expect.stringMatching(reason) })
    expect(findForeignChanges(state, await readState(), [])).toEqual([])
  }

  test("is refused before anything is written when a part is corrupt, truncated or missing", async () => {
    await makeFullSites()
    await makeBackup(site.store)
    await change(site)
    const keys = await listBackupKeys()
    const manifest = keys.find((key) => key.includes("/backups/")) ?? ""
    const { tables, files } = JSON.parse((await (await env.BACKUPS.get(manifest))?.text()) ?? "")
    const keyOf = (part: { sha256: string }) => keys.find((key) => key.endsWith(part.sha256)) ?? ""
    const [entry] = ((await (await env.BACKUPS.get(keyOf(files[0])))?.text()) ?? "").split("\n")
    const damages = [keyOf(tables[0].parts[0]), keyOf(files[0]), keyOf(JSON.parse(entry ?? "")), manifest]
    for (const key of damages) {
      const bytes = (await (await env.BACKUPS.get(key))?.bytes()) ?? new Uint8Array()
      const flipped = bytes.with(0, (bytes[0] ?? 0) ^ 1)
      for (const damaged of [flipped, bytes.subarray(0, bytes.length - 1), null]) {
        if (damaged) await env.BACKUPS.put(key, damaged)
        else await env.BACKUPS.delete(key)
        await assertRefused(/corrupt|missing/)
      }
      await env.BACKUPS.put(key, bytes, { sha256: await crypto.subtle.digest("SHA-256", bytes) })
    }
    expect(await restore({ store: site.store })).toMatchObject({ state: "done" })
  })

  test("is refused before anything is written when another store has rows with its ids", async () => {
    const other = await makeFullSites()
    await makeBackup(site.store)
    await env.SITES_1.prepare("update products set site_id = ?, slug = slug || '-taken' where site_id = ?")
      .bind(other, site.store)
      .run()
    await assertRefused(/Another store has the row \d+ of products/)
  })

  test("is refused when it was made with a newer schema, and restored when with an older one", async () => {
    await sendOperatorCommand("pages:save", { site: site.store, name: "About", slug: "about", content: "x" })
    const columns = "alter table pages add column layout text"
    await env.SITES_1.exec(columns)
    await env.SITES_1.exec("update pages set layout = 'wide'")
    await makeBackup(site.store)
    await env.SITES_1.exec("alter table pages drop column layout")
    await assertRefused(/no column pages\.layout/)
    // The same column in a database that is provably newer was removed on purpose.
    await env.SITES_1.exec("create table d1_migrations (id integer primary key, name text)")
    await env.SITES_1.exec("insert into d1_migrations (name) values ('0001_a.sql')")
    await env.SITES_1.exec(columns)
    await makeBackup(site.store)
    await env.SITES_1.exec("insert into d1_migrations (name) values ('0002_b.sql')")
    await env.SITES_1.exec("alter table pages drop column layout")
    await env.SITES_1.exec("alter table pages add column tone text default 'calm'")
    await env.SITES_1.exec("delete from pages")
    expect(await restore({ store: site.store })).toMatchObject({ state: "done" })
    const tones = await siteRows("select distinct tone from pages where site_id = ?", site.store)
    expect(tones).toEqual([{ tone: "calm" }])
  })

  test("counts the contact address as confirmed when the backup is from before addresses were confirmed", async () => {
    const insert = "insert into shop_settings (site_id, settings, revision, updated_at) values (?, ?, 1, 1)"
    await env.SITES_1.prepare(insert).bind(site.store, '{"contact_email":"Shop@example.com"}').run()
    await makeBackup(site.store)
    const read = () => siteRows("select confirmed_email from shop_settings where site_id = ?", site.store)
    await restore({ store: site.store })
    expect(await read()).toEqual([{ confirmed_email: null }])
    await env.SITES_1.exec("alter table shop_settings drop column confirmed_email")
    await makeBackup(site.store)
    await env.SITES_1.exec("alter table shop_settings add column confirmed_email text")
    await restore({ store: site.store })
    expect(await read()).toEqual([{ confirmed_email: "shop@example.com" }])
  })
})

describe("a restore as a new store", () => {
  /** Replaces ids by their rank, and the store's id, so that a copy equals its original. */
  function normalize(all: Record<string, string[]>, store: string, offset: number): Record<string, string[]> {
    const idColumn = /^(id|\w+_id|reached_user|reached_device|last_device|first_recipient)$/
    const entries = Object.entries(all).map(([table, lines]) => [
      table,
      lines
        .map((line) =>
          JSON.stringify(JSON.parse(line), (column, value) => {
            if (typeof value === "number" && value > 0 && idColumn.test(column)) return value - offset
            return value === store ? "store" : value
          }),
        )
        .sort(),
    ])
    return Object.fromEntries(entries)
  }

  test("copies every row with new ids and every file, and touches no other store", async () => {
    await makeFullSites()
    await makeBackup(site.store)
    const state = await readState()
    const result = await restore({ store: site.store, to: "copy" })
    expect(result).toMatchObject({ state: "done", error: null })
    expect(findForeignChanges(state, await readState(), ["copy"])).toEqual([])
    const lowest = async (store: string) =>
      Number((await siteRows("select min(id) as id from users where site_id = ?", store))[0]?.id)
    const offset = (await lowest("copy")) - (await lowest(site.store))
    expect(offset).toBeGreaterThan(1_000_000)
    expect(normalize(await readRestored("copy"), "copy", offset)).toEqual(
      normalize(await readRestored(site.store), site.store, 0),
    )
    expect(await readFiles("copy")).toEqual(await readFiles(site.store))
    const perRow = "select list, total from counters where site_id = ? and list like 'orders:%' and total > 0"
    expect(await siteRows(perRow, "copy")).toHaveLength((await siteRows(perRow, site.store)).length)
  })

  test("creates a ready store that works, without a subscription and without the original's credentials", async () => {
    await makeBackup(site.store)
    await restore({ store: site.store, to: "copy" })
    const { body } = await platform("GET", "/stores/copy", { token: await makeKey() })
    expect(body.data).toMatchObject({ id: "copy", status: "ready", billing_provider: "none" })
    const host = hostOfStore("copy")
    expect((await call("GET", "/", { host })).status).toBe(200)
    expect(await rows("select * from server_tokens where site_id = 'copy'")).toEqual([])
    const { status } = await sendOperatorCommand("pages:save", { site: "copy", name: "New", slug: "new", content: "x" })
    expect(status).toBe(200)
    const events = await rows("select type from webhook_events where store_id = 'copy' order by seq")
    expect(events.map(({ type }) => type)).toEqual(["store.created", "store.ready", "shop.page.published"])
  })

  test("refuses an id that is taken or reserved, and creates nothing in a dry run", async () => {
    await makeBackup(site.store)
    const codeOf = async (to: string) => (await sendOperatorCommand("stores:restore", { store: site.store, to })).body
    expect(JSON.stringify([await codeOf((await makeSite()).store), await codeOf("admin")])).toMatch(
      /subdomain_taken.*subdomain_reserved/,
    )
    const state = await readState()
    const { differences } = await restore({ store: site.store, to: "copy", "dry-run": true })
    expect(differences).toMatchObject({ files: { removed: 0, changed: 0 } })
    expect(findForeignChanges(state, await readState(), [])).toEqual([])
    expect(await rows("select 1 from stores where id = 'copy'")).toEqual([])
  })

  test("marks the store as failed when the backup is corrupt, so that it can be deleted", async () => {
    await makeBackup(site.store)
    const blob = (await listBackupKeys()).find((key) => key.includes("/blobs/")) ?? ""
    await env.BACKUPS.put(blob, "x")
    expect(await restore({ store: site.store, to: "copy" })).toMatchObject({ state: "failed" })
    expect(await rows("select status from stores where id = 'copy'")).toEqual([{ status: "failed" }])
    await run((ctx) => removeStore(ctx, "copy", { confirm: "copy", reason: "console" }))
  })

  test("brings a purged store back under its own id, with its ids, credentials and unverified domains", async () => {
    await makeFullSites()
    const [expected, files] = [await readRestored(site.store), await readFiles(site.store)]
    await env.DB.prepare(
      "insert into domains (domain, store_id, is_primary, is_fallback, verification_token, verified_at, created_at) values ('shop.example.com', ?, 0, 0, 'token', 1, 1)",
    )
      .bind(site.store)
      .run()
    const tokens = "select name, hash, scopes from server_tokens where site_id = ?"
    const createToken = async (name: string) => {
      const token = { site: site.store, name, type: "internal", scopes: "read,write" }
      return (await sendOperatorCommand("site-tokens:create", token)).body.data.id
    }
    await createToken("Retained")
    const credentials = await rows(tokens, site.store)
    const revoked = await createToken("Stolen")
    await makeBackup(site.store)
    await sendOperatorCommand("site-tokens:revoke", { site: site.store, id: revoked })
    await sendOperatorCommand("site:api-key", { site: site.store })
    await run((ctx) => removeStore(ctx, site.store, { confirm: site.store, reason: "console" }))
    expect((await sendOperatorCommand("stores:restore", { store: site.store })).body.error?.code).toBe(
      "subdomain_taken",
    )
    for (let step = 0; step < 5; step++) await run((ctx) => purgeStore(ctx, site.store))
    await env.DB.exec("delete from locks")
    expect(await readSiteRows("SITES_1", site.store, listBackupTables())).toEqual({})
    expect(await restore({ store: site.store })).toMatchObject({ state: "done", error: null })
    expect(await readRestored(site.store)).toEqual(expected)
    expect(await readFiles(site.store)).toEqual(files)
    expect(await rows(tokens, site.store)).toEqual(credentials)
    expect(await rows("select api_key_hash from site_settings where site_id = ?", site.store)).toEqual([
      { api_key_hash: null },
    ])
    expect(await rows("select verified_at from domains where domain = 'shop.example.com'")).toEqual([
      { verified_at: null },
    ])
    expect(await rows("select 1 from subscriptions where store_id = ?", site.store)).toEqual([])
    expect((await upload(site.media, "new.txt", "new")).status).toBe(201)
  })
})

test("refuses a second restore, a backup and a migration of the same store meanwhile", async () => {
  await makeBackup(site.store)
  const start = () => sendOperatorCommand("stores:restore", { store: site.store })
  expect((await start()).status).toBe(200)
  const responses = [
    await start(),
    await sendOperatorCommand("stores:export", { store: site.store }),
    await sendOperatorCommand("site-moves:create", { site: site.store, to: "SITES_2" }),
  ]
  expect(responses.map(({ body }) => body.error?.code)).toEqual(Array(3).fill("illegal_transition"))
})

test("runs a step once when its message arrives twice", async () => {
  await makeBackup(site.store)
  await sendOperatorCommand("stores:restore", { store: site.store })
  const sent = vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([message]) => message)
  const message = sent.findLast((candidate) => candidate.job === "restore")
  if (message?.job !== "restore") throw new Error("no message was sent")
  await Promise.all([1, 2].map(() => consume("tenancy-slow-jobs", [message])))
  const after = vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([next]) => next)
  expect(after.filter((candidate) => candidate.job === "restore")).toHaveLength(2)
})
