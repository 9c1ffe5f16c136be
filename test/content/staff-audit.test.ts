// The audit log of what a store's staff change: every write has an entry with its actor and the fields that changed.
import { expect, test } from "vitest"
import { platform } from "../support/app"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { recordPurchase } from "../support/purchases"
import { rows } from "../support/rows"
import { nextAddress } from "../support/serial"

const APPS = ["ecommerce", "contact", "galleries", "reviews"]

/** Creates a store with its apps, and senders of its owner's and a customer's requests. */
async function makeShop() {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  const key = await makeKey()
  for (const app of APPS) await platform("POST", `/stores/${store}/apps/${app}/enable`, { token: key })
  const staff = await makeUser(store, { isStaff: true, firstName: "Ada", lastName: "Lovelace" })
  const customer = await makeUser(store)
  const as =
    ({ token }: { token: string }) =>
    (method: string, path: string, json?: object) =>
      content(method, path, { host, token, ...(json && { json }), headers: { "CF-Connecting-IP": nextAddress() } })
  const sent = as(staff)
  /** Sends a write of the owner, and returns the entries that it added. */
  const audited = async (method: string, path: string, json?: object) => {
    const [before] = await rows("select coalesce(max(id), 0) as id from audit_entries")
    const response = await sent(method, path, json)
    expect(response.status, `${method} ${path} ${JSON.stringify(response.body)}`).toBeLessThan(300)
    const entries = await rows(
      `select type, subject_id, store_id, actor_type, actor_id, actor_name, before, after, data from audit_entries
       where id > ? order by id`,
      before?.id,
    )
    for (const entry of entries)
      expect(entry).toMatchObject({
        store_id: store,
        actor_type: "customer",
        actor_id: staff.id,
        actor_name: "Ada Lovelace",
      })
    const [entry] = entries
    expect(entries, `${method} ${path}`).toHaveLength(1)
    const data = response.body?.data
    return {
      id: data?.id as number,
      type: entry?.type,
      subject: Number(entry?.subject_id),
      before: JSON.parse(String(entry?.before)),
      after: JSON.parse(String(entry?.after)),
      data: JSON.parse(String(entry?.data)),
    }
  }
  return { store, host, customer, asCustomer: as(customer), sent, audited }
}

test("records the fields that staff change of products, orders, messages, reviews, galleries and content", async () => {
  const { customer, asCustomer, sent, audited } = await makeShop()

  const product = await audited("POST", "/products", { name: "Bowl", price_cents: 100, currency: "EUR", stock: 5 })
  expect(product).toMatchObject({
    type: "shop_product_created",
    subject: product.id,
    before: null,
    after: { slug: "bowl", name: "Bowl", status: "published" },
  })
  const path = `/products/${product.id}`
  const text = "x".repeat(500)
  expect(await audited("PUT", path, { price_cents: 250, description: text, stock: 5 })).toMatchObject({
    type: "shop_product_changed",
    subject: product.id,
    before: { name: "Bowl", slug: "bowl", price_cents: 100, description: null },
    after: { name: "Bowl", slug: "bowl", price_cents: 250, description: `${"x".repeat(200)}…` },
  })

  const placed = await asCustomer("POST", "/orders", { items: [{ product_id: product.id, quantity: 1 }] })
  const change = { status: "paid", tracking: "T1", staff_note: "Likes blue" }
  const order = await audited("PUT", `/orders/${placed.body.data.id}`, change)
  // The log is permanent, so it has none of the texts that are erased with a customer.
  expect(order).toEqual({
    id: placed.body.data.id,
    type: "order_changed",
    subject: placed.body.data.id,
    before: { number: 1001, status: "pending" },
    after: { number: 1001, status: "paid" },
    data: { fields: ["tracking", "staff_note"] },
  })

  const message = (await asCustomer("POST", "/contact", { message: "Hello" })).body.data
  expect(await audited("PUT", `/contact/${message.id}`, { status: "read" })).toMatchObject({
    type: "contact_message_changed",
    subject: message.id,
    before: { status: "new" },
    after: { status: "read" },
  })
  expect((await audited("DELETE", `/contact/${message.id}`)).type).toBe("contact_message_deleted")

  await recordPurchase(customer.id, product.id)
  const review = (await asCustomer("POST", "/reviews", { product_id: product.id, rating: 1 })).body.data
  expect(await audited("DELETE", `/reviews/${review.id}`)).toMatchObject({
    type: "review_deleted",
    subject: review.id,
    before: { user_id: customer.id, product_id: product.id, rating: 1 },
  })
  expect((await audited("DELETE", path)).type).toBe("shop_product_deleted")

  const gallery = await audited("POST", "/galleries", {
    name: "Fair",
    pictures: [{ image: "https://x.example/1.png" }],
  })
  expect(gallery).toMatchObject({ type: "gallery_created", subject: gallery.id, after: { slug: "fair" } })
  expect(await audited("PUT", `/galleries/${gallery.id}`, { name: "Market", pictures: [] })).toMatchObject({
    type: "gallery_changed",
    before: { name: "Fair", pictures: [{ image: "https://x.example/1.png", caption: null }] },
    after: { name: "Market", pictures: [] },
  })
  expect((await audited("DELETE", "/galleries/fair")).type).toBe("gallery_deleted")

  for (const [kind, subject] of [
    ["posts", "post"],
    ["pages", "page"],
    ["categories", "category"],
    ["tags", "tag"],
  ]) {
    const { id } = await audited("POST", `/${kind}`, { name: "News" })
    const changed = await audited("PUT", `/${kind}/${id}`, { name: "Old news", description: "Short" })
    expect(changed, kind).toMatchObject({
      type: `${subject}_saved`,
      subject: id,
      before: { name: "News", slug: "news", description: null },
      after: { name: "Old news", slug: "news", description: "Short" },
    })
    expect(Object.keys(changed.after), kind).not.toContain("updated_at")
  }
  await sent("POST", "/tags", { name: "Blue" })
  const post = await audited("PUT", "/posts/news", { tags: ["blue"], author: customer.email })
  expect([post.before.tags, post.after.tags[0].name, post.after.author.id]).toEqual([[], "Blue", customer.id])
  expect(post.after).not.toHaveProperty("content")

  expect((await audited("PUT", "/shop/settings", { currency: "GBP" })).after).toEqual({ currency: "GBP" })
})

test("records nothing for a write that changes nothing, and for the writes of customers", async () => {
  const { store, asCustomer, sent, customer } = await makeShop()
  const { id } = (await sent("POST", "/products", { name: "Bowl", price_cents: 100, currency: "EUR" })).body.data
  const { id: gallery } = (await sent("POST", "/galleries", { name: "Fair" })).body.data
  const message = (await asCustomer("POST", "/contact", { message: "Hello" })).body.data
  const count = async () => (await rows("select count(*) as n from audit_entries where store_id = ?", store))[0]?.n
  const before = await count()
  const read = async () => (await sent("GET", `/products/${id}`)).body.data
  const product = await read()
  for (const [path, json] of [
    [`/products/${id}`, { name: "Bowl", images: [] }],
    [`/galleries/${gallery}`, { name: "Fair", pictures: [] }],
    [`/contact/${message.id}`, { status: "new" }],
  ] as const)
    expect((await sent("PUT", path, json)).status).toBe(200)
  expect(await read()).toEqual(product)
  await recordPurchase(customer.id, id)
  const review = (await asCustomer("POST", "/reviews", { product_id: id, rating: 2 })).body.data
  await asCustomer("PUT", `/reviews/${review.id}`, { rating: 3 })
  await asCustomer("DELETE", `/reviews/${review.id}`)
  await asCustomer("POST", "/orders", { items: [{ product_id: id, quantity: 1 }] })
  expect(await count()).toBe(before)
})

test("of concurrent updates of a product, each takes effect with its own entry", async () => {
  const { sent } = await makeShop()
  const { id } = (await sent("POST", "/products", { name: "Bowl", price_cents: 100, currency: "EUR" })).body.data
  const changes = [{ name: "Jug" }, { price_cents: 5 }, { stock: 3 }, { slug: "jug" }]
  const responses = await Promise.all(changes.map((json) => sent("PUT", `/products/${id}`, json)))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect((await sent("GET", `/products/${id}`)).body.data).toMatchObject(Object.assign({}, ...changes))
  const entries = await rows("select after from audit_entries where type = 'shop_product_changed' order by id")
  expect(entries).toHaveLength(4)
})
