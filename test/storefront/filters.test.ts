// The order and the filters of the list of products.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { parseAmount } from "../../src/lib/intl"
import { call } from "../support/app"
import { costsOf } from "../support/costs"
import { makeShop } from "../support/shop-visits"

/** Creates a shop with its own products only. */
async function makeFilledShop(products: readonly object[]) {
  const shop = await makeShop()
  await env.SITES_1.prepare("delete from products where site_id = ?").bind(shop.store).run()
  for (const product of products) await shop.makeProduct(product)
  const visitor = shop.visitor()
  const list = async (query: string) => {
    const { status, text } = await visitor.get(`/products${query}`)
    return status === 200 ? [...text.matchAll(/<h2 class="name">([^<]+)</g)].map(([, name]) => name) : status
  }
  return { shop, visitor, list }
}

test("visitors sort products and filter them by price and stock, without scripts", async () => {
  const { visitor, list } = await makeFilledShop([
    { name: "Cup", price_cents: 1990, stock: 0 },
    { name: "Jug", price_cents: 4900, stock: 1 },
    { name: "Mug", price_cents: 1250, stock: null },
  ])
  expect(await list("")).toEqual(["Mug", "Jug", "Cup"])
  expect(await list("?sort=price_asc")).toEqual(["Mug", "Cup", "Jug"])
  expect(await list("?sort=price_desc")).toEqual(["Jug", "Cup", "Mug"])
  expect(await list("?min=12.50&max=19,90")).toEqual(["Mug", "Cup"])
  expect(await list("?min=12.51&sort=price_desc")).toEqual(["Jug", "Cup"])
  expect(await list("?in_stock=1")).toEqual(["Mug", "Jug"])
  expect(await list("?in_stock=1&max=20&sort=price_asc")).toEqual(["Mug"])
  expect(await list("?min=100")).toEqual([])
  expect(await list("?min=1&page=2")).toBe(404)

  const filtered = await visitor.get("/products?sort=price_asc&max=20&in_stock=1")
  expect(filtered.text).toMatch(/<details class="filters" open[\s\S]*value="price_asc" selected[\s\S]*value="20"/)
  expect(filtered.text).toContain("noindex")
  expect((await visitor.get("/products")).text).toMatch(/rel="canonical"[\s\S]*<details class="filters"><summary>/)
  expect((await visitor.get("/products?min=100")).text).toContain("No products match your filters.")
  expect((await visitor.get("/products?in_stock=1", { "Accept-Language": "fr" })).text).toContain("Filtrer et trier")
  for (const value of ["abc", '"><script>', "-1", "1e9", "1".repeat(40)]) {
    const { status, text } = await visitor.get(`/products?min=${encodeURIComponent(value)}`)
    expect([status, text.includes("Enter a price such as 19.90."), text.includes('"><script>')], value).toEqual([
      200,
      true,
      false,
    ])
  }
})

test("prices are in units of the shop's currency, also where that has no smaller unit", async () => {
  const { list } = await makeFilledShop([
    { name: "Fan", price_cents: 900, currency: "JPY" },
    { name: "Kite", price_cents: 1500, currency: "JPY" },
  ])
  expect(await list("?min=1000")).toEqual(["Kite"])
  expect(await list("?max=900")).toEqual(["Fan"])
})

test("the price filter has the same decimals as the prices of every currency", async () => {
  for (const currency of ["ISK", "KWD", "IDR"]) {
    const cents = parseAmount("1500", currency) ?? 0
    const { list } = await makeFilledShop([
      { name: "Fan", price_cents: cents - 1, currency },
      { name: "Kite", price_cents: cents, currency },
    ])
    expect.soft(await list("?min=1500"), currency).toEqual(["Kite"])
  }
})

test("filtered pages are never stale, keep their filters and read a bounded number of rows", async () => {
  const { shop, visitor, list } = await makeFilledShop([])
  const fill = (from: number, to: number) =>
    env.SITES_1.prepare(
      `with recursive n (i) as (select ${from} union all select i + 1 from n where i < ${to})
       insert into products (site_id, slug, name, name_key, price_cents, currency, status, stock, search_text, created_at, updated_at)
       select ?1, 'p-' || i, 'P' || i, 'p', i * 100, 'EUR', 'published', i % 2, 'p', i, i from n`,
    )
      .bind(shop.store)
      .run()
  await fill(1, 1_500)
  const queries = [
    "?sort=price_asc",
    "?in_stock=1",
    "?min=5&max=10",
    "?min=5&in_stock=1&sort=price_desc",
    "?sort=price_desc",
  ]
  const measure = async () => {
    const found: number[] = []
    for (const query of queries) {
      const costs = await costsOf(() => visitor.get(`/products${query}`))
      expect(costs.roundTrips, query).toBe(2)
      found.push(costs.rowsRead)
    }
    return found
  }
  const before = await measure()
  await fill(1_501, 15_000)
  expect(await measure()).toEqual(before)
  expect(Math.max(...before)).toBeLessThan(5_000)

  const page = await visitor.get("/products?in_stock=1&sort=price_asc")
  expect(page.text).toContain('href="/products?sort=price_asc&amp;in_stock=1&amp;page=2"')
  expect(await list("?max=3&in_stock=1")).toEqual(["P3", "P1"])
  const get = (query: string) => call("GET", `/products${query}`, { host: shop.host, useIsolateCache: true })
  await get("?max=3&in_stock=1")
  await env.SITES_1.prepare("update products set stock = 0 where site_id = ? and slug = 'p-3'").bind(shop.store).run()
  expect((await get("?max=3&in_stock=1")).text).not.toContain(">P3<")
  const cheapest = (await get("?sort=price_asc")).text
  expect(cheapest).toContain(">P1<")
  expect((await get("?sort=price_asc&utm_source=x")).headers.get("Cache-Status")).toContain("hit")
  expect((await get("")).text).not.toContain(">P1<")
})
