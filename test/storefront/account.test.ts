// The search and the customer's account on a store's pages.
import { expect, test } from "vitest"
import { sendDueAccountMails } from "../../src/content/mails/outbox"
import { run } from "../support/app"
import {
  content,
  makeDevice,
  makeSettings,
  makeUser,
  PASSWORD,
  parseMailLink,
  recordMails,
} from "../support/content-factories"
import { measureCriticalPath } from "../support/critical-path"
import { recordPurchase } from "../support/purchases"
import { siteRows } from "../support/rows"
import { nextAddress } from "../support/serial"
import { hiddenFields, makeShop } from "../support/shop-visits"

test("the search finds products, posts and pages, and escapes what was typed", async () => {
  const shop = await makeShop()
  await shop.makeProduct({ name: "Walnut bowl" })
  await shop.asStaff("POST", "/posts", { name: "Walnut news", slug: "walnut-news", content: "x", status: "published" })
  await shop.asStaff("POST", "/pages", { name: "About walnut", slug: "walnut", content: "x", status: "published" })
  await shop.asStaff("POST", "/posts", { name: "Walnut draft", slug: "walnut-draft", content: "x", status: "draft" })
  const visitor = shop.visitor()
  const found = await visitor.get("/search?q=walnut")
  for (const text of ["/products/walnut-bowl", "€10.00", "/blog/walnut-news", "/pages/walnut"])
    expect(found.text, text).toContain(text)
  expect(found.text).not.toContain("walnut-draft")
  expect(found.text).toContain("noindex")
  const hostile = await visitor.get(`/search?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect([hostile.status, hostile.text.includes("<script>alert")]).toEqual([200, false])
  expect(hostile.text).toContain("Nothing found.")
  expect((await visitor.get("/search")).status).toBe(200)
  expect((await visitor.get(`/search?q=${"x".repeat(201)}`)).status).toBe(422)
  expect((await visitor.get("/search?q=walnut", { "Accept-Language": "fr" })).text).toContain("Résultats pour")
  expect((await measureCriticalPath(() => visitor.get("/search?q=walnut"))).roundTrips).toBeLessThanOrEqual(2)
})

test("a customer registers, orders, sees the orders, and signs out", async () => {
  const shop = await makeShop({ settings: { guest_orders: false } })
  const id = await shop.makeProduct()
  const visitor = shop.visitor()
  expect((await visitor.get("/account")).headers.get("Location")).toBe("/account/sign-in")
  const registration = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" }
  const weak = await visitor.post("/account/register", { ...registration, password: "password1" })
  expect([weak.status, weak.text.includes('value="ada@example.com"'), weak.text.includes("password1")]).toEqual([
    422,
    true,
    false,
  ])
  expect((await visitor.post("/account/register", { ...registration, website: "spam" })).status).toBe(200)
  expect(
    await siteRows("select id from users where site_id = ? and email_key = 'ada@example.com'", shop.store),
  ).toEqual([])
  const registered = await visitor.post("/account/register", registration)
  expect([registered.status, registered.headers.get("Location")]).toEqual([303, "/account"])
  expect(registered.headers.getSetCookie()[0]).toMatch(
    /^__Host-account=\d+\.\w{48}; .*Path=\/; SameSite=Lax; HttpOnly; Secure$/,
  )
  expect((await visitor.get("/account")).text).toContain("Ada Lovelace")
  const userOf = "(select id from users where site_id = ? and email_key = 'ada@example.com')"
  for (const table of ["user_tokens", "user_networks"])
    expect(await siteRows(`select * from ${table} where user_id = ${userOf}`, shop.store), table).toHaveLength(1)
  const again = await shop.visitor().post("/account/register", registration)
  expect([again.status, again.headers.getSetCookie()]).toEqual([422, []])

  await visitor.post("/cart", { product_id: String(id) })
  const checkout = await visitor.get("/checkout")
  expect(checkout.text).toContain('value="ada@example.com"')
  const fields = { ...hiddenFields(checkout), name: "Ada", email: "ada@example.com", line1: "Street 1", city: "London" }
  expect((await visitor.post("/checkout", fields)).headers.get("Location")).toContain("/orders/1001?key=")
  const orders = await visitor.get("/account/orders")
  expect(orders.text).toContain("Order 1001")
  const [, path = ""] = /href="(\/account\/orders\/\d+)"/.exec(orders.text) ?? []
  expect((await visitor.get(path)).text).toContain("1 × Bowl")
  const other = shop.visitor()
  const someone = await makeUser(shop.store)
  await other.post("/account/sign-in", { email: someone.email, password: PASSWORD })
  expect((await other.get(path)).headers.get("Location")).toBe("/account/orders")
  expect((await other.get("/account/orders")).text).toContain("You have no orders yet.")
  expect((await visitor.get("/account/orders?page=999")).text).not.toContain("You have no orders yet.")
  for (const page of ["/account", "/account/profile", "/account/orders"])
    expect((await measureCriticalPath(() => visitor.get(page))).roundTrips, page).toBe(2)

  const token = visitor.cookies.get("__Host-account") ?? ""
  expect((await visitor.post("/account/sign-out", {})).headers.get("Location")).toBe("/account/sign-in")
  visitor.cookies.set("__Host-account", token)
  const ended = await visitor.get("/account/orders")
  expect([ended.status, ended.headers.get("Location")]).toEqual([303, "/account/sign-in"])
})

test("registers a customer and signs them in within three round trips", async () => {
  const visitor = (await makeShop()).visitor()
  const registration = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" }
  const { status, roundTrips } = await measureCriticalPath(() => visitor.post("/account/register", registration))
  expect(status).toBe(303)
  expect(roundTrips).toBeLessThanOrEqual(3)
})

test("a customer changes profile and password, and wrong passwords are refused", async () => {
  const shop = await makeShop()
  const user = await makeUser(shop.store)
  const visitor = shop.visitor()
  const wrong = await visitor.post("/account/sign-in", { email: user.email, password: "wrong" })
  expect([wrong.status, wrong.text.includes(`value="${user.email}"`), wrong.headers.getSetCookie()]).toEqual([
    422,
    true,
    [],
  ])
  await visitor.post("/account/sign-in", { email: user.email, password: PASSWORD })
  const form = { name: "Grace Hopper", email: user.email, phone: "+44 2071234" }
  expect((await visitor.post("/account/profile", form)).headers.get("Location")).toBe("/account/profile?saved=1")
  expect((await visitor.get("/account/profile?saved=1")).text).toMatch(/Your changes were saved[\s\S]*Grace Hopper/)
  const takeover = await visitor.post("/account/profile", { ...form, email: "new@example.com", current_password: "x" })
  expect([takeover.status, takeover.text.includes("aria-invalid")]).toEqual([422, true])
  const refused = await visitor.post("/account/password", { current_password: "wrong", password: "another long one" })
  expect(refused.status).toBe(403)
  const changed = await visitor.post("/account/password", { current_password: PASSWORD, password: "another long one" })
  expect(changed.headers.get("Location")).toBe("/account/sign-in?changed=1")
  expect((await visitor.get("/account/sign-in?changed=1")).text).toContain("Your password was changed")
  expect((await visitor.get("/account")).headers.get("Location")).toBe("/account/sign-in")
  const foreign = await visitor.post(
    "/account/sign-in",
    { email: user.email, password: "another long one" },
    { Origin: "https://evil.example" },
  )
  expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []])
})

test("the account works at a site that confirms addresses, without its API, and not for another store", async () => {
  const shop = await makeShop()
  const visitor = shop.visitor()
  await makeSettings(shop.store, { apiEnabled: false, emailVerification: true })
  const registration = { name: "Ada Lovelace", email: "ada@example.com", password: "correct horse battery" }
  const registered = await visitor.post("/account/register", registration)
  expect([registered.status, registered.headers.getSetCookie()]).toEqual([200, []])
  expect(registered.text).toContain("Please follow the link")
  expect((await visitor.post("/account/sign-in", registration)).status).toBe(403)
  expect((await content("GET", "/me", { host: shop.host })).status).toBe(503)
  const other = await makeShop()
  const user = await makeUser(other.store)
  const theirs = other.visitor()
  await theirs.post("/account/sign-in", { email: user.email, password: PASSWORD })
  visitor.cookies.set("__Host-account", theirs.cookies.get("__Host-account") ?? "")
  expect((await visitor.get("/account")).headers.get("Location")).toBe("/account/sign-in")
})

test("a guest's orders belong to the account of the address once it is confirmed, and not before", async () => {
  const shop = await makeShop()
  const mails = recordMails()
  const product = await shop.makeProduct({ stock: 99 })
  const place = async (email: string) =>
    (
      await content("POST", "/orders", {
        host: shop.host,
        headers: { "CF-Connecting-IP": nextAddress() },
        json: { items: [{ product_id: product, quantity: 1 }], customer: { name: "Ada", email } },
      })
    ).body.data
  expect((await place("Ada@Example.com")).user_id).toBeNull()
  await place("eve@example.com")
  const neighbour = await makeShop()
  await neighbour.makeProduct()
  const user = await makeUser(shop.store, { email: "ada@example.com" })
  await makeUser(neighbour.store, { email: "ada@example.com", emailVerifiedAt: new Date() })
  const orders = async () =>
    (await content("GET", "/orders", { host: shop.host, token: user.token })).body.data.map(
      ({ number }: { number: string }) => number,
    )
  const visitor = shop.visitor()
  const signIn = () => visitor.post("/account/sign-in", { email: user.email, password: PASSWORD })
  await signIn()
  expect(await orders()).toEqual([])
  const page = await visitor.get("/account/orders")
  expect(page.text).toMatch(
    /Did you order without an account\?[\s\S]*action="\/account\/resend-confirmation"><input type="hidden" name="email" value="ada@example.com"/,
  )

  expect((await visitor.get("/account/resend-confirmation")).text).toContain("Send confirmation link")
  expect((await visitor.post("/account/resend-confirmation", { email: "x" })).status).toBe(422)
  const known = await visitor.post("/account/resend-confirmation", { email: "ada@example.com" })
  const unknown = await visitor.post("/account/resend-confirmation", { email: "unknown@example.com" })
  expect([known.status, known.text]).toEqual([200, unknown.text])
  expect(known.text).not.toMatch(/sign[ -]in/i)
  mails.length = 0
  await run((ctx) => sendDueAccountMails(ctx, "SITES_1"))
  const confirmation = mails.filter(({ to }) => to === "ada@example.com" || to === "unknown@example.com")
  const mail = confirmation.find(({ subject }) => subject.includes("onfirm"))
  expect(mail?.text).toContain("Confirm this address to find the orders you placed at")
  expect(mail?.text).not.toContain("to sign in")
  const link = parseMailLink(mail)
  expect(link.path).toContain("/account/verify-email?")
  const forged = link.path.replace(/token=\w+/, `token=${"a".repeat(48)}`)
  // The address is in the link, so the page does not ask for it again.
  expect((await visitor.get(forged)).text).toMatch(
    /action="\/account\/resend-confirmation".*<input type="hidden" name="email" value="ada@example\.com"/s,
  )
  expect(await orders()).toEqual([])
  const confirmed = await visitor.get(link.path)
  expect([confirmed.status, confirmed.text.includes('href="/account">Go to your account')]).toEqual([200, true])
  expect(confirmed.text).not.toMatch(/sign[ -]in/i)
  expect(await orders()).toEqual(["1001"])
  expect((await visitor.get("/account/orders")).text).not.toContain("Did you order without an account?")
  const { body } = await content("GET", "/orders", { host: shop.host, token: user.token })
  expect(body.meta.total).toBe(1)

  // Somebody else may order with the address; that must not use up what the customer may order.
  for (let n = 0; n < 10; n++) await place("ada@example.com")
  expect(await orders()).toEqual(["1001"])
  await signIn()
  const { body: attached } = await content("GET", "/orders", { host: shop.host, token: user.token })
  expect(attached.meta.total).toBe(11)
  const own = await content("POST", "/orders", {
    host: shop.host,
    token: user.token,
    json: { items: [{ product_id: product, quantity: 1 }] },
  })
  expect(own.status).toBe(201)
  expect(await siteRows("select customer_email from orders where site_id = ? and user_id = 0", shop.store)).toEqual([
    { customer_email: "eve@example.com" },
  ])
})

test("a customer deletes the account: open orders keep the customer until they are closed, everything else goes", async () => {
  const shop = await makeShop({ apps: ["ecommerce", "reviews", "contact"] })
  const product = await shop.makeProduct()
  const user = await makeUser(shop.store, { email: "ada@example.com", avatar: "avatars/a.png", avatarSize: 10 })
  const other = await makeUser(shop.store)
  await recordPurchase(user.id, product)
  await recordPurchase(other.id, product)
  const as = (token: string) => (method: string, path: string, json?: object) =>
    content(method, path, {
      host: shop.host,
      token,
      headers: { "CF-Connecting-IP": nextAddress() },
      ...(json && { json }),
    })
  for (const { token } of [user, other]) {
    await as(token)("POST", "/reviews", { product_id: product, rating: 5, comment: "Ada likes it" })
    await as(token)("POST", "/contact", { message: "Hello" })
    await as(token)("PUT", "/settings", { theme: "dark" })
    const items = [{ product_id: product, quantity: 1 }]
    const shipping_address = { line1: "St James 1", city: "London" }
    await as(token)("POST", "/orders", { items, customer: { phone: "+44 20" }, shipping_address, note: "Ring twice" })
  }
  // 1001 is the customer's and open, 1002 the other one's; 1003 is cancelled.
  const items = [{ product_id: product, quantity: 1 }]
  const { id } = (await as(user.token)("POST", "/orders", { items })).body.data
  await shop.asStaff("PUT", `/orders/${id}`, { status: "cancelled" })
  await makeDevice(user)
  const visitor = shop.visitor()
  expect((await visitor.get("/account/delete")).headers.get("Location")).toBe("/account/sign-in")
  await visitor.post("/account/sign-in", { email: user.email, password: PASSWORD })
  expect((await visitor.get("/account")).text).toContain('href="/account/delete"')
  expect((await visitor.get("/account/delete", { "Accept-Language": "fr" })).text).toContain("irréversible")
  expect((await visitor.post("/account/delete", {})).status).toBe(422)
  expect((await visitor.post("/account/delete", { current_password: "wrong" })).status).toBe(403)
  expect(
    (await visitor.post("/account/delete", { current_password: PASSWORD }, { Origin: "https://evil.example" })).status,
  ).toBe(403)
  expect((await as(user.token)("DELETE", "/me", { current_password: "wrong" })).status).toBe(403)
  expect((await as(shop.staff.token)("DELETE", "/me", { current_password: PASSWORD })).status).toBe(403)
  const deleted = await visitor.post("/account/delete", { current_password: PASSWORD })
  expect([deleted.status, deleted.headers.get("Location")]).toEqual([303, "/account/sign-in?deleted=1"])
  expect(visitor.cookies.has("__Host-account")).toBe(false)
  expect((await visitor.get("/account/sign-in?deleted=1")).text).toContain("Your account was deleted.")
  expect((await as(user.token)("GET", "/me")).status).toBe(401)
  expect((await visitor.post("/account/sign-in", { email: user.email, password: PASSWORD })).status).toBe(422)

  const readOrder = async (number: number) =>
    (await siteRows(`select * from orders where site_id = ? and number = ${number}`, shop.store))[0]
  const erased = {
    ...{ user_id: 0, total_cents: 1000, customer_name: null, customer_email: null, customer_phone: null },
    ...{ shipping_address: null, note: null, tracking: null },
  }
  expect(await readOrder(1003)).toMatchObject({ ...erased, status: "cancelled" })
  // The shop still has to deliver this order.
  const open = await readOrder(1001)
  const known = { customer_email: user.email, customer_phone: "+44 20", note: "Ring twice" }
  expect(open).toMatchObject({ user_id: -1, total_cents: 1000, ...known })
  const path = `/orders/${open?.id}`
  expect((await shop.asStaff("PUT", path, { status: "paid" })).body.data).toMatchObject({
    ...{ user_id: null, customer: { email: user.email }, shipping_address: { line1: "St James 1" } },
  })
  const again = await makeUser(shop.store, { email: user.email, emailVerifiedAt: new Date() })
  expect((await as(again.token)("GET", "/orders")).body.data).toEqual([])
  const sent = await shop.asStaff("PUT", path, { status: "fulfilled", tracking: "DHL 1" })
  expect(sent.body.data).toMatchObject({ status: "fulfilled", customer: { email: null }, shipping_address: null })
  expect(await readOrder(1001)).toMatchObject({ ...erased, status: "fulfilled" })
  const toCustomer = "select recipient from account_mails where site_id = ? and purpose = 'order_sent'"
  expect(await siteRows(toCustomer, shop.store)).toEqual([{ recipient: user.email }])
  for (const [table, count] of [
    ["reviews", 1],
    ["contact_messages", 1],
    ["user_settings", 1],
    ["device_tokens", 0],
  ] as const)
    expect(await siteRows(`select user_id from ${table} where site_id = ?`, shop.store), table).toEqual(
      Array(count).fill({ user_id: other.id }),
    )
  expect(await siteRows("select id from user_tokens where user_id = ?", user.id)).toEqual([])
  expect(await siteRows("select path from media_orphans where site_id = ?", shop.store)).toEqual([
    { path: "avatars/a.png" },
  ])
  expect((await as(other.token)("DELETE", "/me", { current_password: PASSWORD })).body.message).toContain("deleted")
})
