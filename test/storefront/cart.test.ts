// The cart and the checkout of a store's pages: what visitors see and can do, and what hostile ones cannot.
import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { parseCart } from "../../src/apps/ecommerce/storefront/cart/cookie"
import { changeCart } from "../../src/apps/ecommerce/storefront/cart/rules"
import { call, sendOperatorCommand } from "../support/app"
import { content, makeUser, PASSWORD } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { measureCriticalPath } from "../support/critical-path"
import { siteRows } from "../support/rows"
import { hiddenFields, makeShop, type Shop } from "../support/shop-visits"

const CUSTOMER = { email: "ada@example.com", name: "Ada Lovelace", line1: "12 St James's Square", city: "London" }

const add = (id: number, fields: Record<string, string> = {}) => ({ product_id: String(id), quantity: "1", ...fields })

/** Opens the checkout of a visitor with one product in the cart. */
async function openCheckout(shop: Shop, id: number, quantity = "2") {
  const visitor = shop.visitor()
  await visitor.post("/cart", add(id, { quantity }))
  const page = await visitor.get("/checkout")
  const submit = (fields: Record<string, string> = {}) =>
    visitor.post("/checkout", { ...hiddenFields(page), ...CUSTOMER, ...fields })
  return { visitor, page, submit }
}

test("a visitor fills the cart without scripts, and sees what changed since", async () => {
  const shop = await makeShop()
  const [bowl, vase] = [await shop.makeProduct(), await shop.makeProduct({ name: "Vase", stock: null })]
  const visitor = shop.visitor()
  expect((await visitor.get("/cart")).text).toContain("Your cart is empty.")
  expect((await visitor.get("/checkout")).headers.get("Location")).toBe("/cart")
  const product = await visitor.get(`/products/${bowl}`)
  const added = await visitor.post("/cart", { ...hiddenFields(product), quantity: "2", action: "add" })
  expect([added.status, added.headers.get("Location")]).toEqual([303, "/cart"])
  const [cookie] = added.headers.getSetCookie()
  expect(cookie).toBe(`__Host-cart=${bowl}-2-1000; Max-Age=2592000; Path=/; SameSite=Lax; Secure`)
  await visitor.post("/cart", add(bowl))
  await visitor.post("/cart", add(vase))
  const page = await visitor.get("/cart")
  for (const text of ["Bowl", "Vase", "€30.00", "€40.00"]) expect(page.text).toContain(text)
  expect([page.headers.get("Cache-Control"), page.headers.get("ETag")]).toEqual(["no-store", null])

  await shop.asStaff("PUT", `/products/${bowl}`, { price_cents: 1250, stock: 2 })
  const changed = await visitor.get("/cart")
  expect(changed.text).toContain("Only 2 left.")
  expect(changed.text).toContain("The price changed from €10.00 to €12.50.")
  expect((await visitor.get("/cart")).text).not.toContain("The price changed")

  await visitor.post("/cart", add(bowl, { action: "set", quantity: "1" }))
  await visitor.post("/cart", add(vase, { action: "remove" }))
  const last = (await visitor.get("/cart")).text
  expect([last.includes("Only 2"), last.includes("Vase"), last.includes("€12.50")]).toEqual([false, false, true])
  for (const quantity of ["", "x", "-1", "1001", "1e3"])
    expect((await visitor.post("/cart", add(vase, { quantity }))).status, quantity).toBe(422)
  for (const language of ["es", "fr", "vi"])
    expect((await visitor.get("/cart", { "Accept-Language": language })).text).toContain(`<html lang="${language}"`)
})

test("invalid and foreign products are dropped from a cart, and another site's form changes nothing", async () => {
  const [shop, other] = [await makeShop(), await makeShop()]
  const [own, foreign] = [await shop.makeProduct(), await other.makeProduct({ name: "Theirs" })]
  const draft = await shop.makeProduct({ name: "Draft", status: "draft" })
  const visitor = shop.visitor()
  visitor.cookies.set("__Host-cart", `${own}-1-1000_${foreign}-1-1_${draft}-1-1_999999-2-5_<b>-1-1_1-1`)
  const page = await visitor.get("/cart")
  expect(page.text).toContain("Some products are no longer available")
  expect(page.text).not.toMatch(/Theirs|Draft|<b>-1/)
  expect(visitor.cookies.get("__Host-cart")).toBe(`${own}-1-1000`)
  const refused = await visitor.post("/cart", add(own), { Origin: `http://${other.host}` })
  expect(refused.status).toBe(403)
  expect((await visitor.post("/cart", add(foreign))).status).toBe(303)
  expect(visitor.cookies.get("__Host-cart")).toBe(`${own}-1-1000`)
  expect((await visitor.get("/cart", { Cookie: "" })).status).toBe(200)
})

test("a cart in two currencies has no subtotal, and the checkout leads back to it", async () => {
  const shop = await makeShop()
  const [euros, dollars] = [await shop.makeProduct(), await shop.makeProduct({ name: "Import", currency: "USD" })]
  const { visitor, page } = await openCheckout(shop, euros)
  expect(page.text).toContain("Place order")
  expect((await visitor.get("/cart")).text).toMatch(/Subtotal.{0,40}€20\.00/s)
  await visitor.post("/cart", add(dollars))
  const cart = await visitor.get("/cart")
  expect(cart.text).toMatch(
    /role="alert".*Import<\/a> · This product is sold in another currency\..*<ul class="cart-lines"/s,
  )
  expect(cart.text).not.toMatch(/Subtotal|href="\/checkout"/)
  const checkout = await visitor.get("/checkout")
  expect([checkout.status, checkout.headers.get("Location")]).toEqual([303, "/cart"])
})

test("a cart with more than is in stock shows why at the top, instead of a way to the checkout", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct()
  const { visitor } = await openCheckout(shop, id, "7")
  expect((await visitor.get("/cart")).text).toContain('href="/checkout"')
  await shop.asStaff("PUT", `/products/${id}`, { price_cents: 1250, stock: 3 })
  expect((await visitor.get("/checkout")).headers.get("Location")).toBe("/cart")
  const { text } = await visitor.get("/cart")
  expect(text).toMatch(
    new RegExp(`role="alert".*href="/cart#quantity-${id}">Bowl</a> · Only 3 left\\..*<ul class="cart`, "s"),
  )
  expect(text).toContain("The price changed from €10.00 to €12.50.")
  expect(text).not.toContain('href="/checkout"')
  await visitor.post("/cart", add(id, { action: "set", quantity: "3" }))
  expect((await visitor.get("/cart")).text).toContain('href="/checkout"')
  await shop.asStaff("DELETE", `/products/${id}`)
  expect((await visitor.get("/checkout")).headers.get("Location")).toBe("/cart")
  expect((await visitor.get("/cart")).text).toContain("Some products are no longer available")
})

test("a product in another currency than the price of shipping can't be ordered", async () => {
  const shop = await makeShop({ settings: { currency: "VND", shipping: { flat_cents: 30_000 } } })
  const [euros, dong] = [await shop.makeProduct(), await shop.makeProduct({ name: "Vase", currency: "VND" })]
  const { visitor, page } = await openCheckout(shop, euros)
  expect(page.headers.get("Location")).toBe("/cart")
  expect((await visitor.get("/cart")).text).toContain("its price isn&#39;t in the shop&#39;s currency")
  const items = [{ product_id: euros, quantity: 1 }]
  const { status, body } = await content("POST", "/orders", {
    host: shop.host,
    json: { items, customer: { name: "Ada", email: "ada@example.com" } },
  })
  expect([status, Object.keys(body.errors)]).toEqual([422, ["items.0.product_id"]])
  await visitor.post("/cart", add(euros, { action: "remove" }))
  await visitor.post("/cart", add(dong))
  expect((await visitor.get("/checkout")).text).toContain("Place order")
})

test("the shop's largest quantity per order limits the product page, the cart and the checkout", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct({ stock: 500 })
  const showProduct = async () => (await shop.visitor().get(`/products/${id}`)).text
  const quantityField = (max: number) =>
    new RegExp(`type="number" name="quantity" value="\\d+" min="[01]" max="${max}"`)
  expect(await showProduct()).toMatch(quantityField(100))
  const { visitor, submit } = await openCheckout(shop, id, "100")
  const submitMore = () => submit({ cart: `${id}-101-1000`, total_flat: "101000" })
  const tooMany = await submitMore()
  await visitor.post("/cart", add(id))
  const cart = await visitor.get("/cart")
  for (const { text } of [tooMany, cart]) expect(text).toContain("The largest quantity per order is 100.")
  expect(cart.text).toMatch(quantityField(100))
  expect(cart.text).toMatch(/value="remove" formnovalidate/)
  expect(tooMany.status).toBe(422)
  expect((await visitor.post("/cart", add(id, { quantity: "1001" }))).text).toContain("between 1 and 100")

  const readVersion = async () =>
    (await siteRows("select total from counters where site_id = ? and list = 'version'", shop.store))[0]?.total
  const version = Number(await readVersion())
  await shop.asStaff("PUT", "/shop/settings", { max_item_quantity: 101 })
  expect(await readVersion()).toBe(version + 1)
  expect(await showProduct()).toMatch(quantityField(101))
  expect((await submitMore()).status).toBe(303)
  await shop.asStaff("PUT", `/products/${id}`, { stock: 3 })
  expect((await openCheckout(shop, id, "30")).page.headers.get("Location")).toBe("/cart")
})

test("the pictures of a product lead to their files, and drawn ones to nothing", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct({ images: ["/media/a.jpg", "https://img.example/b.png"] })
  const show = async (product: number) => (await shop.visitor().get(`/products/${product}`)).text
  const text = await show(id)
  expect(text).toContain('<a class="picture" href="/media/a.jpg" aria-label="View the whole picture: Bowl">')
  expect(text).toContain(
    '<a class="picture" href="https://img.example/b.png" aria-label="View the whole picture: Bowl 2">',
  )
  expect(await show(await shop.makeProduct())).not.toContain('class="picture"')
})

test("a cart has at most 50 lines and 1,000 pieces of a product", () => {
  const text = Array.from({ length: 60 }, (_, at) => `${at + 1}-1-5`).join("_")
  const lines = parseCart(text)
  expect(lines).toHaveLength(50)
  expect(parseCart("1-2-3_1-9-9_2-1001-1_0-1-1_3-1-99999999999")).toEqual([{ productId: 1, quantity: 2, seenCents: 3 }])
  const line = { productId: 51, quantity: 1, seenCents: 1 }
  expect(changeCart(lines, "add", line)).toBeNull()
  expect(changeCart(lines, "add", { ...line, productId: 1, quantity: 1000 })?.[0]?.quantity).toBe(1000)
})

test("public pages are the same for everybody, and only their script knows the cart", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct()
  const visitor = shop.visitor()
  const before = await visitor.get("/")
  await visitor.post("/cart", add(id))
  const after = await visitor.get("/")
  expect(after.text).toBe(before.text)
  expect(after.headers.get("Cache-Control")).toBe("public, no-cache")
  expect(after.text).toContain('href="/cart"')
  expect(after.headers.get("Content-Security-Policy")).toMatch(/script-src 'sha256-[^']+'; style-src/)
  await shop.disableApp("ecommerce")
  const without = await visitor.get("/")
  expect(without.text).not.toMatch(/href="\/cart"|<script>/)
  expect(without.headers.get("Content-Security-Policy")).not.toContain("script-src")
  expect((await visitor.get("/cart")).status).toBe(404)
  expect((await visitor.post("/cart", add(id))).status).toBe(404)
})

test("a guest places an order at the checkout, once, and comes to its page", async () => {
  const settings = {
    tax_rate: 19,
    shipping: { flat_cents: 490, pickup: true },
    payment: { transfer: "IBAN DE02", on_delivery: "Cash" },
    legal_pages: [] as string[],
    address: "Bowl & Co\n1 Kiln Lane",
  }
  const shop = await makeShop({ settings })
  await shop.asStaff("POST", "/pages", { name: "Terms of sale", slug: "terms", content: "x", status: "published" })
  await shop.asStaff("PUT", "/shop/settings", { legal_pages: ["terms"] })
  const id = await shop.makeProduct()
  const { visitor, page, submit } = await openCheckout(shop, id)
  expect(gzipSync(page.text).length).toBeLessThan(15_000)
  for (const text of ["2 × Bowl", "€24.90", "€20.00", "Includes tax", "Bank transfer", "/pages/terms", "Bowl &amp; Co"])
    expect(page.text, text).toContain(text)
  expect(page.text).not.toContain("IBAN")
  const payment = { payment_method: "on_delivery", shipping_method: "pickup", city: "Hidden" }
  const placed = await submit(payment)
  expect([placed.status, placed.headers.get("Location")]).toEqual([
    303,
    expect.stringMatching(/^\/orders\/1001\?key=[0-9a-f]{40}$/),
  ])
  expect(visitor.cookies.has("__Host-cart")).toBe(false)
  const location = placed.headers.get("Location") ?? ""
  const order = (await visitor.get(location)).text
  for (const text of ["Order 1001", "Where to pick it up", "1 Kiln Lane"]) expect(order, text).toContain(text)
  expect((await submit(payment)).headers.get("Location")).toBe(location)
  const another = await submit({ ...payment, note: "Ring twice" })
  expect([another.status, another.text.includes("already used for another order")]).toEqual([422, true])
  expect(hiddenFields(another).once).not.toBe(hiddenFields(page).once)
  expect(
    await siteRows(
      "select total_cents, shipping_method, shipping_address, payment_method, customer_email, user_id from orders where site_id = ?",
      shop.store,
    ),
  ).toEqual([
    {
      total_cents: 2000,
      shipping_method: "pickup",
      shipping_address: null,
      payment_method: "on_delivery",
      customer_email: "ada@example.com",
      user_id: 0,
    },
  ])
})

test("a refused checkout keeps all that was typed, marks the fields, and says what is sold out", async () => {
  const shop = await makeShop({ settings: { shipping: { flat_cents: 490 } } })
  const id = await shop.makeProduct()
  const { submit } = await openCheckout(shop, id)
  const refused = await submit({ email: "nope", city: "", line1: "<b>Street", note: "Ring & wait" })
  expect(refused.status).toBe(422)
  expect(refused.text).toMatch(/id="email"[^>]*aria-invalid="true"[^>]*autofocus/)
  expect(refused.text).toMatch(/id="city"[^>]*aria-invalid="true"/)
  expect(refused.text.match(/ autofocus/g)).toHaveLength(1)
  for (const text of ['value="nope"', 'value="&lt;b&gt;Street"', "Ring &amp; wait", "The city field is required."])
    expect(refused.text, text).toContain(text)
  await shop.asStaff("PUT", `/products/${id}`, { stock: 1 })
  const soldOut = await submit()
  expect([soldOut.status, soldOut.text.includes("Bowl</a> · Only 1 left.")]).toEqual([422, true])
  expect(soldOut.text).not.toContain("Place order")
  expect(await siteRows("select id from orders where site_id = ?", shop.store)).toEqual([])
})

test("the checkout changes only the ordered products of a cart that has others by then", async () => {
  const shop = await makeShop()
  const [bowl, vase] = [await shop.makeProduct(), await shop.makeProduct({ name: "Vase" })]
  const { visitor, submit } = await openCheckout(shop, bowl)
  await visitor.post("/cart", add(vase))
  expect((await submit({ email: "nope" })).status).toBe(422)
  expect(visitor.cookies.get("__Host-cart")).toBe(`${bowl}-2-1000_${vase}-1-1000`)
  expect((await submit()).status).toBe(303)
  expect(visitor.cookies.get("__Host-cart")).toBe(`${vase}-1-1000`)
})

test("a customer without a confirmed email address gets the checkout back, with a way to confirm it", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct()
  const user = await makeUser(shop.store, { email: "ada@example.com" })
  const { visitor, submit } = await openCheckout(shop, id)
  await visitor.post("/account/sign-in", { email: user.email, password: PASSWORD })
  await sendOperatorCommand("site:settings", { site: shop.store, "email-verification": true })
  const refused = await submit({ line1: "Typed street" })
  expect(refused.status).toBe(403)
  expect(refused.text).toContain("Please confirm your email address first.")
  expect(refused.text).toContain('value="Typed street"')
  expect(refused.text).toMatch(
    /action="\/account\/resend-confirmation"><input type="hidden" name="email" value="ada@example.com"/,
  )
  expect(await siteRows("select id from orders where site_id = ?", shop.store)).toEqual([])
})

test("an order is not placed for another total than the form showed, whatever price the form has", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct()
  const { page, submit } = await openCheckout(shop, id)
  await shop.asStaff("PUT", `/products/${id}`, { price_cents: 1200 })
  const changed = await submit()
  expect([changed.status, changed.text.includes("The total has changed.")]).toEqual([422, true])
  expect(changed.text).toContain("The price changed from €10.00 to €12.00.")
  expect(hiddenFields(changed).once).toBe(hiddenFields(page).once)
  expect((await submit({ total_flat: "1" })).status).toBe(422)
  expect((await submit({ cart: `${id}-2-1`, total_flat: "2400" })).status).toBe(303)
  expect(await siteRows("select total_cents from orders where site_id = ?", shop.store)).toEqual([
    { total_cents: 2400 },
  ])
})

test("a shop without payment methods says so, and one without guests takes no order of a guest", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct()
  const { page } = await openCheckout(shop, id)
  expect(page.text).toContain("The shop will tell you how to pay.")
  const { submit } = await openCheckout(shop, id)
  await shop.asStaff("PUT", "/shop/settings", { guest_orders: false })
  const refused = await submit()
  expect([refused.status, refused.text.includes("customers with an account only")]).toEqual([403, true])
  const closed = await openCheckout(shop, id)
  expect(closed.page.text).not.toContain("<button")
  expect(await siteRows("select id from orders where site_id = ?", shop.store)).toEqual([])
})

test("pages of visitors cost two round trips, and a placed order three", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct()
  const { visitor, submit } = await openCheckout(shop, id)
  for (const path of ["/cart", "/checkout"]) expect((await costsOf(() => visitor.get(path))).roundTrips, path).toBe(2)
  expect((await costsOf(() => visitor.post("/cart", add(id)))).roundTrips).toBe(2)
  expect((await measureCriticalPath(() => submit())).roundTrips).toBe(3)
})

test("one network places at most 60 orders a minute, and forms elsewhere are refused", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct({ stock: null })
  const { visitor, submit } = await openCheckout(shop, id, "1")
  const statuses: number[] = []
  for (let n = 0; n < 61; n++) statuses.push((await submit({ email: "" })).status)
  expect(new Set(statuses.slice(0, 60))).toEqual(new Set([422]))
  expect(statuses[60]).toBe(429)
  expect((await visitor.post("/products", add(id))).status).toBe(405)
})

test("legal pages are linked in the footer of every page and at the checkout, as soon as they are chosen", async () => {
  const shop = await makeShop()
  const id = await shop.makeProduct()
  for (const slug of ["about", "terms", "privacy"])
    await shop.asStaff("POST", "/pages", { name: `Our ${slug}`, slug, content: "x", status: "published" })
  const show = () => call("GET", "/products", { host: shop.host, useIsolateCache: true })
  const footer = (text: string) =>
    [...text.slice(text.indexOf("<footer")).matchAll(/href="\/pages\/(\w+)"/g)].map(([, slug]) => slug)
  expect(footer((await show()).text)).toEqual(["about", "terms", "privacy"])
  await shop.asStaff("PUT", "/shop/settings", { legal_pages: ["privacy", "about"] })
  expect(footer((await show()).text)).toEqual(["terms", "privacy", "about"])
  await shop.asStaff("PUT", "/shop/settings", { legal_pages: ["terms"] })
  expect(footer((await show()).text)).toEqual(["about", "privacy", "terms"])
  const visitor = shop.visitor()
  await visitor.post("/cart", { product_id: String(id) })
  const checkout = (await visitor.get("/checkout")).text
  expect(checkout.slice(0, checkout.indexOf("<footer"))).toMatch(/Please read before you order:[\s\S]*Our terms/)
  expect(footer(checkout)).toEqual(["about", "privacy", "terms"])
})
