// Reviews on the pages of products: the list, the average and the form of customers who have bought the product.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { content, makeUser, PASSWORD } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { recordPurchase } from "../support/purchases"
import { siteRows } from "../support/rows"
import { hiddenFields, makeShop } from "../support/shop-visits"

async function makeReviewedShop() {
  const shop = await makeShop({ apps: ["ecommerce", "reviews"] })
  const product = await shop.makeProduct()
  const buyer = await makeUser(shop.store)
  await recordPurchase(buyer.id, product)
  const visitor = shop.visitor()
  await visitor.post("/account/sign-in", { email: buyer.email, password: PASSWORD })
  return { shop, product, buyer, visitor }
}

const reviewsOf = (product: number) =>
  siteRows("select user_id, rating, comment from reviews where product_id = ?", product)

test("a customer reviews a product, which its page then shows to everybody, escaped and counted", async () => {
  const { shop, product, buyer, visitor } = await makeReviewedShop()
  const show = (headers = {}) => call("GET", "/products/bowl", { host: shop.host, headers, useIsolateCache: true })
  const before = await show()
  expect(before.text).toMatch(/No reviews yet[\s\S]*/)
  expect(before.text).toContain('href="/reviews/bowl"')
  expect(before.text).not.toContain("aggregateRating")
  const form = await visitor.get("/reviews/bowl", { "Accept-Language": "es" })
  expect(form.text).toContain("Escribir una reseña")
  const missing = await visitor.post("/reviews/bowl", { ...hiddenFields(form), comment: "Kept" })
  expect([missing.status, missing.text.includes("Kept")]).toEqual([422, true])
  const hostile = '<script>alert(1)</script> "lovely"'
  const sent = await visitor.post("/reviews/bowl", { ...hiddenFields(form), rating: "4", comment: hostile })
  expect([sent.status, sent.headers.get("Location")]).toEqual([303, "/reviews/bowl?saved=1"])
  expect(await reviewsOf(product)).toEqual([{ user_id: buyer.id, rating: 4, comment: hostile }])
  const page = await show()
  expect(page.text).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
  expect(page.text).toMatch(/aria-label="4 out of 5 stars"[\s\S]*★★★★☆[\s\S]*Ada B\./)
  expect(page.text).toContain('"aggregateRating":{"@type":"AggregateRating","ratingValue":4,"reviewCount":1}')
  expect(page.text).not.toContain("Byron")
  expect((await show({ "Accept-Language": "vi" })).text).toContain("4 trên 5 sao")

  const own = await visitor.get("/reviews/bowl?saved=1")
  expect(own.text).toMatch(/Your review was saved[\s\S]*value="4" checked[\s\S]*Save changes/)
  await visitor.post("/reviews/bowl", { ...hiddenFields(own), rating: "2", comment: "" })
  expect(await reviewsOf(product)).toEqual([{ user_id: buyer.id, rating: 2, comment: null }])
  expect((await show()).text).toContain('"ratingValue":2')
  const [stored] = await siteRows("select id from reviews where product_id = ?", product)
  await shop.asStaff("POST", `/reviews/${stored?.id}/hide`)
  const hidden = (await show()).text
  expect([hidden.includes("No reviews yet"), hidden.includes("★★☆☆☆")]).toEqual([true, false])
  await shop.asStaff("POST", `/reviews/${stored?.id}/show`)
  expect((await show()).text).toContain("★★☆☆☆")
  await content("DELETE", "/me", { host: shop.host, token: buyer.token, json: { current_password: PASSWORD } })
  expect((await show()).text).toContain("No reviews yet")
})

test("a hidden review that its author deletes loses its comment, stays hidden and cannot be replaced", async () => {
  const { shop, product, buyer } = await makeReviewedShop()
  const api = (method: string, path: string, json?: object) =>
    content(method, path, { host: shop.host, token: buyer.token, json })
  const review = { product_id: product, rating: 1, comment: "Rude" }
  const { id } = (await api("POST", "/reviews", review)).body.data
  await shop.asStaff("POST", `/reviews/${id}/hide`)
  expect((await api("DELETE", `/reviews/${id}`)).status).toBe(200)
  expect((await api("POST", "/reviews", review)).status).toBe(422)
  const stored = () => siteRows("select status, comment from reviews where product_id = ?", product)
  expect(await stored()).toEqual([{ status: "hidden", comment: null }])

  await shop.asStaff("POST", `/reviews/${id}/show`)
  expect((await api("DELETE", `/reviews/${id}`)).status).toBe(200)
  expect(await stored()).toEqual([])
})

test("only customers who have paid for the product can review it, and only of their own shop", async () => {
  const { shop, product, visitor } = await makeReviewedShop()
  const { visitor: neighbour, product: theirs } = await makeReviewedShop()
  const guest = shop.visitor()
  expect((await guest.get("/reviews/bowl")).text).toContain("Sign in to review a product")
  const review = { product_id: String(product), rating: "5", comment: "x" }
  expect((await guest.post("/reviews/bowl", review)).headers.get("Location")).toBe("/account/sign-in")
  const other = await makeUser(shop.store)
  await guest.post("/account/sign-in", { email: other.email, password: PASSWORD })
  await content("POST", "/orders", {
    host: shop.host,
    token: other.token,
    json: { items: [{ product_id: product, quantity: 1 }] },
  })
  expect((await guest.get("/reviews/bowl")).status).toBe(403)
  const refused = await guest.post("/reviews/bowl", review)
  expect([refused.status, refused.text.includes("Only customers who have bought")]).toEqual([403, true])
  expect((await visitor.post("/reviews/bowl", review, { Origin: "https://evil.example" })).status).toBe(403)
  expect((await neighbour.post("/reviews/bowl", review)).status).toBe(422)
  await visitor.post("/reviews/bowl", review)
  const [stored] = await siteRows("select id from reviews where product_id = ?", product)
  const forged = await guest.post("/reviews/bowl", { ...review, review: String(stored?.id), rating: "1" })
  expect(forged.status).toBe(403)
  const elsewhere = await neighbour.post("/reviews/bowl", { ...review, review: String(stored?.id), rating: "1" })
  expect(elsewhere.status).toBe(404)
  expect((await reviewsOf(product)).map(({ rating }) => rating)).toEqual([5])
  expect(await reviewsOf(theirs)).toEqual([])
  expect((await visitor.get("/reviews/nothing")).status).toBe(404)
  await shop.disableApp("reviews")
  expect((await visitor.get("/reviews/bowl")).status).toBe(404)
  expect((await visitor.get("/products/bowl")).text).not.toContain("/reviews/")
})

test("a product's page reads as many rows with 2,000 reviews as with 40", async () => {
  const { shop, product } = await makeReviewedShop()
  const fill = (from: number, to: number) =>
    env.SITES_1.batch([
      env.SITES_1.prepare(
        `with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})
         insert into users (site_id, email, email_key, first_name, last_name, password_hash, is_staff, created_at, updated_at)
         select ?1, 'u' || i, 'u' || i, 'U', 'V', 'x', 0, 1, 1 from n`,
      ).bind(shop.store),
      env.SITES_1.prepare(
        `insert or ignore into reviews (site_id, product_id, user_id, rating, created_at, updated_at)
         select site_id, ?2, id, 3, 1, 1 from users where site_id = ?1 and email like 'u%'`,
      ).bind(shop.store, product),
    ])
  const measure = async () => {
    const { rowsRead, roundTrips } = await costsOf(() => call("GET", "/products/bowl", { host: shop.host }))
    expect(roundTrips).toBe(2)
    return rowsRead
  }
  await fill(1, 40)
  const before = await measure()
  await fill(41, 2_000)
  expect(await measure()).toBe(before)
  const { text } = await call("GET", "/products/bowl", { host: shop.host })
  expect([text.match(/<li><span class="stars"/g)?.length, /"reviewCount":200\d/.test(text)]).toEqual([20, true])
})
