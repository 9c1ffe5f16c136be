// The search and the customer's account on a store's pages.
import { expect, test } from "vitest"
import { content, makeSettings, makeUser, PASSWORD } from "../support/content-factories"
import { measureCriticalPath } from "../support/critical-path"
import { siteRows } from "../support/rows"
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
  for (const page of ["/account", "/account/profile", "/account/orders"])
    expect((await measureCriticalPath(() => visitor.get(page))).roundTrips, page).toBe(2)

  const token = visitor.cookies.get("__Host-account") ?? ""
  expect((await visitor.post("/account/sign-out", {})).headers.get("Location")).toBe("/account/sign-in")
  visitor.cookies.set("__Host-account", token)
  const ended = await visitor.get("/account/orders")
  expect([ended.status, ended.headers.get("Location")]).toEqual([303, "/account/sign-in"])
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
