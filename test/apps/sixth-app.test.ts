// Adding an app takes one folder and one line in the registry: an app of the tests, added that way, is fully
// integrated.
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { AppDefinition } from "../../src/apps/definition"
import { availableApps } from "../../src/apps/registry"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { purgeStore } from "../../src/platform/stores/remove"
import { readStore } from "../../src/platform/stores/service"
import { storeUsageResource, usageResource } from "../../src/platform/usage/schemas"
import { readUsage } from "../../src/platform/usage/service"
import { call, platform, run } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"
import { guestbook } from "./guestbook/manifest"

const registry = availableApps as AppDefinition[]

const MIGRATION = [
  "CREATE TABLE guestbook_entries (site_id text NOT NULL, name text NOT NULL)",
  `CREATE TRIGGER guestbook_count_insert AFTER INSERT ON guestbook_entries BEGIN
     INSERT INTO counters VALUES (NEW.site_id, 'guestbook', '', 1), (NEW.site_id, 'guestbook', 'published', 1)
       ON CONFLICT DO UPDATE SET total = total + 1;
   END`,
]

beforeEach(async () => {
  registry.push(guestbook)
  await env.SITES_1.batch(MIGRATION.map((statement) => env.SITES_1.prepare(statement)))
})

afterEach(async () => {
  registry.splice(registry.indexOf(guestbook), 1)
  // Every event is validated against the API documents, which do not know this app.
  await env.DB.exec("delete from webhook_events")
})

/** Creates a store with a guestbook entry, with the app enabled or disabled. */
async function makeGuestbookStore({ enabled }: { enabled: boolean }) {
  const token = await makeKey()
  const store = await makeReadyStore()
  await env.SITES_1.prepare("insert into guestbook_entries values (?, 'Ines')").bind(store).run()
  if (enabled) expect((await platform("POST", `/stores/${store}/apps/guestbook/enable`, { token })).status).toBe(200)
  const visit = (path: string) => call("GET", path, { host: hostOfStore(store) })
  return { token, store, visit }
}

describe("a sixth app", () => {
  test("the test app is listed in the platform API and in the route table", async () => {
    const { token, store } = await makeGuestbookStore({ enabled: true })
    const { data } = (await platform("GET", `/stores/${store}/apps`, { token })).body
    expect(data.at(-1)).toEqual({ slug: "guestbook", name: "Guestbook", enabled: true, required_by: [] })
    expect(routeTable(await loadContentRoutes()).map(({ id }) => id)).toContain("guestbook.read")
  })

  test("the test app serves its API where it is enabled, and returns 404 to every method where it is disabled", async () => {
    const { store } = await makeGuestbookStore({ enabled: true })
    const { token, email } = await makeUser(store)
    const host = hostOfStore(store)
    expect((await content("GET", "/guestbook", { token, host })).body.data).toEqual({ reader: email })
    expect((await content("GET", "/guestbook", { host })).status).toBe(401)
    expect((await content("POST", "/guestbook", { host })).status).toBe(405)
    const off = await makeGuestbookStore({ enabled: false })
    for (const method of ["GET", "POST"]) {
      expect((await content(method, "/guestbook", { token, host: hostOfStore(off.store) })).status).toBe(404)
    }
  })

  test("the test app appears in the menu, on the front page and on its own pages only where it is enabled", async () => {
    const { visit } = await makeGuestbookStore({ enabled: true })
    const home = (await visit("/")).text
    expect(home).toContain('<h2 id="guestbook">Guestbook</h2>')
    expect(home).toContain("<p>Ines</p>")
    expect(home.slice(0, home.indexOf("<main"))).toContain('href="/guestbook"')
    expect((await visit("/guestbook")).text).toContain("<h1>All of it</h1>")
    expect((await visit("/guestbook/Ines")).text).toContain("<h1>Ines</h1>")
    expect((await visit("/guestbook/Nobody")).status).toBe(404)
    const off = await makeGuestbookStore({ enabled: false })
    expect((await off.visit("/")).text).not.toContain("guestbook")
    expect((await off.visit("/guestbook")).status).toBe(404)
  })

  test("the test app is counted as usage", async () => {
    const { store } = await makeGuestbookStore({ enabled: true })
    // Called directly: HTTP responses are validated against the API documents, which do not know this app.
    const { usage } = storeUsageResource(await run((ctx) => readUsage(ctx, store, { refresh: true })), true)
    expect(usage).toMatchObject({ guestbook_entries: 1, products: 4, staff_users: 1 })
    expect(usageResource(await run((ctx) => readStore(ctx, store)))).toEqual(usage)
  })

  test("the test app counts its migration files in the store.ready event", async () => {
    registry.push({ ...guestbook, slug: "preinstalled-guestbook", preinstalled: true, usage: {} })
    await makeReadyStore()
    registry.pop()
    const [row] = await import("../support/rows").then(({ rows }) =>
      rows("select payload from webhook_events where type = 'store.ready' order by id desc limit 1"),
    )
    expect(JSON.parse(String(row?.payload)).data.provisioning.plugin_migration_paths).toBe(8)
  })

  test("the test app deletes its rows when the store is purged", async () => {
    const { token, store } = await makeGuestbookStore({ enabled: true })
    await platform("DELETE", `/stores/${store}`, { token, json: { confirm: store } })
    await run((ctx) => purgeStore(ctx, store))
    expect(await siteRows("select * from guestbook_entries where site_id = ?", store)).toEqual([])
  })
})
