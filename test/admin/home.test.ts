import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { expect, test } from "vitest"
import { stores } from "../../src/db/schema/central/stores"
import { siteCounters } from "../../src/db/schema/sites/counters"
import { listNearLimits } from "../../src/platform/usage/rules"
import { content, makeUser } from "../support/content-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import { setSubscription } from "../support/subscription-factories"
import { type AdminBrowser, signInToAdmin } from "./support"

const OWN_PRODUCT = '<a href="/admin/products/new">Add a product of your own</a>'

const createProduct = async (browser: AdminBrowser, name: string) =>
  expect((await browser.post("/admin/products", { name, price: "10" })).status).toBe(303)

/** Places orders of one product, each by a new customer. */
async function placeOrders(store: string, { host }: AdminBrowser, count: number): Promise<void> {
  const { token } = await makeUser(store)
  const [product] = (await content("GET", "/products", { host, token })).body.data as { id: number }[]
  for (let placed = 0; placed < count; placed += 1) {
    const items = [{ product_id: product?.id, quantity: 1 }]
    expect((await content("POST", "/orders", { host, token, json: { items } })).status).toBe(201)
  }
}

test("says when the trial ends, with a link to billing for the owner", async () => {
  const store = await makeReadyStore({ plan: (await makePlan({ trial_days: 14 })).slug })
  const [owner, viewer] = [await signInToAdmin(store), await signInToAdmin(store, "viewer")]
  const trial = /Your free trial ends on <time[^>]*>[^<]*<\/time>\.( <a href="\/billing">)?/
  expect(trial.exec((await owner.get("/admin")).text)?.[1]).toBe(' <a href="/billing">')
  expect(trial.exec((await viewer.get("/admin")).text)?.[1]).toBeUndefined()
  await setSubscription(store, { status: "active", trialEndsAt: null })
  expect((await owner.get("/admin")).text).not.toMatch(trial)
})

test("lists the limits of which more than four fifths are used, those of orders first", async () => {
  const plan = await makePlan({ limits: { products: 1, orders: 2, storage_mb: 5, staff_users: 3 } })
  const store = await makeReadyStore({ plan: plan.slug })
  const [owner] = [await signInToAdmin(store), await signInToAdmin(store, "viewer")]
  await createProduct(owner, "Bowl")
  await placeOrders(store, owner, 2)
  await drizzle(env.SITES_1)
    .insert(siteCounters)
    .values({ siteId: store, list: "media_bytes", filter: "", total: 4_500_000 })
  const { text } = await owner.get("/admin")
  expect([...text.matchAll(/<b>!<\/b> <a href="([^"]*)">([^<]*)/g)].map(([, href, name]) => [href, name])).toEqual([
    ["/admin/orders", "orders this month: 2 of 2"],
    ["/admin/products", "products used: 1 of 1"],
    ["/admin/media", "storage used: 5 of 5 MB"],
    ["/admin/staff", "staff: 3 of 3"],
  ])
})

test("does not list unlimited usage, four fifths of a limit, or the only member of the staff", () => {
  const limits = { products: 0, orders: 10, storage_mb: 0, staff_users: 1 }
  expect(listNearLimits({ products: 99, orders: 8, staff_users: 1 }, limits)).toEqual([])
  expect(listNearLimits({ orders: 9 }, limits)).toEqual([{ name: "orders", used: 9, limit: 10 }])
})

test("lists new messages and unverified domains of a shop that sells no products", async () => {
  const plan = await makePlan()
  const store = await makeReadyStore({ plan: plan.slug })
  await drizzle(env.DB)
    .update(stores)
    .set({ apps: ["contact"] })
    .where(eq(stores.id, store))
  const owner = await signInToAdmin(store)
  const { token } = await makeUser(store)
  const message = { name: "Grace", email: "grace@example.com", subject: "Coats", message: "Do you have some?" }
  expect((await content("POST", "/contact", { host: owner.host, token, json: message })).status).toBe(201)
  expect((await owner.post("/admin/domains", { domain: "shop.example.com" })).status).toBe(303)
  const { text } = await owner.get("/admin")
  expect(text).toContain('<b>1</b> <a href="/admin/messages?status=new">new message</a>')
  expect(text).toContain('<b>1</b> <a href="/admin/domains">domain is waiting for DNS</a>')
  expect(text).toContain("Add your logo")
  for (const absent of ["/admin/products", "/admin/orders", "Revenue"]) expect(text).not.toContain(absent)
})

test("marks the product of one's own as done when the shop has a product besides its samples", async () => {
  const owner = await signInToAdmin(await makeReadyStore())
  expect((await owner.get("/admin")).text).toContain(OWN_PRODUCT)
  expect((await owner.post("/admin/products/samples/delete")).status).toBe(303)
  expect((await owner.get("/admin")).text).toContain(OWN_PRODUCT)
  await createProduct(owner, "Bowl")
  expect((await owner.get("/admin")).text).not.toContain(OWN_PRODUCT)
})

test("lists the steps of the setup that the role can do", async () => {
  const store = await makeReadyStore()
  const listSteps = async (role: "owner" | "admin" | "editor" | "viewer") => {
    const { text } = await (await signInToAdmin(store, role)).get("/admin")
    return [...text.matchAll(/<b aria-hidden="true">[✓○]<\/b>\s*<a href="\/admin\/([^"]*)"/g)].map(([, path]) => path)
  }
  expect(await listSteps("editor")).toEqual(["products/new"])
  const adminSteps = ["products/new", "look", "settings#payment", "settings#address"]
  expect(await listSteps("admin")).toEqual(adminSteps)
  expect(await listSteps("owner")).toEqual([...adminSteps, "domains"])
  expect(await listSteps("viewer")).toEqual([])
})

test("lists the revenue and the orders of each day", async () => {
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  await createProduct(owner, "Bowl")
  await placeOrders(store, owner, 2)
  const { text } = await owner.get("/admin")
  const [, table = ""] = /<summary>View data<\/summary>(.*?)<\/details>/s.exec(text) ?? []
  const cells = (pattern: RegExp) => [...table.matchAll(pattern)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, ""))
  expect(cells(/<th[^>]*>(.*?)<\/th>/gs).slice(0, 3)).toEqual(["Day", "Revenue", "Orders"])
  expect(cells(/<td[^>]*>(.*?)<\/td>/gs).at(-1)).toBe("2")
  expect(text).toMatch(/Revenue on the last day: <b>/)
})

test("names the shop's host with the port of a local platform", async () => {
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  const { text } = await owner.get("/admin", { env: { PUBLIC_URL: "http://{host}:8787" } })
  expect(text).toContain(`<a href="/">${store}.localhost:8787</a>`)
})
