// The billing page: the owner's API in a browser, without scripts, with its own session cookie.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { type AdminBrowser, signInToAdmin } from "../admin/support"
import { signIn as signInToConsole } from "../console/support"
import { call, platform, sendOperatorCommand } from "../support/app"
import { PASSWORD } from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { setSubscription } from "../support/subscription-factories"

let id: string
beforeEach(async () => {
  const { slug } = await makePlan({ slug: "pro", price_cents: 4900 })
  id = await makeReadyStore({ plan: slug })
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN <b>XX00</b>" })
})

const request = (
  method: string,
  path: string,
  options: { cookie?: string; form?: Record<string, string>; origin?: string; host?: string } = {},
) =>
  call(method, path, {
    host: options.host ?? `${id}.localhost`,
    body: options.form && new URLSearchParams(options.form).toString(),
    headers: {
      ...(options.cookie && { Cookie: options.cookie }),
      ...(options.form && { "Content-Type": "application/x-www-form-urlencoded" }),
      ...(options.origin && { Origin: options.origin }),
    },
  })

async function signIn(): Promise<string> {
  const form = { email: "owner@example.com", password: "correct-horse" }
  const response = await request("POST", "/billing/sign-in", { form })
  expect([response.status, response.headers.get("Location")]).toEqual([303, "/billing"])
  const cookie = response.headers.get("Set-Cookie") ?? ""
  expect(cookie).toMatch(/^tenancy_billing=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
  return cookie.split(";")[0] ?? ""
}

test("shows the sign-in form, and never repeats a wrong password", async () => {
  expect((await request("GET", "/billing")).text).toContain('action="/billing/sign-in"')
  const wrong = await request("POST", "/billing/sign-in", {
    form: { email: "owner@example.com", password: "wrong-secret" },
  })
  expect([wrong.status, wrong.text.includes("wrong-secret")]).toEqual([422, false])
  expect((await request("GET", "/billing", { host: "localhost" })).status).toBe(404)
})

test("translates the default label of bank transfers, but not one that an operator chose", async () => {
  const cookie = await signIn()
  await makePlan({ slug: "max", name: "Max", price_cents: 9900 })
  const findLabels = async (language: string) => {
    const headers = { Cookie: cookie, "Accept-Language": language }
    const { text } = await call("GET", "/billing", { host: `${id}.localhost`, headers })
    return new Set(text.match(/Transfer(?:encia bancaria)?|Bank transfer|Virement bancaire|Chuyển khoản/g))
  }
  expect(await findLabels("fr")).toEqual(new Set(["Transfer"]))
  // The console's form sends the default label with every change.
  await sendOperatorCommand("offline:settings", { label: "Bank transfer" })
  expect(await findLabels("en")).toEqual(new Set(["Bank transfer"]))
  expect(await findLabels("es")).toEqual(new Set(["Transferencia bancaria"]))
  expect(await findLabels("fr")).toEqual(new Set(["Virement bancaire"]))
  expect(await findLabels("vi")).toEqual(new Set(["Chuyển khoản"]))
})

test("shows billing to an owner who is signed in to the admin, and asks for the password before a change", async () => {
  const { cookie } = await signInToAdmin(id)
  const page = await request("GET", "/billing", { cookie })
  expect([page.status, page.text.includes('href="/admin"'), page.text.includes("/billing/sign-out")]).toEqual([
    ...[200, true, false],
  ])
  expect(page.text).toContain('action="/billing/details"')
  for (const path of ["/billing/cancel", "/billing/change-plan?plan=pro"]) {
    const asked = await request("GET", path, { cookie })
    expect([asked.status, asked.text.includes("Enter your password to make changes")], path).toEqual([401, true])
  }
  const form = { name: "Ada & Sons", address: "1 Long Road", country: "GB", tax_number: "" }
  const asked = await request("POST", "/billing/details", { cookie, form })
  expect([asked.status, asked.text.includes("Enter your password to make changes")]).toEqual([401, true])
  expect(await rows("select * from billing_details")).toEqual([])
  const [, draft = ""] = /name="draft" value="([^"]+)"/.exec(asked.text) ?? []
  const [, email = ""] = /name="email"[^>]* value="([^"]+)"/.exec(asked.text) ?? []
  const signedIn = await request("POST", "/billing/sign-in", { form: { email, password: PASSWORD, draft }, cookie })
  expect(signedIn.status).toBe(303)
  const own = signedIn.headers.get("Set-Cookie")?.split(";")[0]
  const restored = await request("GET", `/billing?draft=${draft}`, { cookie: `${cookie}; ${own}` })
  expect(restored.text).toContain("Ada &amp; Sons")
  expect((await request("POST", "/billing/details", { cookie: `${cookie}; ${own}`, form })).status).toBe(303)
})

/** Sends a form as an owner who is signed in to the admin only, and enters the password. */
async function sendAndSignIn(owner: AdminBrowser, path: string, form: Record<string, string>) {
  const asked = await request("POST", path, { cookie: owner.cookie, form })
  const [, draft = ""] = /name="draft" value="([^"]+)"/.exec(asked.text) ?? []
  const credentials = { email: owner.user.email, password: PASSWORD, draft }
  const signedIn = await request("POST", "/billing/sign-in", { form: credentials })
  const cookie = signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? ""
  const page = await request("GET", signedIn.headers.get("Location") ?? "", { cookie })
  const [, notice = ""] = /<div class="notice" role="status">(.*?)<\/div>/s.exec(page.text) ?? []
  return { page, notice, cookie }
}

test("shows the usage as it is now", async () => {
  const owner = await signInToAdmin(id)
  const readProducts = async () =>
    /Products<\/dt>\s*<dd>\s*(\d+) of/.exec((await request("GET", "/billing", { cookie: owner.cookie })).text)?.[1]
  const before = Number(await readProducts())
  expect((await owner.post("/admin/products", { name: "Bowl", price: "1" })).status).toBe(303)
  expect(Number(await readProducts())).toBe(before + 1)
})

test("shows the choice made before signing in with the button that confirms it, and sends nothing itself", async () => {
  const owner = await signInToAdmin(id)
  await makePlan({ slug: "max", name: "Max", price_cents: 9900 })
  const now = await sendAndSignIn(owner, "/billing/orders", { plan: "max", start: "now" })
  expect(now.notice).toContain("please confirm it")
  expect(now.notice).toMatch(
    /<h2>Max<\/h2>.*name="plan" value="max".*formaction="\/billing\/orders" name="start" value="now"/s,
  )
  expect(now.notice.match(/<button/g)).toHaveLength(1)
  const later = await sendAndSignIn(owner, "/billing/orders", { plan: "max", start: "next_period" })
  expect(later.notice).toMatch(/name="start" value="next_period"/)
  const language = await sendAndSignIn(owner, "/billing/language", { language: "fr" })
  expect(language.notice).toMatch(/name="language" value="fr".*Français/s)
  expect(await rows("select * from orders")).toEqual([])
  const { cookie } = language
  expect((await request("POST", "/billing/orders", { cookie, form: { plan: "max", start: "now" } })).status).toBe(303)
  const withdraw = await sendAndSignIn(owner, "/billing/orders/PO-000001/withdraw", {})
  expect(withdraw.notice).toContain('action="/billing/orders/PO-000001/withdraw"')
  expect(await rows("select status from orders")).toEqual([{ status: "pending" }])
  await request("POST", "/billing/cancel", { cookie, form: {} })
  const keep = await sendAndSignIn(owner, "/billing/cancel/withdraw", {})
  expect(keep.notice).toContain('action="/billing/cancel/withdraw"')
})

test("returns to the confirmation of a cancellation or a change of plan that was sent before signing in", async () => {
  const owner = await signInToAdmin(id)
  await makePlan({ slug: "max", name: "Max", price_cents: 9900 })
  for (const [path, form] of [
    ["/billing/cancel", {}],
    ["/billing/change-plan", { plan: "max" }],
  ] as const) {
    const { page, cookie } = await sendAndSignIn(owner, path, form)
    const target = path === "/billing/cancel" ? path : `${path}?plan=max`
    expect([page.status, page.headers.get("Location")]).toEqual([303, target])
    expect((await request("GET", target, { cookie })).text).toContain(`action="${path}"`)
  }
  expect(await rows("select cancel_at from subscriptions")).toEqual([{ cancel_at: null }])
})

test("asks for a choice again that is no longer offered, or that has an unknown plan", async () => {
  const owner = await signInToAdmin(id)
  for (const [path, form] of [
    ["/billing/orders", { plan: "none" }],
    ["/billing/checkout", { plan: "pro" }],
    ["/billing/cancel/withdraw", {}],
    ["/billing/orders/PO-000009/withdraw", {}],
  ] as const) {
    const { notice } = await sendAndSignIn(owner, path, form as Record<string, string>)
    expect([notice.includes("please make it again"), notice.includes("<form")], path).toEqual([true, false])
  }
})

test("shows billing neither to other staff of the admin nor to an owner whose session there has ended", async () => {
  const admin = await signInToAdmin(id, "admin")
  const isSignIn = async (cookie: string) =>
    (await request("GET", "/billing", { cookie })).text.includes('action="/billing/sign-in"')
  expect(await isSignIn(admin.cookie)).toBe(true)
  const owner = await signInToAdmin(id)
  expect(await isSignIn(owner.cookie)).toBe(false)
  const forged = { name: "Eve", address: "", country: "GB", tax_number: "" }
  const foreign = await request("POST", "/billing/details", {
    ...{ cookie: owner.cookie, form: forged, origin: "http://neighbour.localhost" },
  })
  expect([foreign.status, foreign.text.includes('name="draft"')]).toEqual([401, false])
  await owner.post("/admin/logout")
  expect(await isSignIn(owner.cookie)).toBe(true)
})

test("ends only its own session on sign-out, and any session after 12 hours", async () => {
  const [cookie, other] = [await signIn(), await signIn()]
  const isSignedIn = async (cookie: string) =>
    (await request("GET", "/billing", { cookie })).text.includes("/billing/sign-out")
  expect((await request("POST", "/billing/sign-out", { cookie, form: {} })).status).toBe(303)
  expect([await isSignedIn(cookie), await isSignedIn(other)]).toEqual([false, true])
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 12 * 3_600_000 })
  expect(await isSignedIn(other)).toBe(false)
  vi.useRealTimers()
})

test("deletes the cookie on sign-out while the store is being migrated", async () => {
  const cookie = await signIn()
  await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(id).run()
  const { status, headers } = await request("POST", "/billing/sign-out", { cookie, form: {} })
  expect([status, headers.get("Set-Cookie")]).toEqual([303, expect.stringContaining("Max-Age=0")])
})

test("keeps a live login when fifty sessions have expired", async () => {
  await signIn()
  const insertExpired =
    "insert into user_tokens (site_id, user_id, hash, created_at, expires_at) select site_id, user_id, ?, 1, 1 from user_tokens limit 1"
  await env.SITES_1.batch(Array.from({ length: 50 }, (_, n) => env.SITES_1.prepare(insertExpired).bind(`expired-${n}`)))
  const countLive = async () =>
    (await env.SITES_1.prepare("select count(*) n from user_tokens where expires_at > 1").first())?.n
  await signIn()
  expect(await countLive()).toBe(2)
})

test("saves billing details that an expired session sends, and shows them again to the same person only", async () => {
  const cookie = await signIn()
  const form = { name: "Ada & Sons", address: "1 Long Road", country: "GB", tax_number: "" }
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 12 * 3_600_000 })
  const origin = `http://${id}.localhost`
  const foreign = await request("POST", "/billing/details", { cookie, form, origin: "http://other.localhost" })
  expect([foreign.status, foreign.text.includes('name="draft"')]).toEqual([401, false])
  const refused = await request("POST", "/billing/details", { cookie, form, origin })
  expect([refused.status, refused.text.includes("Your session has expired")]).toEqual([401, true])
  const draft = /name="draft" value="([^"]+)"/.exec(refused.text)?.[1] ?? ""
  const credentials = { email: "owner@example.com", password: "correct-horse", draft }
  const wrong = await request("POST", "/billing/sign-in", { form: { ...credentials, password: "wrong-secret" } })
  expect(wrong.text).toContain(`name="draft" value="${draft}"`)
  const signed = await request("POST", "/billing/sign-in", { form: credentials })
  const path = signed.headers.get("Location") ?? ""
  expect(path).toBe(`/billing?draft=${draft}`)
  const again = signed.headers.get("Set-Cookie")?.split(";")[0] ?? ""
  const page = await request("GET", path, { cookie: again })
  expect(page.text).toContain('value="Ada &amp; Sons"')
  expect(page.text).toContain("your last form was not sent")
  expect(await rows("select * from billing_details")).toEqual([])
  await env.SITES_1.exec("update user_tokens set user_id = user_id + 1000")
  expect((await request("GET", path, { cookie: again })).text).not.toContain("Ada &amp; Sons")
  await request("POST", "/billing/sign-out", { cookie: again, form: {} })
  const out = await request("POST", "/billing/details", { cookie: again, form, origin })
  expect([out.status, out.text.includes('name="draft"')]).toEqual([401, false])
  vi.useRealTimers()
})

test("returns after signing in to the invoice that a mail links to, and to no other site", async () => {
  const path = "/billing/invoices/INV-2026-000001"
  const page = await request("GET", path)
  expect([page.status, page.text.includes(`name="return_to" value="${path}"`)]).toEqual([401, true])
  const credentials = { email: "owner@example.com", password: "correct-horse" }
  const wrong = { ...credentials, password: "wrong-secret", return_to: path }
  expect((await request("POST", "/billing/sign-in", { form: wrong })).text).toContain(
    `name="return_to" value="${path}"`,
  )
  const signInTo = async (return_to: string) =>
    (await request("POST", "/billing/sign-in", { form: { ...credentials, return_to } })).headers.get("Location")
  expect(await signInTo(path)).toBe(path)
  expect(await signInTo(`${path}.pdf`)).toBe(`${path}.pdf`)
  for (const foreign of [
    "https://evil.example",
    "//evil.example",
    "/billing/invoices/../../admin",
    `${path}\n`,
    "/billing/sign-out",
  ])
    expect(await signInTo(foreign), foreign).toBe("/billing")
})

describe("while signed in", () => {
  test("returns 422 for invalid billing details, with the values, the errors and the focus on the first", async () => {
    const cookie = await signIn()
    const form = { name: "Ada & Sons", address: "1 Long Road", country: "Germany", tax_number: "DE1" }
    const country = await request("POST", "/billing/details", { cookie, form })
    expect(country.status).toBe(422)
    expect(country.text).toContain("Check the highlighted fields.")
    expect(country.text).toMatch(/value="Ada &amp; Sons".*>1 Long Road<.*value="Germany".*value="DE1"/s)
    expect(country.text).toMatch(/<input id="country"[^>]* aria-invalid="true"[^>]* autofocus/)
    expect(country.text).toContain('id="country-error"')
    const number = await request("POST", "/billing/details", { cookie, form: { ...form, country: "DE" } })
    expect(number.text).toMatch(/<input id="tax_number"[^>]* value="DE1"[^>]* aria-invalid="true"[^>]* autofocus/)
    const address = await request("POST", "/billing/details", { cookie, form: { ...form, address: "" } })
    expect(address.text).toMatch(/<textarea id="address"[^>]* aria-invalid="true"[^>]* autofocus/)
    expect(await rows("select * from billing_details")).toEqual([])
  })

  test("names the error of a form without fields", async () => {
    const cookie = await signIn()
    const { status, text } = await request("POST", "/billing/orders", { cookie, form: { plan: "none" } })
    expect([status, text.includes("The selected plan is invalid.")]).toEqual([422, true])
  })

  test("orders a plan, shows the instructions as text, withdraws the order, and shows the invoice of a paid one", async () => {
    const cookie = await signIn()
    expect((await request("POST", "/billing/orders", { cookie, form: { plan: "pro" } })).status).toBe(303)
    const { text, headers } = await request("GET", "/billing", { cookie })
    expect(text).toContain("PO-000001")
    expect(text).toContain("IBAN &lt;b&gt;")
    expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^;]+; img-src/)
    expect((await request("POST", "/billing/orders/PO-000001/withdraw", { cookie, form: {} })).status).toBe(303)
    await request("POST", "/billing/orders", { cookie, form: { plan: "pro" } })
    const { number } = (await sendOperatorCommand("orders:approve", { reference: "PO-000002" })).body.data
    const invoice = await request("GET", `/billing/invoices/${number}`, { cookie })
    expect([invoice.status, invoice.text.includes("€49.00")]).toEqual([200, true])
    expect((await request("GET", `/billing/invoices/${number}`)).status).toBe(401)
    expect((await request("GET", "/billing/invoices/INV-1999-000001", { cookie })).status).toBe(404)
  })

  test("replaces the transfer instructions of an open order while the plan is billed by card", async () => {
    const cookie = await signIn()
    await request("POST", "/billing/orders", { cookie, form: { plan: "pro" } })
    expect((await request("GET", "/billing", { cookie })).text).toContain("Transfer €49.00")
    await setSubscription(id, { provider: "stripe", status: "trialing", trialEndsAt: new Date(Date.now() + 1e9) })
    const { text } = await request("GET", "/billing", { cookie })
    expect(text).toContain("Don&#39;t pay order PO-000001")
    expect(text).not.toContain("Transfer €49.00")
    expect(text).not.toContain("IBAN")
    expect(text).toContain('action="/billing/orders/PO-000001/withdraw"')
    const order = await (await signInToConsole()).get("/console/orders/PO-000001")
    expect(order.text).toContain("The store is billed by card")
    expect(order.text).not.toContain("/console/orders/PO-000001/approve")
  })

  const FREE = { code: "ALL", percent_off: 100, amount_off: null, months: null, plans: null, ends_at: null }

  test("settles the owner's order at once when a discount covers the price", async () => {
    const cookie = await signIn()
    const end = new Date(Date.now() - 60_000)
    const unpaid = { status: "past_due", pastDueSince: end, currentPeriodEndsAt: end } as const
    await setSubscription(id, { ...unpaid, discount: { ...FREE, months: 1 } })
    const order = { cookie, form: { plan: "pro" } }
    expect((await request("POST", "/billing/orders", order)).status).toBe(303)
    expect(await rows("select status, amount_cents from orders")).toEqual([{ status: "paid", amount_cents: 0 }])
    expect(await rows("select status, past_due_since from subscriptions")).toEqual([
      { status: "active", past_due_since: null },
    ])
    const { data: invoices } = (await sendOperatorCommand("invoices:list", { store: id })).body
    expect(invoices).toMatchObject([{ gross_cents: 0, discount: { code: "ALL", cents: 4900 } }])
    expect(await rows("select actor_type, type from audit_entries where type like 'order_%' order by id")).toEqual([
      { actor_type: "customer", type: "order_requested" },
      { actor_type: "customer", type: "order_paid" },
    ])
    // The next period begins after the month of the coupon, and costs the full price.
    expect((await request("POST", "/billing/orders", order)).status).toBe(303)
    expect(await rows("select status, amount_cents from orders order by id desc limit 1")).toEqual([
      { status: "pending", amount_cents: 4900 },
    ])
  })

  test("leaves an order of 0 to an operator when it can't be settled", async () => {
    const cookie = await signIn()
    await setSubscription(id, { status: "cancelled", cancelledAt: new Date(), discount: FREE })
    await env.DB.exec("update stores set provisioned_at = null")
    expect((await request("POST", "/billing/orders", { cookie, form: { plan: "pro" } })).status).toBe(303)
    expect(await rows("select status, amount_cents from orders")).toEqual([{ status: "pending", amount_cents: 0 }])
  })

  test("asks for no transfer for an order of an operator that a discount covers", async () => {
    const cookie = await signIn()
    await setSubscription(id, { discount: FREE })
    await sendOperatorCommand("orders:request", { store: id, plan: "pro" })
    const { text } = await request("GET", "/billing", { cookie })
    expect(text).toContain("Your discount covers the whole price")
    expect([text.includes("IBAN"), text.includes("Transfer €0.00")]).toEqual([false, false])
  })

  test("shows the price of a change with the tax that the order demands", async () => {
    const cookie = await signIn()
    await makePlan({ slug: "max", name: "Max", price_cents: 9900 })
    expect((await request("GET", "/billing", { cookie })).text).not.toContain("plus tax")
    await sendOperatorCommand("tax:settings", { seller_country: "DE" })
    await sendOperatorCommand("tax:save", { country: "DE", rate: "19" })
    const form = { name: "Ada", address: "1 Long Road", country: "DE", tax_number: "" }
    await request("POST", "/billing/details", { cookie, form })
    const { text } = await request("GET", "/billing", { cookie })
    expect(text).toContain("plus tax")
    const label = /Switch now · Transfer · (€[\d.]+) until/.exec(text)?.[1]
    await request("POST", "/billing/orders", { cookie, form: { plan: "max", start: "now" } })
    const [order] = await rows("select amount_cents, tax ->> '$.tax_cents' as tax from orders")
    expect([label, Number(order?.tax) > 0]).toEqual([`€${(Number(order?.amount_cents) / 100).toFixed(2)}`, true])
    await sendOperatorCommand("tax:settings", { prices_include_tax: true })
    expect((await request("GET", "/billing", { cookie })).text).not.toContain("plus tax")
  })

  test("leads to the payment provider to cancel a card subscription", async () => {
    const cookie = await signIn()
    await setSubscription(id, { provider: "stripe" })
    const { status, text } = await request("GET", "/billing/cancel", { cookie })
    expect([status, text.includes("End the subscription there")]).toEqual([200, true])
    expect(text).not.toContain('action="/billing/cancel"')
  })

  test("cancels at the end of the period after a confirmation, and withdraws the cancellation", async () => {
    const cookie = await signIn()
    expect((await request("GET", "/billing", { cookie })).text).toContain('href="/billing/cancel"')
    const confirm = await request("GET", "/billing/cancel", { cookie })
    expect([confirm.status, confirm.text.includes("stays online until")]).toEqual([200, true])
    expect((await request("POST", "/billing/cancel", { cookie, form: {} })).status).toBe(303)
    const { text } = await request("GET", "/billing", { cookie })
    expect([text.includes("Ends on"), text.includes("Keep subscription")]).toEqual([true, true])
    expect(await rows("select status, cancel_at = current_period_ends_at as ends from subscriptions")).toEqual([
      { status: "active", ends: 1 },
    ])
    expect((await request("POST", "/billing/cancel/withdraw", { cookie, form: {} })).status).toBe(303)
    expect((await request("POST", "/billing/cancel/withdraw", { cookie, form: {} })).status).toBe(409)
    expect(await rows("select actor_type, type from audit_entries where type like 'cancel_%'")).toEqual([
      { actor_type: "customer", type: "cancel_scheduled" },
      { actor_type: "customer", type: "cancel_withdrawn" },
    ])
  })

  test("shows a notice after every form", async () => {
    const cookie = await signIn()
    await makePlan({ slug: "free", name: "Free", price_cents: 0 })
    const details = { name: "Ada", address: "1 Long Road", country: "GB", tax_number: "" }
    for (const [path, form, notice] of [
      ["/billing/details", details, "Billing details saved."],
      ["/billing/orders", { plan: "pro" }, "Your order was placed."],
      ["/billing/orders/PO-000001/withdraw", {}, "The order was cancelled."],
      ["/billing/change-plan", { plan: "free" }, "Your plan change was saved."],
      ["/billing/change-plan/withdraw", {}, "The plan change was cancelled."],
      ["/billing/cancel", {}, "Your subscription ends on "],
      ["/billing/cancel/withdraw", {}, "Your subscription was reactivated."],
      ["/billing/language", { language: "en" }, "Language saved."],
    ] as [string, Record<string, string>, string][]) {
      const sent = await request("POST", path, { cookie, form })
      expect(sent.status, path).toBe(303)
      const { text } = await request("GET", sent.headers.get("Location") ?? "", { cookie })
      const [, shown = ""] = /<div class="notice" role="status">\s*<p>(.*?)<\/p>/s.exec(text) ?? []
      expect(shown, path).toContain(notice)
      if (path === "/billing/cancel") expect(shown).toContain("You can reactivate it until then.")
    }
    const stale = await request("GET", "/billing?done=cancelled", { cookie })
    expect(stale.text).not.toContain('role="status"')
    const unknown = await request("GET", "/billing?done=constructor", { cookie })
    expect([unknown.status, unknown.text.includes('role="status"')]).toEqual([200, false])
  })

  test("says that an operator closed the store, and why", async () => {
    const cookie = await signIn()
    await platform("POST", `/stores/${id}/suspend`, { token: await makeKey(), json: { reason: "Counterfeit goods" } })
    const { text } = await request("GET", "/billing", { cookie })
    expect([text.includes("Tenancy closed this store"), text.includes("Reason: Counterfeit goods")]).toEqual([
      ...[true, true],
    ])
  })

  test("stores the language of mails and of this page in the site's settings, and audits it", async () => {
    const cookie = await signIn()
    expect((await request("POST", "/billing/language", { cookie, form: { language: "fr" } })).status).toBe(303)
    expect((await request("GET", "/billing", { cookie })).text).toContain('<html lang="fr"')
    expect((await sendOperatorCommand("site:settings", { site: id })).body.data.language).toBe("fr")
    expect(await rows("select type, actor_type from audit_entries where type = 'site_settings_changed'")).toEqual([
      { type: "site_settings_changed", actor_type: "customer" },
    ])
    for (const form of [{ language: "xx" }, {}] as Record<string, string>[]) {
      expect((await request("POST", "/billing/language", { cookie, form })).status).toBe(422)
    }
    expect((await request("POST", "/billing/language", { form: { language: "es" } })).status).toBe(401)
  })

  test("sends the referrer policy under which browsers name the origin of a form", async () => {
    // Under `no-referrer` browsers send `Origin: null`, and the page would refuse its own forms.
    for (const path of ["/billing", "/billing/sign-in"]) {
      const response = path === "/billing" ? await request("GET", path) : await request("POST", path, { form: {} })
      expect(response.headers.get("Referrer-Policy")).toBe("same-origin")
    }
  })

  test("returns 409 for a form from another origin and does nothing", async () => {
    const cookie = await signIn()
    for (const origin of ["http://evil.localhost", "https://evil.example", "null"]) {
      const response = await request("POST", "/billing/orders", { cookie, form: { plan: "pro" }, origin })
      expect(response.status, origin).toBe(409)
    }
    expect((await sendOperatorCommand("orders:list")).body.data).toEqual([])
  })

  test("does not accept the session of another store", async () => {
    const cookie = await signIn()
    const other = await makeReadyStore()
    expect((await request("GET", "/billing", { cookie, host: `${other}.localhost` })).text).toContain(
      "/billing/sign-in",
    )
  })
})
