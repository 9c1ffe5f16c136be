// E-commerce app: products and orders as users and as staff.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { call, platform } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { measureCriticalPath } from "../support/critical-path"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"

/** Creates a store without sample products, a staff member and a customer. */
async function makeShop(overrides: Record<string, unknown> = {}) {
  const store = await makeReadyStore(overrides)
  await env.SITES_1.prepare("delete from products where site_id = ?").bind(store).run()
  const staff = await makeUser(store, { isStaff: true })
  const customer = await makeUser(store)
  const host = hostOfStore(store)
  const as =
    (user: { token: string }) => (method: string, path: string, json?: unknown, headers?: Record<string, string>) =>
      content(method, path, { token: user.token, host, headers, ...(json !== undefined && { json }) })
  return { store, host, staff: as(staff), customer: as(customer), customerId: customer.id }
}

const BOWL = { name: "Stoneware bowl", price_cents: 3400, currency: "eur" }

describe("GET /products", () => {
  test("lists products newest first with totals and links in two round trips, and drafts to staff only", async () => {
    const { staff, customer, host } = await makeShop()
    for (const name of ["One", "Two", "Three"]) await staff("POST", "/products", { ...BOWL, name })
    await staff("POST", "/products", { ...BOWL, name: "Hidden", status: "draft" })
    const { status, body } = await customer("GET", "/products?per_page=2")
    expect(status).toBe(200)
    expect(body.data.map((p: { name: string }) => p.name)).toEqual(["Three", "Two"])
    expect(body.meta).toEqual({ current_page: 1, from: 1, last_page: 2, per_page: 2, to: 2, total: 3 })
    expect(body.links.next).toBe(`https://${host}/api/v1/products?per_page=2&page=2`)
    expect(body.data[0]).toEqual({
      id: expect.any(Number),
      slug: "three",
      name: "Three",
      image: null,
      images: [],
      price_cents: 3400,
      currency: "EUR",
      stock: null,
      in_stock: true,
      status: "published",
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: expect.any(String),
    })
    expect((await customer("GET", "/products?page=2&per_page=2")).body.data).toHaveLength(1)
    expect((await customer("GET", "/products?page=9")).body).toMatchObject({ data: [], meta: { from: null, total: 3 } })
    expect((await customer("GET", "/products?status=draft")).status).toBe(403)
    expect((await staff("GET", "/products?status=draft")).body.meta.total).toBe(1)
    expect((await costsOf(() => customer("GET", "/products"))).roundTrips).toBe(2)
  })

  test("sorts by name, price and id in both directions, and searches in names and descriptions", async () => {
    const { staff, customer } = await makeShop()
    await staff("POST", "/products", {
      ...BOWL,
      name: "Álamo",
      price_cents: 3,
      description: "<p>A tall <b>poplar</b></p>",
    })
    await staff("POST", "/products", { ...BOWL, name: "beech", price_cents: 1 })
    await staff("POST", "/products", { ...BOWL, name: "Cédre", price_cents: 2 })
    const names = async (query: string) =>
      (await customer("GET", `/products?${query}`)).body.data?.map((p: { name: string }) => p.name)
    expect(await names("sort_by=price&order=asc")).toEqual(["beech", "Cédre", "Álamo"])
    expect(await names("sort_by=name&order=desc")).toEqual(["Álamo", "Cédre", "beech"])
    expect(await names("sort_by=id&order=asc")).toEqual(["Álamo", "beech", "Cédre"])
    expect(await names("search=POPLAR")).toEqual(["Álamo"])
    expect(await names("search=%C3%81LA")).toEqual(["Álamo"])
    expect(await names("search=ee")).toEqual(["beech"])
    expect(await names(`search=${encodeURIComponent(`"%_*'`)}`)).toEqual([])
    expect(await names(`search=a%00b`)).toEqual([])
    await staff("POST", "/products", { ...BOWL, name: `Schüssel ${"größer 😀 ".repeat(15)}` })
    expect(await names(`search=${encodeURIComponent("GRÖßER 😀 ".repeat(15).trim())}`)).toHaveLength(1)
  })

  test("reads as many rows per page with 10,000 products as with 200, and searches read only matches", async () => {
    const { store, customer } = await makeShop()
    const fill = (site: string, from: number, to: number) =>
      env.SITES_1.prepare(
        `with recursive n (i) as (select ?2 union all select i + 1 from n where i < ?3)
         insert into products (site_id, slug, name, name_key, price_cents, currency, status, search_text, created_at, updated_at)
         select ?1, 'p-' || i, 'Thing ' || i, 'thing ' || i, i, 'EUR', 'published', 'thing ' || i || case when i = 7 then ' unicorn' else '' end, i, i from n`,
      )
        .bind(site, from, to)
        .run()
    await fill(store, 1, 200)
    const read = async (query: string) => (await costsOf(() => customer("GET", `/products?${query}`))).rowsRead
    const small = [await read(""), await read("sort_by=price"), await read("search=unicorn")]
    await fill(store, 201, 10_000)
    await fill("elsewhere", 1, 100)
    expect([await read(""), await read("sort_by=price"), await read("search=unicorn")]).toEqual(small)
    expect(Math.max(...small)).toBeLessThan(60)
  })

  test("returns 422 for invalid query parameters of the product list", async () => {
    const { customer } = await makeShop()
    const bad = [
      "page=0",
      "page=abc",
      "page=1e3",
      "per_page=-1",
      "status=nope",
      "sort_by=secret",
      "order=up",
      `search=${"x".repeat(201)}`,
    ]
    for (const query of bad) expect.soft((await customer("GET", `/products?${query}`)).status, query).toBe(422)
    expect((await customer("GET", "/products?per_page=1000")).body.meta.per_page).toBe(100)
  })
})

describe("writing products", () => {
  test("lets staff create, update and delete products, and updates the counters", async () => {
    const { staff, customer, store } = await makeShop()
    const created = await staff("POST", "/products", {
      ...BOWL,
      stock: 3,
      description: "Glazed.",
      image: "/media/bowl.jpg",
    })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      error: false,
      message: null,
      data: { slug: "stoneware-bowl", currency: "EUR", stock: 3 },
    })
    const { id } = created.body.data
    const changed = await staff("PUT", "/products/stoneware-bowl", { price_cents: 10, stock: null, status: "draft" })
    expect(changed.body.data).toMatchObject({
      id,
      price_cents: 10,
      stock: null,
      status: "draft",
      description: "Glazed.",
    })
    expect((await customer("GET", `/products/${id}`)).status).toBe(404)
    expect((await staff("GET", `/products/${id}`)).body.data.status).toBe("draft")
    const totals = () => siteRows("select filter, total from counters where site_id = ? and list = 'products'", store)
    expect(await totals()).toContainEqual({ filter: "draft", total: 1 })
    expect((await staff("DELETE", `/products/${id}`)).body).toEqual({ error: false, data: null, message: null })
    expect((await staff("DELETE", `/products/${id}`)).status).toBe(404)
    const left = await totals()
    expect(left.length).toBeGreaterThan(0)
    expect(left.every((row) => row.total === 0)).toBe(true)
  })

  test("stores up to ten images, of which the first is the image, and texts for search engines", async () => {
    const { staff, customer, host } = await makeShop()
    const images = ["/media/1.jpg", "https://cdn.example/2.jpg"]
    const created = await staff("POST", "/products", {
      ...BOWL,
      images,
      seo_title: "Bowls",
      seo_description: "Buy one",
    })
    const expected = { image: "/media/1.jpg", images, seo_title: "Bowls", seo_description: "Buy one" }
    expect(created.body.data).toMatchObject(expected)
    const { id } = created.body.data
    expect((await customer("GET", `/products/${id}`)).body.data).toMatchObject(expected)
    expect((await customer("GET", "/products")).body.data[0]).toMatchObject({ image: images[0], images })
    const update = async (json: object) => (await staff("PUT", `/products/${id}`, json)).body.data
    const page = await call("GET", "/products/stoneware-bowl", { host })
    for (const text of ["<title>Bowls · ", 'content="Buy one"', "https://cdn.example/2.jpg"])
      expect(page.text).toContain(text)
    expect(await update({ image: "/media/9.jpg" })).toMatchObject({
      image: "/media/9.jpg",
      images: ["/media/9.jpg", images[1]],
    })
    expect(await update({ name: "Bowl" })).toMatchObject({ images: ["/media/9.jpg", images[1]], seo_title: "Bowls" })
    expect(await update({ images: [images[1]], seo_title: null })).toMatchObject({
      image: images[1],
      images: [images[1]],
      seo_title: null,
    })
    expect(await update({ image: null })).toMatchObject({ image: null, images: [] })
    const eleven = Array.from({ length: 11 }, (_, n) => `/media/${n}.jpg`)
    for (const invalid of [eleven, ["javascript:alert(1)"], ["/a.jpg", "/a.jpg"], "/a.jpg"])
      expect((await staff("PUT", `/products/${id}`, { images: invalid })).status, String(invalid)).toBe(422)
    expect((await update({ images: eleven.slice(1) })).images).toHaveLength(10)
  })

  test("returns 403 to customers who write products, without changing anything", async () => {
    const { staff, customer } = await makeShop()
    const { id } = (await staff("POST", "/products", BOWL)).body.data
    for (const [method, path, json] of [
      ["POST", "/products", BOWL],
      ["PUT", `/products/${id}`, { price_cents: 1 }],
      ["DELETE", `/products/${id}`, undefined],
    ] as const) {
      const { status, body } = await customer(method, path, json)
      expect([status, body.error, body.data]).toEqual([403, true, null])
    }
    expect(await siteRows("select price_cents from products where id = ?", id)).toEqual([{ price_cents: 3400 }])
  })

  test("generates unique slugs from names, also concurrently, and rejects a chosen slug that is taken", async () => {
    const { staff } = await makeShop()
    const slug = async (fields: object) => (await staff("POST", "/products", { ...BOWL, ...fields })).body.data?.slug
    expect(await slug({})).toBe("stoneware-bowl")
    expect(await slug({})).toBe("stoneware-bowl-2")
    expect(await slug({ name: "2048" })).toBe("product-2048")
    expect(await slug({ name: "🎈" })).toBe("product")
    const { status, body } = await staff("POST", "/products", { ...BOWL, slug: "product" })
    expect([status, Object.keys(body.errors)]).toEqual([422, ["slug"]])
    expect((await staff("PUT", "/products/product", { slug: "stoneware-bowl" })).status).toBe(422)
    expect((await staff("PUT", "/products/product", { slug: "product" })).status).toBe(200)
    const together = await Promise.all(Array.from({ length: 4 }, () => slug({ name: "Same" })))
    expect(new Set(together)).toEqual(new Set(["same", "same-2", "same-3", "same-4"]))
  })

  test("returns 422 with the field's name for invalid products and stores nothing", async () => {
    const { staff, store } = await makeShop()
    const cases: [Record<string, unknown>, string][] = [
      [{ name: "" }, "name"],
      [{ name: "a\0b" }, "name"],
      [{ name: "x".repeat(251) }, "name"],
      [{ price_cents: -1 }, "price_cents"],
      [{ price_cents: 1.5 }, "price_cents"],
      [{ price_cents: 1e20 }, "price_cents"],
      [{ price_cents: "100" }, "price_cents"],
      [{ price_cents: undefined }, "price_cents"],
      [{ currency: "EURO" }, "currency"],
      [{ stock: -1 }, "stock"],
      [{ image: "javascript:alert(1)" }, "image"],
      [{ slug: "../etc" }, "slug"],
      [{ slug: "123" }, "slug"],
      [{ status: "deleted" }, "status"],
    ]
    for (const [fields, field] of cases) {
      const { status, body } = await staff("POST", "/products", { ...BOWL, ...fields })
      expect.soft([status, Object.keys(body.errors ?? {})], JSON.stringify(fields)).toEqual([422, [field]])
    }
    expect(await siteRows("select id from products where site_id = ?", store)).toEqual([])
  })

  test("enforces the plan's limits on products and orders, also for concurrent requests", async () => {
    const plan = await makePlan({ limits: { products: 2, orders: 1, storage_mb: 0, staff_users: 0 } })
    const { staff, customer, store } = await makeShop({ plan: plan.slug })
    const responses = await Promise.all([1, 2, 3, 4].map((n) => staff("POST", "/products", { ...BOWL, name: `P${n}` })))
    expect(responses.map((a) => a.status).sort()).toEqual([201, 201, 403, 403])
    const [product] = await siteRows("select id from products where site_id = ?", store)
    const order = { items: [{ product_id: product?.id, quantity: 1 }] }
    const orders = await Promise.all([1, 2, 3].map(() => customer("POST", "/orders", order)))
    expect(orders.map((a) => a.status).sort()).toEqual([201, 403, 403])
    expect(orders.find((a) => a.status === 403)?.body.message).toBe("This store has reached a limit of its plan.")
  })
})

describe("orders", () => {
  async function makeStockedShop() {
    const shop = await makeShop()
    const make = async (fields: object) => (await shop.staff("POST", "/products", { ...BOWL, ...fields })).body.data.id
    return { ...shop, make, bowl: await make({ stock: 5 }), cup: await make({ name: "Cup", price_cents: 1250 }) }
  }

  test("takes prices from the database, not from the client, and computes total, items and stock", async () => {
    const { customer, customerId, bowl, cup, staff } = await makeStockedShop()
    const items = [
      { product_id: cup, quantity: 2, price_cents: 1 },
      { product_id: bowl, quantity: 3 },
    ]
    const { status, body } = await customer("POST", "/orders", { items, note: "Ring twice", total_cents: 1 })
    expect(status).toBe(201)
    expect(body.data).toEqual({
      id: expect.any(Number),
      number: "1001",
      user_id: customerId,
      status: "pending",
      customer: { name: expect.any(String), email: expect.stringContaining("@"), phone: null },
      shipping_address: null,
      currency: "EUR",
      items_cents: 2 * 1250 + 3 * 3400,
      shipping_cents: 0,
      tax_cents: 0,
      total_cents: 2 * 1250 + 3 * 3400,
      payment_method: null,
      shipping_method: "flat",
      tracking: null,
      note: "Ring twice",
      staff_note: null,
      key: expect.stringMatching(/^[0-9a-f]{40}$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      items: [
        { product_id: cup, name: "Cup", price_cents: 1250, quantity: 2, total_cents: 2500 },
        { product_id: bowl, name: "Stoneware bowl", price_cents: 3400, quantity: 3, total_cents: 10_200 },
      ],
    })
    expect((await staff("GET", `/products/${bowl}`)).body.data.stock).toBe(2)
    await staff("PUT", `/products/${cup}`, { price_cents: 9, name: "Mug" })
    await staff("DELETE", `/products/${bowl}`)
    const later = (await customer("GET", `/orders/${body.data.id}`)).body.data
    expect(later.items).toEqual(body.data.items)
  })

  test("accepts one of several concurrent orders for the last items, and reports the stock to the others", async () => {
    const { customer, staff, bowl, store } = await makeStockedShop()
    const order = { items: [{ product_id: bowl, quantity: 3 }] }
    const responses = await Promise.all([1, 2, 3].map(() => customer("POST", "/orders", order)))
    expect(responses.map((a) => a.status).sort()).toEqual([201, 422, 422])
    expect(responses.find((a) => a.status === 422)?.body.errors).toEqual({
      "items.0.quantity": ["The items.0.quantity field must not be greater than 2."],
    })
    expect((await staff("GET", `/products/${bowl}`)).body.data.stock).toBe(2)
    expect(await siteRows("select id from orders where site_id = ?", store)).toHaveLength(1)
    expect(await siteRows("select order_id from order_items where site_id = ?", store)).toHaveLength(1)
  })

  test("returns 422 per item for invalid orders without taking stock", async () => {
    const { customer, staff, make, bowl, cup, store } = await makeStockedShop()
    const hidden = await make({ name: "Hidden", status: "draft" })
    const dollars = await make({ name: "Dollars", currency: "USD" })
    const line = (product_id: unknown, quantity: unknown = 1) => ({ product_id, quantity })
    const cases: [unknown, string][] = [
      [[], "items"],
      [undefined, "items"],
      [{}, "items"],
      [[line(bowl), line(bowl)], "items"],
      [Array.from({ length: 101 }, (_, n) => line(n + 1)), "items"],
      [[line(bowl), line(999_999)], "items.1.product_id"],
      [[line(hidden)], "items.0.product_id"],
      [[line(cup), line(dollars)], "items.1.product_id"],
      [[line("1e3")], "items.0.product_id"],
      [[line(bowl, 0)], "items.0.quantity"],
      [[line(bowl, -1)], "items.0.quantity"],
      [[line(bowl, 6)], "items.0.quantity"],
      [[line(bowl, 1e15)], "items.0.quantity"],
    ]
    for (const [items, field] of cases) {
      const { status, body } = await customer("POST", "/orders", { items })
      expect.soft([status, Object.keys(body.errors ?? {})], field).toEqual([422, [field]])
    }
    expect((await staff("GET", `/products/${bowl}`)).body.data.stock).toBe(5)
    expect(await siteRows("select id from orders where site_id = ?", store)).toEqual([])
  })

  test("shows users their own orders, lets staff change the status, and restocks a cancelled order once", async () => {
    const { customer, staff, bowl, store } = await makeStockedShop()
    const other = await makeUser(store)
    const { id } = (await customer("POST", "/orders", { items: [{ product_id: bowl, quantity: 2 }] })).body.data
    const theirs = (path: string) => content("GET", path, { token: other.token, host: hostOfStore(store) })
    expect((await theirs(`/orders/${id}`)).status).toBe(404)
    expect((await theirs("/orders")).body.meta.total).toBe(0)
    expect((await theirs("/orders?scope=all")).status).toBe(403)
    expect((await customer("GET", "/orders")).body).toMatchObject({ data: [{ id }], meta: { total: 1 } })
    expect((await staff("GET", "/orders")).body.meta.total).toBe(0)
    expect((await staff("GET", "/orders?scope=all")).body.meta.total).toBe(1)
    expect((await customer("PUT", `/orders/${id}`, { status: "paid" })).status).toBe(403)
    expect((await staff("PUT", `/orders/${id}`, { status: "fulfilled" })).status).toBe(422)
    expect((await staff("PUT", `/orders/${id}`, { status: "paid" })).body.data.status).toBe("paid")
    const cancels = await Promise.all([1, 2].map(() => staff("PUT", `/orders/${id}`, { status: "cancelled" })))
    expect(cancels.map((a) => a.status).sort()).toEqual([200, 422])
    expect((await staff("GET", `/products/${bowl}`)).body.data.stock).toBe(5)
  })

  test("places an order in three round trips and lists orders in two", async () => {
    const { customer, bowl } = await makeStockedShop()
    const place = () => customer("POST", "/orders", { items: [{ product_id: bowl, quantity: 1 }] })
    await place()
    const paths = [await measureCriticalPath(place), await measureCriticalPath(() => customer("GET", "/orders"))]
    expect(paths.map(({ roundTrips }) => roundTrips)).toEqual([3, 2])
  })

  test("counts products and this month's orders as usage", async () => {
    const { customer, store, bowl } = await makeStockedShop()
    await customer("POST", "/orders", { items: [{ product_id: bowl, quantity: 1 }] })
    const { body } = await platform("GET", `/stores/${store}/usage?refresh=1`, { token: await makeKey() })
    expect(body.data.usage).toMatchObject({ products: 2, orders: 1 })
  })
})
