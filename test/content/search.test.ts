// The search of the content API.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { platform } from "../support/app"
import { insertPosts, makePage, makePost } from "../support/blog-factories"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeKey, makeReadyStore } from "../support/factories"

/** Creates a store with the e-commerce app, and a product in it. */
async function makeShop() {
  const store = await makeReadyStore()
  await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token: await makeKey() })
  const host = hostOfStore(store)
  const { token } = await makeUser(store, { isStaff: true })
  const makeProduct = async (json: object) => {
    const response = await content("POST", "/products", {
      host,
      token,
      json: { price_cents: 12_900, currency: "EUR", ...json },
    })
    expect(response.status).toBe(201)
  }
  return { store, host, makeProduct }
}

const namesIn = (found: { name: string }[]) => found.map(({ name }) => name)

test("finds published products, posts and pages of the site by a part of their text", async () => {
  const { store, host, makeProduct } = await makeShop()
  await makeProduct({ name: "Wool coat", description: "<p>Waxed</p>", stock: 0 })
  await makeProduct({ name: "Wool draft", status: "draft" })
  await makePost({ site: store, name: "How we dye WOOL", slug: "dye", description: "In rain water" })
  await makePost({ site: store, name: "Spinning", content: "<p>Of <b>wool</b></p>" })
  await makePost({ site: store, name: "Wool idea", status: "draft" })
  await makePage({ site: store, name: "Wool care", slug: "care" })
  await makePage({ site: store, name: "Laundry", description: "Cold, for Wool" })
  await makePage({ site: store, name: "Wool terms", status: "draft" })
  await makePost({ name: "Wool of another site" })
  const { status, body, headers } = await content("GET", "/search?q=wOOl", { host })
  expect([status, headers.get("Cache-Control")]).toEqual([200, "public, max-age=60"])
  const revalidated = await content("GET", "/search?q=wOOl", {
    host,
    headers: { "If-None-Match": headers.get("ETag") ?? "" },
  })
  expect(revalidated.status).toBe(304)
  expect(body.data.products).toEqual([
    {
      id: expect.any(Number),
      name: "Wool coat",
      slug: "wool-coat",
      image: null,
      price_cents: 12_900,
      currency: "EUR",
      in_stock: false,
    },
  ])
  expect(namesIn(body.data.posts)).toEqual(["Spinning", "How we dye WOOL"])
  expect(namesIn(body.data.pages)).toEqual(["Laundry", "Wool care"])
  const short = (await content("GET", "/search?q=co", { host })).body.data
  expect([namesIn(short.products), namesIn(short.posts), namesIn(short.pages)]).toEqual([["Wool coat"], [], []])
  expect((await content("GET", "/search?q=%20", { host })).body.data).toEqual({ products: [], posts: [], pages: [] })
})

test("finds a page by a part of its summary with a capital that is not ASCII", async () => {
  await makePage({ name: "Studio", description: "Chez Élodie, à Évry" })
  for (const q of ["Élodie", "élodie", "ÉLODIE", "chez élo", "évry"])
    expect(namesIn((await content("GET", `/search?q=${encodeURIComponent(q)}`)).body.data.pages), q).toEqual(["Studio"])
})

test("finds letters with and without accents, in either direction", async () => {
  const { store, host, makeProduct } = await makeShop()
  await makeProduct({ name: "Áo dài lụa", description: "Đầm dạ hội" })
  await makePost({ site: store, name: "Crème brûlée", content: "<p>Un œuf, un CŒUR, der Straßenname</p>" })
  await makePage({ site: store, name: "Conditions générales", description: "ĐIỀU KHOẢN, Œuvres" })
  const find = async (q: string) => {
    const { body } = await content("GET", `/search?q=${encodeURIComponent(q)}`, { host })
    return [...namesIn(body.data.products), ...namesIn(body.data.posts), ...namesIn(body.data.pages)]
  }
  for (const q of ["ao dai", "áo dài", "ÁO DÀI", "dam da", "đầm dạ", "ĐẦM"])
    expect(await find(q), q).toEqual(["Áo dài lụa"])
  for (const q of ["creme", "CRÈME BRULEE", "oeuf", "œuf", "coeur", "STRASSE", "straße", "brûlee"])
    expect(await find(q), q).toEqual(["Crème brûlée"])
  for (const q of ["generales", "générales", "dieu khoan", "điều khoản", "oeuvres", "ŒUVRES"])
    expect(await find(q), q).toEqual(["Conditions générales"])
  // Each word is found, in any order.
  expect(await find("lụa áo")).toEqual(["Áo dài lụa"])
  expect(await find("brulee un coeur")).toEqual(["Crème brûlée"])
  expect(await find("creme generales")).toEqual([])
})

test("finds a page by its new name and summary, and no deleted one", async () => {
  const { id } = await makePage({ name: "Laundry", description: "Cold" })
  const find = async (q: string) => namesIn((await content("GET", `/search?q=${q}`)).body.data.pages)
  await env.SITES_1.prepare("update pages set name = 'Care', name_key = 'care' where id = ?").bind(id).run()
  expect([await find("laundry"), await find("care")]).toEqual([[], ["Care"]])
  await env.SITES_1.prepare("update pages set description = 'Warm' where id = ?").bind(id).run()
  expect([await find("cold"), await find("warm")]).toEqual([[], ["Care"]])
  await env.SITES_1.prepare("delete from pages where id = ?").bind(id).run()
  expect(await find("care")).toEqual([])
})

test("finds no products at a site without the app", async () => {
  await makePost({ name: "Wool" })
  const { body } = await content("GET", "/search?q=wool")
  expect([body.data.products, body.data.posts.length]).toEqual([[], 1])
})

test("takes a text of up to 200 characters, and any character in it", async () => {
  for (const q of ["x".repeat(200), "%", "' or 1=1 --", '"; OR *', "_", "\u{1f9f6}"])
    expect((await content("GET", `/search?q=${encodeURIComponent(q)}`)).status, q).toBe(200)
  for (const query of ["", `?q=${"x".repeat(201)}`]) {
    const { status, body } = await content("GET", `/search${query}`)
    expect([status, Object.keys(body.errors)], query).toEqual([422, ["q"]])
  }
})

test("returns at most 20 results of each kind, and reads the same rows in a larger site", async () => {
  const { store, host } = await makeShop()
  const rowsRead = async () => (await costsOf(() => content("GET", "/search?q=needle", { host }))).rowsRead
  await insertPosts(store, 30, { word: "needle" })
  const few = await rowsRead()
  expect((await content("GET", "/search?q=needle", { host })).body.data.posts).toHaveLength(20)
  await insertPosts(store, 1_000, { word: "filler" })
  expect(await rowsRead()).toBeLessThanOrEqual(few + 5)
})
