// Orders that are placed and never paid: what they may hold of a shop's stock and of its plan.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { expireOrders } from "../../src/apps/ecommerce/orders/expire"
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
    const place = (token: string, quantity = 1, ip = address()) =>
      content("POST", "/orders", { token, host, json: { items: [{ product_id: id, quantity }] }, headers: from(ip) })
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

  /** Users who place orders from one network until it is refused. */
  async function fill({ store, place }: Awaited<ReturnType<typeof shop>>, users: number, ip: () => string) {
    const accounts = await Promise.all(Array.from({ length: users }, () => makeUser(store)))
    const statuses: number[] = []
    for (const { token } of accounts) for (let n = 0; n < 9; n++) statuses.push((await place(token, 1, ip())).status)
    return { placed: statuses.filter((status) => status === 201).length, last: statuses.at(-1) }
  }

  test("one network with three accounts reserves half of a plan's 25 orders, and a customer elsewhere still orders", async () => {
    const given = await shop({ orders: 25 })
    expect(await fill(given, 3, () => "192.0.2.7")).toEqual({ placed: 12, last: 422 })
    const good = await makeUser(given.store)
    expect((await given.place(good.token)).status).toBe(201)
    expect((await given.place(good.token, 1, "192.0.2.7")).status).toBe(422)
    expect(await given.stock()).toBe(50 - 13)
  })

  test("counts all addresses of an IPv6 /48 as one network", async () => {
    const given = await shop({ orders: 25 })
    let line = 0
    expect(await fill(given, 2, () => `2001:db8:7:${(++line).toString(16)}::1`)).toEqual({ placed: 12, last: 422 })
  })

  test("accepts exactly 20 of 27 orders that one network places at once", async () => {
    const { store, place, stock } = await shop({ orders: 60 })
    const accounts = await Promise.all([1, 2, 3].map(() => makeUser(store)))
    const placing = accounts.flatMap(({ token }) => Array.from({ length: 9 }, () => place(token, 1, "192.0.2.8")))
    const statuses = (await Promise.all(placing)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(7).fill(422)])
    expect(await stock()).toBe(30)
  })

  test("marks pending orders as paid while the plan is used up", async () => {
    const { store, key, place, move } = await shop({ orders: 3 })
    const good = await makeUser(store)
    const orders = [await place(good.token), await place(good.token), await place(good.token)]
    expect((await place(good.token)).status).toBe(403)
    for (const { body } of orders) expect((await move(body.data.id, "paid")).status).toBe(200)
    expect((await place(good.token)).status).toBe(403)
    const usage = await platform("GET", `/stores/${store}/usage?refresh=1`, { token: key })
    expect(usage.body.data.usage.orders).toBe(3)
  })

  test("stores a keyed hash of the network while an order is pending and clears it afterwards", async () => {
    const { store, place, move } = await shop()
    const [one, two] = [await makeUser(store), await makeUser(store)]
    const ids = [
      (await place(one.token, 1, "192.0.2.9")).body.data.id,
      (await place(two.token, 1, "192.0.2.9")).body.data.id,
    ]
    const networks = async () => (await siteRows("select network from orders order by id")).map((row) => row.network)
    const [first, second] = await networks()
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).toBe(first)
    await move(ids[0], "paid")
    await move(ids[1], "cancelled")
    expect(await networks()).toEqual([null, null])
  })

  describe("early expiry", () => {
    const NOON = Date.UTC(2026, 10, 17, 12)
    const at = (minutes: number) => vi.setSystemTime(NOON + minutes * 60_000)
    const statuses = () =>
      siteRows("select status, count(*) n from orders group by status order by status").then((rows) =>
        Object.fromEntries(rows.map(({ status, n }) => [status, n])),
      )

    test("cancels pending orders after an hour, as the system, once they fill the plan", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const given = await shop({ orders: 10 })
      expect((await fill(given, 1, () => "192.0.2.7")).placed).toBe(9)
      const [evil, good] = [await makeUser(given.store), await makeUser(given.store)]
      await given.place(evil.token, 1, "192.0.2.7")
      at(59)
      expect((await given.place(good.token)).status).toBe(403)
      expect(await statuses()).toEqual({ pending: 10 })
      at(61)
      expect((await given.place(good.token)).status).toBe(403)
      // As many as it takes: the others keep their places.
      expect(await statuses()).toEqual({ cancelled: 2, pending: 8 })
      expect((await given.place(good.token)).status).toBe(201)
      expect(await given.stock()).toBe(50 - 9)
      const entries = await env.DB.prepare(
        "select distinct actor_type, address from audit_entries where type = 'order_cancelled' or data like '%unpaid%'",
      ).all()
      expect(entries.results).toEqual([{ actor_type: "system", address: null }])
    })

    test("cancels orders of the crowded network, and spares customers with one or two", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, place } = await shop({ orders: 10 })
      const honest = await Promise.all([makeUser(store), makeUser(store)])
      for (const { token } of honest) expect((await place(token)).status).toBe(201)
      const evil = await makeUser(store)
      for (let n = 0; n < 8; n++) expect((await place(evil.token, 1, "192.0.2.7")).status).toBe(201)
      at(61)
      const late = await makeUser(store)
      expect((await place(late.token)).status).toBe(403)
      const left = await siteRows("select user_id, count(*) n from orders where status = 'pending' group by user_id")
      expect(Object.fromEntries(left.map(({ user_id, n }) => [user_id, n]))).toEqual({
        ...Object.fromEntries(honest.map(({ id }) => [id, 1])),
        [evil.id]: 6,
      })
    })

    test("is not caused by a client that holds too many pending orders itself", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, place } = await shop({ orders: 10 })
      const evil = await makeUser(store)
      for (let n = 0; n < 9; n++) await place(evil.token, 1, "192.0.2.7")
      evil.token = await makeToken(evil)
      expect((await place(evil.token, 1, "192.0.2.7")).status).toBe(201)
      at(61)
      expect((await place(evil.token, 1, "192.0.2.7")).status).toBe(403)
      expect(await statuses()).toEqual({ pending: 10 })
    })

    test("leaves pending orders their day where paid orders fill the plan", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, place, move } = await shop({ orders: 10 })
      const good = await makeUser(store)
      for (let n = 0; n < 8; n++) await move((await place(good.token)).body.data.id, "paid")
      await place(good.token)
      at(120)
      expect((await place(await makeToken(good))).status).toBe(201)
      expect(await statuses()).toEqual({ paid: 8, pending: 2 })
    })

    test("an order paid while it is being cancelled ends as one of both, with the matching stock", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, place, move, stock } = await shop({ orders: 2 })
      const [slow, good] = [await makeUser(store), await makeUser(store)]
      const { id } = (await place(slow.token)).body.data
      await place(slow.token)
      at(61)
      const [moved] = await Promise.all([move(id, "paid"), place(good.token), place(good.token)])
      const [row] = await siteRows("select status from orders where id = ?", id)
      expect([moved.status, row?.status]).toEqual(moved.status === 200 ? [200, "paid"] : [422, "cancelled"])
      const [held] = await siteRows("select count(*) n from orders where status <> 'cancelled'")
      expect(await stock()).toBe(50 - Number(held?.n))
    })
  })
})
