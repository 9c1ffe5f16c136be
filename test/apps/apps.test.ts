// Rules for every route of every app, taken from the route table; then reviews, galleries and contact messages.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { availableApps } from "../../src/apps/registry"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { platform } from "../support/app"
import { APP_REQUESTS, createAppItems, itemOf } from "../support/app-requests"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { recordPurchase } from "../support/purchases"
import { siteRows } from "../support/rows"

const APP_PATHS = availableApps.flatMap(({ api }) => Object.keys(api.paths))
/** Writes without input, such as hiding a review, ignore the body. */
const readsBody = ({ method, path }: { method: string; path: string }) =>
  ["POST", "PUT"].includes(method) && !/\/(hide|show)$/.test(path)

const ROUTES = routeTable(await loadContentRoutes())
  .map(({ method, path, traits }) => ({
    method,
    path: path.slice("/api/v1".length),
    isOpen: traits.bearer === "optional",
  }))
  .filter(({ path }) => APP_PATHS.includes(path.split("/")[1] ?? ""))
const TABLES = availableApps.flatMap(({ tables }) => Object.keys(tables))

/** Creates a store with every app enabled, a staff member and a customer. */
async function makeSite() {
  const token = await makeKey()
  const store = await makeReadyStore()
  for (const { slug } of availableApps) await platform("POST", `/stores/${store}/apps/${slug}/enable`, { token })
  const [staff, customer] = [await makeUser(store, { isStaff: true }), await makeUser(store)]
  const as = (user: { token: string }) => (method: string, path: string, json?: unknown) =>
    content(method, path, { token: user.token, host: hostOfStore(store), ...(json !== undefined && { json }) })
  return {
    store,
    key: token,
    host: hostOfStore(store),
    tokens: { staff, customer },
    staff: as(staff),
    customer: as(customer),
  }
}

/** Creates a site with one item of every kind. */
async function makePopulatedSite() {
  const site = await makeSite()
  const { staff, customer } = site
  const createAs = (send: typeof staff) => async (path: string, json: object) =>
    (await send("POST", path, json)).body.data
  const items = await createAppItems(
    { staff: createAs(staff), customer: createAs(customer) },
    { secret: "Good", personal: "Hello" },
  )
  return { ...site, items, product: itemOf(items, "products") }
}

/** A valid update by the first path segment. */
const bodies: Record<string, object> = Object.assign({}, ...APP_REQUESTS.map(({ updates }) => updates))
const firstSegment = (path: string) => path.split("/")[1] ?? ""
/** A valid body of a write to an item. */
const inputOf = (method: string, path: string) =>
  ({ PUT: bodies[firstSegment(path)], POST: path.endsWith("/reply") ? { reply: "Yes" } : undefined })[method]
const readAllTables = async () =>
  Promise.all(TABLES.map((table) => siteRows(`select * from ${table} order by 1, 2, 3`)))

describe("every route of every app", () => {
  test("returns 404 when the app is disabled and 401 without a valid token", async () => {
    const { store, key, host, tokens } = await makePopulatedSite()
    const elsewhere = await makeUser(await makeReadyStore(), { isStaff: true })
    expect(ROUTES.length).toBeGreaterThanOrEqual(22)
    const call = (method: string, path: string, token?: string) =>
      content(method, path.replace(":id", "1"), { token, host, body: method === "GET" ? undefined : "{" })
    for (const { method, path, isOpen } of ROUTES) {
      for (const token of [undefined, "nonsense", `1|${"x".repeat(48)}`, elsewhere.token]) {
        if (isOpen && token === undefined) continue
        const { status, body } = await call(method, path, token)
        expect.soft([status, body.error, body.data], `${method} ${path}`).toEqual([401, true, null])
      }
    }
    for (const { slug } of [...availableApps].reverse())
      await platform("POST", `/stores/${store}/apps/${slug}/disable`, { token: key })
    for (const { method, path } of ROUTES) {
      for (const token of [undefined, tokens.staff.token]) {
        expect.soft((await call(method, path, token)).status, `${method} ${path}`).toBe(404)
      }
    }
    const central = await makeUser("central", { isStaff: true })
    for (const { method, path } of ROUTES) {
      const { status } = await content(method, path.replace(":id", "1"), { token: central.token })
      expect.soft(status, `${method} ${path}`).toBe(404)
    }
  })

  test("neither shows nor changes items of another site", async () => {
    const theirs = await makePopulatedSite()
    const mine = await makeSite()
    const before = await readAllTables()
    for (const { method, path } of ROUTES.filter((route) => route.path.includes(":id"))) {
      const { id, slug } = theirs.items[firstSegment(path)] ?? { id: 0 }
      for (const segment of [id, ...(slug ? [slug] : [])]) {
        const json = inputOf(method, path)
        const { status } = await mine.staff(method, path.replace(":id", String(segment)), json)
        expect.soft(status, `${method} ${path}`).toBe(404)
      }
    }
    const foreignId = theirs.product.id
    expect((await mine.customer("POST", "/orders", { items: [{ product_id: foreignId, quantity: 1 }] })).status).toBe(
      422,
    )
    expect((await mine.customer("POST", "/reviews", { product_id: foreignId, rating: 5 })).status).toBe(422)
    expect((await mine.customer("GET", `/reviews?product_id=${foreignId}`)).status).toBe(404)
    for (const path of ["/products", "/orders?scope=all", "/galleries", "/contact"]) {
      const listed = (await mine.staff("GET", path)).body
      expect.soft(JSON.stringify(listed), path).not.toContain(`"id":${theirs.items[firstSegment(path)]?.id},"slug"`)
      expect.soft(listed.meta.total).toBe(listed.data.length)
    }
    expect(await readAllTables()).toEqual(before)
  })

  test("rejects malformed ids and bodies without changing anything", async () => {
    const { staff, host, tokens } = await makePopulatedSite()
    const before = await readAllTables()
    const ids = [
      "0",
      "-1",
      "1e3",
      "01",
      "1.5",
      "9007199254740993",
      "999999999999999999999",
      "a%00b",
      "%2e%2e%2f1",
      "x%2f1",
      "%ff",
      "%F0%9F%98%80",
      "constructor",
      "x".repeat(3000),
    ]
    for (const { method, path } of ROUTES.filter((route) => route.path.includes(":id"))) {
      for (const id of ids) {
        const json = inputOf(method, path)
        const { status } = await staff(method, path.replace(":id", id), json)
        expect.soft(status, `${method} ${path} ${id.slice(0, 30)}`).toBe(404)
      }
    }
    const token = tokens.staff.token
    const json = { "Content-Type": "application/json" }
    for (const { method, path } of ROUTES.filter(readsBody)) {
      const target = path.replace(":id", "1")
      for (const [body, headers, statuses] of [
        ["{", json, [400]],
        ["[]", json, [422]],
        ['"text"', json, [422]],
        ["null", json, [422]],
        ['{"__proto__":{"isStaff":true}}', json, [422, 200, 403]],
        ["a=b", { "Content-Type": "application/x-www-form-urlencoded" }, [415]],
        [`{"name":"${"x".repeat(1_100_000)}"}`, json, [413]],
      ] as const) {
        const { status } = await content(method, target, { token, host, body, headers })
        // A write to an item may also find none.
        const allowed: number[] = path.includes(":id") && statuses[0] === 422 ? [...statuses, 404] : [...statuses]
        expect.soft(allowed, `${method} ${path} ${body.slice(0, 30)}`).toContain(status)
      }
    }
    expect(await readAllTables()).toEqual(before)
  })

  test("leaves no rows or counters of a purged store", async () => {
    const { store, key } = await makePopulatedSite()
    await platform("DELETE", `/stores/${store}`, { token: key, json: { confirm: store } })
    const { purgeStore } = await import("../../src/platform/stores/remove")
    const { run } = await import("../support/app")
    await run((ctx) => purgeStore(ctx, store))
    for (const table of [...TABLES, "counters"]) {
      expect.soft(await siteRows(`select * from ${table} where site_id = ?`, store), table).toEqual([])
    }
  })

  test("returns 403 without API access in the plan and 503 for a suspended store", async () => {
    const plan = await makePlan({ features: { custom_domain: true, api_access: false, remove_branding: true } })
    const store = await makeReadyStore({ plan: plan.slug })
    const user = await makeUser(store)
    const read = () => content("GET", "/products", { token: user.token, host: hostOfStore(store) })
    expect((await read()).status).toBe(403)
    await env.DB.prepare("update stores set status = 'suspended' where id = ?").bind(store).run()
    expect((await read()).status).toBe(503)
  })
})

describe("reviews", () => {
  test("accepts one review per user and product, also concurrently, and updates the average", async () => {
    const { customer, staff, product, tokens } = await makePopulatedSite()
    const path = `/reviews?product_id=${product.id}`
    const again = await customer("POST", "/reviews", { product_id: product.id, rating: 1 })
    expect([again.status, Object.keys(again.body.errors)]).toEqual([422, ["product_id"]])
    const review = { product_id: product.id, rating: 1 }
    expect((await staff("POST", "/reviews", review)).status).toBe(403)
    await recordPurchase(tokens.staff.id, product.id)
    await env.SITES_1.prepare("update orders set status = 'cancelled' where user_id = ?").bind(tokens.staff.id).run()
    expect((await staff("POST", "/reviews", review)).status).toBe(403)
    await env.SITES_1.prepare("update orders set status = 'fulfilled' where user_id = ?").bind(tokens.staff.id).run()
    const together = await Promise.all([1, 2, 3].map(() => staff("POST", "/reviews", review)))
    expect(together.map((response) => response.status).sort()).toEqual([201, 422, 422])
    const { body } = await customer("GET", path)
    expect(body.meta).toMatchObject({ total: 2, rating: { average: 2.5, count: 2 } })
    expect(body.data[1]).toEqual({
      id: expect.any(Number),
      product_id: product.id,
      rating: 4,
      comment: "Good",
      status: "published",
      author: { id: tokens.customer.id, name: "Ada Byron" },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const own = body.data[1].id
    expect((await customer("PUT", `/reviews/${own}`, { rating: 2 })).body.data).toMatchObject({
      rating: 2,
      comment: "Good",
    })
    expect((await customer("GET", path)).body.meta.rating).toEqual({ average: 1.5, count: 2 })
    expect((await staff("PUT", `/reviews/${own}`, { rating: 5 })).status).toBe(403)
    expect((await customer("DELETE", `/reviews/${body.data[0].id}`)).status).toBe(403)
    expect((await staff("DELETE", `/reviews/${own}`)).status).toBe(200)
    expect((await customer("GET", path)).body.meta.rating).toEqual({ average: 1, count: 1 })
    await staff("DELETE", `/products/${product.id}`)
    expect(await siteRows("select id from reviews where product_id = ?", product.id)).toEqual([])
    expect(await siteRows("select total from counters where list = ?", `reviews:${product.id}`)).toEqual([])
  })

  test("leaves hidden reviews out of lists and averages until they are shown again", async () => {
    const { customer, staff, product } = await makePopulatedSite()
    const path = `/reviews?product_id=${product.id}`
    const { id } = (await customer("GET", path)).body.data[0]
    expect((await customer("POST", `/reviews/${id}/hide`)).status).toBe(403)
    for (const _ of [1, 2])
      expect((await staff("POST", `/reviews/${id}/hide`)).body.data).toMatchObject({ id, status: "hidden" })
    expect((await customer("GET", path)).body).toMatchObject({
      data: [],
      meta: { total: 0, rating: { average: null, count: 0 } },
    })
    expect((await customer("GET", `${path}&status=hidden`)).status).toBe(403)
    expect((await staff("GET", `${path}&status=hidden`)).body).toMatchObject({ data: [{ id }], meta: { total: 1 } })
    // Its author can change it, and cannot write another one.
    expect((await customer("PUT", `/reviews/${id}`, { rating: 5 })).body.data.status).toBe("hidden")
    expect((await customer("POST", "/reviews", { product_id: product.id, rating: 1 })).status).toBe(422)
    expect((await staff("POST", `/reviews/${id}/show`)).body.data).toMatchObject({ id, status: "published", rating: 5 })
    expect((await customer("GET", path)).body.meta).toMatchObject({ total: 1, rating: { average: 5, count: 1 } })
    expect((await staff("POST", "/reviews/99999/hide")).status).toBe(404)
  })

  test("returns 422 for invalid ratings and unpublished products", async () => {
    const { staff, product } = await makePopulatedSite()
    const draft = (await staff("POST", "/products", { ...(bodies.products as object), status: "draft" })).body.data.id
    const cases: [Record<string, unknown>, string][] = [
      ...[0, 6, 4.5, "5", null, 1e99].map((rating): [Record<string, unknown>, string] => [{ rating }, "rating"]),
      [{ product_id: draft }, "product_id"],
      [{ product_id: 0 }, "product_id"],
      [{ comment: "x".repeat(2001) }, "comment"],
    ]
    for (const [fields, field] of cases) {
      const { status, body } = await staff("POST", "/reviews", { product_id: product.id, rating: 3, ...fields })
      expect.soft([status, Object.keys(body.errors ?? {})], JSON.stringify(fields)).toEqual([422, [field]])
    }
    for (const query of ["", "?product_id=", "?product_id=abc", "?product_id=1e3", "?product_id=-1"]) {
      expect.soft((await staff("GET", `/reviews${query}`)).status, query).toBe(422)
    }
  })
})

describe("galleries", () => {
  test("lets staff order and replace pictures, and shows drafts to staff only", async () => {
    const { staff, customer } = await makeSite()
    const pictures = [{ image: "/media/2.jpg", caption: "Second" }, { image: "https://img.example/1.jpg" }]
    const created = await staff("POST", "/galleries", {
      name: "Summer 2026",
      description: "Sun",
      image: "/media/c.jpg",
      pictures,
    })
    expect(created.status).toBe(201)
    expect(created.body.data).toEqual({
      id: expect.any(Number),
      slug: "summer-2026",
      name: "Summer 2026",
      description: "Sun",
      image: "/media/c.jpg",
      status: "published",
      created_at: expect.any(String),
      updated_at: expect.any(String),
      pictures: [
        { image: "/media/2.jpg", caption: "Second" },
        { image: "https://img.example/1.jpg", caption: null },
      ],
    })
    expect((await customer("GET", "/galleries/summer-2026")).body.data).toEqual(created.body.data)
    const renamed = await staff("PUT", "/galleries/summer-2026", { name: "Summer" })
    expect(renamed.body.data).toMatchObject({
      name: "Summer",
      slug: "summer-2026",
      pictures: created.body.data.pictures,
    })
    const replaced = await staff("PUT", "/galleries/summer-2026", {
      pictures: [{ image: "/media/3.jpg" }],
      status: "draft",
    })
    expect(replaced.body.data.pictures).toEqual([{ image: "/media/3.jpg", caption: null }])
    expect((await customer("GET", "/galleries/summer-2026")).status).toBe(404)
    expect((await customer("GET", "/galleries")).body.meta.total).toBe(0)
    expect((await staff("GET", "/galleries?status=draft")).body.meta.total).toBe(1)
    expect((await customer("GET", "/galleries?status=draft")).status).toBe(403)
    expect((await customer("POST", "/galleries", { name: "Mine" })).status).toBe(403)
    expect((await customer("DELETE", "/galleries/summer-2026")).status).toBe(403)
    await staff("DELETE", "/galleries/summer-2026")
    expect(await siteRows("select image from pictures")).toEqual([])
  })

  test("keeps slugs unique, also of galleries created concurrently, each with its own pictures", async () => {
    const { staff } = await makeSite()
    const make = (n: number) => staff("POST", "/galleries", { name: "Same", pictures: [{ image: `/media/${n}.jpg` }] })
    const created = await Promise.all([1, 2, 3].map(make))
    expect(new Set(created.map((response) => response.body.data.slug))).toEqual(new Set(["same", "same-2", "same-3"]))
    for (const { body } of created) {
      const { pictures } = (await staff("GET", `/galleries/${body.data.id}`)).body.data
      expect(pictures).toEqual(body.data.pictures)
    }
    expect((await staff("POST", "/galleries", { name: "X", slug: "same" })).body.errors).toHaveProperty("slug")
    expect((await staff("PUT", "/galleries/same-2", { slug: "same" })).body.errors).toHaveProperty("slug")
    const bad = [
      { pictures: [{}] },
      { pictures: [{ image: "javascript:x" }] },
      { pictures: Array(101).fill({ image: "/a" }) },
      { pictures: {} },
    ]
    for (const fields of bad)
      expect.soft((await staff("POST", "/galleries", { name: "Y", ...fields })).status).toBe(422)
  })
})

describe("contact messages", () => {
  test("lets users send messages under any name, and staff read, filter, mark and delete them", async () => {
    const { staff, customer, tokens } = await makeSite()
    const first = await customer("POST", "/contact", { message: " Where is my bowl? ", subject: "Order" })
    expect([first.status, first.body.data]).toEqual([
      201,
      {
        id: expect.any(Number),
        user_id: tokens.customer.id,
        name: "Ada Byron",
        email: tokens.customer.email,
        phone: null,
        subject: "Order",
        message: "Where is my bowl?",
        status: "new",
        reply: null,
        replied_at: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    const second = await customer("POST", "/contact", {
      message: "Hi",
      name: "Bo",
      email: "bo@example.com",
      phone: "+49 30",
    })
    expect(second.body.data).toMatchObject({ name: "Bo", email: "bo@example.com", phone: "+49 30" })
    const blank = { name: "", email: "", phone: " ", subject: "" }
    const bare = await customer("POST", "/contact", { message: "Hello", ...blank })
    expect([bare.status, bare.body.data]).toMatchObject([
      201,
      { name: "Ada Byron", email: tokens.customer.email, phone: null, subject: null },
    ])
    await staff("DELETE", `/contact/${bare.body.data.id}`)
    const { id } = first.body.data
    expect((await staff("PUT", `/contact/${id}`, { status: "read" })).body.data.status).toBe("read")
    expect((await staff("GET", "/contact")).body.data.map((m: { id: number }) => m.id)).toEqual([
      second.body.data.id,
      id,
    ])
    expect((await staff("GET", "/contact?status=new")).body.meta.total).toBe(1)
    expect((await staff("GET", "/contact?status=read")).body.data[0].id).toBe(id)
    for (const [method, path, json] of [
      ["GET", "/contact", undefined],
      ["GET", `/contact/${id}`, undefined],
      ["PUT", `/contact/${id}`, { status: "new" }],
      ["DELETE", `/contact/${id}`, undefined],
    ] as const) {
      expect.soft((await customer(method, path, json)).status, `${method} ${path}`).toBe(403)
    }
    expect((await staff("DELETE", `/contact/${id}`)).status).toBe(200)
    expect((await staff("GET", "/contact?status=read")).body.meta.total).toBe(0)
    const bad = [
      {},
      { message: "" },
      { message: "x".repeat(5001) },
      { message: "a\0b" },
      { message: "x", email: "nope" },
      { message: 1 },
    ]
    for (const json of bad)
      expect.soft((await customer("POST", "/contact", json)).status, JSON.stringify(json)).toBe(422)
  })
})
