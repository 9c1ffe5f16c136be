// Support logins are read-only, except for billing pages: as a bearer token they write nothing and end only themselves.
import { env } from "cloudflare:workers"
import { beforeEach, expect, test, vi } from "vitest"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import { signIn } from "../console/support"
import { call, sendOperatorCommand, type TestResponse } from "../support/app"
import { makeSite, type PrepareWrite, type Site, WRITES } from "../support/content-writes"
import { disableRateLimits } from "../support/credentials"
import { makePlan, makeReadyStore } from "../support/factories"
import { listOperations } from "../support/operations"
import { diffStates, readState } from "../support/state"
import { openSupportLogin } from "../support/support-logins"
import { fillPath } from "../support/surfaces"

beforeEach(disableRateLimits)

const postBillingForm = (store: string, path: string, cookie: string, fields: Record<string, string> = {}, env = {}) =>
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

const listAuditEntries = async (store: string) =>
  (
    await env.DB.prepare(
      `select type, actor_type, actor_name, interface, data ->> 'support_access' as access
        from audit_entries where store_id = ? and actor_name = 'Ada' and type not in ('support_access_created', 'support_access_signed_in')
        order by id`,
    )
      .bind(store)
      .all()
  ).results

/** Lists the write routes that accept a user's bearer token, with their example bodies. */
const listWriteRoutes = async () => {
  const bearerRouteIds = new Set<string>(
    routeTable(await loadContentRoutes())
      .filter(({ method, traits }) => method !== "GET" && traits.bearer)
      .map(({ id }) => id),
  )
  return listOperations("content").filter(({ id }) => bearerRouteIds.has(id))
}

test("returns 403 for a support token on every write route of the content API and its apps, and changes nothing", async () => {
  const site = await makeSite()
  const { token } = await openSupportLogin(site.store)
  const routes = await listWriteRoutes()
  expect(routes.length).toBeGreaterThan(30)
  const before = await readState()
  for (const { id, method, path, example } of routes) {
    for (const json of [example ?? {}, { garbage: true }]) {
      const { status, body } = await call(method, fillPath(path), { host: `${site.store}.localhost`, token, json })
      // A public route validates its body before the token is looked up.
      const isInvalid = id === "devices.register" && "garbage" in json
      expect(status, id).toBe(isInvalid ? 422 : 403)
      // Webhooks have the control plane's errors.
      if (!isInvalid)
        expect(body.error?.code ?? body.error, id).toBe(id.startsWith("storeWebhooks.") ? "forbidden" : true)
    }
  }
  expect(diffStates(before, await readState())).toEqual([])
})

test("returns 403 for a support token on requests that succeed with a token of the store's own user", async () => {
  const site = await makeSite()
  const bearerRouteIds = new Set((await listWriteRoutes()).map(({ id }) => id))
  const names = Object.keys(WRITES).filter((id) => bearerRouteIds.has(id))
  expect(names.length).toBe(bearerRouteIds.size - 2)
  const { token } = await openSupportLogin(site.store)
  const writes: [name: string, write: () => Promise<TestResponse>][] = []
  for (const name of names) writes.push([name, await (WRITES[name] as PrepareWrite)(asSupport(site, token))])
  const before = await readState()
  tokenSwap.isActive = true
  for (const [name, write] of writes) expect((await write()).status, name).toBe(403)
  tokenSwap.isActive = false
  expect(diffStates(before, await readState())).toEqual([])
})

const tokenSwap = { isActive: false }

/** Wraps a site so that its users send the support token while the swap is active. */
const asSupport = (site: Site, token: string): Site => ({
  ...site,
  send: (method, path, user, json) =>
    site.send(method, path, tokenSwap.isActive && user.token ? { token } : user, json),
  createUser: async (overrides) => {
    const user = await site.createUser(overrides)
    const own = user.token
    return Object.defineProperty(user, "token", { get: () => (tokenSwap.isActive ? token : own) })
  },
})

test("lets a support token read what staff may read, and refuses it where a key is required", async () => {
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
  expect((await postBillingForm(site.store, "/billing/sign-out", second.cookie)).status).toBe(303)
  expect([await reads(second.token), await reads(owner)]).toEqual([401, 200])
  expect((await listAuditEntries(site.store)).map(({ type }) => type)).toEqual([
    "support_access_signed_out",
    "support_access_signed_out",
  ])
})

test("writes an audit entry with operator, console and support access for each billing action of a support session", async () => {
  await sendOperatorCommand("offline:settings", { enabled: true, label: "Transfer", instructions: "IBAN" })
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
    expect((await postBillingForm(store, path, cookie, fields, card)).status, path).toEqual(status)
  await env.DB.exec("update subscriptions set stripe_customer = 'cus_1'")
  expect((await postBillingForm(store, "/billing/portal", cookie, {}, card)).status).toBe(200)
  const ada = { actor_type: "admin", actor_name: "Ada", interface: "console", access: 1 }
  expect(await listAuditEntries(store)).toEqual(
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
  expect((await postBillingForm(store, "/billing/orders", cookie, { plan: plan.slug })).status).toBe(401)
})
