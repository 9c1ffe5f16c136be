// The confirmation of actions that customers notice: what it shows, what it is bound to, and what refuses it.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { console as consoleApp } from "../../src/console/app"
import { listDeclarations } from "../../src/console/form-access"
import { sendOperatorCommand } from "../support/app"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows, siteRows } from "../support/rows"
import { setSubscription } from "../support/subscription-factories"
import { parsePostForms } from "./crawler"
import { createSampleData } from "./sample-data"
import { type Browser, signIn } from "./support"

const declarations = listDeclarations(consoleApp)

/** Words of paths whose forms end, delete or bill something. */
const DANGEROUS =
  /\/(suspend|resume|cancel|reactivate|extend|assign|change-plan|resync|detach|disable|revoke|rotate-secret|approve|reject|bulk|delete|primary|settings\/key)$/

/** Forms of that kind that affect no customer, with the reason. */
const HARMLESS: Record<string, string> = {
  "/console/account/passkeys/:id/delete": "the operator's own account",
  "/console/account/totp/delete": "the operator's own account",
  "/console/account/sessions/revoke": "the operator's own account",
  "/console/account/sessions/:id/revoke": "the operator's own account",
  "/console/account/views/:id/delete": "a saved filter of a list",
  "/console/sites/:site/notifications/:id/cancel": "the notification was not sent yet",
}

const CONFIRMED = [...declarations].filter(([, { kind }]) => kind === "confirmed").map(([path]) => path)

/** Paths of objects that the sample data contains, or that do not exist: access is checked either way. */
const toPath = (route: string) =>
  route
    .replaceAll(/:\w+\{(\w+)[^}]*\}/g, "$1")
    .replace(/stores\/:id/, "stores/acme")
    .replace(":site", "acme")
    .replaceAll(/:\w+/g, "1")

const readState = async () =>
  JSON.stringify([
    await rows("select count(*) as n from audit_entries"),
    await rows("select id, status, version from stores order by id"),
    await rows("select * from subscriptions order by id"),
    await rows("select count(*) as n from mails"),
  ])

const openForm = async (admin: Browser, path: string) => {
  const page = await admin.get(path)
  const form = parsePostForms(page.text).find(({ action }) => action === path.split("?")[0])
  const fields = Object.fromEntries(form?.fields.map(({ name, value }) => [name, value]) ?? [])
  return { page, fields }
}

test("declares a confirmation for every form that ends, deletes or bills something", () => {
  const undeclared = [...declarations].filter(
    ([path, { kind }]) => DANGEROUS.test(path) && kind !== "confirmed" && !(path in HARMLESS),
  )
  expect(undeclared).toEqual([])
  expect(CONFIRMED).toEqual(expect.arrayContaining(["/console/plans/:slug/edit", "/console/coupons/:code/edit"]))
})

test("changes nothing for a POST without a confirmation, with a forged one, or with that of another action", async () => {
  await createSampleData()
  const admin = await signIn()
  const { fields } = await openForm(admin, "/console/stores/acme/suspend")
  const before = await readState()
  for (const route of CONFIRMED)
    for (const confirmation of [undefined, "forged", fields.confirmation])
      if (!(route === "/console/stores/:id/suspend" && confirmation === fields.confirmation)) {
        const body = {
          days: "3",
          plan: "starter",
          stores: "acme",
          action: "suspend",
          ...(confirmation && { confirmation }),
        }
        expect((await admin.post(toPath(route), body)).status, route).toBeGreaterThanOrEqual(400)
      }
  expect(await readState()).toBe(before)
})

test("shows the state before and after, and stores the reason and the owner's mail with the change", async () => {
  const plan = await makePlan()
  const store = await makeReadyStore({ plan: plan.slug })
  const admin = await signIn()
  const path = `/console/stores/${store}/subscription/extend`
  const { page, fields } = await openForm(admin, `${path}?days=30`)
  expect(page.status).toBe(200)
  expect(page.text).toContain("The owner is not charged for the additional days.")
  expect(fields).toMatchObject({ days: "30", tell_owner: "true", reason: "" })
  const [before] = await rows("select current_period_ends_at, trial_ends_at from subscriptions")
  expect((await admin.post(path, { ...fields, reason: "Outage on Monday" } as never)).status).toBe(303)
  expect(await rows("select current_period_ends_at, trial_ends_at from subscriptions")).not.toEqual([before])
  const [entry] = await rows("select data from audit_entries where type = 'extended'")
  expect(JSON.parse(String(entry?.data))).toMatchObject({ extended_days: 30, reason: "Outage on Monday" })
  const [mail] = await rows("select kind, data from mails where kind = 'operator_extended'")
  expect(JSON.parse(String(mail?.data))).toMatchObject({ reason: "Outage on Monday" })
})

/** The title of a confirmation, its rows as [label, now, afterwards], and its other text. */
async function readConfirmation(admin: Browser, path: string) {
  const { status, text } = await admin.get(path)
  expect(status, path).toBe(200)
  const plain = (html = "") => html.replace(/<[^>]*>/g, "")
  const [, title] = /<h1[^>]*>(.*?)<\/h1>/s.exec(text) ?? []
  const [, table = ""] = /<div class="changes">.*?<tbody[^>]*>(.*?)<\/tbody>/s.exec(text) ?? []
  const lines = [...table.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => plain(cell)),
  )
  return { title: plain(title), lines, text: plain(text) }
}

test("shows only values that change, and the store, plan and amount of an order or invoice elsewhere", async () => {
  const admin = await signIn()
  await sendOperatorCommand("offline:settings", { enabled: true })
  await makePlan({ slug: "pro", name: "Pro", price_cents: 4900 })
  const store = await makeReadyStore({ subdomain: "acme", plan: "pro" })
  const end = new Date("2126-05-01T10:00:00Z")
  await setSubscription(store, { currentPeriodEndsAt: end })
  const { reference } = (await sendOperatorCommand("orders:request", { store, plan: "pro" })).body.data

  const rejection = await readConfirmation(admin, `/console/orders/${reference}/reject`)
  expect(rejection.title).toBe(`Reject ${reference} of acme?`)
  expect(rejection.lines).toEqual([["Status", "Pending", "Rejected"]])
  expect(rejection.text).toContain("PlanPro, €49.00 / monthAmount€49.00")

  const approval = await readConfirmation(admin, `/console/orders/${reference}/approve`)
  expect(approval.title).toBe(`Mark ${reference} of acme as paid?`)
  expect(approval.lines.map(([label]) => label)).toEqual(["Status", "Invoice", "Paid until"])
  expect(approval.lines[2]?.map((cell) => cell.slice(0, 10))).toEqual(["Paid until", "1 May 2126", "1 Jun 2126"])
  expect(approval.text).toContain("PlanPro, €49.00 / monthAmount€49.00")

  const { number } = (await sendOperatorCommand("orders:approve", { reference })).body.data
  const credit = await readConfirmation(admin, `/console/invoices/${number}/credit?amount=9`)
  expect(credit.title).toBe(`Issue a credit note for ${number} of acme?`)
  expect(credit.lines.every(([, now, afterwards]) => now !== afterwards)).toBe(true)

  const rate = { country: "DE", rate: "19", name: "USt" }
  const query = new URLSearchParams(rate)
  expect((await readConfirmation(admin, `/console/tax/rates?${query}`)).lines).toEqual([["DE", "None", "USt 19 %"]])
  await sendOperatorCommand("tax:save", rate)
  const unchanged = await readConfirmation(admin, `/console/tax/rates?${query}`)
  expect([unchanged.lines, unchanged.text.includes("No values change.")]).toEqual([[], true])
})

test("shows until when an order for the next period pays", async () => {
  const admin = await signIn()
  await sendOperatorCommand("offline:settings", { enabled: true })
  await makePlan({ slug: "pro", name: "Pro", price_cents: 4900 })
  await makePlan({ slug: "small", name: "Small", price_cents: 900 })
  const store = await makeReadyStore({ plan: "pro" })
  await setSubscription(store, { currentPeriodEndsAt: new Date("2126-05-01T10:00:00Z") })
  const { reference } = (await sendOperatorCommand("orders:request", { store, plan: "small" })).body.data
  expect(await rows("select kind from orders")).toEqual([{ kind: "next_period" }])
  const { lines } = await readConfirmation(admin, `/console/orders/${reference}/approve`)
  expect(lines[2]?.map((cell) => cell.slice(0, 10))).toEqual(["Paid until", "1 May 2126", "1 Jun 2126"])
})

test("names and formats the limits and features of a plan as the plan's page does", async () => {
  const admin = await signIn()
  const limits = { products: 0, orders: 2500, storage_mb: 50_000, staff_users: 3 }
  const more = { orders: 0, storage_mb: 100_000 }
  const features = { custom_domain: true, api_access: true, remove_branding: false }
  await makePlan({ slug: "small", name: "Small", limits, features: { ...features, webhooks: 7 } })
  await makePlan({
    slug: "large",
    name: "Large",
    limits: { ...limits, ...more },
    features: { ...features, webhooks: 0 },
  })
  const store = await makeReadyStore({ plan: "small" })
  const path = `/console/stores/${store}`
  const { lines } = await readConfirmation(admin, `${path}/subscription/change-plan?plan=large`)
  const expected = [
    ["Orders per month", "2,500", "Unlimited"],
    ["Storage in MB", "50,000", "100,000"],
    ["Webhook endpoints of a store's staff", "7", "0"],
  ]
  expect(lines.map((line) => line.map((cell) => cell.replaceAll("&#39;", "'")))).toEqual([
    ["Plan", "Small", "Large"],
    ...expected,
  ])

  await env.DB.prepare("update plans set price_cents = 3900 where slug = 'small'").run()
  const { text } = await admin.get(`${path}/billing`)
  expect(text.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")).toMatch(/Price €\d+\.00 \/ month €39\.00 \/ month/)
})

test("sends no mail when the box is cleared, and none when the action fails", async () => {
  const store = await makeReadyStore({ plan: (await makePlan()).slug })
  const admin = await signIn()
  const path = `/console/stores/${store}/suspend`
  const { fields } = await openForm(admin, path)
  expect((await admin.post(path, { ...fields, tell_owner: "false" } as never)).status).toBe(303)
  expect((await admin.get(path)).status).toBe(422)
  expect(await rows("select kind from mails where kind like '%operator%'")).toEqual([])
  expect((await admin.confirm(`/console/stores/${store}/resume`)).status).toBe(303)
  expect(await rows("select kind from mails where kind like '%operator%'")).toEqual([{ kind: "resumed_by_operator" }])
})

test("shows the page again when the state or the input is not the confirmed one", async () => {
  const store = await makeReadyStore({ plan: (await makePlan()).slug })
  const [admin, other] = [await signIn(), await signIn()]
  const path = `/console/stores/${store}/subscription/extend`
  const { fields } = await openForm(admin, `${path}?days=3`)
  const changed = await admin.post(path, { ...fields, days: "300", once: "01A" } as never)
  expect([changed.status, changed.text.includes("no longer the one you confirmed")]).toEqual([409, true])
  expect((await other.post(path, { ...fields, once: "01B" } as never)).status).toBe(409)
  expect((await other.confirm(path, { days: "5" })).status).toBe(303)
  const outdated = await admin.post(path, { ...fields, once: "01C" } as never)
  expect(outdated.status).toBe(409)
  const { confirmation } = Object.fromEntries(
    parsePostForms(outdated.text).flatMap(({ fields: shown }) => shown.map(({ name, value }) => [name, value])),
  )
  expect((await admin.post(path, { ...fields, confirmation, once: "01C" } as never)).status).toBe(303)
  expect(await rows("select type from audit_entries where type = 'extended'")).toHaveLength(2)
})

test("runs a confirmed action once when its form is sent twice", async () => {
  const store = await makeReadyStore({ plan: (await makePlan()).slug })
  const admin = await signIn()
  const path = `/console/stores/${store}/subscription/extend`
  const { fields } = await openForm(admin, `${path}?days=3`)
  const [first, second] = [await admin.post(path, fields as never), await admin.post(path, fields as never)]
  expect([first.status, second.status]).toEqual([303, 303])
  expect(await rows("select type from audit_entries where type = 'extended'")).toHaveLength(1)
})

test("deletes only after the id or name of a store, or the URL of an endpoint, was typed", async () => {
  await createSampleData()
  const admin = await signIn()
  const [endpoint] = await rows("select id, url from webhook_endpoints where deleted_at is null")
  const path = `/console/webhooks/${endpoint?.id}/delete`
  for (const confirm of [String(endpoint?.id), "", "https://"])
    expect((await admin.confirm(path, {}, { confirm })).status).toBe(422)
  expect((await admin.confirm(path, {}, { confirm: String(endpoint?.url) })).status).toBe(303)
  const store = await makeReadyStore({ name: "Harbor Tea" })
  expect((await admin.confirm(`/console/stores/${store}/delete`, {}, { confirm: "1" })).status).toBe(422)
  expect((await admin.confirm(`/console/stores/${store}/delete`, {}, { confirm: "harbor tea" })).status).toBe(303)
  expect(await rows(`select id from stores where id = '${store}'`)).toEqual([])
})

test("lets a refused form be corrected and sent again with the same key", async () => {
  const admin = await signIn()
  const wrong = await admin.post("/console/keys", { name: "", scopes: "read", once: "01KEY" })
  expect(wrong.status).toBe(422)
  expect(wrong.text.match(/autofocus/g)).toHaveLength(1)
  expect((await admin.post("/console/keys", { name: "Till", scopes: "read", once: "01KEY" })).status).toBe(200)
  expect((await admin.post("/console/keys", { name: "Other", scopes: "read", once: "01KEY" })).status).toBe(422)
  expect(await rows("select name from api_keys")).toEqual([{ name: "Till" }])
})

test("lets each role send the forms of its own area only", async () => {
  await createSampleData()
  for (const role of ["support", "finance", "viewer"] as const) {
    const browser = await signIn({ role })
    for (const [route, { roles }] of declarations) {
      const { status } = await browser.post(toPath(route), {})
      const isAllowed = roles.includes(role) || roles.includes("any")
      expect(status === 403, `${role} ${route}`).toBe(!isAllowed)
    }
  }
  expect(await env.DB.prepare("select count(*) as n from api_keys").first("n")).toBeDefined()
})

test("never replaces what has the slug or code of a new object, and links to it", async () => {
  const store = await makeReadyStore()
  const admin = await signIn()
  const base = `/console/sites/${store}`
  for (const kind of ["posts", "pages", "categories", "tags"]) {
    const fields = { name: "Hello World", content: "First", status: "published" }
    const created = await admin.post(`${base}/${kind}`, fields)
    expect([created.status, created.headers.get("Location")], kind).toEqual([
      303,
      `${base}/${kind}/hello-world?done=created`,
    ])
    for (const again of [
      { ...fields, content: "Second" },
      { ...fields, name: "Other", slug: "hello-world" },
    ]) {
      const taken = await admin.post(`${base}/${kind}`, again)
      expect(taken.status, kind).toBe(422)
      expect(taken.text).toContain(`href="${base}/${kind}/hello-world">View the existing one`)
    }
  }
  const texts = await siteRows("select content from posts union all select content from pages")
  expect(texts).toEqual([{ content: "First" }, { content: "First" }])
  const coupon = { code: "spring", trial_days: "30" }
  expect((await admin.post("/console/coupons", coupon)).status).toBe(303)
  const both = await Promise.all([1, 2].map((n) => admin.post("/console/coupons", { code: "MAY", trial_days: `${n}` })))
  expect(both.map(({ status }) => status).toSorted()).toEqual([303, 422])
  expect((await admin.post("/console/coupons", { ...coupon, trial_days: "1" })).status).toBe(422)
  expect(await rows("select trial_days from coupons where code = 'SPRING'")).toEqual([{ trial_days: 30 }])
})
