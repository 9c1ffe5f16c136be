// An app is one folder and one line in the catalog: a made-up one, added that way, is everywhere an app has to be.
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Plugin } from "../../src/apps/definition"
import { plugins } from "../../src/apps/registry"
import { contentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { purgeStore } from "../../src/platform/stores/remove"
import { readStore } from "../../src/platform/stores/service"
import { storeUsage, usageBlock } from "../../src/platform/usage/schemas"
import { readUsage } from "../../src/platform/usage/service"
import { call, platform, run } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"
import { guestbook } from "./guestbook/manifest"

const catalog = plugins as Plugin[]

const MIGRATION = [
  "CREATE TABLE guestbook_entries (site_id text NOT NULL, name text NOT NULL)",
  `CREATE TRIGGER guestbook_count_insert AFTER INSERT ON guestbook_entries BEGIN
     INSERT INTO counters VALUES (NEW.site_id, 'guestbook', '', 1), (NEW.site_id, 'guestbook', 'published', 1)
       ON CONFLICT DO UPDATE SET total = total + 1;
   END`,
]

beforeEach(async () => {
  catalog.push(guestbook)
  await env.SITES_1.batch(MIGRATION.map((statement) => env.SITES_1.prepare(statement)))
})

afterEach(async () => {
  catalog.splice(catalog.indexOf(guestbook), 1)
  // The documents, which every event is held to, know the apps there are; not one that a test made up.
  await env.DB.exec("delete from webhook_events")
})

/** A store, with the app on or off, in whose guestbook somebody wrote. */
async function given({ on }: { on: boolean }) {
  const token = await makeKey()
  const store = await makeReadyStore()
  await env.SITES_1.prepare("insert into guestbook_entries values (?, 'Ines')").bind(store).run()
  if (on) expect((await platform("POST", `/stores/${store}/apps/guestbook/enable`, { token })).status).toBe(200)
  const visit = (path: string) => call("GET", path, { host: hostOfStore(store) })
  return { token, store, visit }
}

describe("a sixth app", () => {
  test("is listed for operators, and its paths are documented", async () => {
    const { token, store } = await given({ on: true })
    const { data } = (await platform("GET", `/stores/${store}/apps`, { token })).body
    expect(data.at(-1)).toEqual({ slug: "guestbook", name: "Guestbook", enabled: true, required_by: [] })
    expect(routeTable(await contentRoutes()).map(({ id }) => id)).toContain("guestbook.read")
  })

  test("answers under /api/v1 where it is on, and 404 to any verb where it is off", async () => {
    const { store } = await given({ on: true })
    const { token, email } = await makeUser(store)
    const host = hostOfStore(store)
    expect((await content("GET", "/guestbook", { token, host })).body.data).toEqual({ reader: email })
    expect((await content("GET", "/guestbook", { host })).status).toBe(401)
    expect((await content("POST", "/guestbook", { host })).status).toBe(405)
    const off = await given({ on: false })
    for (const method of ["GET", "POST"]) {
      expect((await content(method, "/guestbook", { token, host: hostOfStore(off.store) })).status).toBe(404)
    }
  })

  test("is in the menu, on the front page and on pages of its own where it is on, and nowhere else", async () => {
    const { visit } = await given({ on: true })
    const home = (await visit("/")).text
    expect(home).toContain('<h2 id="guestbook">Guestbook</h2>')
    expect(home).toContain("<p>Ines</p>")
    expect(home.slice(0, home.indexOf("<main"))).toContain('href="/guestbook"')
    expect((await visit("/guestbook")).text).toContain("<h1>All of it</h1>")
    expect((await visit("/guestbook/Ines")).text).toContain("<h1>Ines</h1>")
    expect((await visit("/guestbook/Nobody")).status).toBe(404)
    const off = await given({ on: false })
    expect((await off.visit("/")).text).not.toContain("guestbook")
    expect((await off.visit("/guestbook")).status).toBe(404)
  })

  test("is counted as usage", async () => {
    const { store } = await given({ on: true })
    // By the verb and not over HTTP, whose answers are held to documents that do not know this app.
    const { usage } = storeUsage(await run((ctx) => readUsage(ctx, store, { refresh: true })), true)
    expect(usage).toMatchObject({ guestbook_entries: 1, products: 4, staff_users: 1 })
    expect(usageBlock(await run((ctx) => readStore(ctx, store)))).toEqual(usage)
  })

  test("has its migration files counted when a store opens", async () => {
    catalog.push({ ...guestbook, slug: "preinstalled-guestbook", preinstalled: true, usage: {} })
    await makeReadyStore()
    catalog.pop()
    const [row] = await import("../support/rows").then(({ rows }) =>
      rows("select payload from webhook_events where type = 'store.ready' order by id desc limit 1"),
    )
    expect(JSON.parse(String(row?.payload)).data.provisioning.plugin_migration_paths).toBe(8)
  })

  test("loses its rows with the store", async () => {
    const { token, store } = await given({ on: true })
    await platform("DELETE", `/stores/${store}`, { token, json: { confirm: store } })
    await run((ctx) => purgeStore(ctx, store))
    expect(await siteRows("select * from guestbook_entries where site_id = ?", store)).toEqual([])
  })
})
