import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { expect, test } from "vitest"
import { ERASED_USER_ID, orders } from "../../src/apps/ecommerce/tables"
import { stores } from "../../src/db/schema/central/stores"
import { platform } from "../support/app"
import { content, makeUser, PASSWORD } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { signInToAdmin } from "./support"

const makeShop = async () => {
  const store = await makeReadyStore()
  const editor = await signInToAdmin(store, "editor")
  const { token, host } = { token: editor.user.token, host: editor.host }
  const api = (method: string, path: string, json?: unknown, by: string | undefined = token) =>
    content(method, path, { host, token: by, json })
  const product = await api("POST", "/products", { name: "Bowl", price_cents: 1000, currency: "EUR", stock: 9 })
  const id = product.body.data.id as number
  const place = async (by: string | undefined, customer?: object) => {
    const placed = await api("POST", "/orders", { items: [{ product_id: id, quantity: 2 }], customer }, by)
    expect(placed.status).toBe(201)
    return placed.body.data as { id: number; number: string }
  }
  const stock = async () => (await api("GET", `/products/${id}`)).body.data.stock as number
  return { store, editor, api, place, stock }
}

test("marks an order as paid and sent, and returns the products of a cancelled one to stock", async () => {
  const { store, editor, api, place, stock } = await makeShop()
  const customer = await makeUser(store)
  const [sent, cancelled] = [await place(customer.token), await place(customer.token)]
  const edit = (id: number, fields: Record<string, string>) => editor.post(`/admin/orders/${id}/edit`, fields)
  const skipped = await edit(sent.id, { status: "fulfilled" })
  expect(skipped.status).toBe(422)
  expect((await edit(sent.id, { status: "paid" })).headers.get("Location")).toBe(
    `/admin/orders/${sent.id}?done=order_paid`,
  )
  const notice = async (change: ReturnType<typeof edit>) => (await change).headers.get("Location")?.split("=")[1]
  expect(await notice(edit(sent.id, { status: "fulfilled", tracking: "DHL 1" }))).toBe("order_sent")
  expect((await editor.get(`/admin/orders/${sent.id}?done=order_sent`)).text).toContain("Order marked as sent.")
  expect(await notice(edit(sent.id, { staff_note: "Called <b>twice</b>" }))).toBe("order_saved")
  const { data } = (await api("GET", `/orders/${sent.id}`)).body
  expect(data).toMatchObject({ status: "fulfilled", tracking: "DHL 1", staff_note: "Called <b>twice</b>" })
  const page = await editor.get(`/admin/orders/${sent.id}`)
  expect(page.text).toContain("Called &lt;b&gt;twice")
  expect(page.text).not.toContain("Mark as paid")

  expect(await stock()).toBe(5)
  expect((await editor.get(`/admin/orders/${cancelled.id}/cancel`)).text).toContain(`Cancel order ${cancelled.number}?`)
  expect(await notice(edit(cancelled.id, { status: "cancelled" }))).toBe("order_cancelled")
  expect(await stock()).toBe(7)
  const again = await edit(cancelled.id, { status: "cancelled" })
  expect([again.status, again.text.includes("status does not allow this")]).toEqual([422, true])
  expect(await stock()).toBe(7)
  const home = await editor.get("/admin")
  expect(home.text).toContain("Orders in the last 30 days</dt><dd>1")
})

test("tells the owner to refund the customer of a paid order that is cancelled", async () => {
  const { store, editor, place } = await makeShop()
  const { id } = await place((await makeUser(store)).token)
  const refund = "Refund the amount yourself"
  expect((await editor.get(`/admin/orders/${id}/cancel`)).text).not.toContain(refund)
  await editor.post(`/admin/orders/${id}/edit`, { status: "paid" })
  const { text } = await editor.get(`/admin/orders/${id}/cancel`)
  expect(text).toContain(refund)
  expect(text).toContain('name="was_paid"')
  const cancelled = await editor.post(`/admin/orders/${id}/edit`, { status: "cancelled", was_paid: "true" })
  expect(cancelled.headers.get("Location")).toBe(`/admin/orders/${id}?done=paid_order_cancelled`)
})

test("marks an unpaid order as paid and sent in one write, with an audit entry and an event for each", async () => {
  const { store, editor, api, place } = await makeShop()
  const customer = await makeUser(store)
  const { id, number } = await place(customer.token)
  const path = `/admin/orders/${id}`
  const form = { status: "fulfilled", is_paid: "true", tracking: "DHL 7" }
  const unpaid = (await editor.get(path)).text
  expect(unpaid).toContain("Mark as paid and sent")
  expect(unpaid).toContain("<dt>Shipping</dt><dd>Delivery</dd>")
  for (const empty of ["Phone", "Tracking", "Customer&#39;s note"]) expect(unpaid).not.toContain(`<dt>${empty}</dt>`)
  expect((await editor.post(`${path}/edit`, form)).headers.get("Location")).toBe(`${path}?done=order_paid_and_sent`)
  expect((await api("GET", `/orders/${id}`)).body.data).toMatchObject({ status: "fulfilled", tracking: "DHL 7" })
  const entries = await rows("select before, after, data from audit_entries where type = 'order_changed' order by id")
  const numbered = { number: Number(number) }
  expect(entries.map((row) => [row.before, row.after, row.data].map((text) => JSON.parse(String(text))))).toEqual([
    [{ ...numbered, status: "pending" }, { ...numbered, status: "paid" }, {}],
    [{ ...numbered, status: "paid" }, { ...numbered, status: "fulfilled" }, { fields: ["tracking"] }],
  ])
  const events = await platform("GET", `/events?types=shop.order.updated&store=${store}`, { token: await makeKey() })
  const changes = (events.body.data as { data: { changes: { status?: object } } }[]).map(
    ({ data }) => data.changes.status,
  )
  expect(changes).toEqual([
    { from: "pending", to: "paid" },
    { from: "paid", to: "fulfilled" },
  ])
  const page = await editor.get(path)
  expect(page.text).not.toContain("Mark as")
  // A sent order cannot be paid again, and a paid one is not unpaid.
  expect((await editor.post(`${path}/edit`, form)).status).toBe(422)
  const paid = await place(customer.token)
  await editor.post(`/admin/orders/${paid.id}/edit`, { status: "paid" })
  expect((await editor.post(`/admin/orders/${paid.id}/edit`, form)).status).toBe(422)
  expect((await api("GET", `/orders/${paid.id}`)).body.data.status).toBe("paid")
})

test("finds orders by status, number, name and address, and exports and prints them", async () => {
  const { editor, place, store } = await makeShop()
  const guest = await place("", { name: "Grace <Hopper>", email: "grace@example.com" }).catch(() => null)
  const customer = await makeUser(store)
  const own = await place(customer.token)
  const numbers = (text: string) => [...text.matchAll(/orders\/\d+">(\d+)</g)].map(([, number]) => number)
  const found = async (query: string) => numbers((await editor.get(`/admin/orders?${query}`)).text)
  expect(await found("")).toEqual([own.number, ...(guest ? [guest.number] : [])])
  expect(await found(`search=${own.number}`)).toEqual([own.number])
  expect(await found("search=GRACE")).toEqual(guest ? [guest.number] : [])
  expect(await found(`search=${encodeURIComponent(customer.email)}`)).toEqual([own.number])
  expect(await found("status=paid")).toEqual([])
  expect(await found("status=nonsense&page=-1")).toHaveLength(guest ? 2 : 1)
  const csv = await editor.get("/admin/orders.csv")
  expect(csv.text).toContain(`"${own.number}"`)
  expect(csv.text).toContain('"20.00"')
  const invoice = await editor.get(`/admin/orders/${own.id}/invoice`)
  expect(invoice.text).toContain("€20.00")
  const slip = await editor.get(`/admin/orders/${own.id}/packing-slip`)
  expect([slip.text.includes("Bowl"), slip.text.includes("€")]).toEqual([true, false])
  expect((await editor.get("/admin/orders/99999")).status).toBe(404)
})

test("finds an order by a name with capitals that are not ASCII", async () => {
  const { editor, place } = await makeShop()
  const { number } = await place("", { name: "Đặng Ân", email: "an@example.com" })
  for (const term of ["Đặng Ân", "đặng", "ÂN"]) {
    const { text } = await editor.get(`/admin/orders?search=${encodeURIComponent(term)}`)
    expect(text, term).toContain(`">${number}<`)
  }
})

test("shows customers with what they have paid, exports everything about one, and disables and erases one", async () => {
  const { store, editor, api, place } = await makeShop()
  const customer = await makeUser(store, { firstName: "Grace", lastName: "Hopper" })
  const { id } = await place(customer.token)
  await editor.post(`/admin/orders/${id}/edit`, { status: "paid" })
  const list = await editor.get("/admin/customers?search=hopper")
  expect([list.text.includes(`/admin/customers/${customer.id}`), list.text.includes("€20.00")]).toEqual([true, true])
  const path = `/admin/customers/${customer.id}`
  expect((await editor.get(path)).text).toContain("€20.00")
  const exported = await editor.get(`${path}/export`)
  expect(exported.headers.get("Content-Disposition")).toContain("attachment")
  expect(exported.body).toMatchObject({
    email: customer.email,
    orders: [{ id, items: [{ name: "Bowl" }] }],
    reviews: [],
    messages: [],
    devices: [],
  })
  expect(exported.text).not.toContain(customer.passwordHash)
  expect((await editor.get(`/admin/customers/${editor.user.id}`)).status).toBe(404)
  const other = await signInToAdmin(await makeReadyStore())
  for (const foreign of [path, `/admin/orders/${id}`]) expect((await other.get(foreign)).status, foreign).toBe(404)

  const admin = await signInToAdmin(store, "admin")
  const logIn = () =>
    content("POST", "/login", { host: admin.host, json: { email: customer.email, password: PASSWORD } })
  for (const action of ["disable", "enable", "erase"]) {
    expect((await editor.post(`${path}/${action}`)).status, action).toBe(403)
    expect((await other.post(`${path}/${action}`)).status, action).toBe(404)
    expect((await admin.post(`/admin/customers/${editor.user.id}/${action}`)).status, action).toBe(404)
  }
  expect((await admin.post(`${path}/disable`)).headers.get("Location")).toBe(`${path}?done=customer_disabled`)
  expect((await api("GET", "/me", undefined, customer.token)).status).toBe(401)
  const refused = await logIn()
  expect([refused.status, refused.body.message]).toEqual([403, "This account is disabled. Contact the shop."])
  expect((await admin.get(path)).text).toContain("Enable account")
  expect((await admin.get("/admin/customers")).text).toContain("Disabled")
  expect((await admin.post(`${path}/enable`)).status).toBe(303)
  const { token } = (await logIn()).body.data
  expect((await admin.get(`${path}/erase`)).text).toContain("Erase Grace Hopper?")
  expect((await admin.post(`${path}/erase`)).headers.get("Location")).toBe("/admin/customers?done=customer_erased")
  expect((await api("GET", "/me", undefined, token)).status).toBe(401)
  expect((await admin.get(path)).status).toBe(404)
  // The order was paid and is still to be sent.
  expect((await api("GET", `/orders/${id}`)).body.data).toMatchObject({
    ...{ total_cents: 2000, user_id: null, customer: { email: customer.email } },
  })
  const order = await editor.get(`/admin/orders/${id}`)
  expect([order.text.includes(customer.email), order.text.includes('href="/admin/customers/')]).toEqual([true, false])
  await editor.post(`/admin/orders/${id}/edit`, { status: "fulfilled" })
  expect((await api("GET", `/orders/${id}`)).body.data).toMatchObject({
    ...{ total_cents: 2000, user_id: null, customer: { name: null, email: null, phone: null } },
  })
  const types = await rows("select type from audit_entries where subject_type = 'customer' order by id")
  expect(types.map(({ type }) => type)).toEqual(["customer_disabled", "customer_enabled", "customer_erased"])
})

test.each([
  { prices_include_tax: true, sums: ["Items €20.00", "Shipping €0.00", "Total €20.00", "Includes tax €3.19"] },
  { prices_include_tax: false, sums: ["Items €20.00", "Shipping €0.00", "Tax €3.80", "Total €23.80"] },
])("lists sums that add up when prices_include_tax is $prices_include_tax", async ({ prices_include_tax, sums }) => {
  const { store, editor, api, place } = await makeShop()
  const owner = await makeUser(store, { isStaff: true, role: "owner" })
  const saved = await api("PUT", "/shop/settings", { tax_rate: 19, prices_include_tax }, owner.token)
  expect(saved.status).toBe(200)
  const { id } = await place((await makeUser(store)).token)
  for (const path of [`/admin/orders/${id}`, `/admin/orders/${id}/invoice`]) {
    const facts = [...(await editor.get(path)).text.matchAll(/<dt>([^<]*)<\/dt><dd>(?:<b>)?([^<]*)/g)]
    const amounts = facts.filter(([, , value]) => value?.startsWith("€"))
    expect(
      amounts.map(([, name, value]) => `${name} ${value}`),
      path,
    ).toEqual(sums)
  }
})

/** Returns the texts of the cells in the table below a heading, row by row. */
function listCells(text: string, heading: string): string[][] {
  const [, table = ""] = new RegExp(`<h2[^>]*>${heading}</h2>.*?<tbody[^>]*>(.*?)</tbody>`, "s").exec(text) ?? []
  return [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "")),
  )
}

test("lists who changed what about an order, in the shop's language and time zone", async () => {
  const { store, editor, api, place } = await makeShop()
  const owner = await makeUser(store, { isStaff: true, role: "owner" })
  await api("PUT", "/shop/settings", { language: "es", timezone: "Asia/Tokyo" }, owner.token)
  const customer = await makeUser(store, { firstName: "Grace", lastName: "Hopper" })
  const [{ id }, other] = [await place(customer.token), await place(customer.token)]
  const edit = (fields: Record<string, string>) => editor.post(`/admin/orders/${id}/edit`, fields)
  await edit({ status: "fulfilled", is_paid: "true", tracking: "DHL 7" })
  await edit({ staff_note: "Llamar" })
  await editor.post(`/admin/orders/${other.id}/edit`, { status: "cancelled" })
  const page = await editor.get(`/admin/orders/${id}`)
  const cells = listCells(page.text, "Historial")
  const name = `${editor.user.firstName} ${editor.user.lastName}`
  expect(cells.map(([what, who, , changes]) => [what, who, changes])).toEqual([
    ["Modificado", name, "Nota interna"],
    ["Marcado como enviado", name, "Seguimiento"],
    ["Marcado como pagado", name, ""],
    ["Pedido realizado", "Grace Hopper", ""],
  ])
  expect(cells.map(([, , when = ""]) => /GMT\+9|JST/.test(when))).toEqual([true, true, true, true])
  expect(listCells((await editor.get(`/admin/orders/${other.id}`)).text, "Historial").map(([what]) => what)).toEqual([
    "Cancelado",
    "Pedido realizado",
  ])
})

test("exports and erases the guest orders of a customer's confirmed address", async () => {
  const { store, editor, place } = await makeShop()
  const customer = await makeUser(store, { email: "Ada@example.com", emailVerifiedAt: new Date() })
  const unconfirmed = await makeUser(store, { email: "eve@example.com", emailVerifiedAt: null })
  const closed = await place("", { name: "Ada", email: "ADA@example.com" })
  const open = await place("", { name: "Ada", email: "ada@example.com" })
  const other = await place("", { name: "Eve", email: "eve@example.com" })
  for (const { id } of [closed, other]) await editor.post(`/admin/orders/${id}/edit`, { status: "cancelled" })
  const exportOrders = async (id: number) => (await editor.get(`/admin/customers/${id}/export`)).body.orders
  expect((await exportOrders(customer.id)).map(({ id }: { id: number }) => id)).toEqual([open.id, closed.id])
  expect(await exportOrders(unconfirmed.id)).toEqual([])

  const admin = await signInToAdmin(store, "admin")
  for (const { id } of [customer, unconfirmed])
    expect((await admin.post(`/admin/customers/${id}/erase`)).status).toBe(303)
  const stored = await drizzle(env.SITES_1)
    .select({ id: orders.id, email: orders.customerEmail, userId: orders.userId })
    .from(orders)
    .where(eq(orders.siteId, store))
    .orderBy(orders.id)
  expect(stored).toEqual([
    { id: closed.id, email: null, userId: 0 },
    // It loses the customer when it is sent or cancelled.
    { id: open.id, email: "ada@example.com", userId: ERASED_USER_ID },
    { id: other.id, email: "eve@example.com", userId: 0 },
  ])
})

test("a shop without the e-commerce app lists, exports, disables and erases its customers", async () => {
  const store = await makeReadyStore()
  await drizzle(env.DB).update(stores).set({ apps: [] }).where(eq(stores.id, store))
  const owner = await signInToAdmin(store)
  const customer = await makeUser(store, { firstName: "Grace", lastName: "Hopper" })
  const path = `/admin/customers/${customer.id}`
  expect((await owner.get("/admin")).text).toContain('href="/admin/customers"')
  for (const shown of ["/admin/customers", path]) {
    const { status, text } = await owner.get(shown)
    expect([status, text.includes("Grace Hopper"), text.includes(">Orders<"), text.includes(">Paid<")], shown).toEqual([
      200,
      true,
      false,
      false,
    ])
  }
  expect((await owner.get(`${path}/export`)).body).toMatchObject({ email: customer.email })
  for (const action of ["disable", "enable", "erase"])
    expect((await owner.post(`${path}/${action}`)).status, action).toBe(303)
  expect((await owner.get(path)).status).toBe(404)
})
