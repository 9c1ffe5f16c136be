// npm run walk:billing: runs a year of billing over HTTP against its own `npm start -- --demo-payments`: sign-up by
// mail with a coupon, trial, bank transfer with tax, invoice and credit note, changes of plan, cancellation, card
// payment and deletion. It prints every step and mail, and exits with 1 at the first unexpected result.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../tools/lib/project.ts"
import { readCredentials } from "../tools/local/credentials.ts"
import { findFreePort } from "../tools/local/port.ts"
import { getScratchDirectory } from "../tools/local/scratch.ts"

const DAY = 86_400_000
const PASSWORD = "correct-horse"
const STORE = "walk"
const HOST = `${STORE}.localhost`

const port = await findFreePort()
const state = mkdtempSync(join(getScratchDirectory(), "tenancy-walk-"))
const mails: { subject: string; to: string; text: string }[] = []
const platform = spawn(process.execPath, [join(root, "scripts/start.ts"), "--demo-payments"], {
  cwd: root,
  env: { ...process.env, PORT: String(port), STATE_DIR: state },
  stdio: ["ignore", "pipe", "inherit"],
})
const ready = new Promise<void>((resolve, reject) => {
  let mail = { subject: "", to: "", text: "" }
  createInterface({ input: platform.stdout }).on("line", (line) => {
    const [, name, value = ""] = /^(To|Subject|Text): (.*)$/.exec(line) ?? []
    if (name === "To") mail = { subject: "", to: value, text: "" }
    if (name === "Subject") mail.subject = value
    if (name === "Text") mails.push({ ...mail, text: readFileSync(value, "utf8") })
    if (line.startsWith("Tenancy is running")) resolve()
    if (line.startsWith("Demo payments:")) console.log(`      ${line}`)
  })
  platform.once("exit", () => reject(new Error("the platform exited unexpectedly")))
})

interface HttpResponse {
  status: number
  location: string
  cookie: string
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: any response of the platform
  json: any
}

/** Sends a request to any host of the platform. */
const sendRequest = (method: string, path: string, options: { host?: string; headers?: object; body?: string } = {}) =>
  new Promise<HttpResponse>((resolve, reject) => {
    const length = options.body === undefined ? {} : { "Content-Length": Buffer.byteLength(options.body) }
    const headers = { Host: `${options.host ?? "localhost"}:${port}`, ...length, ...options.headers }
    const sent = request({ port, host: "127.0.0.1", method, path, headers }, (response) => {
      let text = ""
      response.on("data", (part) => {
        text += part
      })
      response.on("end", () => {
        const json = /json/.test(response.headers["content-type"] ?? "") ? JSON.parse(text) : null
        const [cookie = ""] = response.headers["set-cookie"] ?? []
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? "", cookie, text, json })
      })
    })
    sent.on("error", reject)
    sent.end(options.body)
  })

const FORM = { "Content-Type": "application/x-www-form-urlencoded" }
const postForm = (path: string, fields: Record<string, string>, given: { host?: string; headers?: object } = {}) =>
  sendRequest("POST", path, {
    ...given,
    headers: { ...FORM, ...given.headers },
    body: new URLSearchParams(fields).toString(),
  })

/** Prints a step and its result; throws when the result is not the expected one. */
function checkStep(what: string, actualValue: unknown, expectedValue: unknown): void {
  const [actual, expected] = [JSON.stringify(actualValue), JSON.stringify(expectedValue)]
  console.log(`${actual === expected ? "ok   " : "FAIL "} ${what}  ${actual}`)
  if (actual !== expected) throw new Error(`${what}: expected ${expected}`)
}

/** Polls until a value is available. */
async function waitFor<Found>(
  what: string,
  poll: () => Promise<Found | undefined> | Found | undefined,
): Promise<Found> {
  for (let tries = 0; tries < 150; tries++) {
    const actual = await poll()
    if (actual !== undefined) return actual
    await sleep(200)
  }
  throw new Error(`timed out waiting for ${what}`)
}

/** Waits for the next mail with this subject. */
const takeMail = async (subject: string) => {
  const found = await waitFor(`a mail "${subject}"`, () => {
    const place = mails.findIndex((one) => one.subject.includes(subject))
    return place < 0 ? undefined : mails.splice(place, 1)[0]
  })
  console.log(`      mail to ${found.to}: ${found.subject}`)
  return found.text
}

async function runWalkthrough(): Promise<void> {
  const credentials = readCredentials(join(state, "credentials.json"))
  const operator = (command: string, options: Record<string, unknown> = {}) =>
    sendRequest("POST", `/api/operator/v1/${command}`, {
      headers: { Authorization: `Bearer ${credentials?.operator_token}`, "Content-Type": "application/json" },
      body: JSON.stringify(options),
    }).then(({ json }) => json.data ?? json.error.code)
  const api = (method: string, path: string, body?: object) =>
    sendRequest(method, `/api/platform/v1/stores${path}`, {
      headers: { Authorization: `Bearer ${credentials?.platform?.write_key}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    })
  const read = async () => (await api("GET", `/${STORE}`)).json.data
  const getBillingState = async () => {
    const { access_state, billing_provider, subscription } = await read()
    return [access_state, billing_provider, subscription.status]
  }
  const toIsoSeconds = (at: number) => new Date(at).toISOString().replace(".000Z", "Z")
  /** Runs billing for the store at a given time; returns the non-zero counts. */
  const runBilling = async (at: number) => {
    const { at: _, stores, ...did } = await operator("billing:run", { store: STORE, at: toIsoSeconds(at) })
    return Object.fromEntries(Object.entries(did).filter(([, count]) => count))
  }

  await operator("tax:settings", { seller_name: "Tenancy GmbH", seller_country: "DE" })
  await operator("tax:save", { country: "DE", rate: 19, name: "USt" })
  const coupon = await operator("coupons:save", { code: "WALK50", percent_off: 50, months: 1 })
  checkStep("coupons:save", [coupon.code, coupon.percent_off, coupon.trial_days], ["WALK50", 50, null])

  console.log("\nA customer signs up")
  const signup = { name: "Walk & Sons", subdomain: STORE, email: "ada@example.com" }
  const signedUp = await postForm("/signup", {
    ...signup,
    plan: "starter",
    look: "atelier/linen",
    language: "en",
    coupon: "walk50",
  })
  checkStep("POST /signup", signedUp.status, 202)
  const link = /(\/signup\/confirm\?token=\S+)/.exec(await takeMail("Confirm your address"))?.[1] ?? ""
  const scanned = [await sendRequest("GET", link), await sendRequest("GET", link)].map(({ status }) => status)
  checkStep(
    "a mail scanner that opens the link twice creates no store",
    [scanned, (await api("GET", `/${STORE}`)).status],
    [[200, 200], 404],
  )
  const confirmed = await postForm("/signup/confirm", { token: link.split("token=")[1] ?? "", password: PASSWORD })
  checkStep("the customer chooses a password", [confirmed.status, confirmed.location], [303, `/signup/stores/${STORE}`])
  checkStep("the progress page follows the store", (await sendRequest("GET", confirmed.location)).status, 200)
  await waitFor("the store", async () => ((await read()).status === "ready" ? true : undefined))
  checkStep("the store is open, on trial", await getBillingState(), ["serving", "local", "trialing"])
  await takeMail("is open")

  console.log("\nThe trial")
  const trialEnd = Date.parse((await read()).subscription.trial_ends_at)
  const preview = await operator("billing:run", {
    store: STORE,
    at: toIsoSeconds(trialEnd + 351 * DAY),
    "dry-run": true,
  })
  checkStep(
    "billing:run --dry-run, a year ahead",
    preview[0].steps.map((one: { step: string }) => one.step),
    ["suspended"],
  )
  for (const days of [7, 3, 1]) {
    checkStep(`billing:run --at ${days} days before its end`, await runBilling(trialEnd - days * DAY), { reminded: 1 })
    await takeMail("Your trial of Walk & Sons ends")
  }
  checkStep("billing:run --at its end", await runBilling(trialEnd), { suspended: 1 })
  await takeMail("Walk & Sons is offline")
  checkStep("a visitor sees the suspended store", (await sendRequest("GET", "/", { host: HOST })).status, 402)

  console.log("\nBank transfer for the suspended store")
  const session = await postForm("/billing/sign-in", { email: signup.email, password: PASSWORD }, { host: HOST })
  const Cookie = session.cookie.split(";")[0] ?? ""
  const owner = { host: HOST, headers: { Cookie, Origin: `http://${HOST}:${port}` } }
  checkStep("the owner signs in at /billing", [session.status, session.location], [303, "/billing"])
  const details = { name: "Walk & Sons Ltd", address: "Weg 2\n10115 Berlin", country: "DE", tax_number: "" }
  checkStep("saves the billing details", (await postForm("/billing/details", details, owner)).status, 303)
  checkStep("orders starter", (await postForm("/billing/orders", { plan: "starter" }, owner)).status, 303)
  const reference = /PO-\d+/.exec((await sendRequest("GET", "/billing", owner)).text)?.[0] ?? ""
  const approved = await operator("orders:approve", { reference })
  checkStep(
    `orders:approve ${reference}`,
    // The demo data contains receipts, so the number is not the first.
    [approved.status, /^INV-\d{4}-\d{6}$/.test(approved.number)],
    ["paid", true],
  )
  checkStep("the store is open again", await getBillingState(), ["serving", "local", "active"])
  await takeMail(`Invoice ${approved.number}`)
  const invoice = await sendRequest("GET", `/billing/invoices/${approved.number}`, owner)
  checkStep(
    "the invoice has the price, the discount, the tax and the total",
    ["$19.00", "Discount (WALK50)", "-$9.50", "USt 19 %", "$11.31"].filter((text) => !invoice.text.includes(text)),
    [],
  )
  const pdf = await sendRequest("GET", `/billing/invoices/${approved.number}.pdf`, owner)
  checkStep("the invoice as a PDF", [pdf.status, pdf.text.startsWith("%PDF-")], [200, true])
  const credited = await operator("invoices:credit", { number: approved.number, amount: "1.31", reason: "Goodwill" })
  checkStep("invoices:credit", [credited.kind, credited.gross_cents, credited.tax_cents], ["credit_note", 131, 21])
  await takeMail(`Credit note ${credited.number}`)

  console.log("\nThe owner changes the plan, and cancels for a while")
  const endOfPeriod = (await read()).subscription.current_period_ends_at
  checkStep(
    "orders pro for the difference",
    (await postForm("/billing/orders", { plan: "pro", start: "now" }, owner)).status,
    303,
  )
  const [difference] = await operator("orders:list", { store: STORE, status: "pending" })
  await operator("orders:approve", { reference: difference.reference })
  await takeMail("Invoice INV-")
  const changed = (await read()).subscription
  checkStep("pro, until the same day", [changed.plan.slug, changed.current_period_ends_at], ["pro", endOfPeriod])
  checkStep("cancels", (await postForm("/billing/cancel", {}, owner)).status, 303)
  checkStep("the subscription ends with its period", (await read()).subscription.cancel_at, endOfPeriod)
  await takeMail("ends on")
  checkStep("keeps the plan after all", (await postForm("/billing/cancel/withdraw", {}, owner)).status, 303)

  console.log("\nThe period ends without payment")
  const paidUntil = Date.parse((await read()).subscription.current_period_ends_at)
  checkStep("billing:run --at its end", await runBilling(paidUntil), { past_due: 1 })
  for (const days of [0, 3, 7]) {
    if (days) checkStep(`billing:run --at ${days} days later`, await runBilling(paidUntil + days * DAY), {})
    await takeMail("Payment for Walk & Sons is overdue")
  }
  checkStep("billing:run --at 14 days later", await runBilling(paidUntil + 14 * DAY), { suspended: 1 })
  await takeMail("is offline: payment overdue")
  checkStep("it is cancelled", (await api("POST", `/${STORE}/subscription/cancel`, { notify: true })).status, 200)
  await takeMail("is cancelled")
  const cancelledAt = Date.parse((await read()).subscription.cancelled_at)
  checkStep("billing:run --at 23 days after that", await runBilling(cancelledAt + 23 * DAY), { warned: 1 })
  await takeMail("will be deleted")
  checkStep("the owner changes to Free", (await postForm("/billing/change-plan", { plan: "free" }, owner)).status, 303)
  checkStep("the store is open again", await getBillingState(), ["serving", "local", "active"])

  console.log("\nCard payment through the demo provider")
  const toPay = await postForm("/billing/checkout", { plan: "pro" }, owner)
  const checkout = /href="(http:\/\/127[^"]+)"/.exec(toPay.text)?.[1] ?? ""
  const paid = await fetch(checkout, {
    method: "POST",
    body: new URLSearchParams({ card: "4242" }),
    redirect: "manual",
  })
  checkStep("the card pays at the provider's page", [toPay.status, paid.status], [200, 303])
  checkStep(
    "the store is billed by card, on its new plan",
    [...(await getBillingState()), (await read()).subscription.plan.slug],
    ["serving", "stripe", "active", "pro"],
  )
  await takeMail("is now on the Pro plan")
  await sleep(1_100)
  const toStarter = await postForm("/billing/change-plan", { plan: "starter" }, owner)
  // The provider counts in seconds, and the order of two changes within one is not known.
  await sleep(1_100)
  const toPro = await postForm("/billing/change-plan", { plan: "pro" }, owner)
  checkStep("the owner changes the plan at the provider, and back", [toStarter.status, toPro.status], [303, 303])
  checkStep("the plan is changed at once", (await read()).subscription.plan.slug, "pro")
  await takeMail("is now on the Starter plan")
  await takeMail("is now on the Pro plan")
  await takeMail("Invoice INV-")
  const refused = await api("POST", `/${STORE}/subscription/extend`, { days: 1 })
  checkStep(
    "an operator cannot extend a Stripe subscription",
    [refused.status, refused.json.error.code],
    [409, "stripe_managed"],
  )
  const portal = /href="(http:\/\/127[^"]+)"/.exec((await postForm("/billing/portal", {}, owner)).text)?.[1] ?? ""
  const pressPortalButton = async (action: string) => {
    // The provider counts in seconds; of two messages of one second the payment counts.
    await sleep(1_100)
    return fetch(portal, { method: "POST", body: new URLSearchParams({ action }), redirect: "manual" })
  }
  await pressPortalButton("fail")
  checkStep("a payment fails", await getBillingState(), ["serving", "stripe", "past_due"])
  await takeMail("A payment for Walk & Sons failed")
  const failedAt = Date.parse((await read()).subscription.past_due_since)
  checkStep("billing:run --at 14 days later", await runBilling(failedAt + 14 * DAY), { suspended: 1 })
  await takeMail("is offline: payment overdue")
  await pressPortalButton("renew")
  checkStep("the next one clears", await getBillingState(), ["serving", "stripe", "active"])
  await takeMail("Invoice INV-")
  checkStep(
    "payments:list",
    (await operator("payments:list", { store: STORE })).map((one: { provider: string; amount_cents: number }) => [
      one.provider,
      one.amount_cents,
    ]),
    [
      ["stripe", 7900],
      ["stripe", 3950],
      ["local", difference.amount_cents],
      ["local", 1131],
    ],
  )

  console.log("\nThe end")
  checkStep("DELETE /stores/walk", (await api("DELETE", `/${STORE}`, { confirm: STORE })).status, 204)
  await sendRequest(
    "GET",
    `/cdn-cgi/local/scheduled?${new URLSearchParams({ cron: "* * * * *", time: String(Date.now()) })}`,
  )
  const canceled = await fetch(checkout.replace(/checkout\/.*/, `v1/subscriptions/${portal.split("/").at(-1)}`))
  checkStep(
    "the provider's subscription has ended with it",
    ((await canceled.json()) as { status: string }).status,
    "canceled",
  )
  checkStep(
    "unexpected mails",
    mails.filter(({ to }) => to === signup.email).map(({ subject }) => subject),
    [],
  )
}

let status = 0
try {
  await ready
  await runWalkthrough()
  console.log("\nAll steps passed.")
} catch (error) {
  console.error(error)
  status = 1
} finally {
  platform.removeAllListeners("exit")
  platform.kill("SIGTERM")
  await new Promise((resolve) => platform.once("exit", resolve))
  rmSync(state, { recursive: true, force: true })
}
process.exit(status)
