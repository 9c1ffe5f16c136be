import { env } from "cloudflare:workers"
import { eq } from "drizzle-orm"
import { drizzle } from "drizzle-orm/d1"
import { expect, test, vi } from "vitest"
import { userTokens } from "../../src/db/schema/sites/tokens"
import { users } from "../../src/db/schema/sites/users"
import { HOUR, MINUTE } from "../../src/lib/time"
import { getCookie } from "../console/support"
import { call } from "../support/app"
import { content, hostOfStore, makeToken, makeUser, PASSWORD } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { createAdminBrowser, postLogin, signInToAdmin } from "./support"

const db = () => drizzle(env.SITES_1)

test("signs staff in with a cookie that scripts and other hosts cannot read", async () => {
  const store = await makeReadyStore()
  const { email } = await makeUser(store, { isStaff: true })
  const before = await call("GET", "/admin/products?page=2", { host: hostOfStore(store) })
  expect([before.status, before.headers.get("Location")]).toEqual([
    303,
    "/admin/login?next=%2Fadmin%2Fproducts%3Fpage%3D2",
  ])
  const response = await postLogin(store, { email, password: PASSWORD, next: "//evil.example" })
  expect([response.status, response.headers.get("Location")]).toEqual([303, "/admin"])
  expect(response.headers.get("Set-Cookie")).toMatch(/^admin=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
  const page = await createAdminBrowser(store, getCookie(response)).get("/admin")
  expect(page.status).toBe(200)
  expect(page.text).toContain(`Your shop is open at <a href="/">${store}.localhost</a>.`)
  expect(page.headers.get("Cache-Control")).toBe("no-store")
  expect(page.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'")
  // The database has the hash of the token only.
  const [, secret = ""] = decodeURIComponent(getCookie(response)).split("|")
  expect(JSON.stringify(await db().select().from(userTokens))).not.toContain(secret)
})

test("refuses customers, wrong passwords and forms of other origins, and keeps the address", async () => {
  const store = await makeReadyStore()
  const customer = await makeUser(store)
  const wrong = await postLogin(store, { email: "nobody@example.com", password: "wrong-wrong" })
  expect([wrong.status, wrong.headers.has("Set-Cookie")]).toEqual([422, false])
  expect(wrong.text).toContain('value="nobody@example.com"')
  const refused = await postLogin(store, { email: customer.email, password: PASSWORD })
  expect(refused.status).toBe(422)
  expect(refused.text).toContain("does not belong to the shop")
  expect(refused.headers.has("Set-Cookie")).toBe(false)
  const foreign = { "Sec-Fetch-Site": "same-site", Origin: "http://other.localhost" }
  expect((await postLogin(store, { email: customer.email, password: PASSWORD }, { headers: foreign })).status).toBe(403)
  expect((await postLogin(store, { email: "not an address", password: "" })).status).toBe(422)
})

test("counts failed sign-ins together with those of the API", async () => {
  const store = await makeReadyStore()
  const { email } = await makeUser(store, { isStaff: true })
  const wrong = { email, password: "wrong-wrong" }
  const headers = { "CF-Connecting-IP": "192.0.2.1" }
  for (let attempt = 0; attempt < 5; attempt++) {
    expect((await postLogin(store, wrong)).status).toBe(422)
    expect((await content("POST", "/login", { host: hostOfStore(store), json: wrong, headers })).status).toBe(422)
  }
  expect((await postLogin(store, wrong)).status).toBe(429)
})

test("ends a session after two idle hours, after twelve hours, and with the password or the role", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const store = await makeReadyStore()
  const isOpen = async (browser: Pick<Awaited<ReturnType<typeof signInToAdmin>>, "get">) =>
    (await browser.get("/admin")).status === 200
  const advance = (ms: number) => vi.setSystemTime(Date.now() + ms)

  const idle = await signInToAdmin(store)
  advance(2 * HOUR - MINUTE)
  expect(await isOpen(idle)).toBe(true)
  advance(2 * HOUR - MINUTE)
  expect(await isOpen(idle)).toBe(true)
  advance(2 * HOUR)
  expect(await isOpen(idle)).toBe(false)

  const busy = await signInToAdmin(store)
  for (let hour = 1; hour < 12; hour++) {
    advance(HOUR)
    expect(await isOpen(busy), `${hour} hours`).toBe(true)
  }
  advance(HOUR)
  expect(await isOpen(busy)).toBe(false)

  const [changed, removed] = [await signInToAdmin(store), await signInToAdmin(store, "viewer")]
  const json = { current_password: PASSWORD, password: "another-pass", password_confirmation: "another-pass" }
  const token = await makeToken({ id: changed.user.id, siteId: store })
  expect((await content("PUT", "/update/password", { host: hostOfStore(store), token, json })).status).toBe(200)
  expect(await isOpen(changed)).toBe(false)
  await db().update(users).set({ isStaff: false, role: null }).where(eq(users.id, removed.user.id))
  expect(await isOpen(removed)).toBe(false)

  // An API login is not a session, however long it lasts.
  const api = createAdminBrowser(store, `admin=${encodeURIComponent(removed.user.token)}`)
  expect(await isOpen(api)).toBe(false)
  // Signing out ends the session, not only the cookie.
  const out = await signInToAdmin(store)
  expect((await out.post("/admin/logout")).headers.get("Location")).toBe("/admin/login?done=signed_out")
  expect(await isOpen(out)).toBe(false)
})

test("a closed store's admin opens read-only, and neither the central host nor a deleted store has one", async () => {
  const store = await makeReadyStore()
  const owner = await signInToAdmin(store)
  const token = await makeKey()
  await call("POST", `/api/platform/v1/stores/${store}/suspend`, { token })
  const page = await owner.get("/admin")
  expect(page.status).toBe(200)
  expect(page.text).toMatch(/closed this shop on .*<a href="\/billing">/s)
  const refused = await owner.post("/admin/settings", { name: "New" })
  expect([refused.status, refused.text.includes("nothing can be changed")]).toEqual([503, true])
  const again = await postLogin(store, { email: owner.user.email, password: PASSWORD })
  expect(again.status).toBe(303)
  expect((await call("GET", "/admin")).status).toBe(404)
  await call("DELETE", `/api/platform/v1/stores/${store}`, { token, json: { confirm: store } })
  expect((await owner.get("/admin")).status).toBe(404)
})

test("is in the store's language, and hides what a role may not do", async () => {
  const store = await makeReadyStore()
  const [owner, viewer] = [await signInToAdmin(store), await signInToAdmin(store, "viewer")]
  expect((await owner.get("/admin")).text).toContain('href="/billing"')
  const seen = await viewer.get("/admin", { headers: { Cookie: viewer.cookie, "Accept-Language": "fr" } })
  expect(seen.text).toContain('lang="fr"')
  expect(seen.text).not.toContain('href="/billing"')
})
