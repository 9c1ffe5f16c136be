// npm run walk:billing: a customer's year with the platform, walked over HTTP against an `npm start -- --demo-payments` of its own:
// signing up by a mailed link, the trial, a bank transfer to its receipt, a card, the end. It prints each step with its answer and
// the mails that came, and ends with 1 at the first that is not as it should be.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../tools/lib/project.ts"
import { readCredentials } from "../tools/local/credentials.ts"
import { freePort } from "../tools/local/port.ts"
import { scratchDirectory } from "../tools/local/scratch.ts"

const DAY = 86_400_000
const PASSWORD = "correct-horse"
const STORE = "walk"
const HOST = `${STORE}.localhost`

const port = await freePort()
const state = mkdtempSync(join(scratchDirectory(), "tenancy-walk-"))
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
  platform.once("exit", () => reject(new Error("the platform ended by itself")))
})

interface Answer {
  status: number
  location: string
  cookie: string
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: whatever the platform answers
  json: any
}

/** One request, to any host of the platform. */
const ask = (method: string, path: string, given: { host?: string; headers?: object; body?: string } = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const length = given.body === undefined ? {} : { "Content-Length": Buffer.byteLength(given.body) }
    const headers = { Host: `${given.host ?? "localhost"}:${port}`, ...length, ...given.headers }
    const sent = request({ port, host: "127.0.0.1", method, path, headers }, (answer) => {
      let text = ""
      answer.on("data", (part) => {
        text += part
      })
      answer.on("end", () => {
        const json = /json/.test(answer.headers["content-type"] ?? "") ? JSON.parse(text) : null
        const [cookie = ""] = answer.headers["set-cookie"] ?? []
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? "", cookie, text, json })
      })
    })
    sent.on("error", reject)
    sent.end(given.body)
  })

const FORM = { "Content-Type": "application/x-www-form-urlencoded" }
const form = (path: string, fields: Record<string, string>, given: { host?: string; headers?: object } = {}) =>
  ask("POST", path, { ...given, headers: { ...FORM, ...given.headers }, body: new URLSearchParams(fields).toString() })

/** Prints a step; ends the walk where it is not what it has to be. */
function step(what: string, found: unknown, wanted: unknown): void {
  const [shown, expected] = [JSON.stringify(found), JSON.stringify(wanted)]
  console.log(`${shown === expected ? "ok   " : "FAIL "} ${what}  ${shown}`)
  if (shown !== expected) throw new Error(`${what}: ${expected} was expected`)
}

/** Waits until something is there. */
async function until<Found>(what: string, look: () => Promise<Found | undefined> | Found | undefined): Promise<Found> {
  for (let tries = 0; tries < 150; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(200)
  }
  throw new Error(`${what} did not come`)
}

/** The next mail to an address whose subject says this. */
const mail = async (subject: string) => {
  const found = await until(`a mail "${subject}"`, () => {
    const place = mails.findIndex((one) => one.subject.includes(subject))
    return place < 0 ? undefined : mails.splice(place, 1)[0]
  })
  console.log(`      mail to ${found.to}: ${found.subject}`)
  return found.text
}

async function walk(): Promise<void> {
  const credentials = readCredentials(join(state, "credentials.json"))
  const operator = (command: string, options: Record<string, unknown> = {}) =>
    ask("POST", `/api/operator/v1/${command}`, {
      headers: { Authorization: `Bearer ${credentials?.operator_token}`, "Content-Type": "application/json" },
      body: JSON.stringify(options),
    }).then(({ json }) => json.data ?? json.error.code)
  const api = (method: string, path: string, body?: object) =>
    ask(method, `/api/platform/v1/stores${path}`, {
      headers: { Authorization: `Bearer ${credentials?.platform?.write_key}`, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    })
  const read = async () => (await api("GET", `/${STORE}`)).json.data
  const standing = async () => {
    const { access_state, billing_provider, subscription } = await read()
    return [access_state, billing_provider, subscription.status]
  }
  const moment = (at: number) => new Date(at).toISOString().replace(".000Z", "Z")
  /** Drives the clock of the store, and answers what it did. */
  const clock = async (at: number) => {
    const { at: _, stores, ...did } = await operator("billing:run", { store: STORE, at: moment(at) })
    return Object.fromEntries(Object.entries(did).filter(([, count]) => count))
  }

  console.log("\nA customer signs up")
  const wish = { name: "Walk & Sons", subdomain: STORE, email: "ada@example.com" }
  const signedUp = await form("/signup", {
    ...wish,
    plan: "starter",
    look: "atelier/linen",
    language: "en",
    coupon: "",
  })
  step("POST /signup", signedUp.status, 202)
  const link = /(\/signup\/confirm\?token=\S+)/.exec(await mail("Confirm your address"))?.[1] ?? ""
  const scanned = [await ask("GET", link), await ask("GET", link)].map(({ status }) => status)
  step(
    "a mail scanner opens the link twice, and there is no store",
    [scanned, (await api("GET", `/${STORE}`)).status],
    [[200, 200], 404],
  )
  const confirmed = await form("/signup/confirm", { token: link.split("token=")[1] ?? "", password: PASSWORD })
  step("the customer chooses a password", [confirmed.status, confirmed.location], [303, `/signup/stores/${STORE}`])
  step("the progress page follows the store", (await ask("GET", confirmed.location)).status, 200)
  await until("the store", async () => ((await read()).status === "ready" ? true : undefined))
  step("the store is open, on trial", await standing(), ["serving", "local", "trialing"])
  await mail("is open")

  console.log("\nThe trial")
  const trialEnd = Date.parse((await read()).subscription.trial_ends_at)
  const foreseen = await operator("billing:run", { store: STORE, at: moment(trialEnd + 351 * DAY), "dry-run": true })
  step(
    "billing:run --dry-run, a year ahead",
    foreseen[0].steps.map((one: { step: string }) => one.step),
    ["suspended"],
  )
  for (const days of [7, 3, 1]) {
    step(`billing:run --at ${days} days before its end`, await clock(trialEnd - days * DAY), { reminded: 1 })
    await mail("Your trial of Walk & Sons ends")
  }
  step("billing:run --at its end", await clock(trialEnd), { suspended: 1 })
  await mail("Walk & Sons is offline")
  step("what a visitor gets", (await ask("GET", "/", { host: HOST })).status, 402)

  console.log("\nA bank transfer, from the closed shop")
  const session = await form("/billing/sign-in", { email: wish.email, password: PASSWORD }, { host: HOST })
  const Cookie = session.cookie.split(";")[0] ?? ""
  const owner = { host: HOST, headers: { Cookie, Origin: `http://${HOST}:${port}` } }
  step("the owner signs in at /billing", [session.status, session.location], [303, "/billing"])
  step("orders starter", (await form("/billing/orders", { plan: "starter" }, owner)).status, 303)
  const reference = /PO-\d+/.exec((await ask("GET", "/billing", owner)).text)?.[0] ?? ""
  const approved = await operator("orders:approve", { reference })
  step(
    `orders:approve ${reference}`,
    // The demo data has receipts of its own, so the number is not the first.
    [approved.status, /^INV-\d{4}-\d{6}$/.test(approved.number)],
    ["paid", true],
  )
  step("the store is open again", await standing(), ["serving", "local", "active"])
  await mail("Receipt")
  const receipt = await ask("GET", `/billing/receipts/${approved.number}`, owner)
  step(
    "the receipt, to be printed",
    [receipt.status, receipt.text.includes(approved.number), receipt.text.includes("$19.00")],
    [200, true, true],
  )

  console.log("\nThe period ends, and nobody pays")
  const paidUntil = Date.parse((await read()).subscription.current_period_ends_at)
  step("billing:run --at its end", await clock(paidUntil), { past_due: 1 })
  for (const days of [0, 3, 7]) {
    if (days) step(`billing:run --at ${days} days later`, await clock(paidUntil + days * DAY), {})
    await mail("The payment for Walk & Sons is due")
  }
  step("billing:run --at 14 days later", await clock(paidUntil + 14 * DAY), { suspended: 1 })
  await mail("is offline: a payment is missing")
  step("it is cancelled", (await api("POST", `/${STORE}/subscription/cancel`)).status, 200)
  await mail("is cancelled")
  const cancelledAt = Date.parse((await read()).subscription.cancelled_at)
  step("billing:run --at 23 days after that", await clock(cancelledAt + 23 * DAY), { warned: 1 })
  await mail("will be deleted")
  step("it is reactivated in time", (await api("POST", `/${STORE}/subscription/reactivate`)).status, 200)

  console.log("\nBy card, through the demo provider")
  const toPay = await form("/billing/checkout", { plan: "pro" }, owner)
  const checkout = /href="(http:\/\/127[^"]+)"/.exec(toPay.text)?.[1] ?? ""
  const paid = await fetch(checkout, {
    method: "POST",
    body: new URLSearchParams({ card: "4242" }),
    redirect: "manual",
  })
  step("the card pays at the provider's page", [toPay.status, paid.status], [200, 303])
  step(
    "the store is billed by card, on its new plan",
    [...(await standing()), (await read()).subscription.plan.slug],
    ["serving", "stripe", "active", "pro"],
  )
  const refused = await api("POST", `/${STORE}/subscription/extend`, { days: 1 })
  step("an operator keeps his hands off", [refused.status, refused.json.error.code], [409, "stripe_managed"])
  const portal = /href="(http:\/\/127[^"]+)"/.exec((await form("/billing/portal", {}, owner)).text)?.[1] ?? ""
  const press = async (action: string) => {
    // The provider counts in seconds; of two messages of one second the payment counts.
    await sleep(1_100)
    return fetch(portal, { method: "POST", body: new URLSearchParams({ action }), redirect: "manual" })
  }
  await press("fail")
  step("a payment fails", await standing(), ["serving", "stripe", "past_due"])
  await mail("A payment for Walk & Sons failed")
  const failedAt = Date.parse((await read()).subscription.past_due_since)
  step("billing:run --at 14 days later", await clock(failedAt + 14 * DAY), { suspended: 1 })
  await mail("is offline: a payment is missing")
  await press("renew")
  step("the next one clears", await standing(), ["serving", "stripe", "active"])
  step(
    "payments:list",
    (await operator("payments:list", { store: STORE })).map((one: { provider: string; amount_cents: number }) => [
      one.provider,
      one.amount_cents,
    ]),
    [
      ["stripe", 7900],
      ["stripe", 7900],
      ["local", 1900],
    ],
  )

  console.log("\nThe end")
  step("DELETE /stores/walk", (await api("DELETE", `/${STORE}`, { confirm: STORE })).status, 204)
  await ask("GET", `/cdn-cgi/local/scheduled?${new URLSearchParams({ cron: "* * * * *", time: String(Date.now()) })}`)
  const ended = await fetch(checkout.replace(/checkout\/.*/, `v1/subscriptions/${portal.split("/").at(-1)}`))
  step("the provider's subscription has ended with it", ((await ended.json()) as { status: string }).status, "canceled")
  step(
    "mails that nobody expected",
    mails.filter(({ to }) => to === wish.email).map(({ subject }) => subject),
    [],
  )
}

let status = 0
try {
  await ready
  await walk()
  console.log("\nThe walk ended as it should.")
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
