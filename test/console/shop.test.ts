// What operators see of a store's apps: as its staff do, without a user at the site, and without writing.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test } from "vitest"
import { markMessage, removeMessage, writeMessage } from "../../src/apps/contact/service"
import { removeProduct } from "../../src/apps/ecommerce/products/service"
import { createOperatorCtx } from "../../src/content/user"
import { enableApp } from "../../src/platform/apps/service"
import { run } from "../support/app"
import { content, hostOfStore, makeToken, makeUser } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"
import { signIn } from "./support"

let store = ""
let base = ""
let customer: (method: string, path: string, json?: unknown) => ReturnType<typeof content>

beforeEach(async () => {
  store = await makeReadyStore({ subdomain: "acme" })
  for (const app of ["reviews", "contact"]) await run((ctx) => enableApp(ctx, store, app))
  base = `/console/sites/${store}`
  const token = await makeToken(await makeUser(store))
  customer = (method, path, json) =>
    content(method, path, {
      host: hostOfStore(store),
      headers: { Authorization: `Bearer ${token}` },
      ...(json !== undefined && { json }),
    })
})

test("shows products with their reviews, orders with their items, galleries and messages to every role", async () => {
  const [product] = await siteRows("select id, name from products where site_id = ? order by id", store)
  const items = [{ product_id: product?.id, quantity: 2 }]
  const order = await customer("POST", "/orders", { items, note: "Ring <twice>" })
  expect(order.status).toBe(201)
  await env.SITES_1.prepare("update orders set status = 'paid'").run()
  const review = { product_id: product?.id, rating: 5, comment: "Lovely <glaze>" }
  expect((await customer("POST", "/reviews", review)).status).toBe(201)
  expect((await customer("POST", "/contact", { message: "Do you <ship>?" })).status).toBe(201)
  for (const role of ["admin", "viewer"] as const) {
    const browser = await signIn({ role })
    const show = async (path: string) => (await browser.get(base + path)).text
    expect(await show("/products")).toContain(`<a href="${base}/products/${product?.id}">${product?.name}</a>`)
    expect(await show(`/products/${product?.id}`)).toContain("Lovely &lt;glaze&gt;")
    expect(await show("/orders")).toContain("#1001</a>")
    const detail = await show("/orders?order=1")
    expect(detail).toContain(String(product?.name))
    expect(detail).toContain("Ring &lt;twice&gt;")
    expect(await show("/galleries")).toContain("<h1>Galleries</h1>")
    expect(await show("/messages")).toContain("Do you &lt;ship&gt;?")
  }
})

test("responds with 404 to what another store has, and to stores without apps", async () => {
  const admin = await signIn()
  const other = await makeReadyStore({ subdomain: "other" })
  const [product] = await siteRows("select id from products where site_id = ? limit 1", store)
  expect((await admin.get(`/console/sites/${other}/products/${product?.id}`)).status).toBe(404)
  for (const path of ["/orders?order=99", "/orders?order=x", "/products/99999"])
    expect((await admin.get(base + path)).status, path).toBe(404)
  for (const path of ["nobody/products", "central/products", "central/orders"])
    expect((await admin.get(`/console/sites/${path}`)).status, path).toBe(404)
})

test("refuses every write of an operator, who has no user at the site", async () => {
  expect((await customer("POST", "/contact", { message: "Hello" })).status).toBe(201)
  const [product] = await siteRows("select id from products where site_id = ? limit 1", store)
  const [message] = await siteRows("select id from contact_messages where site_id = ?", store)
  const refused = async (write: (ctx: Awaited<ReturnType<typeof createOperatorCtx>>) => Promise<unknown>) =>
    run(async (ctx) => write(await createOperatorCtx(ctx, store))).then(
      () => "written",
      (thrown: { code?: string }) => thrown.code,
    )
  expect(await refused((ctx) => removeProduct(ctx, String(product?.id)))).toBe("forbidden")
  expect(await refused((ctx) => removeMessage(ctx, String(message?.id)))).toBe("forbidden")
  expect(await refused((ctx) => markMessage(ctx, String(message?.id), { status: "read" }))).toBe("forbidden")
  // Anonymous visitors may write messages; an operator may not.
  const input = { name: "Eve", email: "eve@example.com", phone: null, subject: null, message: "Hi" }
  expect(await refused((ctx) => writeMessage(ctx, input))).toBe("forbidden")
  expect(await siteRows("select message, status from contact_messages where site_id = ?", store)).toEqual([
    { message: "Hello", status: "new" },
  ])
})
