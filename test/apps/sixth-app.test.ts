// Adding an app takes one folder and one line in the registry: an app of the tests, added that way, is fully
// integrated.
import { env } from "cloudflare:workers"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { AppDefinition } from "../../src/apps/definition"
import { availableApps } from "../../src/apps/registry"
import { loadContentRoutes } from "../../src/content/app"
import { recordWriteToAnySite } from "../../src/core/cache/site-writes"
import { routeTable } from "../../src/core/http/route"
import { MINUTE } from "../../src/lib/time"
import { runSiteMigration } from "../../src/platform/site-migration/service"
import { purgeStore } from "../../src/platform/stores/remove"
import { readStore } from "../../src/platform/stores/service"
import { storeUsageResource, usageResource } from "../../src/platform/usage/schemas"
import { readUsage } from "../../src/platform/usage/service"
import { APP_DOCS } from "../../tools/openapi/apps"
import { describeContentApi } from "../../tools/openapi/content"
import { buildDocument } from "../../tools/openapi/documents"
import { call, platform, run, sendOperatorCommand } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { rows, siteRows } from "../support/rows"
import { makeSecondDatabase } from "../support/second-database"
import { docs } from "./guestbook/docs"
import { guestbook } from "./guestbook/manifest"
import migration from "./guestbook/migration.sql?raw"

const registry = availableApps as AppDefinition[]

/** The generated migration; test/migrations/generate.test.ts compares it with the manifest. */
const STATEMENTS = migration.split("--> statement-breakpoint")

const migrate = (database: D1Database) => database.batch(STATEMENTS.map((statement) => database.prepare(statement)))

beforeEach(async () => {
  registry.push(guestbook)
  await migrate(env.SITES_1)
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
  await env.SITES_1.prepare("insert into guestbook_entries (site_id, name, status) values (?, 'Ines', 'published')")
    .bind(store)
    .run()
  if (enabled) expect((await platform("POST", `/stores/${store}/apps/guestbook/enable`, { token })).status).toBe(200)
  const host = hostOfStore(store)
  const user = await makeUser(store)
  const visit = (path: string) => call("GET", path, { host, useIsolateCache: true })
  const sign = (name: string) => content("POST", "/guestbook", { host, token: user.token, json: { name } })
  return { token, store, host, user, visit, sign }
}

describe("a sixth app", () => {
  test("the test app is listed in the platform API and in the route table", async () => {
    const { token, store } = await makeGuestbookStore({ enabled: true })
    const { data } = (await platform("GET", `/stores/${store}/apps`, { token })).body
    expect(data.at(-1)).toEqual({ slug: "guestbook", name: "Guestbook", enabled: true, required_by: [] })
    expect(routeTable(await loadContentRoutes()).map(({ id }) => id)).toContain("guestbook.list")
  })

  test("the test app serves its API where it is enabled, and returns 404 to every method where it is disabled", async () => {
    const { host, user, sign } = await makeGuestbookStore({ enabled: true })
    const { token } = user
    expect((await sign("Olu")).status).toBe(201)
    const { data } = (await content("GET", "/guestbook", { token, host })).body
    expect(data.map(({ name }: { name: string }) => name)).toEqual(["Ines", "Olu"])
    expect((await content("GET", "/guestbook", { host })).status).toBe(401)
    expect((await content("DELETE", "/guestbook", { host })).status).toBe(405)
    const off = await makeGuestbookStore({ enabled: false })
    for (const method of ["GET", "POST"]) {
      expect((await content(method, "/guestbook", { token: off.user.token, host: off.host })).status).toBe(404)
    }
  })

  test("the test app appears in the menu, on the front page and on its own pages only where it is enabled", async () => {
    const { visit } = await makeGuestbookStore({ enabled: true })
    const home = (await visit("/")).text
    expect(home).toContain('<h2 id="guestbook">Guestbook</h2>')
    expect(home).toContain("<p>Ines</p>")
    expect(home.slice(0, home.indexOf("<main"))).toContain('href="/guestbook"')
    expect((await visit("/guestbook")).text).toContain("<h1>All entries</h1>")
    expect((await visit("/guestbook/Ines")).text).toContain("<h1>Ines</h1>")
    expect((await visit("/guestbook/Nobody")).status).toBe(404)
    const off = await makeGuestbookStore({ enabled: false })
    expect((await off.visit("/")).text).not.toContain("guestbook")
    expect((await off.visit("/guestbook")).status).toBe(404)
  })

  test("the test app's public pages are cached until one of its rows changes", async () => {
    const { store, visit, sign } = await makeGuestbookStore({ enabled: true })
    const read = async () => {
      const { text, headers } = await visit("/guestbook")
      return [/<p>(.*?)<\/p>/.exec(text)?.[1], headers.get("Cache-Status")?.includes("; hit")]
    }
    await read()
    expect(await read()).toEqual(["Ines", true])
    await sign("Olu")
    expect(await read()).toEqual(["Ines, Olu", false])
    expect(await read()).toEqual(["Ines, Olu", true])
    for (const [change, names] of [
      ["update guestbook_entries set name = 'Ida' where name = 'Ines' and site_id = ?", "Ida, Olu"],
      ["delete from guestbook_entries where name = 'Ida' and site_id = ?", "Olu"],
    ] as const) {
      await env.SITES_1.prepare(change).bind(store).run()
      recordWriteToAnySite()
      expect(await read()).toEqual([names, false])
    }
  })

  test("the test app's totals follow its rows by status", async () => {
    const { store, sign } = await makeGuestbookStore({ enabled: true })
    const readTotals = async () =>
      Object.fromEntries(
        (await siteRows("select filter, total from counters where list = 'guestbook' and site_id = ?", store)).map(
          ({ filter, total }) => [filter, total],
        ),
      )
    await sign("Olu")
    expect(await readTotals()).toEqual({ "": 2, published: 2 })
    const change = (sql: string) => env.SITES_1.prepare(sql).bind(store).run()
    await change("update guestbook_entries set status = 'draft' where name = 'Olu' and site_id = ?")
    expect(await readTotals()).toEqual({ "": 2, published: 1, draft: 1 })
    await change("delete from guestbook_entries where name = 'Olu' and site_id = ?")
    expect(await readTotals()).toEqual({ "": 1, published: 1, draft: 0 })
  })

  test("the test app's rows are locked and copied by a site migration", async () => {
    const { store, sign } = await makeGuestbookStore({ enabled: true })
    await makeSecondDatabase()
    await migrate(env.SITES_2)
    const entries = (database: D1Database) =>
      database
        .prepare("select name from guestbook_entries where site_id = ?")
        .bind(store)
        .all()
        .then(({ results }) => results)
    expect((await sendOperatorCommand("site-moves:create", { site: store, to: "SITES_2" })).status).toBe(200)
    await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0) on conflict do nothing")
      .bind(store)
      .run()
    expect((await sign("Olu")).status).toBe(503)
    await env.SITES_1.prepare("delete from held_sites where move = 'm' and site_id = ?").bind(store).run()
    for (let step = 0; step < 20 && (await rows("select 1 from store_moves")).length; step++) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + step * 16 * MINUTE })
      await run((ctx) => runSiteMigration(ctx, store))
      vi.useRealTimers()
    }
    expect(await entries(env.SITES_2)).toEqual([{ name: "Ines" }])
    expect(await entries(env.SITES_1)).toEqual([])
    expect((await sign("Olu")).status).toBe(201)
  })

  test("the test app's operations and fields are in the OpenAPI document", async () => {
    const routes = routeTable(await loadContentRoutes())
    const document = buildDocument(describeContentApi(availableApps, { ...APP_DOCS, guestbook: docs }, routes))
    expect(document.paths["/guestbook"]?.post).toMatchObject({
      operationId: "guestbook.sign",
      description: "Adds an entry, which is public at once.",
    })
    expect(JSON.stringify(document.components.schemas)).toContain("Name of the visitor.")
    expect(document.tags).toContainEqual(
      expect.objectContaining({
        name: "guestbook",
        description: "Entries by visitors. Requires the app `guestbook`.",
      }),
    )
    const withoutTexts = () => buildDocument(describeContentApi(availableApps, APP_DOCS, routes))
    expect(withoutTexts).toThrow("The operation guestbook.list has no description")
  })

  test("the test app is counted as usage", async () => {
    const { store } = await makeGuestbookStore({ enabled: true })
    // Called directly: HTTP responses are validated against the API documents, which do not know this app.
    const { usage } = storeUsageResource(await run((ctx) => readUsage(ctx, store, { refresh: true })), true)
    expect(usage).toMatchObject({ guestbook_entries: 1, products: 0, staff_users: 1 })
    expect(usageResource(await run((ctx) => readStore(ctx, store)))).toEqual(usage)
  })

  test("the test app counts its migration files in the store.ready event", async () => {
    const countMigrations = async () => {
      await makeReadyStore()
      const [row] = await rows("select payload from webhook_events where type = 'store.ready' order by id desc limit 1")
      return Number(JSON.parse(String(row?.payload)).data.provisioning.plugin_migration_paths)
    }
    const withoutApp = await countMigrations()
    registry.push({ ...guestbook, slug: "preinstalled-guestbook", preinstalled: true, usage: {} })
    const withApp = await countMigrations()
    registry.pop()
    expect(withApp - withoutApp).toBe(guestbook.migrations.length)
  })

  test("the test app deletes its rows when the store is purged", async () => {
    const { token, store } = await makeGuestbookStore({ enabled: true })
    await platform("DELETE", `/stores/${store}`, { token, json: { confirm: store } })
    await run((ctx) => purgeStore(ctx, store))
    expect(await siteRows("select * from guestbook_entries where site_id = ?", store)).toEqual([])
  })
})
