// What somebody tries who orders and never pays.
import { describe, expect, test } from "vitest"
import { expireOrders } from "../../src/plugins/ecommerce/orders/expire"
import { platform, run } from "../support/app"
import { content, hostOfStore, makeToken, makeUser } from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"

const from = (ip: string) => ({ "CF-Connecting-IP": ip })

let serial = 0
const address = () => `10.${++serial >> 8}.${serial & 255}.1`

describe("orders", () => {
  async function shop(limits: object = {}) {
    const key = await makeKey()
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0, ...limits } })
    const store = await makeReadyStore({ plan: plan.slug })
    await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token: key })
    const host = hostOfStore(store)
    const staff = await makeUser(store, { isStaff: true })
    const json = { name: "Bowl", price_cents: 100, currency: "EUR", stock: 50 }
    const { id } = (await content("POST", "/products", { token: staff.token, host, json })).body.data
    const place = (token: string, quantity = 1) =>
      content("POST", "/orders", {
        token,
        host,
        json: { items: [{ product_id: id, quantity }] },
        headers: from(address()),
      })
    const move = (order: number, status: string) =>
      content("PUT", `/orders/${order}`, { token: staff.token, host, json: { status } })
    const stock = async () => (await siteRows("select stock from products where id = ?", id))[0]?.stock
    return { store, host, key, place, move, stock }
  }

  test("that are cancelled free what they held of the plan", async () => {
    const { store, key, place, move } = await shop({ orders: 2 })
    const [evil, good] = [await makeUser(store), await makeUser(store)]
    const orders = [await place(evil.token), await place(evil.token)]
    expect((await place(good.token)).status).toBe(403)
    await move(orders[0]?.body.data.id, "cancelled")
    expect((await place(good.token)).status).toBe(201)
    expect((await place(good.token)).status).toBe(403)
    const usage = await platform("GET", `/stores/${store}/usage?refresh=1`, { token: key })
    expect(usage.body.data.usage.orders).toBe(2)
  })

  test("that nobody pays are bounded a user, and cancelled after a day with their stock put back", async () => {
    const { store, place, move, stock } = await shop()
    const [evil, good] = [await makeUser(store), await makeUser(store)]
    const first = await place(evil.token, 2)
    for (let n = 1; n < 10; n++) {
      if (n % 9 === 0) evil.token = await makeToken(evil)
      expect((await place(evil.token, 2)).status).toBe(201)
    }
    const eleventh = await place(await makeToken(evil), 2)
    expect(eleventh.status).toBe(422)
    expect(eleventh.body).toEqual({ error: true, data: null, message: expect.stringContaining("not paid") })
    expect((await place(good.token)).status).toBe(201)
    await move(first.body.data.id, "paid")
    expect(await stock()).toBe(50 - 21)
    const { now } = { now: new Date(Date.now() + 25 * 3_600_000) }
    await run(expireOrders, { now })
    await run(expireOrders, { now })
    expect(await stock()).toBe(48)
    expect(await siteRows("select status, count(*) n from orders group by status order by status")).toEqual([
      { status: "cancelled", n: 10 },
      { status: "paid", n: 1 },
    ])
  })

  test("are placed ten times a minute by one login", async () => {
    const { store, place } = await shop()
    const { token } = await makeUser(store)
    for (let n = 0; n < 10; n++) expect((await place(token)).status).toBe(201)
    expect((await place(token)).status).toBe(429)
  })
})
