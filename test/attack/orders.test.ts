// Unpaid orders: how much of a store's stock and plan limit they may reserve, and when they expire.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { expireOrders } from "../../src/apps/ecommerce/orders/expire"
import { platform, run } from "../support/app"
import { content, hostOfStore, makeToken, makeUser, PASSWORD } from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"
import { nextAddress } from "../support/serial"

const from = (ip: string) => ({ "CF-Connecting-IP": ip })

describe("orders", () => {
  async function createShop(limits: object = {}) {
    const key = await makeKey()
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0, ...limits } })
    const store = await makeReadyStore({ plan: plan.slug })
    await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token: key })
    const host = hostOfStore(store)
    const staff = await makeUser(store, { isStaff: true })
    const json = { name: "Bowl", price_cents: 100, currency: "EUR", stock: 50 }
    const { id } = (await content("POST", "/products", { token: staff.token, host, json })).body.data
    const placeOrder = (token: string, quantity = 1, ip = nextAddress()) =>
      content("POST", "/orders", {
        token,
        host,
        json: { items: [{ product_id: id, quantity }] },
        // Injected faults repeat requests; without a key, each repetition is another order.
        headers: { ...from(ip), "Idempotency-Key": crypto.randomUUID() },
      })
    const placeAsGuest = (ip: string) =>
      content("POST", "/orders", {
        host,
        json: { items: [{ product_id: id, quantity: 1 }], customer: { name: "Ada", email: "ada@example.com" } },
        headers: { ...from(ip), "Idempotency-Key": crypto.randomUUID() },
      })
    const deleteAccount = (token: string) =>
      content("DELETE", "/me", { token, host, json: { current_password: PASSWORD } })
    const setStatus = (order: number, status: string) =>
      content("PUT", `/orders/${order}`, { token: staff.token, host, json: { status } })
    const getStock = async () => (await siteRows("select stock from products where id = ?", id))[0]?.stock
    return { store, host, key, staff, product: id, placeOrder, placeAsGuest, deleteAccount, setStatus, getStock }
  }

  test("cancelled orders free their share of the plan limit", async () => {
    const { store, key, placeOrder, setStatus } = await createShop({ orders: 2 })
    const [attacker, customer] = [await makeUser(store), await makeUser(store)]
    const orders = [await placeOrder(attacker.token), await placeOrder(attacker.token)]
    expect((await placeOrder(customer.token)).status).toBe(403)
    await setStatus(orders[0]?.body.data.id, "cancelled")
    expect((await placeOrder(customer.token)).status).toBe(201)
    expect((await placeOrder(customer.token)).status).toBe(403)
    const usage = await platform("GET", `/stores/${store}/usage?refresh=1`, { token: key })
    expect(usage.body.data.usage.orders).toBe(2)
  })

  test("limits unpaid orders per user, and cancels them after a day and restores their stock", async () => {
    const { store, placeOrder, setStatus, getStock } = await createShop()
    const [attacker, customer] = [await makeUser(store), await makeUser(store)]
    const first = await placeOrder(attacker.token, 2)
    for (let n = 1; n < 10; n++) {
      if (n % 9 === 0) attacker.token = await makeToken(attacker)
      expect((await placeOrder(attacker.token, 2)).status).toBe(201)
    }
    const eleventh = await placeOrder(await makeToken(attacker), 2)
    expect(eleventh.status).toBe(422)
    expect(eleventh.body).toEqual({ error: true, data: null, message: expect.stringContaining("not paid") })
    expect((await placeOrder(customer.token)).status).toBe(201)
    await setStatus(first.body.data.id, "paid")
    expect(await getStock()).toBe(50 - 21)
    const { now } = { now: new Date(Date.now() + 25 * 3_600_000) }
    await run((ctx) => expireOrders(ctx, "SITES_1"), { now })
    await run((ctx) => expireOrders(ctx, "SITES_1"), { now })
    expect(await getStock()).toBe(48)
    expect(await siteRows("select status, count(*) n from orders group by status order by status")).toEqual([
      { status: "cancelled", n: 10 },
      { status: "paid", n: 1 },
    ])
  })

  test("a cancelled order returns the stock that it took, although the product was not tracked at first", async () => {
    const { store, host, placeOrder, setStatus, getStock, staff, product } = await createShop()
    const { token } = await makeUser(store)
    const setStock = (stock: number | null) =>
      content("PUT", `/products/${product}`, { token: staff.token, host, json: { stock } })
    await setStock(null)
    const untracked = await placeOrder(token, 5)
    await setStock(3)
    const tracked = await placeOrder(token, 2)
    expect(await getStock()).toBe(1)
    await setStatus(untracked.body.data.id, "cancelled")
    expect(await getStock()).toBe(1)
    await setStatus(tracked.body.data.id, "cancelled")
    expect(await getStock()).toBe(3)
    // Orders from before the stock was recorded return all of it.
    const earlier = await placeOrder(token, 2)
    await env.SITES_1.prepare("update order_items set stock_taken = null where order_id = ?")
      .bind(earlier.body.data.id)
      .run()
    await setStatus(earlier.body.data.id, "cancelled")
    expect(await getStock()).toBe(3)
  })

  test("accepts ten orders a minute per login", async () => {
    const { store, placeOrder } = await createShop()
    const { token } = await makeUser(store)
    for (let n = 0; n < 10; n++) expect((await placeOrder(token)).status).toBe(201)
    expect((await placeOrder(token)).status).toBe(429)
  })

  /** Places orders of several users from one network until they are refused. */
  async function placeUntilRefused(
    { store, placeOrder }: Awaited<ReturnType<typeof createShop>>,
    users: number,
    ip: () => string,
  ) {
    const accounts = await Promise.all(Array.from({ length: users }, () => makeUser(store)))
    const statuses: number[] = []
    for (const { token } of accounts)
      for (let n = 0; n < 9; n++) statuses.push((await placeOrder(token, 1, ip())).status)
    return { placed: statuses.filter((status) => status === 201).length, last: statuses.at(-1) }
  }

  test("lets one network with three accounts reserve half of a plan's 25 orders, and still accepts orders of other networks", async () => {
    const shop = await createShop({ orders: 25 })
    expect(await placeUntilRefused(shop, 3, () => "192.0.2.7")).toEqual({ placed: 12, last: 422 })
    const customer = await makeUser(shop.store)
    expect((await shop.placeOrder(customer.token)).status).toBe(201)
    expect((await shop.placeOrder(customer.token, 1, "192.0.2.7")).status).toBe(422)
    expect(await shop.getStock()).toBe(50 - 13)
  })

  test("deleting accounts frees neither a network's share of a plan nor the unpaid orders of its guests", async () => {
    const shop = await createShop({ orders: 25 })
    const ip = "192.0.2.7"
    const accounts = await Promise.all([makeUser(shop.store), makeUser(shop.store)])
    const placed: number[] = []
    for (const { token } of accounts) {
      for (let n = 0; n < 9; n++) placed.push((await shop.placeOrder(token, 1, ip)).status)
      expect((await shop.deleteAccount(token)).status).toBe(200)
    }
    expect(placed.filter((status) => status === 201)).toHaveLength(12)
    const customer = await makeUser(shop.store)
    expect((await shop.placeOrder(customer.token, 1, ip)).status).toBe(422)
    expect((await shop.placeAsGuest(ip)).status).toBe(422)
    expect((await shop.placeAsGuest(nextAddress())).status).toBe(201)
  })

  test("guests of a network share their ten unpaid orders with its deleted accounts, also without a limit of the plan", async () => {
    const shop = await createShop()
    const ip = "192.0.2.7"
    const { token } = await makeUser(shop.store)
    for (let n = 0; n < 9; n++) await shop.placeOrder(token, 1, ip)
    expect((await shop.deleteAccount(token)).status).toBe(200)
    expect((await shop.placeAsGuest(ip)).status).toBe(201)
    expect((await shop.placeAsGuest(ip)).status).toBe(422)
    expect((await shop.placeAsGuest(nextAddress())).status).toBe(201)
  })

  test("counts all addresses of an IPv6 /48 as one network", async () => {
    const shop = await createShop({ orders: 25 })
    let subnet = 0
    expect(await placeUntilRefused(shop, 2, () => `2001:db8:7:${(++subnet).toString(16)}::1`)).toEqual({
      placed: 12,
      last: 422,
    })
  })

  test("accepts exactly 20 of 27 orders that one network places at once", async () => {
    const { store, placeOrder, getStock } = await createShop({ orders: 60 })
    const accounts = await Promise.all([1, 2, 3].map(() => makeUser(store)))
    const placing = accounts.flatMap(({ token }) => Array.from({ length: 9 }, () => placeOrder(token, 1, "192.0.2.8")))
    const statuses = (await Promise.all(placing)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(7).fill(422)])
    expect(await getStock()).toBe(30)
  })

  test("marks pending orders as paid while the plan is used up", async () => {
    const { store, key, placeOrder, setStatus } = await createShop({ orders: 3 })
    const customer = await makeUser(store)
    const orders = [
      await placeOrder(customer.token),
      await placeOrder(customer.token),
      await placeOrder(customer.token),
    ]
    expect((await placeOrder(customer.token)).status).toBe(403)
    for (const { body } of orders) expect((await setStatus(body.data.id, "paid")).status).toBe(200)
    expect((await placeOrder(customer.token)).status).toBe(403)
    const usage = await platform("GET", `/stores/${store}/usage?refresh=1`, { token: key })
    expect(usage.body.data.usage.orders).toBe(3)
  })

  test("stores a keyed hash of the network while an order is pending and clears it afterwards", async () => {
    const { store, placeOrder, deleteAccount, setStatus } = await createShop()
    const [first, second] = [await makeUser(store), await makeUser(store)]
    const ids = [
      (await placeOrder(first.token, 1, "192.0.2.9")).body.data.id,
      (await placeOrder(second.token, 1, "192.0.2.9")).body.data.id,
    ]
    await deleteAccount(second.token)
    const networks = async () => (await siteRows("select network from orders order by id")).map((row) => row.network)
    const [firstNetwork, secondNetwork] = await networks()
    expect(firstNetwork).toMatch(/^[0-9a-f]{32}$/)
    expect(secondNetwork).toBe(firstNetwork)
    await setStatus(ids[0], "paid")
    await setStatus(ids[1], "cancelled")
    expect(await networks()).toEqual([null, null])
    // A paid order of a deleted account stays open without it.
    const third = await makeUser(store)
    const { id } = (await placeOrder(third.token, 1, "192.0.2.9")).body.data
    await deleteAccount(third.token)
    await setStatus(id, "paid")
    expect(await networks()).toEqual([null, null, null])
  })

  describe("early expiry", () => {
    const NOON = Date.UTC(2026, 10, 17, 12)
    const setTime = (minutes: number) => vi.setSystemTime(NOON + minutes * 60_000)
    const statuses = () =>
      siteRows("select status, count(*) n from orders group by status order by status").then((rows) =>
        Object.fromEntries(rows.map(({ status, n }) => [status, n])),
      )

    test("cancels pending orders after an hour, as the system, once they fill the plan", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const shop = await createShop({ orders: 10 })
      expect((await placeUntilRefused(shop, 1, () => "192.0.2.7")).placed).toBe(9)
      const [attacker, customer] = [await makeUser(shop.store), await makeUser(shop.store)]
      await shop.placeOrder(attacker.token, 1, "192.0.2.7")
      setTime(59)
      expect((await shop.placeOrder(customer.token)).status).toBe(403)
      expect(await statuses()).toEqual({ pending: 10 })
      setTime(61)
      expect((await shop.placeOrder(customer.token)).status).toBe(403)
      // Only as many are cancelled as needed.
      expect(await statuses()).toEqual({ cancelled: 2, pending: 8 })
      expect((await shop.placeOrder(customer.token)).status).toBe(201)
      expect(await shop.getStock()).toBe(50 - 9)
      const entries = await env.DB.prepare(
        "select distinct actor_type, address from audit_entries where type = 'order_cancelled' or data like '%unpaid%'",
      ).all()
      expect(entries.results).toEqual([{ actor_type: "system", address: null }])
    })

    test("cancels orders of the crowded network, and spares customers with one or two", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, placeOrder } = await createShop({ orders: 10 })
      const customers = await Promise.all([makeUser(store), makeUser(store)])
      for (const { token } of customers) expect((await placeOrder(token)).status).toBe(201)
      const attacker = await makeUser(store)
      for (let n = 0; n < 8; n++) expect((await placeOrder(attacker.token, 1, "192.0.2.7")).status).toBe(201)
      setTime(61)
      const newCustomer = await makeUser(store)
      expect((await placeOrder(newCustomer.token)).status).toBe(403)
      const pending = await siteRows("select user_id, count(*) n from orders where status = 'pending' group by user_id")
      expect(Object.fromEntries(pending.map(({ user_id, n }) => [user_id, n]))).toEqual({
        ...Object.fromEntries(customers.map(({ id }) => [id, 1])),
        [attacker.id]: 6,
      })
    })

    test("cancels orders of accounts that were deleted", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, placeOrder, deleteAccount } = await createShop({ orders: 10 })
      const attacker = await makeUser(store)
      for (let n = 0; n < 9; n++) expect((await placeOrder(attacker.token, 1, "192.0.2.7")).status).toBe(201)
      await deleteAccount(attacker.token)
      setTime(61)
      const customer = await makeUser(store)
      expect((await placeOrder(customer.token)).status).toBe(201)
      expect(await siteRows("select user_id, status, count(*) n from orders group by 1, 2 order by 1, 2")).toEqual([
        { user_id: -1, status: "pending", n: expect.any(Number) },
        { user_id: 0, status: "cancelled", n: expect.any(Number) },
        { user_id: customer.id, status: "pending", n: 1 },
      ])
    })

    test("is not triggered by a client that has too many pending orders itself", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, placeOrder } = await createShop({ orders: 10 })
      const attacker = await makeUser(store)
      for (let n = 0; n < 9; n++) await placeOrder(attacker.token, 1, "192.0.2.7")
      attacker.token = await makeToken(attacker)
      expect((await placeOrder(attacker.token, 1, "192.0.2.7")).status).toBe(201)
      setTime(61)
      expect((await placeOrder(attacker.token, 1, "192.0.2.7")).status).toBe(403)
      expect(await statuses()).toEqual({ pending: 10 })
    })

    test("does not shorten the day of pending orders when paid orders fill the plan", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, placeOrder, setStatus } = await createShop({ orders: 10 })
      const customer = await makeUser(store)
      for (let n = 0; n < 8; n++) await setStatus((await placeOrder(customer.token)).body.data.id, "paid")
      await placeOrder(customer.token)
      setTime(120)
      expect((await placeOrder(await makeToken(customer))).status).toBe(201)
      expect(await statuses()).toEqual({ paid: 8, pending: 2 })
    })

    test("an order paid while it is being cancelled ends as one of both, with the matching stock", async () => {
      vi.useFakeTimers({ toFake: ["Date"], now: NOON })
      const { store, placeOrder, setStatus, getStock } = await createShop({ orders: 2 })
      const [slow, customer] = [await makeUser(store), await makeUser(store)]
      const { id } = (await placeOrder(slow.token)).body.data
      await placeOrder(slow.token)
      setTime(61)
      const [paid] = await Promise.all([setStatus(id, "paid"), placeOrder(customer.token), placeOrder(customer.token)])
      const [row] = await siteRows("select status from orders where id = ?", id)
      expect([paid.status, row?.status]).toEqual(paid.status === 200 ? [200, "paid"] : [422, "cancelled"])
      const [open] = await siteRows("select count(*) n from orders where status <> 'cancelled'")
      expect(await getStock()).toBe(50 - Number(open?.n))
    })
  })
})
