// Deleting and previewing the content of sites in the console, and the exports of lists.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { sendOperatorCommand } from "../support/app"
import { makeCategory, makePage, makePost, makeTag } from "../support/blog-factories"
import { makeUser } from "../support/content-factories"
import { makeEndpoint, makePlan, makeReadyStore } from "../support/factories"
import { makeLicense, makeProduct } from "../support/license-factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { signIn } from "./support"

const KINDS = ["posts", "pages", "categories", "tags"] as const

test.each(["central", "store"])(
  "deletes content of the site %s after a confirmation, as the operator",
  async (kind) => {
    const site = kind === "central" ? kind : await makeReadyStore()
    const author = await makeUser(site)
    await makeCategory({ site, name: "News", slug: "news" })
    await makeTag({ site, name: "Clay", slug: "clay" })
    await makePost({ site, name: "Hello", slug: "hello", author: author.email, categories: ["news"] })
    await makePage({ site, name: "About", slug: "about" })
    const slugs = { posts: "hello", pages: "about", categories: "news", tags: "clay" }
    const [support, finance] = [await signIn({ role: "support" }), await signIn({ role: "finance" })]
    for (const section of KINDS) {
      const path = `/console/sites/${site}/${section}/${slugs[section]}`
      expect((await support.get(path)).text).toContain(`href="${path}/delete"`)
      expect((await finance.post(`${path}/delete`)).status, section).toBe(403)
      expect((await support.post(`${path}/delete`)).status, section).toBe(422)
      expect((await support.get(path)).status, section).toBe(200)
      const deleted = await support.confirm(`${path}/delete`)
      expect([deleted.status, deleted.headers.get("Location")], section).toEqual([
        ...[303, `/console/sites/${site}/${section}?done=deleted`],
      ])
      expect((await support.get(path)).status, section).toBe(404)
    }
    expect((await support.get(`/console/sites/${site}/posts/none/delete`)).status).toBe(404)
    const audited = await rows(
      "select type, actor_type, interface from audit_entries where type like '%_deleted' order by id",
    )
    expect(audited).toEqual(
      ["post", "page", "category", "tag"].map((subject) => ({
        ...{ type: `${subject}_deleted`, actor_type: "admin", interface: "console" },
      })),
    )
  },
)

test("previews drafts of a store as an inert page, while visitors get 404", async () => {
  const site = await makeReadyStore()
  const author = await makeUser(site)
  await makePost({ site, name: "Secret draft", slug: "secret-draft", author: author.email, status: "draft" })
  await makePage({ site, name: "Draft page", slug: "draft-page", status: "draft" })
  const viewer = await signIn({ role: "viewer" })
  for (const [path, text, open] of [
    ["posts/secret-draft", "Secret draft", "/blog/secret-draft"],
    ["pages/draft-page", "Draft page", "/pages/draft-page"],
  ]) {
    const preview = await viewer.get(`/console/sites/${site}/${path}/preview`)
    expect([preview.status, preview.text.includes(`${text}</h1>`)], path).toEqual([200, true])
    expect(preview.headers.get("Content-Security-Policy")).toContain("sandbox")
    expect((await viewer.get(open ?? "", { host: `${site}.localhost` })).status).toBe(404)
  }
  expect((await viewer.get(`/console/sites/${site}/posts/none/preview`)).status).toBe(404)
  expect((await viewer.get("/console/sites/nobody/posts/x/preview")).status).toBe(404)
  expect((await viewer.get("/console/sites/central/posts/x/preview")).status).toBe(404)
})

test("exports orders, payments and subscriptions with the filters of their lists", async () => {
  await sendOperatorCommand("offline:settings", { enabled: true })
  await makePlan({ slug: "tokyo", price_cents: 1500, currency: "JPY" })
  const store = await makeReadyStore({ subdomain: "acme", plan: "tokyo" })
  const other = await makeReadyStore({ subdomain: "bloom", plan: "tokyo" })
  const references = []
  for (const id of [store, other]) {
    const { body } = await sendOperatorCommand("orders:request", { store: id, plan: "tokyo", note: "=1+1" })
    references.push(body.data.reference)
  }
  await sendOperatorCommand("orders:approve", { reference: references[0] })
  const finance = await signIn({ role: "finance" })
  const lines = async (path: string) => (await finance.get(path)).text.trim().split("\r\n").slice(1)
  expect(await lines("/console/orders.csv")).toHaveLength(2)
  const [order, ...others] = await lines("/console/orders.csv?store=acme&status=paid")
  expect(others).toEqual([])
  expect(order).toMatch(/^"PO-000001","paid","acme","tokyo","1500","JPY","INV-\d{4}-000001","'=1\+1",/)
  const [payment] = await lines("/console/payments.csv?store=acme")
  expect(payment).toMatch(/^"INV-\d{4}-000001","acme","tokyo","local","PO-000001","1500","JPY",/)
  expect(await lines("/console/payments.csv?store=bloom")).toEqual([])
  expect(await lines("/console/subscriptions.csv?plan=tokyo")).toHaveLength(2)
  expect(await lines("/console/subscriptions.csv?status=cancelled")).toEqual([])
  expect((await finance.get("/console/orders?store=acme")).text).toContain('href="/console/orders.csv?store=acme"')
})

test("exports domains, licenses, deliveries and the audit log with the filters of their lists", async () => {
  mockReceiver()
  const endpoint = await makeEndpoint()
  for (const subdomain of ["acme", "bloom"]) await makeReadyStore({ subdomain })
  const domain = env.DB.prepare(
    "insert into domains (domain, store_id, is_primary, is_fallback, verified_at, created_at) values (?, ?, 0, 0, null, 1)",
  )
  await env.DB.batch([domain.bind("shop.example", "acme"), domain.bind("flowers.example", "bloom")])
  const product = await makeProduct()
  const license = await makeLicense(product, { license_code: "SECRET-CODE-1234", customer_id: "=1+1" })
  const viewer = await signIn({ role: "viewer" })
  const lines = async (path: string) => (await viewer.get(path)).text.trim().split("\r\n").slice(1)
  expect(await lines("/console/domains.csv")).toHaveLength(2)
  expect(await lines("/console/domains.csv?store=acme")).toEqual([expect.stringMatching(/^"shop\.example","acme",/)])
  expect(await lines("/console/domains.csv?state=verified&q=flow")).toEqual([])
  const [row, ...others] = await lines(`/console/licenses.csv?product_reference_id=${product.referenceId}`)
  expect(others).toEqual([])
  expect(row).toContain(`"${license.id}","••••1234","${product.referenceId}","true","","'=1+1"`)
  expect(await lines("/console/licenses.csv?search=nobody")).toEqual([])
  expect((await lines("/console/deliveries.csv?event=store.ready&store=bloom"))[0]).toContain(
    `"store.ready","bloom","${endpoint.id}"`,
  )
  expect(await lines("/console/deliveries.csv?status=exhausted")).toEqual([])
  const entries = await lines("/console/audit.csv?store=acme&type=store_created")
  expect(entries).toEqual([expect.stringMatching(/"store_created","acme",/)])
  expect(await lines("/console/audit.csv?until=2000-01-01T00:00")).toEqual([])
  expect((await lines("/console/audit.csv?since=2000-01-01T00:00")).length).toBeGreaterThan(4)
  expect((await viewer.get("/console/audit?type=created")).text).toContain('href="/console/audit.csv?type=created"')
})
