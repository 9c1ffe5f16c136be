// The app endpoints of the control plane: listing, enabling with requirements, disabling, and every refusal.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { platform } from "../support/app"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { rows, siteRows } from "../support/rows"

async function setUp(overrides: Record<string, unknown> = {}) {
  const token = await makeKey()
  const store = await makeReadyStore(overrides)
  const send = (slug: string, action: string) => platform("POST", `/stores/${store}/apps/${slug}/${action}`, { token })
  const list = () => platform("GET", `/stores/${store}/apps`, { token })
  return {
    token,
    store,
    list,
    enable: (slug: string) => send(slug, "enable"),
    disable: (slug: string) => send(slug, "disable"),
    enabled: async () =>
      (await list()).body.data.flatMap((app: { slug: string; enabled: boolean }) => (app.enabled ? [app.slug] : [])),
  }
}

const listPayloads = async (type: string) =>
  (await rows("select payload from webhook_events where type = ? order by id", type)).map((row) =>
    JSON.parse(String(row.payload)),
  )
const listEventSlugs = async (type: string) => (await listPayloads(type)).map((event) => event.data.app.slug)

describe("GET /stores/{id}/apps", () => {
  test("lists every installed app with its state and the apps that require it", async () => {
    const { list, store } = await setUp()
    expect((await list()).body).toEqual({
      data: [
        { slug: "ecommerce", name: "E-commerce", enabled: true, required_by: ["reviews"] },
        { slug: "reviews", name: "Reviews", enabled: false, required_by: [] },
        { slug: "galleries", name: "Galleries", enabled: false, required_by: [] },
        { slug: "contact", name: "Contact", enabled: false, required_by: [] },
      ],
      meta: { store_id: store, total: availableApps.length },
    })
  })

  test("returns store_unavailable for a store that is not provisioned or whose database is no longer bound", async () => {
    const { token, store, list, enable, disable } = await setUp()
    const pending = await makeStore()
    for (const [method, path] of [
      ["GET", ""],
      ["POST", "/ecommerce/enable"],
      ["POST", "/ecommerce/disable"],
    ] as const) {
      const { status, body } = await platform(method, `/stores/${pending}/apps${path}`, { token })
      expect([status, body.error.code]).toEqual([409, "store_unavailable"])
    }
    await env.DB.prepare("update stores set database = 'SITES_9' where id = ?").bind(store).run()
    for (const response of [await list(), await enable("contact"), await disable("ecommerce")]) {
      expect([response.status, response.body.error.code]).toEqual([409, "store_unavailable"])
    }
  })
})

describe("POST /stores/{id}/apps/{slug}/enable", () => {
  test("enables the required apps first, with one audit entry and event each, and returns the whole list", async () => {
    const { enable, disable, enabled, store } = await setUp()
    await disable("ecommerce")
    const { status, body } = await enable("reviews")
    expect([status, body.data.length, body.meta.total]).toEqual([200, availableApps.length, availableApps.length])
    expect(await enabled()).toEqual(["ecommerce", "reviews"])
    const events = await listPayloads("app.enabled")
    expect(events.map((event) => event.data.app)).toEqual([{ slug: "ecommerce" }, { slug: "reviews" }])
    expect(events[0].data.store.id).toBe(store)
    expect(events[0].meta.actor.type).toBe("api_key")
    const entries = await rows("select data, actor_type from audit_entries where type = 'app_enabled' order by id")
    expect(entries.slice(-2)).toEqual([
      { data: '{"to":"ecommerce"}', actor_type: "api_key" },
      { data: '{"to":"reviews"}', actor_type: "api_key" },
    ])
  })

  test("enables an app once under six concurrent requests, and does nothing when it is enabled", async () => {
    const { enable, enabled } = await setUp()
    const responses = await Promise.all(Array.from({ length: 6 }, () => enable("reviews")))
    expect(responses.map((response) => response.status)).toEqual(Array(6).fill(200))
    await enable("reviews")
    expect(await listEventSlugs("app.enabled")).toEqual(["reviews"])
    expect(await enabled()).toEqual(["ecommerce", "reviews"])
  })

  test("enables different apps concurrently without losing one", async () => {
    const { enable, enabled } = await setUp()
    await Promise.all(["reviews", "galleries", "contact"].map(enable))
    expect(await enabled()).toEqual(["ecommerce", "reviews", "galleries", "contact"])
  })

  test("checks the app before its requirements, against the frozen terms of the plan; null allows all apps", async () => {
    const plan = await makePlan({ apps: ["reviews", "contact"] })
    const { enable, enabled } = await setUp({ plan: plan.slug })
    expect(await enabled()).toEqual([])
    for (const [slug, code] of [
      ["galleries", "not_entitled"],
      ["reviews", "requirement_not_entitled"],
    ] as const) {
      const { status, body } = await enable(slug)
      expect([status, body.error.code]).toEqual([409, code])
    }
    expect((await enable("contact")).status).toBe(200)
    await makePlan({ slug: plan.slug, apps: [] })
    expect((await enable("contact")).status).toBe(200)
    expect(await enabled()).toEqual(["contact"])
    const all = await setUp({ plan: (await makePlan({ apps: null })).slug })
    expect((await all.enable("reviews")).status).toBe(200)
  })
})

describe("POST /stores/{id}/apps/{slug}/disable", () => {
  test("refuses while an enabled app requires it, disables it with one audit entry and event, and is idempotent", async () => {
    const { enable, disable, enabled } = await setUp()
    await enable("reviews")
    const { status, body } = await disable("ecommerce")
    expect([status, body.error.code]).toEqual([409, "still_required"])
    await disable("reviews")
    expect((await disable("ecommerce")).status).toBe(200)
    expect((await disable("ecommerce")).status).toBe(200)
    expect(await enabled()).toEqual([])
    expect(await listEventSlugs("app.disabled")).toEqual(["reviews", "ecommerce"])
    expect(await rows("select data from audit_entries where type = 'app_disabled' order by id")).toEqual([
      { data: '{"from":"reviews"}' },
      { data: '{"from":"ecommerce"}' },
    ])
  })

  test("never leaves an app enabled without its requirement when both change concurrently", async () => {
    const { enable, disable, enabled } = await setUp()
    await Promise.all([enable("reviews"), disable("ecommerce")])
    const enabledApps = await enabled()
    expect(enabledApps.includes("reviews") && !enabledApps.includes("ecommerce")).toBe(false)
  })
})

/** Counts the migration files of apps; a shared file counts once. */
const countMigrations = (apps: string[]) =>
  new Set(availableApps.filter(({ slug }) => apps.includes(slug)).flatMap(({ migrations }) => migrations)).size

describe("a new store's apps", () => {
  test("installs the apps of the theme and the preinstalled ones as far as the plan allows, with samples within its limits", async () => {
    const limits = { products: 2, orders: 0, storage_mb: 0, staff_users: 0 }
    const cases: [Record<string, unknown>, string[], number, number][] = [
      [{ theme: "atelier" }, ["ecommerce"], 4, 0],
      [{ theme: "vitrine" }, ["galleries", "ecommerce"], 4, 1],
      [{ theme: "vitrine", plan: (await makePlan({ apps: ["galleries"] })).slug }, ["galleries"], 0, 1],
      [{ theme: "bazaar", plan: (await makePlan({ apps: [] })).slug }, [], 0, 0],
      [{ theme: "atelier", plan: (await makePlan({ limits })).slug }, ["ecommerce"], 2, 0],
    ]
    for (const [overrides, apps, products, galleries] of cases) {
      const store = await makeReadyStore(overrides)
      const [event] = (await listPayloads("store.ready")).slice(-1)
      expect
        .soft(event.data.provisioning)
        .toMatchObject({ theme: overrides.theme, apps, plugin_migration_paths: countMigrations(apps) })
      expect.soft(await rows("select apps from stores where id = ?", store)).toEqual([{ apps: JSON.stringify(apps) }])
      // Sample products are not counted.
      expect.soft(event.data.store.usage).toMatchObject({ products: 0, staff_users: 1 })
      for (const [table, count] of Object.entries({ products, galleries })) {
        expect
          .soft([table, await siteRows(`select id from ${table} where site_id = ?`, store)])
          .toHaveProperty("1.length", count)
      }
    }
  })
})

describe("app paths", () => {
  test("returns 404 for an unknown app or store", async () => {
    const { enable, disable, token } = await setUp()
    for (const slug of ["nope", "ECOMMERCE", "1e3", "%2e%2e%2fecommerce", "ecommerce%00", "constructor", "__proto__"]) {
      expect.soft([(await enable(slug)).status, (await disable(slug)).status], slug).toEqual([404, 404])
    }
    expect((await platform("GET", "/stores/ghost/apps", { token })).status).toBe(404)
    expect((await platform("POST", "/stores/ghost/apps/ecommerce/enable", { token })).status).toBe(404)
  })

  test("costs two round trips to read and three to enable or disable", async () => {
    const { list, enable, disable } = await setUp()
    await list()
    const costs = [await costsOf(list), await costsOf(() => enable("contact")), await costsOf(() => disable("contact"))]
    expect(costs.map((cost) => cost.roundTrips)).toEqual([2, 3, 3])
  })
})
