// Seeds products and a month of orders of the demo shop Bloom & Stem. Its plan has no API, so everything goes through
// the pages of the shop and of its admin, with a simulated clock.
import type { Browser, Section } from "./seeder.ts"
import { demoStores } from "./stores.ts"

const SITE = "bloom"
const DAY_MS = 86_400_000

const PRODUCTS = [
  { name: "Peony bouquet", price: "48.00", stock: "20", description: "Twelve stems, cut in the morning." },
  { name: "Olive tree", price: "89.00", stock: "8", description: "A young tree in a terracotta pot." },
  { name: "Dried wreath", price: "36.50", stock: "15", description: "Eucalyptus, lavender and wheat." },
]

const GUESTS = [
  { name: "Nora Lindqvist", email: "nora@example.com", line1: "Storgatan 4", city: "Uppsala", country: "Sweden" },
  {
    name: "Samuel Osei",
    email: "samuel@example.com",
    line1: "19 Garden Row",
    city: "Bristol",
    country: "United Kingdom",
  },
  { name: "Lucía Romero", email: "lucia@example.com", line1: "Calle Luna 3", city: "Madrid", country: "Spain" },
]

/**
 * How many days ago each order was placed, of which product and what became of it. Unpaid ones are cancelled after a
 * day.
 */
const ORDERS: [daysAgo: number, product: number, statuses: ("paid" | "fulfilled" | "cancelled")[]][] = [
  [27, 0, ["paid", "fulfilled"]],
  [22, 2, ["paid", "fulfilled"]],
  [17, 0, ["cancelled"]],
  [9, 1, ["paid", "fulfilled"]],
  [2, 0, ["paid"]],
  [0.3, 1, []],
]

/** Creates the data on the first run. An interrupted run leaves the part that it had created. */
export const seedBloom: Section = async (seeder) => {
  const email = demoStores.find(({ subdomain }) => subdomain === SITE)?.owner_email ?? ""
  const signIn = async (): Promise<Browser> => {
    const admin = seeder.browse(SITE)
    await admin("/admin/login", { email, password: seeder.password(email) })
    return admin
  }
  const owner = await signIn()
  if (findLatestOrder((await owner("/admin/orders")).html)) return {}
  await owner("/admin/settings", {
    address: "Bloom & Stem\n2 Flower Market\nPortland, OR 97205",
    "payment.transfer": "First Garden Bank, account 10 3030 77. Use the order's number as the reference.",
  })
  const ids: string[] = []
  for (const product of PRODUCTS) {
    const { location } = await owner("/admin/products", { ...product, currency: "USD", status: "published" })
    ids.push(/\/admin\/products\/(\d+)/.exec(location)?.[1] ?? "")
  }
  // A product, the quantity and the price that the visitor saw, as in the cookie of the cart.
  const toCart = (product: number) => `${ids[product]}-1-${Number(PRODUCTS[product]?.price) * 100}`
  const now = Date.now()
  for (const [index, [daysAgo, product, statuses]] of ORDERS.entries()) {
    await seeder.setStory({ now: new Date(now - daysAgo * DAY_MS).toISOString() })
    const guest = GUESTS[index % GUESTS.length]
    await seeder.browse(SITE)("/checkout", { ...guest, cart: toCart(product), payment_method: "transfer" })
    if (!statuses.length) continue
    // A session of the admin ends after hours, and the next order is days later.
    const admin = await signIn()
    const id = findLatestOrder((await admin("/admin/orders")).html)
    for (const status of statuses) await admin(`/admin/orders/${id}/edit`, { status })
  }
  await seeder.setStory({ now: null })
  return {}
}

/** Returns the id of the first order in the admin's list, which is the latest. */
const findLatestOrder = (html: string): string | undefined => /"\/admin\/orders\/(\d+)/.exec(html)?.[1]
