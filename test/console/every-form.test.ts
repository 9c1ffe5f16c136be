// Who may not, may not: every form of the console, as its routes have them.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { rows } from "../support/rows"
import { actionsOf, FORMS, isOf, walk } from "./every-page"
import { someOfEverything } from "./sample-data"
import { browser, cookieOf, makeOperator, PASSWORD, post, signIn } from "./support"

/** What a viewer may post: what is their own. */
const OWN = /^\/console\/(logout|account(\/.*)?)$/

/** What everybody may post who is not signed in. */
const OPEN = ["/console/login", "/console/login/code", "/console/login/passkey"]

/** Forms that redirect money, code or mail, or cannot be undone, and what they ask for: a recent password, or the name typed in. */
const DANGEROUS: Record<string, ("password" | "typed")[]> = {
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
  "/console/orders/settings": ["password"],
  "/console/orders/:reference/reject": ["password"],
  "/console/sites/:site/settings": ["password"],
  "/console/sites/:site/notifications": ["password"],
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

/** A path of a route, of things that need not be there: nobody is told so who may not ask. */
const pathOf = (route: string): string =>
  route
    .replaceAll(/:\w+\{(\w+)[^}]*\}/g, "$1")
    .replaceAll(":site", "central")
    .replaceAll(/:\w+/g, "1")

const entries = async () => (await rows("select count(*) as n from audit_entries"))[0]?.n

test("no form does anything from a store's host, from a store's page, without a session, or for a viewer", async () => {
  await someOfEverything()
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const before = await entries()
  for (const route of FORMS) {
    const path = pathOf(route)
    const from = async (headers: Record<string, string>, options: { host?: string } = {}) =>
      (await post(path, {}, { ...options, headers: { Cookie: admin.cookie, ...headers } })).status
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
    if (OPEN.includes(route)) continue
    const stranger = await post(path)
    expect([stranger.status, stranger.headers.get("Location")?.split("?")[0]], route).toEqual([303, "/console/login"])
    if (!OWN.test(path)) expect((await viewer.post(path)).status, route).toBe(403)
  }
  expect(await entries()).toBe(before)
})

test("every form of a page is one of the routes, and a viewer's pages have none but their own", async () => {
  await someOfEverything()
  const [admin, viewer] = [await signIn(), await signIn({ role: "viewer" })]
  const actions = new Set<string>()
  for (const [, html] of await walk(admin.get)) for (const action of actionsOf(html)) actions.add(action)
  for (const action of actions)
    expect(
      FORMS.some((route) => isOf(route, action)),
      action,
    ).toBe(true)
  for (const [path, html] of await walk(viewer.get))
    expect(
      actionsOf(html).filter((action) => !OWN.test(action)),
      path,
    ).toEqual([])
})

test("what is dangerous asks for the password after ten minutes, or for a name to be typed; nothing else asks", async () => {
  await someOfEverything()
  const admin = await signIn()
  await env.DB.exec("update operator_sessions set confirmed_at = confirmed_at - 660000")
  const asking: Record<string, ("password" | "typed")[]> = {}
  for (const route of FORMS) {
    if (OPEN.includes(route) || route === "/console/logout") continue
    const answer = await admin.post(pathOf(route), {})
    const asksPassword = answer.status === 403 && answer.text.includes('name="confirm_password"')
    if (asksPassword) asking[route] = ["password"]
  }
  for (const [path, html] of await walk(admin.get)) {
    for (const [form] of html.matchAll(/<form[^>]*method="post"[\s\S]*?<\/form>/g)) {
      const action = /action="([^"]+)"/.exec(form)?.[1] ?? ""
      if (!form.includes('name="confirm"')) continue
      const route = FORMS.find((one) => isOf(one, action)) ?? `${path}: ${action}`
      if (!asking[route]?.includes("typed")) asking[route] = [...(asking[route] ?? []), "typed"]
    }
  }
  expect(asking).toEqual(DANGEROUS)
})

test("on https the cookie is bound to the host, and the one without the prefix counts for nothing", async () => {
  const email = await makeOperator()
  const body = new URLSearchParams({ email, password: PASSWORD }).toString()
  const headers = { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" }
  const { default: worker } = await import("../../src/index")
  const { createExecutionContext } = await import("cloudflare:test")
  const over = (path: string, init: RequestInit = {}) =>
    worker.fetch(
      new Request(`https://localhost${path}`, { redirect: "manual", ...init }) as never,
      env as never,
      createExecutionContext(),
    )
  const signed = await over("/console/login", { method: "POST", body, headers })
  const cookie = signed.headers.get("Set-Cookie") ?? ""
  expect(cookie).toMatch(/^__Host-console=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const value = cookie.split(/[=;]/)[1]
  expect((await over("/console", { headers: { Cookie: `__Host-console=${value}` } })).status).toBe(200)
  expect((await over("/console", { headers: { Cookie: `console=${value}` } })).status).toBe(303)
})

test("signing in gives a new cookie whatever came with it, and leaves none that somebody else chose", async () => {
  const email = await makeOperator()
  const planted = `console=${"a".repeat(43)}`
  const signed = await post("/console/login", { email, password: PASSWORD }, { headers: { Cookie: planted } })
  expect(cookieOf(signed)).toMatch(/^console=[\w-]{43}$/)
  expect(cookieOf(signed)).not.toBe(planted)
  expect((await browser(planted).get("/console")).status).toBe(303)
  const again = await post("/console/login", { email, password: PASSWORD }, { headers: { Cookie: cookieOf(signed) } })
  expect(cookieOf(again)).not.toBe(cookieOf(signed))
})

test("a session that was signed out of is over, whoever still holds its cookie", async () => {
  const ada = await signIn()
  const out = await ada.post("/console/logout")
  expect(out.headers.get("Set-Cookie")).toMatch(/^console=; Max-Age=0; Path=\//)
  expect((await ada.get("/console")).status).toBe(303)
  expect((await ada.post("/console/keys", { name: "Key", scopes: "read" })).headers.get("Location")).toBe(
    "/console/login",
  )
})

test("another role ends the sessions that began under the old one, up as well as down", async () => {
  const admin = await signIn()
  const colleague = await signIn({ role: "viewer", email: "vera@example.com" })
  const [vera] = await rows("select id from operators where email = 'vera@example.com'")
  for (const role of ["admin", "viewer"]) {
    const signed = browser(cookieOf(await post("/console/login", { email: "vera@example.com", password: PASSWORD })))
    expect((await signed.get("/console")).status).toBe(200)
    expect((await admin.post(`/console/operators/${vera?.id}/edit`, { name: "Vera", role })).status).toBe(303)
    expect((await signed.get("/console")).status).toBe(303)
    expect((await colleague.get("/console")).status).toBe(303)
  }
  const kept = browser(cookieOf(await post("/console/login", { email: "vera@example.com", password: PASSWORD })))
  expect((await admin.post(`/console/operators/${vera?.id}/edit`, { name: "Vera V.", role: "viewer" })).status).toBe(
    303,
  )
  expect((await kept.get("/console")).status).toBe(200)
})
