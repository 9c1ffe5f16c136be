// Seeds a month of a shop: settings, products, customers, orders in every status, messages, reviews, a gallery and a
// webhook endpoint. Everything goes through the shop's content API, with a simulated clock.

import { renderPicture } from "./picture.ts"
import type { Section } from "./seeder.ts"
import { GALLERY, orders, PEOPLE, PICTURES, PRODUCTS, REVIEWS, WRITTEN } from "./shop/acme.ts"
import { demoStores } from "./stores.ts"

const DAY_MS = 86_400_000
const SITE = "acme"

/** The password of the demo customers. */
const PASSWORD = "correct horse battery"

/** Creates the data on the first run. An interrupted run leaves the part that it had created. */
export const seedShop: Section = async (seeder) => {
  const owner = demoStores.find(({ subdomain }) => subdomain === SITE)
  const { key } = await seeder.operator<{ key: string }>("site:api-key", { site: SITE })
  const call = <Data = unknown>(method: string, path: string, body?: object, token = "") =>
    seeder.store<Data>(SITE, method, path, { body, token, key })
  const logIn = async (email: string, password: string) =>
    (await call<{ token: string }>("POST", "/login", { email, password })).token
  const token = await logIn(owner?.owner_email ?? "", seeder.password(owner?.owner_email ?? ""))
  if ((await call<unknown[]>("GET", "/orders?scope=all", undefined, token)).length > 0) return {}
  const now = Date.now()
  const at = (daysAgo: number) => seeder.setStory({ now: new Date(now - daysAgo * DAY_MS).toISOString() })

  for (const app of ["contact", "reviews", "galleries"])
    await seeder.platform("POST", `/stores/${SITE}/apps/${app}/enable`)
  await call("PUT", "/shop/settings", SETTINGS, token)
  await call("PUT", "/me", { name: "Clay Hartwell" }, token)
  await at(31)
  for (const product of PRODUCTS) await call("POST", "/products", { ...product, currency: "USD" }, token)
  const products = await call<{ id: number }[]>("GET", "/products?sort_by=created_at&order=asc", undefined, token)
  const sessions: string[] = []
  for (const person of PEOPLE) {
    if (person.isGuest) continue
    const { name, email } = person
    await call("POST", "/register", { name, email, password: PASSWORD, password_confirmation: PASSWORD })
    sessions.push(await logIn(email, PASSWORD))
  }
  for (const { daysAgo, person, items, status } of orders()) {
    await at(daysAgo)
    const { name, email, address } = PEOPLE[person] ?? {}
    const { id } = await call<{ id: number }>(
      "POST",
      "/orders",
      {
        customer: { name, email },
        shipping_address: address,
        items: items.map(([product, quantity]) => ({ product_id: products[product]?.id, quantity })),
        payment_method: "transfer",
        shipping_method: "flat",
      },
      sessions[person],
    )
    for (const next of STEPS[status]) await call("PUT", `/orders/${id}`, next, token)
  }
  for (const { daysAgo, person, isRead, ...message } of WRITTEN) {
    await at(daysAgo)
    const { id } = await call<{ id: number }>("POST", "/contact", message, sessions[person])
    if (isRead) await call("PUT", `/contact/${id}`, { status: "read" }, token)
  }
  for (const { daysAgo, person, product, ...review } of REVIEWS) {
    await at(daysAgo)
    await call("POST", "/reviews", { product_id: products[product]?.id, ...review }, sessions[person])
  }
  await seeder.setStory({ now: null })
  const pictures = await Promise.all(
    PICTURES.map(async ({ file, hue, caption }) => {
      const form = new FormData()
      form.set("file", new Blob([renderPicture(hue)], { type: "image/png" }), file)
      return { image: new URL((await call<{ url: string }>("POST", "/media/files", form)).url).pathname, caption }
    }),
  )
  await call("POST", "/galleries", { ...GALLERY, pictures }, token)
  // It is paused, because its receiver does not exist.
  const { id } = await call<{ id: number }>("POST", "/webhooks", ENDPOINT, token)
  await call("PATCH", `/webhooks/${id}`, { is_active: false }, token)
  return {}
}

/** The updates that bring a new order to a status. */
const STEPS = {
  pending: [],
  paid: [{ status: "paid" }],
  fulfilled: [{ status: "paid" }, { status: "fulfilled", tracking: "DHL 00340434161094042557" }],
  cancelled: [{ status: "cancelled" }],
} as const

const ENDPOINT = {
  url: "https://hooks.acme.example/orders",
  description: "Packing station",
  events: ["shop.order.placed"],
}

const SETTINGS = {
  address: "Acme Ceramics\n14 Kiln Lane\nPortland, OR 97209",
  shipping: { flat_cents: 590, free_above_cents: 12_000, pickup: true },
  payment: { transfer: "First Kiln Bank, account 20 2020 51. Use the order's number as the reference." },
}
