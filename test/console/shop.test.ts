// What operators see and change of a store's apps and users: as its staff do, without a user at the site.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { markMessage, removeMessage, writeMessage } from "../../src/apps/contact/service"
import { removeProduct } from "../../src/apps/ecommerce/products/service"
import { createOperatorCtx } from "../../src/content/user"
import { disableApp, enableApp } from "../../src/platform/apps/service"
import { run } from "../support/app"
import { content, hostOfStore, makeToken, makeUser } from "../support/content-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import { recordPurchase } from "../support/purchases"
import { rows, siteRows } from "../support/rows"
import { signIn } from "./support"

let store = ""
let base = ""
let user = 0
let product = { id: 0, name: "" }
let customer: (method: string, path: string, json?: unknown) => ReturnType<typeof content>

beforeEach(async () => {
  store = await makeReadyStore({ subdomain: "acme" })
  for (const app of ["reviews", "contact"]) await run((ctx) => enableApp(ctx, store, app))
  base = `/console/sites/${store}`
  const made = await makeUser(store, { email: "Clay@Customers.example" })
  user = made.id
  const token = await makeToken(made)
  customer = (method, path, json) =>
    content(method, path, {
      host: hostOfStore(store),
      headers: { Authorization: `Bearer ${token}` },
      ...(json !== undefined && { json }),
    })
  const [first] = await siteRows("select id, name from products where site_id = ? order by id", store)
  product = { id: Number(first?.id), name: String(first?.name) }
})

const placeOrder = async () => {
  const items = [{ product_id: product.id, quantity: 2 }]
  expect((await customer("POST", "/orders", { items, note: "Ring <twice>" })).status).toBe(201)
}

test("shows products with their reviews, orders with their items, galleries, messages and users to every role", async () => {
  await placeOrder()
  await env.SITES_1.prepare("update orders set status = 'paid'").run()
  const review = { product_id: product.id, rating: 5, comment: "Lovely <glaze>" }
  expect((await customer("POST", "/reviews", review)).status).toBe(201)
  expect((await customer("POST", "/contact", { message: "Do you <ship>?" })).status).toBe(201)
  for (const role of ["admin", "viewer"] as const) {
    const browser = await signIn({ role })
    const show = async (path: string) => (await browser.get(base + path)).text
    expect(await show("/products")).toContain(`<a href="${base}/products/${product.id}">${product.name}</a>`)
    for (const path of [`/products/${product.id}`, "/reviews"])
      expect(await show(path), path).toContain("Lovely &lt;glaze&gt;")
    expect(await show("/orders")).toContain(`<a href="${base}/orders/1">1001</a>`)
    const order = await show("/orders/1")
    expect(order).toContain(product.name)
    expect(order).toContain("Ring &lt;twice&gt;")
    expect(await show("/galleries")).toContain("<h1>Galleries</h1>")
    expect(await show("/messages/1")).toContain("Do you &lt;ship&gt;?")
    expect(await show("/users?email=clay@customers.example")).toContain(`<a href="${base}/users/${user}">`)
    expect(await show(`/users/${user}`)).toContain("Clay@Customers.example")
  }
})

test("responds with 404 to what another store has, and at the central site", async () => {
  const admin = await signIn()
  const other = `/console/sites/${await makeReadyStore({ subdomain: "other" })}`
  for (const path of [`${other}/products/${product.id}`, `${other}/users/${user}`, `${other}/users/${user}/disable`])
    expect((await admin.get(path)).status, path).toBe(404)
  for (const path of ["/orders/99", "/orders/x", "/products/99999", "/messages/9", "/galleries/none", "/users/x"])
    expect((await admin.get(base + path)).status, path).toBe(404)
  for (const path of [
    "nobody/products",
    "central/products",
    "central/orders",
    "central/reviews",
    "central/products/new",
  ])
    expect((await admin.get(`/console/sites/${path}`)).status, path).toBe(404)
  expect((await admin.post(`${other}/products/${product.id}/edit`, { name: "Stolen" })).status).toBe(404)
  expect(await siteRows("select name from products where id = ? and site_id = 'acme'", product.id)).toEqual([
    { name: product.name },
  ])
})

/** The latest entry of the audit log. */
const readEntry = async () =>
  (
    await rows("select type, actor_type, actor_name, interface, store_id from audit_entries order by id desc limit 1")
  )[0]

const readOrders = () =>
  siteRows("select id, status, tracking, staff_note from orders where id < 3 and site_id = ?", store)

/** The erasure of their customer empties the texts later. */
const CHANGED_ORDERS = [
  { id: 1, status: "fulfilled", tracking: "DHL 1", staff_note: "Called" },
  { id: 2, status: "cancelled", tracking: null, staff_note: null },
]

test("changes what staff may change as the operator, after a confirmation where it cannot be undone", async () => {
  await placeOrder()
  await placeOrder()
  await recordPurchase(user, product.id)
  expect((await customer("POST", "/contact", { message: "Hello" })).status).toBe(201)
  expect((await customer("POST", "/reviews", { product_id: product.id, rating: 1 })).status).toBe(201)
  const [support, finance] = [await signIn({ role: "support", name: "Ada" }), await signIn({ role: "finance" })]
  const path = `/products/${product.id}`
  const typed = { confirm: "clay@customers.example" }
  type Fields = Record<string, string>
  const steps: [path: string, type: string, sends: "post" | "confirm", fields: Fields, entered?: Fields][] = [
    ["/products", "shop_product_created", "post", { name: "Jar", price: "12.50", currency: "EUR", stock: "3" }],
    [`${path}/edit`, "shop_product_changed", "post", { name: "Bowl", price: "29,95", currency: "EUR" }],
    ["/orders/1/edit", "order_changed", "confirm", { status: "paid" }],
    ["/orders/1/edit", "order_changed", "confirm", { status: "fulfilled", tracking: "DHL 1" }],
    ["/orders/2/edit", "order_changed", "confirm", { status: "cancelled" }],
    ["/orders/1/note", "order_changed", "post", { staff_note: "Called", status: "cancelled" }],
    ["/galleries", "gallery_created", "post", { name: "Kiln", pictures: "/media/a.jpg First firing\n\n/media/b.jpg" }],
    ["/messages/1/edit", "contact_message_changed", "post", { status: "read" }],
    ["/messages/1/reply", "contact_message_replied", "post", { reply: "We do." }],
    ["/reviews/1/hide", "review_hidden", "post", {}],
    ["/reviews/1/show", "review_shown", "post", {}],
    ["/reviews/1/delete", "review_deleted", "confirm", {}],
    ["/messages/1/delete", "contact_message_deleted", "confirm", {}],
    [`${path}/delete`, "shop_product_deleted", "confirm", {}],
    [`/users/${user}/disable`, "customer_disabled", "confirm", {}],
    [`/users/${user}/enable`, "customer_enabled", "post", {}],
    [`/users/${user}/delete`, "customer_erased", "confirm", {}, typed],
  ]
  for (const [segment, type, sends, fields, entered] of steps) {
    const before = await readEntry()
    expect((await finance.post(base + segment, fields)).status, type).toBe(403)
    if (sends === "confirm") {
      const unconfirmed = await support.post(base + segment, fields)
      expect([unconfirmed.status, unconfirmed.text.includes('<a href="/console/stores/acme">acme</a>')], type).toEqual([
        ...[422, true],
      ])
    }
    expect(await readEntry(), type).toEqual(before)
    expect((await support[sends](base + segment, fields, entered)).status, type).toBe(303)
    expect(await readEntry(), type).toEqual({
      ...{ type, actor_type: "admin", actor_name: "Ada", interface: "console", store_id: store },
    })
    if (segment === "/orders/1/note") expect(await readOrders()).toEqual(CHANGED_ORDERS)
  }
  expect(
    await siteRows("select name, price_cents, stock from products where name = 'Jar' and site_id = ?", store),
  ).toEqual([{ name: "Jar", price_cents: 1250, stock: 3 }])
  expect(await siteRows("select image, caption from pictures where site_id = ?", store)).toEqual(
    expect.arrayContaining([{ image: "/media/a.jpg", caption: "First firing" }]),
  )
  expect(await siteRows("select id from users where id = ? and site_id = 'acme'", user)).toEqual([])
})

test("refuses an edit form of a product that changed since it was opened", async () => {
  const support = await signIn({ role: "support" })
  const path = `${base}/products/${product.id}`
  const page = await support.get(path)
  const version = /name="shown_version" value="(\d+)"/.exec(page.text)?.[1] ?? ""
  const fields = { name: "Bowl", price: "29,95", currency: "EUR", shown_version: version }
  expect((await support.post(`${path}/edit`, fields)).status).toBe(303)
  const outdated = await support.post(`${path}/edit`, { ...fields, name: "Dish" })
  expect([outdated.status, outdated.text.includes("was changed since you read it")]).toEqual([422, true])
  expect(await siteRows("select name from products where id = ? and site_id = ?", product.id, store)).toEqual([
    { name: "Bowl" },
  ])
})

test("marks an unpaid order as paid and sent at once, after a confirmation that shows both", async () => {
  await placeOrder()
  const support = await signIn({ role: "support" })
  const action = `${base}/orders/1/edit`
  expect((await support.get(`${base}/orders/1`)).text).toContain("Mark as paid and sent")
  const fields = { status: "fulfilled", is_paid: "true", tracking: "DHL 1" }
  const asked = await support.get(`${action}?${new URLSearchParams(fields)}`)
  for (const text of ["Mark order 1001 as paid and sent?", "No money moves.", "gets an email"])
    expect(asked.text).toContain(text)
  const saved = await support.confirm(action, fields)
  expect(saved.headers.get("Location")).toBe(`${base}/orders/1?done=order_paid_and_sent`)
  expect(await siteRows("select status, tracking from orders where id = 1 and site_id = ?", store)).toEqual([
    { status: "fulfilled", tracking: "DHL 1" },
  ])
  expect(await rows("select count(*) as n from audit_entries where type = 'order_changed'")).toEqual([{ n: 2 }])
  const again = await support.get(`${action}?${new URLSearchParams(fields)}`)
  expect([again.status, again.text.includes("allow this")]).toEqual([422, true])
  expect((await support.get(`${base}/orders/1`)).text).not.toContain("Mark as paid and sent")
})

test("shows the form again with what was typed when the price, the status or the plan's limit refuses it", async () => {
  await placeOrder()
  const admin = await signIn()
  const wrong = await admin.post(`${base}/products`, { name: "Jar", price: "12.345", currency: "EUR" })
  expect([wrong.status, wrong.text.includes('id="price-error"'), wrong.text.includes('value="12.345"')]).toEqual([
    ...[422, true, true],
  ])
  const sent = await admin.get(`${base}/orders/1/edit?status=fulfilled`)
  expect([sent.status, sent.text.includes("allow this")]).toEqual([422, true])
  const limits = { products: 1, orders: 0, storage_mb: 0, staff_users: 0 }
  const small = await makeReadyStore({ subdomain: "small", plan: (await makePlan({ limits })).slug })
  const create = () => admin.post(`/console/sites/${small}/products`, { name: "Jar", price: "12", currency: "EUR" })
  // Sample products do not count.
  expect((await create()).status).toBe(303)
  const full = await create()
  expect([full.status, full.text.includes("allows no more products")]).toEqual([422, true])
  await run((ctx) => disableApp(ctx, store, "reviews"))
  expect((await admin.get(`${base}/reviews`)).text).toContain("This app is off")
})

test("refuses an operator's context every change while it only reads, and the writes of customers always", async () => {
  expect((await customer("POST", "/contact", { message: "Hello" })).status).toBe(201)
  const [message] = await siteRows("select id from contact_messages where site_id = ?", store)
  type OperatorCtx = Awaited<ReturnType<typeof createOperatorCtx>>
  const codeOf = (role: "viewer" | "admin", write: (ctx: OperatorCtx) => Promise<unknown>) =>
    run(async (ctx) => write(await createOperatorCtx(ctx, store, role))).then(
      () => "written",
      (thrown: { code?: string }) => thrown.code,
    )
  expect(await codeOf("viewer", (ctx) => removeProduct(ctx, String(product.id)))).toBe("forbidden")
  expect(await codeOf("viewer", (ctx) => removeMessage(ctx, String(message?.id)))).toBe("forbidden")
  expect(await codeOf("viewer", (ctx) => markMessage(ctx, String(message?.id), { status: "read" }))).toBe("forbidden")
  // Anonymous visitors may write messages; an operator may not.
  const input = { name: "Eve", email: "eve@example.com", phone: null, subject: null, message: "Hi" }
  for (const role of ["viewer", "admin"] as const)
    expect(await codeOf(role, (ctx) => writeMessage(ctx, input))).toBe("forbidden")
  expect(await siteRows("select message, status from contact_messages where site_id = ?", store)).toEqual([
    { message: "Hello", status: "new" },
  ])
})
