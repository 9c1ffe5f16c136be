// Checks access to every form of the console; the forms are read from its routes.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { makeEndpoint, makePlan } from "../support/factories"
import { rows } from "../support/rows"
import { crawl, FORM_ROUTES, getFormActions, getPath, isRoute } from "./crawler"
import { createSampleData } from "./sample-data"
import { createBrowser, getCookie, makeOperator, PASSWORD, postForm, signIn } from "./support"

/** Forms that viewers may submit. */
const SELF_SERVICE_PATHS = /^\/console\/(logout|account(\/.*)?)$/

/** Forms that need no session. */
const PUBLIC_FORMS = ["/console/invitation", "/console/login", "/console/login/code", "/console/login/passkey"]

/** Forms that affect money, code or mail, or cannot be undone, with the confirmation they require. */
const SENSITIVE_FORMS: Record<string, ("password" | "typed")[]> = {
  "/console/stores/:id/delete": ["password", "typed"],
  "/console/webhooks": ["password"],
  "/console/webhooks/:id/rotate-secret": ["password"],
  "/console/webhooks/:id/delete": ["password", "typed"],
  "/console/orders/:reference/approve": ["password"],
  "/console/sites/:site/tokens": ["password"],
  "/console/sites/:site/tokens/:id/revoke": ["password"],
  "/console/sites/:site/settings/key": ["password"],
  "/console/sites/:site/notifications/push": ["password"],
  "/console/stores/:id/support": ["password"],
  "/console/system/cron": ["password"],
  "/console/licenses/:id/delete": ["password", "typed"],
  "/console/invoices/:number/credit": ["password"],
  "/console/tax/edit": ["password"],
  "/console/tax/rates": ["password"],
  "/console/orders/settings": ["password"],
  "/console/orders/:reference/reject": ["password"],
  "/console/sites/:site/settings": ["password"],
  "/console/sites/:site/notifications": ["password"],
  "/console/sites/:site/users/:id/delete": ["password", "typed"],
  "/console/sites/:site/media/folders/:id/delete": ["password"],
  "/console/sites/:site/media/files/:id/delete": ["password"],
  "/console/products/:id/edit": ["password"],
  "/console/products/:id/versions": ["password"],
  "/console/products/:id/versions/:version": ["password"],
  "/console/webhooks/:id/edit": ["password"],
  "/console/licenses/:id/offline": ["password"],
  "/console/stores/bulk": ["password"],
  "/console/stores/:id/edit": ["password"],
  "/console/stores/:id/suspend": ["password"],
  "/console/stores/:id/resume": ["password"],
  "/console/stores/:id/cancel": ["password"],
  "/console/stores/:id/subscription/assign": ["password"],
  "/console/stores/:id/subscription/change-plan": ["password"],
  "/console/stores/:id/subscription/cancel": ["password"],
  "/console/stores/:id/subscription/detach": ["password"],
  "/console/stores/:id/subscription/extend": ["password"],
  "/console/stores/:id/subscription/reactivate": ["password"],
  "/console/stores/:id/domains/:domain/primary": ["password"],
  "/console/stores/:id/subscription/resync": ["password"],
  "/console/stores/:id/domains/:domain/delete": ["password"],
  "/console/plans": ["password"],
  "/console/plans/:slug/edit": ["password"],
  "/console/license-keys": ["password"],
  "/console/license-keys/:id/revoke": ["password"],
  "/console/license-settings": ["password"],
  "/console/license-settings/keys": ["password"],
  "/console/keys": ["password"],
  "/console/keys/:id/revoke": ["password"],
  "/console/operators": ["password"],
  "/console/operators/invite": ["password"],
  "/console/operators/invitations/:id/resend": ["password"],
  "/console/operators/:id/edit": ["password"],
  "/console/operators/:id/delete": ["password", "typed"],
  "/console/account/passkeys": ["password"],
  "/console/account/passkeys/:id/delete": ["password"],
  "/console/account/totp": ["password"],
  "/console/account/totp/enable": ["password"],
  "/console/account/totp/delete": ["password"],
  "/console/system/billing": ["password"],
  "/console/system/dead-letters/:id/run": ["password"],
  "/console/coupons": ["password"],
  "/console/coupons/:code/edit": ["password"],
  "/console/stores/:id/domains": ["password"],
}

const countAuditEntries = async () => (await rows("select count(*) as n from audit_entries"))[0]?.n

test("refuses every form from a store's host, from another origin, without a session, and from viewers", async () => {
  await createSampleData()
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const before = await countAuditEntries()
  for (const route of FORM_ROUTES) {
    const path = getPath(route)
    const from = async (headers: Record<string, string>, options: { host?: string } = {}) =>
      (await postForm(path, {}, { ...options, headers: { Cookie: admin.cookie, ...headers } })).status
    expect(await from({}, { host: "acme.localhost" }), route).toBe(404)
    for (const site of ["same-site", "cross-site", "none"])
      expect(await from({ "Sec-Fetch-Site": site }), `${route} ${site}`).toBe(403)
    const body = "a=b"
    const bare = (headers: Record<string, string>) =>
      call("POST", path, {
        body,
        headers: { Cookie: admin.cookie, "Content-Type": "application/x-www-form-urlencoded", ...headers },
      })
    for (const origin of ["http://acme.localhost", "null", "https://localhost.evil.example", ""])
      expect((await bare({ ...(origin && { Origin: origin }) })).status, `${route} ${origin}`).toBe(403)
    expect(await from({ "Content-Type": "application/json" }), route).toBe(415)
    if (PUBLIC_FORMS.includes(route)) continue
    const anonymous = await postForm(path)
    expect([anonymous.status, anonymous.headers.get("Location")?.split("?")[0]], route).toEqual([303, "/console/login"])
    if (!SELF_SERVICE_PATHS.test(path)) expect((await viewer.post(path)).status, route).toBe(403)
  }
  expect(await countAuditEntries()).toBe(before)
})

test("has a route for every form of every page, and shows viewers only their own forms", async () => {
  await createSampleData()
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const actions = new Set<string>()
  for (const [, html] of await crawl(admin.get)) for (const action of getFormActions(html)) actions.add(action)
  for (const action of actions)
    expect(
      FORM_ROUTES.some((route) => isRoute(route, action)),
      action,
    ).toBe(true)
  for (const [path, html] of await crawl(viewer.get))
    expect(
      getFormActions(html).filter((action) => !SELF_SERVICE_PATHS.test(action)),
      path,
    ).toEqual([])
})

test("asks for the password after ten minutes, or for a typed name, exactly before sensitive actions", async () => {
  await createSampleData()
  const admin = await signIn()
  await env.DB.exec("update operator_sessions set confirmed_at = confirmed_at - 660000")
  const found: Record<string, ("password" | "typed")[]> = {}
  for (const route of FORM_ROUTES) {
    if (PUBLIC_FORMS.includes(route) || route === "/console/logout") continue
    const response = await admin.post(getPath(route), {})
    const asksPassword = response.status === 403 && response.text.includes('name="confirm_password"')
    if (asksPassword) found[route] = ["password"]
  }
  for (const [path, html] of await crawl(admin.get)) {
    for (const [form] of html.matchAll(/<form[^>]*method="post"[\s\S]*?<\/form>/g)) {
      const action = /action="([^"]+)"/.exec(form)?.[1] ?? ""
      if (!form.includes('name="confirm"')) continue
      const route = FORM_ROUTES.find((one) => isRoute(one, action)) ?? `${path}: ${action}`
      if (!found[route]?.includes("typed")) found[route] = [...(found[route] ?? []), "typed"]
    }
  }
  expect(found).toEqual(SENSITIVE_FORMS)
})

test("sets a __Host- cookie over https and ignores the cookie without the prefix", async () => {
  const email = await makeOperator()
  const body = new URLSearchParams({ email, password: PASSWORD }).toString()
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" }
  const { default: worker } = await import("../../src")
  const { createExecutionContext } = await import("cloudflare:test")
  const fetchHttps = (path: string, init: RequestInit = {}) =>
    worker.fetch(
      new Request(`https://localhost${path}`, { redirect: "manual", ...init }) as never,
      env as never,
      createExecutionContext(),
    )
  const signed = await fetchHttps("/console/login", { method: "POST", body, headers })
  const cookie = signed.headers.get("Set-Cookie") ?? ""
  expect(cookie).toMatch(/^__Host-console=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const value = cookie.split(/[=;]/)[1]
  expect((await fetchHttps("/console", { headers: { Cookie: `__Host-console=${value}` } })).status).toBe(200)
  expect((await fetchHttps("/console", { headers: { Cookie: `console=${value}` } })).status).toBe(303)
})

test("prevents session fixation by setting a new cookie at every sign-in", async () => {
  const email = await makeOperator()
  const planted = `console=${"a".repeat(43)}`
  const signed = await postForm("/console/login", { email, password: PASSWORD }, { headers: { Cookie: planted } })
  expect(getCookie(signed)).toMatch(/^console=[\w-]{43}$/)
  expect(getCookie(signed)).not.toBe(planted)
  expect((await createBrowser(planted).get("/console")).status).toBe(303)
  const again = await postForm(
    "/console/login",
    { email, password: PASSWORD },
    { headers: { Cookie: getCookie(signed) } },
  )
  expect(getCookie(again)).not.toBe(getCookie(signed))
})

test("rejects the cookie of a session that was signed out", async () => {
  const ada = await signIn()
  const out = await ada.post("/console/logout")
  expect(out.headers.get("Set-Cookie")).toMatch(/^console=; Max-Age=0; Path=\//)
  expect((await ada.get("/console")).status).toBe(303)
  expect((await ada.post("/console/keys", { name: "Key", scopes: "read" })).headers.get("Location")).toBe(
    "/console/login",
  )
})

test("ends an operator's sessions when their role changes in either direction", async () => {
  const admin = await signIn()
  const colleague = await signIn({ role: "viewer", email: "vera@example.com" })
  const [vera] = await rows("select id from operators where email = 'vera@example.com'")
  for (const role of ["admin", "viewer"]) {
    const signed = createBrowser(
      getCookie(await postForm("/console/login", { email: "vera@example.com", password: PASSWORD })),
    )
    expect((await signed.get("/console")).status).toBe(200)
    expect((await admin.post(`/console/operators/${vera?.id}/edit`, { name: "Vera", role })).status).toBe(303)
    expect((await signed.get("/console")).status).toBe(303)
    expect((await colleague.get("/console")).status).toBe(303)
  }
  const unaffected = createBrowser(
    getCookie(await postForm("/console/login", { email: "vera@example.com", password: PASSWORD })),
  )
  expect((await admin.post(`/console/operators/${vera?.id}/edit`, { name: "Vera V.", role: "viewer" })).status).toBe(
    303,
  )
  expect((await unaffected.get("/console")).status).toBe(200)
})

test("shows the values of plans, bank transfers and tax settings to roles that cannot change them", async () => {
  await makePlan({ slug: "pro", price_cents: 4900 })
  const { id } = await makeEndpoint()
  const viewer = await signIn({ role: "viewer" })
  expect((await viewer.get("/console/plans/pro")).text).toContain("<dd>€49.00 / month</dd>")
  expect((await viewer.get("/console/orders")).text).toContain("<dt>Payment instructions</dt>")
  expect((await viewer.get("/console/tax")).text).toContain("<dt>Name or company</dt>")
  const endpoint = (await viewer.get(`/console/webhooks/${id}`)).text
  expect(endpoint).not.toContain(`href="/console/webhooks/${id}/settings"`)
  expect(endpoint).toContain(`href="/console/webhooks/${id}/recovery"`)
})
