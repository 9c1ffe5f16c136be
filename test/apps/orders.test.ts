// Orders of the e-commerce app: numbers, totals, guests, repeated requests, and what staff add.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { computeTotals } from "../../src/apps/ecommerce/orders/rules"
import { platform } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { measureCriticalPath } from "../support/critical-path"
import { makeKey, makeReadyStore } from "../support/factories"
import { letWorkerProceed } from "../support/round-trips"
import { siteRows } from "../support/rows"
import { nextAddress } from "../support/serial"

const GUEST = { name: "Ada Lovelace", email: "ada@example.com", phone: "+44 20" }
const ADDRESS = { line1: "12 St James's Square", city: "London", postal_code: "SW1Y 4JH", country: "GB" }

/** Creates a store with a product and shop settings. */
async function makeShop(settings: object = {}, { price = 1000, stock = 50 } = {}) {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token: await makeKey() })
  const staff = await makeUser(store, { isStaff: true })
  const asStaff = (method: string, path: string, json?: object) =>
    content(method, path, { host, token: staff.token, ...(json && { json }) })
  await asStaff("PUT", "/shop/settings", settings)
  const product = { name: "Bowl", price_cents: price, currency: "EUR", stock }
  const { id } = (await asStaff("POST", "/products", product)).body.data
  const place = (
    json: object = {},
    {
      token,
      ip = nextAddress(),
      key,
      env: settings,
    }: { token?: string; ip?: string; key?: string; env?: Record<string, string> } = {},
  ) =>
    content("POST", "/orders", {
      host,
      token,
      env: settings,
      json: { items: [{ product_id: id, quantity: 1 }], ...json },
      headers: { "CF-Connecting-IP": ip, ...(key && { "Idempotency-Key": key }) },
    })
  const placeAsGuest = (json: object = {}, options: Parameters<typeof place>[1] = {}) =>
    place({ customer: GUEST, ...json }, options)
  const setPrice = (cents: number) => asStaff("PUT", `/products/${id}`, { price_cents: cents })
  return { store, host, id, asStaff, place, placeAsGuest, setPrice }
}

describe("totals", () => {
  const shop = {
    tax_rate: 0,
    prices_include_tax: true,
    shipping: { flat_cents: 490, free_above_cents: 5000, pickup: true },
  }
  const totals = (cents: number, overrides: object = {}, method: "flat" | "pickup" = "flat") => {
    const { itemsCents, shippingCents, taxCents, totalCents } = computeTotals(
      [{ priceCents: cents, quantity: 1 }],
      { ...shop, ...overrides },
      method,
    )
    return [itemsCents, shippingCents, taxCents, totalCents]
  }

  test("shipping is free from its limit on, and for orders that are collected", () => {
    expect(totals(4999)).toEqual([4999, 490, 0, 5489])
    expect(totals(5000)).toEqual([5000, 0, 0, 5000])
    expect(totals(100, {}, "pickup")).toEqual([100, 0, 0, 100])
    expect(totals(9999, { shipping: { ...shop.shipping, free_above_cents: null } })).toEqual([9999, 490, 0, 10_489])
  })

  test("the tax is rounded once, on the sum with shipping, and is part of prices that include it", () => {
    expect(totals(1000, { tax_rate: 19 })).toEqual([1000, 490, 238, 1490])
    expect(totals(1000, { tax_rate: 19, prices_include_tax: false })).toEqual([1000, 490, 283, 1773])
    expect(totals(560, { tax_rate: 5, prices_include_tax: false })).toEqual([560, 490, 53, 1103])
    expect(totals(510, { tax_rate: 8.875, prices_include_tax: false })).toEqual([510, 490, 89, 1089])
    expect(totals(0, { tax_rate: 100, shipping: { flat_cents: 0, free_above_cents: null, pickup: false } })).toEqual([
      0, 0, 0, 0,
    ])
  })
})

test("stores the customer, the address, and the totals by the shop's settings", async () => {
  const { place, asStaff, store } = await makeShop({
    tax_rate: 19,
    shipping: { flat_cents: 490, pickup: true },
    payment: { transfer: "IBAN" },
  })
  const user = await makeUser(store, { firstName: "Grace", lastName: "Hopper" })
  const placed = await place({ shipping_address: ADDRESS }, { token: user.token })
  expect(placed.status).toBe(201)
  const expected = {
    number: "1001",
    user_id: user.id,
    customer: { name: "Grace Hopper", email: user.email, phone: null },
    shipping_address: { line2: null, state: null, ...ADDRESS },
    items_cents: 1000,
    shipping_cents: 490,
    tax_cents: 238,
    total_cents: 1490,
    payment_method: "transfer",
    shipping_method: "flat",
  }
  expect(placed.body.data).toMatchObject(expected)
  const read = (await asStaff("GET", `/orders/${placed.body.data.id}`)).body.data
  expect(read).toMatchObject(expected)
  expect(read).not.toHaveProperty("key")
  const collected = await place({ shipping_method: "pickup", customer: { name: "G. H." } }, { token: user.token })
  expect(collected.body.data).toMatchObject({
    number: "1002",
    total_cents: 1000,
    customer: { name: "G. H.", email: user.email },
  })
})

test("numbers are sequential without gaps, also for orders that are placed at once or refused", async () => {
  const { placeAsGuest, store, asStaff } = await makeShop({}, { stock: 6 })
  const other = await makeShop()
  const placed = await Promise.all(Array.from({ length: 9 }, () => placeAsGuest()))
  const numbers = placed.filter(({ status }) => status === 201).map(({ body }) => body.data.number)
  expect(numbers.sort()).toEqual(["1001", "1002", "1003", "1004", "1005", "1006"])
  const [first] = await siteRows("select id from orders where site_id = ? and number = 1006", store)
  await asStaff("PUT", `/orders/${first?.id}`, { status: "cancelled" })
  expect((await placeAsGuest()).body.data.number).toBe("1007")
  expect((await other.placeAsGuest()).body.data.number).toBe("1001")
})

test("an order is placed at the prices and settings of the moment, although they change meanwhile", async () => {
  const { placeAsGuest, setPrice, asStaff } = await makeShop({ tax_rate: 10, prices_include_tax: false })
  const changes = [0, 1, 2, 3].map(async (n) => {
    await setPrice(1000 + n)
    await asStaff("PUT", "/shop/settings", { tax_rate: 10 + n })
  })
  const placed = await Promise.all([...Array.from({ length: 6 }, () => placeAsGuest())])
  await Promise.all(changes)
  for (const { body } of placed) {
    const { items, items_cents: sum, tax_cents: tax, total_cents: total } = body.data
    expect([items[0].total_cents, sum + tax]).toEqual([sum, total])
  }
})

test("an order has at most the shop's largest quantity of each product, for guests and for users", async () => {
  const { id, store, place, placeAsGuest, asStaff } = await makeShop({}, { stock: 500 })
  const { token } = await makeUser(store)
  const items = (quantity: number) => ({ items: [{ product_id: id, quantity }] })
  for (const refused of [await placeAsGuest(items(101)), await place(items(101), { token })])
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      { "items.0.quantity": ["The items.0.quantity field must not be greater than 100."] },
    ])
  expect((await placeAsGuest(items(100))).status).toBe(201)
  await asStaff("PUT", "/shop/settings", { max_item_quantity: 1000 })
  expect((await placeAsGuest(items(370))).status).toBe(201)
  expect((await placeAsGuest(items(31))).body.errors).toEqual({
    "items.0.quantity": ["The items.0.quantity field must not be greater than 30."],
  })
})

describe("guests", () => {
  test("place orders with their name and address, which staff can read", async () => {
    const { placeAsGuest, asStaff, store, host } = await makeShop()
    const { status, body } = await placeAsGuest({ shipping_address: ADDRESS })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ user_id: null, customer: GUEST, number: "1001" })
    expect((await asStaff("GET", "/orders?scope=all")).body.data).toMatchObject([{ user_id: null, customer: GUEST }])
    // An account of that address does not get the order: anybody could have typed it.
    const user = await makeUser(store, { email: GUEST.email })
    expect((await content("GET", "/orders", { host, token: user.token })).body.meta.total).toBe(0)
    expect((await content("GET", `/orders/${body.data.id}`, { host, token: user.token })).status).toBe(404)
    expect(JSON.stringify(await siteRows("select * from orders"))).not.toContain(body.data.key)
  })

  test("are refused without name and address, with an invalid token, and where the shop requires an account", async () => {
    const { place, placeAsGuest, asStaff, store } = await makeShop()
    expect(Object.keys((await place()).body.errors)).toEqual(["customer.name", "customer.email"])
    expect(Object.keys((await place({ customer: { name: "Ada", email: "nobody" } })).body.errors)).toEqual([
      "customer.email",
    ])
    expect((await placeAsGuest({}, { token: `1|${"x".repeat(48)}` })).status).toBe(401)
    await asStaff("PUT", "/shop/settings", { guest_orders: false })
    expect((await placeAsGuest()).status).toBe(401)
    expect((await placeAsGuest({}, { token: (await makeUser(store)).token })).status).toBe(201)
  })

  test("have at most ten unpaid orders per network, which do not count against other networks or users", async () => {
    const { placeAsGuest, place, asStaff, store } = await makeShop()
    const ip = "192.0.2.77"
    const placed = []
    for (let n = 0; n < 10; n++) placed.push(await placeAsGuest({}, { ip }))
    expect(placed.every(({ status }) => status === 201)).toBe(true)
    expect((await placeAsGuest({}, { ip })).status).toBe(422)
    expect((await placeAsGuest()).status).toBe(201)
    expect((await place({}, { ip, token: (await makeUser(store)).token })).status).toBe(201)
    await asStaff("PUT", `/orders/${placed[0]?.body.data.id}`, { status: "paid" })
    const atOnce = await Promise.all([1, 2, 3].map(() => placeAsGuest({}, { ip })))
    expect(atOnce.map(({ status }) => status).sort()).toEqual([201, 422, 422])
  })

  test("take three round trips, and read the same rows among many orders", async () => {
    const { placeAsGuest, store } = await makeShop()
    /** Also waits until the event is forwarded in the background. */
    const placeAndForward = async () => {
      await placeAsGuest()
      await letWorkerProceed()
    }
    await placeAndForward()
    const before = await costsOf(placeAndForward)
    await env.SITES_1.prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
       insert into orders (site_id, number, user_id, status, currency, total_cents, network, created_at, updated_at)
       select ?, 2000 + i, 0, 'pending', 'EUR', 1, 'network ' || i, 1, 1 from n`,
    )
      .bind(store)
      .run()
    expect((await costsOf(placeAndForward)).rowsRead).toBeLessThanOrEqual(before.rowsRead + 5)
    expect((await measureCriticalPath(() => placeAsGuest())).roundTrips).toBe(3)
  })
})

describe("Idempotency-Key", () => {
  test("a repeated request returns the first order with its key, also if both run at once", async () => {
    const { placeAsGuest, store } = await makeShop()
    const key = crypto.randomUUID()
    const both = await Promise.all([1, 2].map(() => placeAsGuest({}, { key })))
    const later = await placeAsGuest({}, { key })
    const [first] = both
    expect([...both, later].map(({ status }) => status)).toEqual([201, 201, 201])
    for (const { body } of [...both, later]) expect(body).toEqual(first?.body)
    expect(await siteRows("select stock from products where site_id = ? and name = 'Bowl'", store)).toEqual([
      { stock: 49 },
    ])
    expect((await placeAsGuest({}, { key: crypto.randomUUID() })).body.data.number).toBe("1002")
  })

  test("is refused with another order, and belongs to its caller", async () => {
    const { placeAsGuest, place, store } = await makeShop()
    const key = "order-1"
    await placeAsGuest({}, { key })
    for (const json of [{ note: "Another" }, { payment_method: "cash" }])
      expect((await placeAsGuest(json, { key })).status, JSON.stringify(json)).toBe(422)
    const user = await makeUser(store)
    expect((await place({}, { key, token: user.token })).body.data.number).toBe("1002")
    const eve = await placeAsGuest({ customer: { ...GUEST, email: "eve@example.com" } }, { key })
    expect(eve.body.data.number).toBe("1003")
    const malformed = await placeAsGuest({}, { key: "x".repeat(256) })
    expect([malformed.status, Object.keys(malformed.body.errors)]).toEqual([422, ["idempotency_key"]])
  })
})

test("an Idempotency-Key that is repeated after APP_KEY was rotated returns the same order and page", async () => {
  const { placeAsGuest, store } = await makeShop()
  const key = crypto.randomUUID()
  const first = await placeAsGuest({}, { key })
  const rotated = {
    APP_KEY: `base64:${btoa("n".repeat(32))}`,
    APP_KEY_PREVIOUS: (env as unknown as { APP_KEY: string }).APP_KEY,
  }
  expect((await placeAsGuest({}, { key, env: rotated })).body.data).toEqual(first.body.data)
  expect(await siteRows("select number from orders where site_id = ?", store)).toEqual([{ number: 1001 }])
})

test("only methods that the shop offers are accepted", async () => {
  const { placeAsGuest, asStaff } = await makeShop({ payment: { transfer: "IBAN", on_delivery: "Cash" } })
  const errors = async (json: object) => Object.keys((await placeAsGuest(json)).body.errors ?? {})
  expect(await errors({ shipping_method: "pickup" })).toEqual(["shipping_method"])
  expect(await errors({ shipping_method: "drone", payment_method: "cash" })).toEqual([
    "payment_method",
    "shipping_method",
  ])
  expect((await placeAsGuest()).body.data.payment_method).toBeNull()
  expect((await placeAsGuest({ payment_method: "on_delivery" })).body.data.payment_method).toBe("on_delivery")
  await asStaff("PUT", "/shop/settings", { payment: { on_delivery: null } })
  expect(await errors({ payment_method: "on_delivery" })).toEqual(["payment_method"])
})

test("staff add tracking and a note that customers cannot read, without changing the status", async () => {
  const { place, asStaff, store, host } = await makeShop()
  const user = await makeUser(store)
  const { id } = (await place({}, { token: user.token })).body.data
  const noted = await asStaff("PUT", `/orders/${id}`, { tracking: "DHL 1", staff_note: "Difficult" })
  expect(noted.body.data).toMatchObject({ status: "pending", tracking: "DHL 1", staff_note: "Difficult" })
  for (const path of ["/orders", `/orders/${id}`]) {
    const { text } = await content("GET", path, { host, token: user.token })
    expect(text).toContain("DHL 1")
    expect(text).not.toContain("Difficult")
  }
  await asStaff("PUT", `/orders/${id}`, { status: "paid" })
  const sent = await asStaff("PUT", `/orders/${id}`, { status: "fulfilled", tracking: "DHL 2" })
  expect(sent.body.data).toMatchObject({ status: "fulfilled", tracking: "DHL 2", staff_note: "Difficult" })
  expect((await asStaff("PUT", `/orders/${id}`, { tracking: null })).body.data).toMatchObject({
    status: "fulfilled",
    tracking: null,
  })
  expect((await asStaff("PUT", `/orders/${id}`, { tracking: "x".repeat(201) })).status).toBe(422)
  const viewer = await makeUser(store, { isStaff: true, role: "viewer" })
  expect((await content("PUT", `/orders/${id}`, { host, token: viewer.token, json: { tracking: "X" } })).status).toBe(
    403,
  )
})
