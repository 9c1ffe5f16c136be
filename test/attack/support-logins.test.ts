// A support login is for looking and for billing. As a bearer token it reads; it writes nothing, and ends no login but itself.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test, vi } from "vitest"
import { contentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { signIn } from "../console/support"
import { type Answer, call } from "../support/app"
import { operate } from "../support/billing-factories"
import { type Make, makeSite, type Site, WRITES } from "../support/content-writes"
import { withoutBudgets } from "../support/credentials"
import { makePlan, makeReadyStore } from "../support/factories"
import { operationsOf } from "../support/operations"
import { differences, everything } from "../support/state"
import { openSupportLogin } from "../support/support-logins"
import { fillPath } from "../support/surfaces"

beforeEach(withoutBudgets)

const form = (store: string, path: string, cookie: string, fields: Record<string, string> = {}, env = {}) =>
  call("POST", path, {
    host: `${store}.localhost`,
    env,
    headers: {
      Cookie: cookie,
      Origin: `http://${store}.localhost`,
      "Content-Type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams(fields).toString(),
  })

const entriesOf = async (store: string) =>
  (
    await env.DB.prepare(
      `select type, actor_type, actor_name, interface, data ->> 'support_access' as access
        from audit_entries where store_id = ? and actor_name = 'Ada' and type not in ('support_access_created', 'support_access_signed_in')
        order by id`,
    )
      .bind(store)
      .all()
  ).results

/** Routes that take a user's bearer token and write, with the body of their documentation. */
const writeRoutes = async () => {
  const takesBearer = new Set<string>(
    routeTable(await contentRoutes())
      .filter(({ method, traits }) => method !== "GET" && traits.bearer)
      .map(({ id }) => id),
  )
  return operationsOf("content").filter(({ id }) => takesBearer.has(id))
}

test("answers 403 to a support token on every write route of the content API and its apps, and changes nothing", async () => {
  const site = await makeSite()
  const { token } = await openSupportLogin(site.store)
  const routes = await writeRoutes()
  expect(routes.length).toBeGreaterThan(30)
  const before = await everything()
  for (const { id, method, path, example } of routes) {
    for (const json of [example ?? {}, { garbage: true }]) {
      const answer = await call(method, fillPath(path), { host: `${site.store}.localhost`, token, json })
      expect([answer.status, answer.body.error], id).toEqual([403, true])
    }
  }
  expect(differences(before, await everything())).toEqual([])
})

test("answers 403 to a support token where the same request succeeds with a token of the store's own user", async () => {
  const site = await makeSite()
  const takesBearer = new Set((await writeRoutes()).map(({ id }) => id))
  const names = Object.keys(WRITES).filter((id) => takesBearer.has(id))
  expect(names.length).toBe(takesBearer.size - 2)
  const { token } = await openSupportLogin(site.store)
  const writes: [name: string, write: () => Promise<Answer>][] = []
  for (const name of names) writes.push([name, await (WRITES[name] as Make)(asSupport(site, token))])
  const before = await everything()
  swap.on = true
  for (const [name, write] of writes) expect((await write()).status, name).toBe(403)
  swap.on = false
  expect(differences(before, await everything())).toEqual([])
})

const swap = { on: false }

/** The site, whose users present the support token once `swap` is on. */
const asSupport = (site: Site, token: string): Site => ({
  ...site,
  send: (method, path, user, json) => site.send(method, path, swap.on && user.token ? { token } : user, json),
  user: async (given) => {
    const user = await site.user(given)
    const own = user.token
    return Object.defineProperty(user, "token", { get: () => (swap.on ? token : own) })
  },
})

test("lets a support token read what the staff reads, and opens no API that wants a key", async () => {
  const site = await makeSite()
  const { token } = await openSupportLogin(site.store)
  const host = `${site.store}.localhost`
  for (const path of ["/me", "/billing", "/billing/orders", "/orders", "/products", "/contact"])
    expect((await call("GET", `/api/v1${path}`, { host, token })).status, path).toBe(200)
  for (const headers of [{ "X-API-KEY": token }, { Authorization: `Bearer ${token}` }] as Record<string, string>[])
    expect((await call("GET", "/api/v1/media/files", { host, headers })).status).toBe(401)
})

test("ends only the support login when it signs out, and writes the end to the audit log", async () => {
  const site = await makeSite()
  const host = `${site.store}.localhost`
  const login = () =>
    call("POST", "/api/v1/login", { host, json: { email: "owner@example.com", password: "correct-horse" } })
  const owner = (await login()).body.data.token
  const [first, second] = [await openSupportLogin(site.store), await openSupportLogin(site.store)]
  const reads = async (token: string) => (await call("GET", "/api/v1/me", { host, token })).status
  expect((await call("GET", "/api/v1/logout", { host, token: first.token })).status).toBe(200)
  expect([await reads(first.token), await reads(second.token), await reads(owner)]).toEqual([401, 200, 200])
  expect((await form(site.store, "/billing/sign-out", second.cookie)).status).toBe(303)
  expect([await reads(second.token), await reads(owner)]).toEqual([401, 200])
  expect((await entriesOf(site.store)).map(({ type }) => type)).toEqual([
    "support_access_signed_out",
    "support_access_signed_out",
  ])
})

test("writes an audit entry with operator, console and support access for each billing action of a support session", async () => {
  await operate("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
  const plan = await makePlan({ stripe_price: "price_a" })
  const store = await makeReadyStore({ plan: plan.slug })
  const { cookie } = await openSupportLogin(store)
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ url: "https://provider.example/page" }))
  const card = { STRIPE_SECRET_KEY: "sk_test", STRIPE_API_URL: "https://provider.example" }
  const steps: [path: string, status: number, fields?: Record<string, string>][] = [
    ["/billing/orders", 303, { plan: plan.slug }],
    ["/billing/orders/PO-000001/withdraw", 303],
    ["/billing/language", 303, { language: "fr" }],
    ["/billing/checkout", 200, { plan: plan.slug }],
  ]
  for (const [path, status, fields] of steps)
    expect((await form(store, path, cookie, fields, card)).status, path).toEqual(status)
  await env.DB.exec("update subscriptions set stripe_customer = 'cus_1'")
  expect((await form(store, "/billing/portal", cookie, {}, card)).status).toBe(200)
  const ada = { actor_type: "admin", actor_name: "Ada", interface: "console", access: 1 }
  expect(await entriesOf(store)).toEqual(
    [
      "order_requested",
      "order_withdrawn",
      "site_settings_changed",
      "support_access_checkout_opened",
      "support_access_portal_opened",
    ].map((type) => ({ type, ...ada })),
  )
})

test("refuses an order of a support session that an operator has ended", async () => {
  const plan = await makePlan()
  const store = await makeReadyStore()
  const { cookie } = await openSupportLogin(store)
  const admin = await signIn()
  expect((await admin.post(`/console/stores/${store}/support/1/end`)).status).toBe(303)
  expect((await form(store, "/billing/orders", cookie, { plan: plan.slug })).status).toBe(401)
})
