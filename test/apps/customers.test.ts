// Customers of the e-commerce app: who reads them, their orders and totals, search, and the rows read.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { platform } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeKey, makeReadyStore } from "../support/factories"

async function makeShop() {
  const store = await makeReadyStore()
  await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token: await makeKey() })
  await env.SITES_1.prepare("delete from users where site_id = ?").bind(store).run()
  const host = hostOfStore(store)
  const staff = await makeUser(store, { isStaff: true })
  const get = (path: string, { token }: { token?: string } = staff) => content("GET", path, { host, token })
  return { store, host, staff, get }
}

const namesIn = ({ body }: { body: { data: { name: string }[] } }) => body.data.map(({ name }) => name)

test("staff list customers with the number of their orders, search them, and read what they paid", async () => {
  const { store, host, staff, get } = await makeShop()
  const ada = await makeUser(store, { firstName: "Ada", lastName: "Lovelace", email: "Ada@example.com" })
  await makeUser(store, { firstName: "Grace", lastName: "Hopper", email: "grace@navy.example" })
  await makeUser(await makeReadyStore(), { firstName: "Another", lastName: "Site" })
  const json = { name: "Bowl", price_cents: 1000, currency: "EUR" }
  const product = (await content("POST", "/products", { host, token: staff.token, json })).body.data.id
  for (const status of ["paid", "pending"]) {
    const order = { items: [{ product_id: product, quantity: 2 }] }
    const { id } = (await content("POST", "/orders", { host, token: ada.token, json: order })).body.data
    if (status === "paid") await content("PUT", `/orders/${id}`, { host, token: staff.token, json: { status } })
  }
  const listed = await get("/customers")
  expect(listed.body.meta.total).toBe(2)
  expect(namesIn(listed)).toEqual(["Grace Hopper", "Ada Lovelace"])
  expect(listed.body.data[1]).toEqual({
    id: ada.id,
    name: "Ada Lovelace",
    disabled_at: null,
    email: "Ada@example.com",
    phone: null,
    orders_count: 2,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  })
  for (const term of ["ADA", "love", "a%20l", "ada@EXAMPLE.com"])
    expect(namesIn(await get(`/customers?search=${term}`)), term).toEqual(["Ada Lovelace"])
  expect((await get("/customers?search=nobody")).body).toMatchObject({ data: [], meta: { total: 0 } })
  const read = (await get(`/customers/${ada.id}`)).body.data
  expect(read).toMatchObject({ id: ada.id, spent: [{ currency: "EUR", total_cents: 2000 }] })
  expect(read.orders.map(({ number, status }: { number: string; status: string }) => [number, status])).toEqual([
    ["1002", "pending"],
    ["1001", "paid"],
  ])
  expect(JSON.stringify([listed.body, read])).not.toMatch(/password|hash/i)
})

test("a search finds names with capitals that are not ASCII", async () => {
  const { store, get } = await makeShop()
  await makeUser(store, { firstName: "Đặng", lastName: "Ân" })
  await makeUser(store, { firstName: "Jean-Étienne", lastName: "ÉMILE" })
  for (const [term, name] of [
    ["Đặng Ân", "Đặng Ân"],
    ["đặng", "Đặng Ân"],
    ["ĐẶNG ÂN", "Đặng Ân"],
    ["â", "Đặng Ân"],
    ["jean-étienne", "Jean-Étienne ÉMILE"],
    ["émile", "Jean-Étienne ÉMILE"],
  ] as const)
    expect(namesIn(await get(`/customers?search=${encodeURIComponent(term)}`)), term).toEqual([name])
})

test("staff of every role read customers, and nobody else does; staff are not customers", async () => {
  const { store, staff, get } = await makeShop()
  const customer = await makeUser(store)
  for (const path of ["/customers", `/customers/${customer.id}`]) {
    expect((await get(path, await makeUser(store, { isStaff: true, role: "viewer" }))).status).toBe(200)
    expect((await get(path, customer)).status).toBe(403)
    expect((await get(path, {})).status).toBe(401)
  }
  for (const id of [staff.id, 999_999, "x"]) expect((await get(`/customers/${id}`)).status).toBe(404)
  await env.SITES_1.prepare("update users set is_staff = 1 where id = ?").bind(customer.id).run()
  expect((await get("/customers")).body.meta.total).toBe(0)
})

test("reads as many rows of a page with 2,000 customers as with 20", async () => {
  const { store, get } = await makeShop()
  const fill = (from: number, to: number) =>
    env.SITES_1.prepare(
      `with recursive n (i) as (select ?2 union all select i + 1 from n where i < ?3)
       insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
       select ?1, 'c' || i || '@example.com', 'c' || i || '@example.com', 'C', i, 'x', 0, 1, 1 from n`,
    )
      .bind(store, from, to)
      .run()
  await fill(1, 20)
  const read = async (path: string) => {
    const { rowsRead, roundTrips } = await costsOf(() => get(path))
    return { rowsRead, roundTrips }
  }
  const few = await read("/customers")
  await fill(21, 2000)
  expect(await read("/customers")).toEqual(few)
  expect((await read("/customers?page=200")).rowsRead).toBeLessThanOrEqual(few.rowsRead + 5)
  expect(few.roundTrips).toBe(2)
})
