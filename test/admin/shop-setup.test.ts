import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { afterEach, expect, test, vi } from "vitest"
import { domains } from "../../src/db/schema/central/domains"
import { stores } from "../../src/db/schema/central/stores"
import { platform } from "../support/app"
import { makeDevice, makeUser } from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore, makeStoreEndpoint } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows, siteRows } from "../support/rows"
import { type AdminBrowser, signInToAdmin } from "./support"

const RECEIVER_URL = "https://receiver.example/hook"

afterEach(() => void vi.restoreAllMocks())

/** Answers every DNS query with a TXT record. */
const answerDns = (value: string) =>
  vi
    .spyOn(globalThis, "fetch")
    .mockImplementation(async () => Response.json({ Status: 0, Answer: [{ type: 16, data: `"${value}"` }] }))

const makeOwner = async () => {
  const plan = await makePlan()
  const store = await makeReadyStore({ plan: plan.slug })
  return { store, owner: await signInToAdmin(store) }
}

/** Asserts that each form is refused for a role. */
async function assertForbidden(browser: AdminBrowser, paths: string[]): Promise<void> {
  for (const path of paths) expect((await browser.post(path, { domain: "x.example" })).status, path).toBe(403)
}

test("adds, verifies and removes a domain, and shows its records and what DNS returns", async () => {
  const { store, owner } = await makeOwner()
  for (const [domain, message] of [
    ["", "required"],
    ["not a domain", "format"],
    ["sub.localhost", "own host"],
  ] as const) {
    const refused = await owner.post("/admin/domains", { domain })
    expect([refused.status, refused.text.includes('id="domain-error"')], message).toEqual([422, true])
    expect(refused.text).toContain(`value="${domain}"`)
  }
  const added = await owner.post("/admin/domains", { domain: "Shop.Example.com" })
  expect(added.headers.get("Location")).toBe("/admin/domains?done=domain_added")
  const db = drizzle(env.DB)
  const [row] = await db.select().from(domains).where(eq(domains.domain, "shop.example.com"))
  const path = `/admin/domains/${row?.id}`
  expect((await owner.get("/admin")).text).toContain('<a href="/admin/domains">domain is waiting for DNS</a>')
  const page = await owner.get("/admin/domains")
  for (const text of [row?.verificationToken, "_tenancy-verify.shop.example.com", `${path}/dns`, "Waiting for DNS"])
    expect(page.text).toContain(text)

  answerDns("something else")
  const early = await owner.post(`${path}/verify`)
  expect([early.status, early.text.includes("another value")]).toEqual([422, true])
  expect((await owner.get(`${path}/dns`)).text).toContain("something else")
  expect((await owner.post(`${path}/primary`)).text).toContain("verified first")
  answerDns(row?.verificationToken ?? "")
  expect((await owner.get(`${path}/dns`)).text).toContain("Correct")
  expect((await owner.post(`${path}/verify`)).headers.get("Location")).toContain("domain_verified")
  expect((await owner.get(`${path}/primary`)).text).toContain("Make shop.example.com the primary domain?")
  expect((await owner.post(`${path}/primary`)).status).toBe(303)
  // A primary domain stays.
  expect((await owner.post(`${path}/delete`)).status).toBe(422)
  const [fallback] = await db.select().from(domains).where(eq(domains.isFallback, true))
  await owner.post(`/admin/domains/${fallback?.id}/primary`)
  expect((await owner.get(`${path}/delete`)).text).toContain("Remove shop.example.com?")
  expect((await owner.post(`${path}/delete`)).status).toBe(303)
  expect(await db.select().from(domains).where(eq(domains.domain, "shop.example.com"))).toEqual([])
  const types = await rows("select distinct type, actor_id from audit_entries where type like 'domain_%' order by id")
  expect(types).toEqual(
    ["domain_added", "domain_verified", "domain_removed"].map((type) => ({ type, actor_id: owner.user.id })),
  )

  const other = await makeOwner()
  expect((await other.owner.post("/admin/domains", { domain: "other.example" })).status).toBe(303)
  const [theirs] = await db.select().from(domains).where(eq(domains.domain, "other.example"))
  for (const action of ["verify", "primary", "delete"])
    expect((await owner.post(`/admin/domains/${theirs?.id}/${action}`)).status, action).toBe(404)
  const taken = await owner.post("/admin/domains", { domain: "other.example" })
  expect([taken.status, taken.text.includes("registered to another store")]).toEqual([422, true])
  const admin = await signInToAdmin(store, "admin")
  expect((await admin.get("/admin/domains")).text).not.toContain('<form method="post" action="/admin/domains')
  await assertForbidden(admin, ["/admin/domains", `${path}/verify`, `${path}/primary`, `${path}/delete`])
})

test("a plan without custom domains refuses one with its reason", async () => {
  const plan = await makePlan({ features: { custom_domain: false, api_access: true, remove_branding: true } })
  const owner = await signInToAdmin(await makeReadyStore({ plan: plan.slug }))
  const refused = await owner.post("/admin/domains", { domain: "shop.example.com" })
  expect([refused.status, refused.text.includes("plan does not allow custom domains")]).toEqual([422, true])
})

test("installs and removes apps", async () => {
  const plan = await makePlan({ apps: ["ecommerce", "reviews"] })
  const store = await makeReadyStore({ plan: plan.slug })
  await drizzle(env.DB).update(stores).set({ apps: [] }).where(eq(stores.id, store))
  const admin = await signInToAdmin(store, "admin")
  const page = await admin.get("/admin/apps")
  for (const text of ["A contact form in the shop", "Not in your plan", "/admin/apps/reviews/enable", "Needs "])
    expect(page.text).toContain(text)
  expect((await admin.post("/admin/apps/reviews/enable")).headers.get("Location")).toBe("/admin/apps?done=app_enabled")
  const enabled = async () => (await rows("select apps from stores where id = ?", store))[0]?.apps
  expect(JSON.parse(String(await enabled()))).toEqual(["ecommerce", "reviews"])
  const required = await admin.post("/admin/apps/ecommerce/disable")
  expect([required.status, required.text.includes("Another enabled app requires this one.")]).toEqual([422, true])
  const refused = await admin.post("/admin/apps/contact/enable")
  expect([refused.status, refused.text.includes("plan does not include")]).toEqual([422, true])
  expect((await admin.get("/admin/apps/reviews/disable")).text).toContain("Remove Reviews?")
  expect((await admin.post("/admin/apps/reviews/disable")).status).toBe(303)
  expect(JSON.parse(String(await enabled()))).toEqual(["ecommerce"])
  expect((await admin.post("/admin/apps/nonsense/enable")).status).toBe(404)
  const editor = await signInToAdmin(store, "editor")
  expect((await editor.get("/admin/apps")).text).not.toContain("/disable")
  await assertForbidden(editor, ["/admin/apps/reviews/enable", "/admin/apps/ecommerce/disable"])
})

test("previews, schedules, cancels and sends a notification", async () => {
  const store = await makeReadyStore()
  const admin = await signInToAdmin(store, "admin")
  const customer = await makeUser(store)
  await makeDevice(customer)
  const fields = { title: "Sale <b>", message: "Everything\nmust go", target: "customers", type: "promotion" }
  const count = async () => (await siteRows("select count(*) as n from notifications"))[0]?.n
  const refused = await admin.post("/admin/notifications", { ...fields, title: "", at: "2001-01-01T10:00" })
  expect(refused.status).toBe(422)
  for (const id of ["title", "at"]) expect(refused.text, id).toContain(`id="${id}-error"`)
  expect(refused.text).toContain("must go</textarea>")
  const preview = await admin.post("/admin/notifications", fields)
  expect([preview.status, preview.text.includes("Sale &lt;b&gt;"), preview.text.includes("Inboxes</dt><dd>1")]).toEqual(
    [200, true, true],
  )
  expect(await count()).toBe(0)
  const sent = await admin.post("/admin/notifications", { ...fields, confirmed: "true" })
  expect(sent.headers.get("Location")).toMatch(/^\/admin\/notifications\/\d+\?done=notified$/)
  expect(await siteRows("select user_id from notification_recipients")).toEqual([{ user_id: customer.id }])

  const at = "2099-05-01T10:00"
  await admin.post("/admin/settings", { name: "Shop", timezone: "Europe/Berlin" })
  const scheduled = await admin.post("/admin/notifications", { ...fields, at, confirmed: "true" })
  const path = scheduled.headers.get("Location")?.split("?")[0] ?? ""
  expect(await siteRows("select scheduled_at from notifications where status = 'scheduled'")).toEqual([
    { scheduled_at: Date.parse("2099-05-01T08:00:00Z") },
  ])
  expect((await admin.get(path)).text).toContain("Cancel notification")
  expect((await admin.post(`${path}/cancel`)).status).toBe(303)
  const late = await admin.post(`${path}/cancel`)
  expect([late.status, late.text.includes("Only a scheduled notification")]).toEqual([422, true])
  const untested = await admin.post("/admin/notifications/test", {})
  expect([untested.status, untested.text.includes("The test failed.")]).toEqual([422, true])
  const editor = await signInToAdmin(store, "editor")
  expect((await editor.get(path)).status).toBe(200)
  await assertForbidden(editor, ["/admin/notifications", `${path}/cancel`, "/admin/notifications/test"])
  const neighbor = await signInToAdmin(await makeReadyStore())
  expect((await neighbor.get(path)).status).toBe(404)
  expect((await neighbor.post(`${path}/cancel`)).status).toBe(404)
})

test("tells what happened in the shop, and who did it", async () => {
  const store = await makeReadyStore()
  const admin = await signInToAdmin(store, "admin")
  await admin.post("/admin/settings", { name: "Harbor <Tea>" })
  await admin.post("/admin/products", { name: "Bowl", price: "1", status: "draft" })
  await admin.post("/admin/apps/contact/enable")
  const other = await makeReadyStore()
  const neighbor = await signInToAdmin(other)
  await neighbor.post("/admin/settings", { name: "Somebody else" })
  const viewer = await signInToAdmin(store, "viewer")
  const page = await viewer.get("/admin/activity")
  for (const text of ["Product: created", "App installed", "Shop created", "The platform", "Harbor &lt;Tea&gt;"])
    expect(page.text, text).toContain(text)
  expect(page.text).not.toContain("Somebody else")
  expect((await viewer.get("/admin/activity?page=100")).text).toContain("Nothing has happened yet.")
  // A store that was created later with the same subdomain starts without entries.
  await env.DB.prepare("update stores set created_at = ? where id = ?")
    .bind(Date.now() + 1000, store)
    .run()
  expect((await viewer.get("/admin/activity")).text).toContain("Nothing has happened yet.")
})

/** Reads the activity page: what each entry is about, and its changes. */
async function readActivity(browser: AdminBrowser): Promise<string[]> {
  const { text } = await browser.get("/admin/activity")
  const [, table = ""] = /<tbody[^>]*>(.*?)<\/tbody>/s.exec(text) ?? []
  return [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) => {
    const cells = [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, ""))
    return `${cells[0]} | ${cells[3]}`
  })
}

test("names what changed in the shop's language, without values that stayed the same", async () => {
  const { store, owner } = await makeOwner()
  const domain = `${"a".repeat(60)}.example.com`
  await owner.post("/admin/domains", { domain })
  await owner.post("/admin/apps/contact/enable")
  await owner.post("/admin/products", { name: "Bowl", price: "1", status: "draft" })
  const [product] = await siteRows("select id from products where site_id = ? and name = 'Bowl'", store)
  await owner.post(`/admin/products/${product?.id}/edit`, { price: "2", status: "published" })
  await owner.post(`/admin/products/${product?.id}/edit`, { price: "3000", currency: "JPY" })
  await owner.post("/admin/settings", { language: "es" })
  await owner.post("/admin/settings", { cors_origins: "https://app.example.com" })
  expect((await readActivity(owner)).slice(0, 7)).toEqual([
    "Ajustes: modificación | Orígenes que pueden llamar a la API",
    "Ajustes: modificación | Idioma: español",
    "Producto Bowl: modificación | Moneda: EUR → JPY; Precio: 2,00\u00a0€ → 3000\u00a0JPY",
    "Producto Bowl: modificación | Precio: 1,00\u00a0€ → 2,00\u00a0€; Estado: Borrador → Publicado",
    "Producto: creación | Slug de la URL: bowl; Nombre: Bowl; Estado: Borrador",
    "Aplicación instalada | Contacto",
    `Dominio añadido | ${domain}`,
  ])
})

test("names the fields of a new endpoint without the shop, and the one key of a shop by its kind", async () => {
  const { owner } = await makeOwner()
  mockReceiver()
  const fields = { url: RECEIVER_URL, events: ["shop.order.placed"], payload: "full", ordered: "false" }
  expect((await owner.post("/admin/webhooks", fields)).status).toBe(200)
  expect((await readActivity(owner))[0]).toBe(
    `Webhook endpoint: created | URL: ${RECEIVER_URL}; Events; Payload: Full resources; Deliver events in order: No`,
  )
  await env.DB.prepare(
    "update audit_entries set actor_type = 'site_key', actor_id = null, actor_name = 'API key'",
  ).run()
  expect((await owner.get("/admin/activity")).text).not.toContain("API token")
})

test("names the changed fields of an endpoint, and sizes of files with their unit", async () => {
  const { store, owner } = await makeOwner()
  const { id } = await makeStoreEndpoint(store)
  await owner.post(`/admin/webhooks/${id}/edit`, { is_active: "false" })
  const [entry] = await readActivity(owner)
  expect(entry).toMatch(/\| Active: Yes → No$/)
  await env.DB.prepare("update audit_entries set after = ? where type = 'endpoint_changed'")
    .bind(JSON.stringify({ size: 28_152 }))
    .run()
  expect((await readActivity(owner))[0]).toMatch(/\| Size: 28\.2 KB$/)
})

test("names plans, themes and presets in the activity, and shows the slug of a plan that does not exist any more", async () => {
  const [starter, growth] = [await makePlan({ name: "Starter" }), await makePlan({ name: "Growth" })]
  const store = await makeReadyStore({ plan: starter.slug })
  const owner = await signInToAdmin(store)
  const token = await makeKey()
  await platform("POST", `/stores/${store}/subscription/change-plan`, { token, json: { plan: growth.slug } })
  await owner.post("/admin/look", { theme: "nocturne", preset: "midnight" })
  const before = await readActivity(owner)
  for (const entry of ["Plan changed | Starter → Growth", "Theme changed | Atelier → Nocturne"])
    expect(before).toContain(entry)
  expect(before.join()).toContain("Preset: Ember → Midnight")
  await env.DB.prepare("update plans set slug = 'renamed' where slug = ?").bind(starter.slug).run()
  expect(await readActivity(owner)).toContain(`Plan changed | ${starter.slug} → Growth`)
})

test("previews a theme with its colors in a frame, and switches to it", async () => {
  const store = await makeReadyStore()
  const admin = await signInToAdmin(store, "admin")
  const page = await admin.get("/admin/look?theme=nocturne")
  expect(page.headers.get("Content-Security-Policy")).toContain("frame-src 'self'")
  expect((await admin.get("/admin/apps")).headers.get("Content-Security-Policy")).not.toContain("frame-src")
  const src = /<iframe src="([^"]+)"/.exec(page.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
  const preview = await admin.get(src)
  const policy = preview.headers.get("Content-Security-Policy")
  expect([preview.status, policy]).toEqual([200, expect.stringMatching(/frame-ancestors 'self'.*sandbox/)])
  const readAppearance = async () => (await rows("select theme, preset from stores where id = ?", store))[0]
  const before = await readAppearance()
  const preset = /preset=(\w+)/.exec(src)?.[1]
  for (const fields of [
    { theme: "nonsense", preset: "linen" },
    { theme: "nocturne", preset: "linen" },
  ])
    expect((await admin.post("/admin/look", fields)).status).toBe(422)
  expect(await readAppearance()).toEqual(before)
  const changed = await admin.post("/admin/look", { theme: "nocturne", preset: String(preset) })
  expect(changed.headers.get("Location")).toBe("/admin/look?done=look_changed")
  expect(await readAppearance()).toEqual({ theme: "nocturne", preset })
  expect((await admin.get("/admin/look/preview?theme=nonsense")).status).toBe(404)
  const editor = await signInToAdmin(store, "editor")
  expect((await editor.post("/admin/look", { theme: "atelier", preset: "linen" })).status).toBe(403)
})
