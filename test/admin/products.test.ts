import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { expect, test } from "vitest"
import { products } from "../../src/apps/ecommerce/tables"
import { stores } from "../../src/db/schema/central/stores"
import { parsePostForms } from "../console/crawler"
import { call, type TestResponse } from "../support/app"
import { content } from "../support/content-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { type AdminBrowser, signInToAdmin } from "./support"

const makeShop = async (limits: Record<string, number> = {}) => {
  const plan = await makePlan({
    currency: "EUR",
    limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0, ...limits },
  })
  const store = await makeReadyStore({ plan: plan.slug })
  // A new shop has sample products.
  await drizzle(env.SITES_1).delete(products).where(eq(products.siteId, store))
  return { store, editor: await signInToAdmin(store, "editor") }
}

const idOf = (response: TestResponse) => /products\/(\d+)\/edit/.exec(response.headers.get("Location") ?? "")?.[1]

const list = async ({ editor }: Awaited<ReturnType<typeof makeShop>>, query = "") =>
  (await content("GET", `/products${query}`, { host: editor.host, token: editor.user.token })).body.data

const PICTURE =
  '--b\r\nContent-Disposition: form-data; name="file"; filename="bowl.gif"\r\n\r\nGIF89a data\r\n--b--\r\n'

/** Sends a form with a file. */
const uploadPicture = ({ host, cookie }: AdminBrowser, path: string, body: BodyInit) =>
  call("POST", path, {
    host,
    headers: {
      Cookie: cookie,
      "Content-Type": "multipart/form-data; boundary=b",
      "Sec-Fetch-Site": "same-origin",
    },
    body,
  })

test("creates, edits, duplicates and deletes a product, with the price in units", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const fields = {
    name: "Bowl <b>",
    price: "19.90",
    stock: "3",
    status: "published",
    images: "/media/a.png\n/media/b.png",
  }
  const created = await editor.post("/admin/products", { ...fields, seo_title: "A bowl" })
  const path = `/admin/products/${idOf(created)}`
  expect([created.status, created.headers.get("Location")]).toEqual([303, `${path}/edit?done=product_created`])
  expect((await editor.get(`${path}/edit`)).text).toContain("Links to the old address stop working")
  const [product] = await list(shop)
  expect(product).toMatchObject({ name: "Bowl <b>", slug: "bowl-b", price_cents: 1990, currency: "EUR", stock: 3 })
  expect(product.images).toEqual(["/media/a.png", "/media/b.png"])

  const page = await editor.get(`${path}/edit`)
  expect(page.text).toContain("Bowl &lt;b&gt;")
  expect(page.text).toContain('value="19.90"')
  const saved = await editor.post(`${path}/edit`, { ...fields, name: "Dish", price: "5,5", stock: "", slug: "dish" })
  expect(saved.headers.get("Location")).toBe(`${path}/edit?done=product_saved`)
  expect((await list(shop))[0]).toMatchObject({ name: "Dish", slug: "dish", price_cents: 550, stock: null })

  const copied = await editor.post(`${path}/duplicate`)
  expect(copied.headers.get("Location")).toMatch(/edit\?done=product_duplicated$/)
  expect((await list(shop, "?status=draft"))[0]).toMatchObject({ name: "Dish (copy)", price_cents: 550 })
  expect((await editor.get(`${path}/delete`)).text).toContain("Delete Dish?")
  expect((await editor.post(`${path}/delete`)).status).toBe(303)
  expect((await editor.get(`${path}/edit`)).status).toBe(404)
  expect((await editor.post(`${path}/delete`)).status).toBe(404)
})

/** The hidden fields of a page by name; sent again, they tell what the form showed. */
const hiddenFieldsOf = ({ text }: TestResponse, ...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""]))

test("saves an edit form without undoing the orders and changes since it was opened", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const fields = { name: "Bowl", price: "19.90", stock: "10", status: "published" }
  const path = `/admin/products/${idOf(await editor.post("/admin/products", fields))}/edit`
  const readShown = async () => hiddenFieldsOf(await editor.get(path), "shown_version", "shown_stock")
  const setStock = (stock: number) =>
    drizzle(env.SITES_1).update(products).set({ stock }).where(eq(products.siteId, shop.store))

  const shown = await readShown()
  await setStock(2)
  expect((await editor.post(path, { ...fields, ...shown, description: "Round" })).status).toBe(303)
  expect((await list(shop))[0]).toMatchObject({ stock: 2, price_cents: 1990 })

  // A stock that was edited is refused once, and shown as it is.
  const before = { ...(await readShown()), description: "Round" }
  await setStock(1)
  const refused = await editor.post(path, { ...fields, ...before, stock: "15" })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain("This was changed in the meantime")
  expect(refused.text).toMatch(/<input id="stock"[^>]* value="1"/)
  const again = hiddenFieldsOf(refused, "shown_version", "shown_stock")
  expect(again.shown_stock).toBe("1")
  expect((await editor.post(path, { ...fields, ...again, stock: "14" })).status).toBe(303)
  expect((await list(shop))[0]).toMatchObject({ stock: 14 })

  // A price that another member changed is not reverted, and an invalid form does not become a current one.
  const opened = await readShown()
  expect((await editor.post(path, { ...fields, ...(await readShown()), stock: "14", price: "25" })).status).toBe(303)
  const invalid = await editor.post(path, { ...fields, ...opened, stock: "14", name: "" })
  expect(hiddenFieldsOf(invalid, "shown_version", "shown_stock")).toEqual(opened)
  const outdated = await editor.post(path, { ...fields, ...opened, stock: "14" })
  expect([outdated.status, outdated.text.includes("This was changed in the meantime")]).toEqual([422, true])
  expect((await list(shop))[0]).toMatchObject({ price_cents: 2500, stock: 14 })
})

test("shows a refused product again with everything that was typed", async () => {
  const shop = await makeShop({ products: 1 })
  const { editor } = shop
  for (const [price, message] of [
    ["", "required"],
    ["1.999", "format"],
    ["12e3", "format"],
    ["999999999", "may not"],
  ] as const) {
    const refused = await editor.post("/admin/products", { name: "Typed name", price, description: "Typed text" })
    expect(refused.status, price).toBe(422)
    expect(refused.text, message).toMatch(/id="price-error"/)
    expect(refused.text).toContain('value="Typed name"')
    expect(refused.text).toContain("Typed text</textarea>")
  }
  const one = await editor.post("/admin/products", { name: "One", price: "1", slug: "one" })
  const taken = await editor.post("/admin/products", { name: "Two", price: "1", slug: "one" })
  expect(taken.text).toContain('id="slug-error"')
  const full = await editor.post("/admin/products", { name: "Two", price: "1" })
  expect([full.status, full.text.includes('role="alert"')]).toEqual([422, true])
  // An edit without the name or the price is refused at the field, and an unknown product is 404.
  const emptied = await editor.post(`/admin/products/${idOf(one)}/edit`, { name: "", price: "" })
  expect([emptied.status, emptied.text.includes('id="name-error"'), emptied.text.includes('id="price-error"')]).toEqual(
    [422, true, true],
  )
  expect((await editor.post("/admin/products/99999/edit", { name: "x", price: "1" })).status).toBe(404)
})

test("creates one product for a form that is sent twice, and keeps the form of an expired session", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const form = parsePostForms((await editor.get("/admin/products/new")).text).find(
    ({ action }) => action === "/admin/products",
  )
  const once = form?.fields.find(({ name }) => name === "once")?.value ?? ""
  const fields = { once, name: "Once", price: "1" }
  const [first, second] = [await editor.post("/admin/products", fields), await editor.post("/admin/products", fields)]
  expect(second.headers.get("Location")).toBe(first.headers.get("Location"))
  expect(await list(shop)).toHaveLength(1)
})

test("finds, sorts and filters products, and hides what a viewer may not do", async () => {
  const shop = await makeShop()
  let path = ""
  for (const [name, price] of [
    ["Alpha", "3"],
    ["Beta", "1"],
    ["Gamma", "2"],
  ] as const)
    path = `/admin/products/${idOf(await shop.editor.post("/admin/products", { name, price, status: name === "Gamma" ? "draft" : "published" }))}/edit`
  const names = (text: string) => [...text.matchAll(/\/edit">(\w+)</g)].map(([, name]) => name)
  expect(names((await shop.editor.get("/admin/products?sort=price")).text)).toEqual(["Beta", "Alpha"])
  expect(names((await shop.editor.get("/admin/products?sort=-name")).text)).toEqual(["Beta", "Alpha"])
  expect(names((await shop.editor.get("/admin/products?search=alp")).text)).toEqual(["Alpha"])
  expect(names((await shop.editor.get("/admin/products?status=draft&page=x")).text)).toEqual(["Gamma"])
  const viewer = await signInToAdmin(shop.store, "viewer")
  const page = await viewer.get(path)
  expect([page.status, page.text.includes('name="price"'), page.text.includes("duplicate")]).toEqual([
    200,
    false,
    false,
  ])
  expect((await viewer.get("/admin/products/new")).status).toBe(403)
  expect((await viewer.post("/admin/products", { name: "x", price: "1" })).status).toBe(403)
})

test("lists the stock next to the name, where a phone shows it", async () => {
  const { editor } = await makeShop()
  await editor.post("/admin/products", { name: "Bowl", price: "1", stock: "7", status: "published" })
  const { text } = await editor.get("/admin/products")
  const heads = [...text.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/gs)].map(([, head]) =>
    head?.replace(/<[^>]*>/g, ""),
  )
  expect(heads).toEqual(["Name", "Stock", "Price", "Status", "Created"])
  expect(/<tbody[^>]*>.*?<\/th><td class="num" data-head="Stock"[^>]*>([^<]*)</s.exec(text)?.[1]).toBe("7")
})

test("offers the shop's currency to a product with another one", async () => {
  const { store, editor } = await makeShop()
  const path = `/admin/products/${idOf(await editor.post("/admin/products", { name: "Bowl", price: "19.90" }))}/edit`
  expect((await editor.get(path)).text).toContain('name="currency" value="EUR"')
  const admin = await signInToAdmin(store, "admin")
  expect((await admin.post("/admin/settings", { currency: "USD" })).status).toBe(303)
  expect((await editor.get(path)).text).toMatch(/<option value="EUR" selected[^>]*>EUR<.*<option value="USD">USD</s)
  expect((await editor.post(path, { price: "18.50", currency: "USD" })).status).toBe(303)
  expect((await editor.get(path)).text).toContain('name="currency" value="USD"')
  expect((await editor.get("/admin/products")).text).toContain("$18.50")
})

test("states the largest price with the decimals of its currency", async () => {
  const { editor } = await makeShop()
  for (const [currency, max] of [
    ["KWD", "9999999.999"],
    ["EUR", "99999999.99"],
  ]) {
    const refused = await editor.post("/admin/products", { name: "Bowl", price: "999999999", currency: currency ?? "" })
    expect.soft(refused.text).toContain(`greater than ${max}.`)
  }
})

test("links owners whose plan is used up to the plans", async () => {
  const { store, editor } = await makeShop({ products: 1 })
  const owner = await signInToAdmin(store, "owner")
  const create = (member: typeof owner) => member.post("/admin/products", { name: "Bowl", price: "1" })
  const { headers } = await create(owner)
  const refused = [await create(owner), await create(editor)]
  expect(refused.map(({ status, text }) => [status, text.includes("does not allow more products")])).toEqual([
    [422, true],
    [422, true],
  ])
  expect(refused.map(({ text }) => text.includes('href="/billing#plans"'))).toEqual([true, false])
  const path = headers.get("Location")?.replace(/edit.*/, "duplicate") ?? ""
  expect((await owner.post(path)).text).toContain('href="/billing#plans"')
})

/** Sends the form of an import's preview. */
function confirmImport(editor: AdminBrowser, preview: TestResponse) {
  const form = parsePostForms(preview.text).find(({ fields }) => fields.some(({ name }) => name === "shown"))
  return editor.post(
    "/admin/products/import",
    Object.fromEntries(form?.fields.map(({ name, value }) => [name, value]) ?? []),
  )
}

const importCsv = async (editor: AdminBrowser, csv: string) =>
  confirmImport(editor, await editor.post("/admin/products/import", { csv }))

test("imports CSV after a preview that changes nothing, and exports what it imports", async () => {
  const shop = await makeShop({ products: 3 })
  const { editor } = shop
  await editor.post("/admin/products", { name: "Old", price: "1", slug: "old" })
  const csv = 'name;price;slug;stock\r\n"Old; renamed";2,50;old;7\r\nNew;3;;\r\nBad;x;;\r\nThird;1;;\r\nFourth;1;;\r\n'
  const preview = await editor.post("/admin/products/import", { csv })
  expect(preview.status).toBe(200)
  for (const outcome of ["Will be changed", "Will be created", "Will be skipped"])
    expect(preview.text).toContain(outcome)
  expect(preview.text).toMatch(/<th scope="row" class="num"[^>]*>2<\/th>/)
  expect((await list(shop))[0].name).toBe("Old")
  const result = await confirmImport(editor, preview)
  expect(result.text).toContain("2 created, 1 changed.")
  expect(result.text).toContain("Fourth")
  const exported = await editor.get("/admin/products.csv")
  expect(exported.headers.get("Content-Type")).toContain("text/csv")
  expect(exported.text).toContain('"Old; renamed","old","2.50","EUR","7","published"')
  const unchanged = await importCsv(editor, exported.text)
  expect(unchanged.headers.get("Location")).toBe("/admin/products/import?created=0&updated=0")
  // An order has taken two since the export.
  await drizzle(env.SITES_1).update(products).set({ stock: 5 }).where(eq(products.slug, "old"))
  const stale = await editor.post("/admin/products/import", { csv: exported.text })
  expect(stale.text.match(/[\d–]+ → [\d–]+/g)).toEqual(["5 → 7"])
  const repriced = exported.text.replace('"2.50"', '"2.75"')
  const complete = await importCsv(editor, repriced)
  const target = complete.headers.get("Location") ?? ""
  expect([complete.status, target]).toEqual([303, "/admin/products/import?created=0&updated=1"])
  expect((await editor.get(target)).text).toContain("0 created, 1 changed.")
  expect((await editor.get("/admin/products/import")).text).not.toContain("changed.")
  expect((await editor.post("/admin/products/import", { csv: "no head" })).status).toBe(422)
  const long = `name,price\n${"x,1\n".repeat(201)}`
  expect((await editor.post("/admin/products/import", { csv: long })).status).toBe(422)
})

/** Returns the texts of each row of an import's preview, without its line number. */
const rowsOf = ({ text }: TestResponse) =>
  [...text.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)]
    .slice(1)
    .map(([, row = ""]) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "").trim()),
    )

test("the preview of an import lists what each line changes", async () => {
  const { editor } = await makeShop()
  await editor.post("/admin/products", { name: "Old", slug: "old", price: "1", stock: "3", status: "published" })
  const csv = [
    "name,slug,price,currency,stock,status,description,images,seo_title",
    ...["Old,old,1,,3,,,,", "Old,old,2.50,,,draft,Text,/media/a.jpg,", "New,old,2.50,USD,,,Text,/media/a.jpg,Title"],
    ...["Cup,,3,,7,,,,", "Mug,,4,,,draft,,,", "Bad,,x,,,,,,"],
  ].join("\n")
  expect(rowsOf(await editor.post("/admin/products/import", { csv }))).toEqual([
    ["Old", "No change", "", ""],
    [
      ...["Old", "Will be changed"],
      ...["Price: €1.00 → €2.50; Stock: 3 → –; Status: Published → Draft; Description; Pictures", ""],
    ],
    // Compared with the line before it, which has the same slug.
    ["New", "Will be changed", "Name; Price: €2.50 → $2.50; Search engine title", ""],
    ["Cup", "Will be created", "Price: €3.00; Stock: 7; Status: Published", ""],
    ["Mug", "Will be created", "Price: €4.00; Status: Draft", ""],
    ["Bad", "Will be skipped", "", "The price field format is invalid."],
  ])
})

test("an import undoes no sale since its preview", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const create = (slug: string, stock: number) =>
    editor.post("/admin/products", { name: slug, slug, price: "1", stock: String(stock) })
  for (const slug of ["repriced", "restocked", "renamed"]) await create(slug, 9)
  const setStock = (slug: string, stock: number | null) =>
    drizzle(env.SITES_1).update(products).set({ stock }).where(eq(products.slug, slug))
  const csv = [
    "name,slug,price,stock",
    ...["Repriced,repriced,2,9", "Restocked,restocked,2,20", "Renamed,renamed,1,9", "Late,late,1,5", "Bad,bad,x,1"],
    ...["Twice,renamed,1,12", "Twice,renamed,1,"],
  ].join("\n")
  const preview = await editor.post("/admin/products/import", { csv })
  expect(preview.text.match(/[\d–]+ → [\d–]+/g)).toEqual(["9 → 20", "9 → 12", "12 → –"])
  // One piece of each of the first two is sold, and another member adds a product.
  await setStock("repriced", 8)
  await setStock("restocked", 8)
  await create("late", 3)
  const result = await confirmImport(editor, preview)
  expect(result.text).toContain("0 created, 4 changed.")
  expect(result.text.match(/This was changed in the meantime/g)).toHaveLength(2)
  const stocks = async () =>
    Object.fromEntries(
      (await list(shop)).map((row: Record<string, unknown>) => [row.slug, [row.name, row.price_cents, row.stock]]),
    )
  expect(await stocks()).toEqual({
    repriced: ["Repriced", 200, 8],
    restocked: ["restocked", 100, 8],
    renamed: ["Twice", 100, null],
    late: ["late", 100, 3],
  })
  const again = await editor.post("/admin/products/import", {
    csv: "name,slug,stock\nRestocked,restocked,20\nLate,late,5",
  })
  expect(again.text.match(/[\d–]+ → [\d–]+/g)).toEqual(["8 → 20", "3 → 5"])
  await editor.post(`/admin/products/${(await list(shop, "/late")).id}/delete`)
  expect((await confirmImport(editor, again)).text).toContain("0 created, 1 changed.")
  expect(await stocks()).toMatchObject({ restocked: ["Restocked", 100, 20] })
  expect(await stocks()).not.toHaveProperty("late")
})

test("keeps the texts of products through an export and an import", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const texts = {
    name: "Mug, -20 %",
    description: "Para one\n\nPara two\n- item; =1\n'=typed",
    seo_title: "'+1",
    seo_description: "x;'-1",
  }
  const path = `/admin/products/${idOf(await editor.post("/admin/products", { ...texts, price: "1" }))}`
  const { text } = await editor.get("/admin/products.csv")
  const csv = text.replace('"1.00"', '"2.00"')
  const imported = await importCsv(editor, csv)
  expect(imported.headers.get("Location")).toContain("updated=1")
  const id = path.split("/").at(-1)
  const { data } = (await content("GET", `/products/${id}`, { host: editor.host, token: editor.user.token })).body
  expect(data).toMatchObject({ ...texts, price_cents: 200 })
})

test("keeps the currency of a product that an import without a currency changes", async () => {
  const shop = await makeShop()
  const { editor } = shop
  await editor.post("/admin/products", { name: "Bowl", price: "1", currency: "USD" })
  await importCsv(editor, "name,slug,price\n,bowl,2.50\nCup,cup,3")
  expect(await list(shop, "?sort_by=name")).toMatchObject([
    { slug: "cup", price_cents: 300, currency: "EUR" },
    { slug: "bowl", price_cents: 250, currency: "USD" },
  ])
})

test("skips lines of an import that change only the currency or repeat the slug of a new product", async () => {
  const shop = await makeShop()
  const { editor } = shop
  await editor.post("/admin/products", { name: "Bowl", price: "1", currency: "EUR" })
  const csv = "name,slug,currency,price\nBowl,bowl,USD,\nBowl,bowl,eur,\nCup,cup,,3\nMug,cup,,4"
  const preview = await editor.post("/admin/products/import", { csv })
  expect(preview.text.match(/Will be \w+|No change/g)).toEqual([
    ...["Will be skipped", "No change", "Will be created", "Will be skipped"],
  ])
  expect(preview.text).toContain("duplicate value")
  await confirmImport(editor, preview)
  expect(await list(shop, "?sort_by=name")).toMatchObject([
    { slug: "cup", name: "Cup", price_cents: 300 },
    { slug: "bowl", price_cents: 100, currency: "EUR" },
  ])
})

test("imports up to 500,000 characters, also of several bytes each", async () => {
  const { editor } = await makeShop()
  const row = `Cup,1,${"ệ".repeat(2_400)}\n`
  const preview = await editor.post("/admin/products/import", { csv: `name,price,description\n${row.repeat(200)}` })
  expect([preview.status, preview.text.match(/Will be created/g)?.length]).toEqual([200, 200])
  expect((await editor.post("/admin/products/import", { csv: "x".repeat(500_001) })).status).toBe(422)
  const { text } = await editor.get("/admin/products/import")
  expect(text).toMatch(/<textarea[^>]* maxlength="500000"/)
  expect(text).toContain('data-too-large="This file is too large."')
})

test("keeps commas in the URLs of pictures, which are separated by lines", async () => {
  const shop = await makeShop()
  const images = "https://cdn.example/w_200,h_100/a.jpg"
  const fields = { name: "Bowl", price: "1" }
  const created = await shop.editor.post("/admin/products", { ...fields, images })
  expect((await list(shop))[0].images).toEqual([images])
  const path = `/admin/products/${idOf(created)}/edit`
  await shop.editor.post(path, { ...fields, images: `${images}\r\n/media/b.png\r\n` })
  expect((await list(shop))[0].images).toEqual([images, "/media/b.png"])
  await shop.editor.post(path, { ...fields, images: "" })
  expect((await list(shop))[0].images).toEqual([])
})

test("adds an uploaded picture to a product", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const path = `/admin/products/${idOf(await editor.post("/admin/products", { name: "Bowl", price: "1" }))}/pictures`
  const response = await uploadPicture(editor, path, PICTURE)
  expect(response.status).toBe(303)
  expect((await list(shop))[0].image).toMatch(/^\/media\/.+bowl\.gif$/)
  const document = await uploadPicture(
    editor,
    path,
    PICTURE.replace("bowl.gif", "bowl.pdf").replace("GIF89a", "%PDF-1.4"),
  )
  expect([document.status, document.text.includes('id="file-error"')]).toEqual([422, true])
  expect((await list(shop))[0].images).toHaveLength(1)
  expect((await uploadPicture(editor, path, "--b--\r\n")).status).toBe(422)
})

test("adds no more pictures to a product than it may have, and stores no file in excess", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const images = Array.from({ length: 10 }, (_, index) => `/media/${index}.png`)
  const created = await editor.post("/admin/products", { name: "Bowl", price: "1", images: images.join("\n") })
  const path = `/admin/products/${idOf(created)}/pictures`
  const refused = await uploadPicture(editor, path, PICTURE)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain("must not have more than 10 items")
  expect((await list(shop))[0].images).toEqual(images)
  expect((await editor.get("/admin/media")).text).not.toContain("bowl.gif")
})

test("keeps pictures that were added to a product during an upload", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const path = `/admin/products/${idOf(await editor.post("/admin/products", { name: "Bowl", price: "1" }))}`
  let isChanged = false
  const spy = interceptRoundTrips(async (send, statements) => {
    if (!isChanged && statements.some((statement) => statement.includes('insert into "media_files"'))) {
      isChanged = true
      await env.SITES_1.prepare("update products set images = ? where site_id = ?")
        .bind('["/media/other.png"]', shop.store)
        .run()
    }
    return send()
  })
  const response = await uploadPicture(editor, `${path}/pictures`, PICTURE).finally(() => spy.mockRestore())
  expect([response.status, isChanged]).toEqual([303, true])
  expect((await list(shop))[0].images).toEqual(["/media/other.png", expect.stringMatching(/bowl\.gif$/)])
})

test("keeps the pictures of two concurrent uploads", async () => {
  const shop = await makeShop()
  const { editor } = shop
  const path = `/admin/products/${idOf(await editor.post("/admin/products", { name: "Bowl", price: "1" }))}`
  let isUploaded = false
  const spy = interceptRoundTrips(async (send, statements) => {
    // The first upload has read the product, and is about to store its picture.
    if (!isUploaded && statements.some((statement) => statement.includes('update "products"'))) {
      isUploaded = true
      const other = await uploadPicture(editor, `${path}/pictures`, PICTURE.replace("bowl.gif", "other.gif"))
      expect(other.status).toBe(303)
    }
    return send()
  })
  const response = await uploadPicture(editor, `${path}/pictures`, PICTURE).finally(() => spy.mockRestore())
  expect([response.status, isUploaded]).toEqual([303, true])
  expect((await list(shop))[0].images).toEqual([
    expect.stringMatching(/other\.gif$/),
    expect.stringMatching(/bowl\.gif$/),
  ])
})

test("a shop without the e-commerce app has no products page", async () => {
  const store = await makeReadyStore()
  await drizzle(env.DB).update(stores).set({ apps: [] }).where(eq(stores.id, store))
  const owner = await signInToAdmin(store)
  expect((await owner.get("/admin/products")).status).toBe(404)
  expect((await owner.get("/admin")).text).not.toContain("/admin/products")
})

test("marks the sample products of a new shop, does not count them, and removes those that nobody changed at once", async () => {
  const plan = await makePlan({ limits: { products: 4, orders: 0, storage_mb: 0, staff_users: 0 } })
  const store = await makeReadyStore({ plan: plan.slug })
  const [editor, viewer] = [await signInToAdmin(store, "editor"), await signInToAdmin(store, "viewer")]
  const page = await editor.get("/admin/products")
  expect(page.text.match(/<span class="badge">Sample<\/span>/g)).toHaveLength(4)
  for (const query of ["?status=draft", "?search=nothing", "?page=2"])
    expect((await editor.get(`/admin/products${query}`)).text, query).toContain("Remove sample products")
  // The samples use up no place of the plan.
  const create = (name: string) => editor.post("/admin/products", { name, price: "1" })
  for (const name of ["One", "Two", "Three", "Four"]) expect((await create(name)).status).toBe(303)
  expect((await create("Five")).status).toBe(422)
  const [, id] = /products\/(\d+)\/edit">Oak serving board/.exec(page.text) ?? []
  expect((await editor.post(`/admin/products/${id}/edit`, { name: "Oak board" })).status).toBe(303)
  expect((await viewer.post("/admin/products/samples/delete")).status).toBe(403)
  const removed = await editor.post("/admin/products/samples/delete")
  expect(removed.headers.get("Location")).toBe("/admin/products?done=samples_removed")
  const names = await drizzle(env.SITES_1)
    .select({ name: products.name })
    .from(products)
    .where(eq(products.siteId, store))
  expect(names.map(({ name }) => name).sort()).toEqual(["Four", "Oak board", "One", "Three", "Two"])
  expect((await editor.get("/admin/products")).text).not.toContain("Remove sample products")
  expect((await editor.post("/admin/products/samples/delete")).status).toBe(303)
})
