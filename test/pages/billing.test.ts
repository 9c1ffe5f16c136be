// The owner's page: signed in by a cookie that no other page can use, it does what the owner's API does, without scripts.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { call } from "../support/app"
import { operate } from "../support/billing-factories"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"

let id: string
beforeEach(async () => {
  const { slug } = await makePlan({ slug: "pro", price_cents: 4900 })
  id = await makeReadyStore({ plan: slug })
  await operate("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN <b>XX00</b>" })
})

const at = (
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
  const answer = await at("POST", "/billing/sign-in", { form })
  expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/billing"])
  const cookie = answer.headers.get("Set-Cookie") ?? ""
  expect(cookie).toMatch(/HttpOnly/)
  expect(cookie).toMatch(/Path=\/billing; /)
  expect(cookie).toMatch(/Secure/)
  return cookie.split(";")[0] ?? ""
}

test("a stranger is asked to sign in; a wrong password shows nothing, and never itself", async () => {
  expect((await at("GET", "/billing")).text).toContain('action="/billing/sign-in"')
  const wrong = await at("POST", "/billing/sign-in", { form: { email: "owner@example.com", password: "wrong-secret" } })
  expect([wrong.status, wrong.text.includes("wrong-secret")]).toEqual([422, false])
  expect((await at("GET", "/billing", { host: "localhost" })).status).toBe(404)
})

test("signing out ends the session and no other login, and a session ends after 12 hours", async () => {
  const [cookie, other] = [await signIn(), await signIn()]
  const isSignedIn = async (cookie: string) =>
    (await at("GET", "/billing", { cookie })).text.includes("/billing/sign-out")
  expect((await at("POST", "/billing/sign-out", { cookie, form: {} })).status).toBe(303)
  expect([await isSignedIn(cookie), await isSignedIn(other)]).toEqual([false, true])
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 12 * 3_600_000 })
  expect(await isSignedIn(other)).toBe(false)
  vi.useRealTimers()
})

test("signing out takes the cookie although the store is being moved", async () => {
  const cookie = await signIn()
  await env.SITES_1.prepare("insert into held_sites values (?, 'm', 0, 0, 0, 0)").bind(id).run()
  const { status, headers } = await at("POST", "/billing/sign-out", { cookie, form: {} })
  expect([status, headers.get("Set-Cookie")]).toEqual([303, expect.stringContaining("Max-Age=0")])
})

test("fifty sessions that have ended do not end a login that is live", async () => {
  await signIn()
  const dead =
    "insert into user_tokens (site_id, user_id, hash, created_at, expires_at) select site_id, user_id, ?, 1, 1 from user_tokens limit 1"
  await env.SITES_1.batch(Array.from({ length: 50 }, (_, n) => env.SITES_1.prepare(dead).bind(`dead-${n}`)))
  const live = async () =>
    (await env.SITES_1.prepare("select count(*) n from user_tokens where expires_at > 1").first())?.n
  await signIn()
  expect(await live()).toBe(2)
})

describe("signed in", () => {
  test("an order is made, its instructions shown as text, withdrawn, paid, and its receipt printed", async () => {
    const cookie = await signIn()
    expect((await at("POST", "/billing/orders", { cookie, form: { plan: "pro" } })).status).toBe(303)
    const { text, headers } = await at("GET", "/billing", { cookie })
    expect(text).toContain("PO-000001")
    expect(text).toContain("IBAN &lt;b&gt;")
    expect(headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^;]+; img-src/)
    expect((await at("POST", "/billing/orders/PO-000001/withdraw", { cookie, form: {} })).status).toBe(303)
    await at("POST", "/billing/orders", { cookie, form: { plan: "pro" } })
    const { number } = (await operate("orders:approve", { reference: "PO-000002" })).body.data
    const receipt = await at("GET", `/billing/receipts/${number}`, { cookie })
    expect([receipt.status, receipt.text.includes("€49.00")]).toEqual([200, true])
    expect((await at("GET", `/billing/receipts/${number}`)).status).toBe(401)
    expect((await at("GET", "/billing/receipts/INV-1999-000001", { cookie })).status).toBe(404)
  })

  test("the owner chooses the language of mails and of this page in the site's settings, which the trail tells", async () => {
    const cookie = await signIn()
    expect((await at("POST", "/billing/language", { cookie, form: { language: "fr" } })).status).toBe(303)
    expect((await at("GET", "/billing", { cookie })).text).toContain('<html lang="fr"')
    expect((await operate("site:settings", { site: id })).body.data.language).toBe("fr")
    expect(await rows("select type, actor_type from audit_entries where type = 'site_settings_changed'")).toEqual([
      { type: "site_settings_changed", actor_type: "customer" },
    ])
    for (const form of [{ language: "xx" }, {}] as Record<string, string>[]) {
      expect((await at("POST", "/billing/language", { cookie, form })).status).toBe(422)
    }
    expect((await at("POST", "/billing/language", { form: { language: "es" } })).status).toBe(401)
  })

  test("a browser says of the page's own forms whose they are", async () => {
    // Under `no-referrer` it would send `Origin: null`, and every form would be taken for a neighbour's.
    for (const path of ["/billing", "/billing/sign-in"]) {
      const answer = path === "/billing" ? await at("GET", path) : await at("POST", path, { form: {} })
      expect(answer.headers.get("Referrer-Policy")).toBe("same-origin")
    }
  })

  test("a form that a neighbour's page sends does nothing", async () => {
    const cookie = await signIn()
    for (const origin of ["http://evil.localhost", "https://evil.example", "null"]) {
      const answer = await at("POST", "/billing/orders", { cookie, form: { plan: "pro" }, origin })
      expect(answer.status, origin).toBe(409)
    }
    expect((await operate("orders:list")).body.data).toEqual([])
  })

  test("a session of one store is none at another", async () => {
    const cookie = await signIn()
    const other = await makeReadyStore()
    expect((await at("GET", "/billing", { cookie, host: `${other}.localhost` })).text).toContain("/billing/sign-in")
  })
})
