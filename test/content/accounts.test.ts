// Accounts: registration, verification, login and logout, passwords, profile and avatar, and their separation by
// site.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { takeToken } from "../../src/core/http/rate-limit"
import { createLog } from "../../src/core/log"
import { DAY } from "../../src/lib/time"
import { call, platform } from "../support/app"
import {
  captureMails,
  content,
  hostOfStore,
  makeSettings,
  makeToken,
  makeUser,
  PASSWORD,
  parseMailLink,
} from "../support/content-factories"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { makeMediaClient, upload as uploadFile } from "../support/media-factories"
import { siteRows } from "../support/rows"
import { pauseFaults } from "../support/test-faults"

const ADA = {
  first_name: "Ada",
  last_name: "Byron",
  email: "ada@example.com",
  password: PASSWORD,
  password_confirmation: PASSWORD,
  phone: "+1 555 0100",
}
const UNAUTHENTICATED = { error: true, data: null, message: "Unauthenticated." }

describe("register", () => {
  test("registers a customer of this site only, who can log in immediately", async () => {
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    const registered = await content("POST", "/register", { host, json: ADA })
    expect(registered.status).toBe(201)
    expect(registered.body).toEqual({ error: false, data: null, message: "Your account has been created." })
    const [row] = await siteRows("select * from users where email = ?", ADA.email)
    expect(row).toMatchObject({ site_id: store, is_staff: 0, email_verified_at: null, phone: ADA.phone })
    expect(row?.password_hash).toMatch(/^scrypt\$/)
    const login = await content("POST", "/login", { host, json: { email: ADA.email, password: PASSWORD } })
    expect(login.status).toBe(200)
    expect(login.body).toEqual({
      error: false,
      message: null,
      data: {
        token: expect.stringMatching(/^\d+\|[0-9A-Za-z]{48}$/),
        user: { id: row?.id, name: "Ada Byron", email: ADA.email, role: null },
      },
    })
    expect((await content("POST", "/login", { json: { email: ADA.email, password: PASSWORD } })).status).toBe(422)
    expect((await content("POST", "/register", { json: { ...ADA, email: "ADA@example.com" } })).status).toBe(201)
  })

  test("returns 422 for the second of two concurrent registrations of an address, in any case", async () => {
    const both = await Promise.all([
      content("POST", "/register", { json: ADA }),
      content("POST", "/register", { json: { ...ADA, email: "Ada@Example.com" } }),
    ])
    expect(both.map((response) => response.status).sort()).toEqual([201, 422])
    const conflict = both.find((response) => response.status === 422)
    expect(conflict?.body).toEqual({
      message: "The email has already been taken.",
      errors: { email: ["The email has already been taken."] },
    })
    expect(await siteRows("select id from users")).toHaveLength(1)
  })

  test("splits a full name at its first space", async () => {
    const { first_name, last_name, ...rest } = ADA
    expect((await content("POST", "/register", { json: { ...rest, name: "Ada King  Byron" } })).status).toBe(201)
    expect(await siteRows("select first_name, last_name from users")).toEqual([
      { first_name: "Ada", last_name: "King Byron" },
    ])
  })

  test("lists every invalid field, and counts them in the message", async () => {
    const { first_name, last_name, ...rest } = ADA
    const wrong = await content("POST", "/register", {
      json: { email: "nope", password: "12345", password_confirmation: "12345" },
    })
    expect(wrong.status).toBe(422)
    expect(wrong.body.message).toBe("The email field must be a valid email address. (and 3 more errors)")
    expect(wrong.body.errors.password).toEqual(["The password field must be at least 8 characters."])
    const nothing = await content("POST", "/register", { json: {} })
    expect(Object.keys(nothing.body.errors).sort()).toEqual(["email", "first_name", "last_name", "password"])
    const nameless = await content("POST", "/register", { json: rest })
    expect(nameless.body.errors).toEqual({
      first_name: ["The first name field is required."],
      last_name: ["The last name field is required."],
    })
    const unconfirmed = await content("POST", "/register", { json: { ...ADA, password_confirmation: "other" } })
    expect(unconfirmed.body.errors).toEqual({ password: ["The password field confirmation does not match."] })
  })

  test("rejects hostile field values with 422", async () => {
    const emails = [
      `${"a".repeat(300)}@example.com`,
      "ädä@exämple.com",
      "a@b",
      "",
      null,
      5,
      {},
      ["a@example.com"],
      "a\0b@example.com",
    ]
    for (const email of emails) {
      const response = await content("POST", "/register", { json: { ...ADA, email } })
      expect(response.status).toBe(422)
      expect(response.body.errors.email).toHaveLength(1)
      expect((await content("POST", "/login", { json: { email, password: "x" } })).status).toBe(422)
    }
    for (const first_name of ["x", "y".repeat(121), 7, { a: 1 }, "a\u0000b"]) {
      expect((await content("POST", "/register", { json: { ...ADA, first_name } })).status).toBe(422)
    }
    const long = { ...ADA, password: "p".repeat(2000), password_confirmation: "p".repeat(2000) }
    expect((await content("POST", "/register", { json: long })).status).toBe(422)
    expect((await content("POST", "/register", { json: [] })).status).toBe(422)
    expect(await siteRows("select id from users")).toHaveLength(0)
  })

  test("rejects malformed requests with this API's error envelope", async () => {
    const huge = await content("POST", "/register", { json: { ...ADA, password: "p".repeat(10_000_000) } })
    expect(huge.status).toBe(413)
    expect(huge.body).toEqual({ error: true, data: null, message: "The request is too large." })
    const broken = await content("POST", "/register", { body: "{", headers: { "Content-Type": "application/json" } })
    expect(broken.status).toBe(400)
    expect(broken.body.error).toBe(true)
    expect((await content("POST", "/register", { body: "a=b" })).status).toBe(415)
    expect((await content("DELETE", "/register")).status).toBe(405)
    expect(await siteRows("select id from users")).toHaveLength(0)
  })
})

describe("verification", () => {
  test("requires the mailed link before login where addresses are verified", async () => {
    const mails = captureMails()
    const store = await makeReadyStore({ name: "Acme & Sons" })
    const host = hostOfStore(store)
    await makeSettings(store, { emailVerification: true })
    const registered = await content("POST", "/register", { host, json: ADA })
    expect(registered.body.message).toContain("follow the link")
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ to: ADA.email, from: { name: "Acme & Sons", email: "no-reply@example.com" } })
    expect(mails[0]?.html).toContain("Acme &amp; Sons")
    expect(mails[0]?.html).not.toContain("Ada")
    expect(mails[0]?.text).toContain("Confirm this address to sign in.")
    const credentials = { email: ADA.email, password: PASSWORD }
    const early = await content("POST", "/login", { host, json: credentials })
    expect(early.status).toBe(403)
    expect(early.body.error).toBe(true)
    expect((await content("POST", "/login", { host, json: { ...credentials, password: "wrong" } })).status).toBe(422)
    const link = parseMailLink(mails[0])
    expect(link.host).toBe(host)
    expect((await call("GET", link.path)).status).toBe(422)
    expect((await call("GET", link.path.replace(/token=.{5}/, "token=xxxxx"), { host })).status).toBe(422)
    const page = await call("GET", link.path, { host })
    expect(page.status).toBe(200)
    expect(page.text).toContain("Your email is confirmed")
    expect(page.text).toContain("You can sign in now.")
    expect(page.headers.get("Referrer-Policy")).toBe("no-referrer")
    expect((await call("GET", link.path, { host })).status).toBe(200)
    expect((await content("POST", "/login", { host, json: credentials })).status).toBe(200)
  })

  test("keeps the account when the mail fails, so that another mail can be requested", async () => {
    vi.mocked(env.MAIL.send).mockRejectedValueOnce(new Error("the mail service is down"))
    await makeSettings("central", { emailVerification: true })
    expect((await content("POST", "/register", { json: ADA })).status).toBe(201)
    const mails = captureMails()
    await content("POST", "/resend-verify-account-email", { json: { email: ADA.email } })
    expect((await call("GET", parseMailLink(mails[0]).path)).status).toBe(200)
  })

  test("resends the verification link where addresses are verified, without revealing who has an account", async () => {
    const mails = captureMails()
    await makeUser("central", { email: ADA.email })
    const request = (email: string, headers = {}) =>
      content("POST", "/resend-verify-account-email", { json: { email }, headers })
    expect((await request(ADA.email)).status).toBe(404)
    await makeSettings("central", { emailVerification: true })
    const responses = [
      await request("ADA@example.com", { "Accept-Language": "fr" }),
      await request("unknown@example.com"),
    ]
    expect(responses.map((response) => response.status)).toEqual([200, 200])
    expect(mails.map((mail) => mail.to)).toEqual([ADA.email])
    expect(mails[0]?.subject).toBe("Confirmez votre adresse e-mail · Tenancy")
    await request(ADA.email)
    expect((await call("GET", parseMailLink(mails[0]).path)).status).toBe(422)
    expect((await call("GET", parseMailLink(mails[1]).path)).status).toBe(200)
    await request(ADA.email)
    expect(mails).toHaveLength(2)
  })
})

describe("login", () => {
  test("returns the same response for an unknown address and a wrong password", async () => {
    const user = await makeUser()
    const responses = await Promise.all(
      [
        { email: "unknown@example.com", password: PASSWORD },
        { email: user.email, password: "wrong-password" },
        { email: user.email, password: PASSWORD.toUpperCase() },
      ].map((json) => content("POST", "/login", { json })),
    )
    for (const response of responses) {
      expect(response.status).toBe(422)
      expect(response.body).toEqual({
        error: true,
        data: null,
        message: "These credentials do not match our records.",
      })
    }
    const spanish = await content("POST", "/login", {
      json: { email: user.email, password: "wrong-password" },
      headers: { "Accept-Language": "es" },
    })
    expect(spanish.body.message).toBe("Estas credenciales no coinciden con nuestros registros.")
  })

  test("logs in with three round trips", async () => {
    const user = await makeUser()
    const costs = await costsOf(() => content("POST", "/login", { json: { email: user.email, password: PASSWORD } }))
    // Failures per network and per account (counted and refunded), hashes per network, successes per user.
    expect(costs).toMatchObject({ roundTrips: 3, objectCalls: 6 })
  })

  test("does the same work for an unknown address as for a wrong password", async () => {
    const { email } = await makeUser()
    const wrong = await costsOf(() => content("POST", "/login", { json: { email, password: "wrong-1" } }))
    const unknown = await costsOf(() => content("POST", "/login", { json: { email: "no@example.com", password: "w" } }))
    expect(unknown).toMatchObject({ roundTrips: wrong.roundTrips, objectCalls: wrong.objectCalls })
    expect(wrong.objectCalls).toBe(3)
  })

  test("returns 429 for the eleventh attempt in a minute, and counts each kind of attempt separately", async () => {
    const user = await makeUser()
    const json = { ...ADA, email: user.email, password: "wrong-12", password_confirmation: "wrong-12", token: "x" }
    for (const path of ["/login", "/register", "/password/reset"]) {
      for (let n = 0; n < 10; n++) expect((await content("POST", path, { json })).status).toBe(422)
      const blocked = await content("POST", path, { json })
      expect(blocked.status).toBe(429)
      expect(Number(blocked.headers.get("Retry-After"))).toBeGreaterThan(0)
      expect(blocked.body).toMatchObject({ error: true, data: null })
    }
  })

  test("counts reset attempts per network and site, and never per account", async () => {
    const store = await makeReadyStore()
    const request = async (email: string, ip: string, host = "localhost") =>
      (
        await content("POST", "/password/reset", {
          json: { email, token: "x", password: "secret-1", password_confirmation: "secret-1" },
          headers: { "CF-Connecting-IP": ip },
          host,
        })
      ).status
    for (let n = 0; n < 12; n++) expect(await request("Ada@example.com", `10.0.0.${n}`)).toBe(422)
    for (let n = 0; n < 9; n++) expect(await request(`a${n}@example.com`, "10.0.0.1")).toBe(422)
    expect(await request("b@example.com", "10.0.0.1")).toBe(429)
    expect(await request("ada@example.com", "10.0.0.1", hostOfStore(store))).toBe(422)
  })

  test("blocks unknown networks after failed logins, but not a network that the user has logged in from", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const user = await makeUser()
    const login = async (password: string, ip: string) =>
      (
        await content("POST", "/login", {
          json: { email: user.email, password },
          headers: { "CF-Connecting-IP": ip },
        })
      ).status
    expect(await login(PASSWORD, "2001:db8:0:1::1")).toBe(200)
    for (let n = 0; n < 10; n++) expect(await login("wrong-1", `10.0.0.${n}`)).toBe(422)
    expect(await login(PASSWORD, "10.0.1.1")).toBe(429)
    // Another address in the same network.
    expect(await login(PASSWORD, "2001:db8:0:1::2")).toBe(200)
    expect(await login("wrong-1", "2001:db8:0:1::2")).toBe(422)
    await env.SITES_1.prepare("update user_networks set last_seen_at = ?")
      .bind(Date.now() - 91 * DAY)
      .run()
    expect(await login(PASSWORD, "2001:db8:0:1::2")).toBe(429)
  })

  test("lets a user log in after a logout or a reset while other networks use up the account's limit", async () => {
    const user = await makeUser()
    const from = (ip: string) => ({ "CF-Connecting-IP": ip })
    const login = (password: string, ip: string) =>
      content("POST", "/login", { json: { email: user.email, password }, headers: from(ip) })
    const { body } = await login(PASSWORD, "10.1.0.1")
    expect((await content("GET", "/logout", { token: body.data.token })).status).toBe(200)
    for (let n = 0; n < 10; n++) expect((await login("wrong-1", `10.0.0.${n}`)).status).toBe(422)
    expect((await login(PASSWORD, "10.0.1.1")).status).toBe(429)
    expect((await login(PASSWORD, "10.1.0.1")).status).toBe(200)
    const mails = captureMails()
    await content("POST", "/password/forgot", { json: { email: user.email } })
    const { token } = parseMailLink(mails[0])
    const json = { email: user.email, token, password: "another-1", password_confirmation: "another-1" }
    expect((await content("POST", "/password/reset", { json, headers: from("10.2.0.1") })).status).toBe(200)
    // Networks of the previous password may belong to an attacker.
    expect((await login("another-1", "10.1.0.1")).status).toBe(429)
    expect((await login("another-1", "10.2.0.1")).status).toBe(200)
  })

  test("records the latest twenty networks of a user", async () => {
    const user = await makeUser()
    for (let n = 0; n < 22; n++) {
      const headers = { "CF-Connecting-IP": `10.1.${n}.1` }
      const { status } = await content("POST", "/login", { json: { email: user.email, password: PASSWORD }, headers })
      expect(status).toBe(200)
    }
    expect(await siteRows("select count(*) as n from user_networks where user_id = ?", user.id)).toEqual([{ n: 20 }])
  })

  test("expires a token after a year", async () => {
    const user = await makeUser()
    const { body } = await content("POST", "/login", { json: { email: user.email, password: PASSWORD } })
    const [row] = await siteRows("select expires_at from user_tokens order by id desc limit 1")
    expect(Number(row?.expires_at) - Date.now()).toBeGreaterThan(364 * DAY)
    const me = () => content("GET", "/me", { token: body.data.token })
    expect((await me()).status).toBe(200)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 366 * DAY })
    expect((await me()).status).toBe(401)
  })

  test("deletes a user's tokens beyond the newest fifty at login, except those of support logins", async () => {
    const [user, other] = [await makeUser(), await makeUser()]
    for (let n = 0; n < 55; n++) await makeToken(user)
    await env.SITES_1.prepare(
      "update user_tokens set support = '{}' where id = (select min(id) + 2 from user_tokens)",
    ).run()
    const { status } = await content("POST", "/login", { json: { email: user.email, password: PASSWORD } })
    expect(status).toBe(200)
    const countTokens = "select count(*) as n from user_tokens where user_id = ? and support is null"
    expect(await siteRows(countTokens, user.id)).toEqual([{ n: 50 }])
    expect(await siteRows("select count(*) as n from user_tokens where support is not null")).toEqual([{ n: 1 }])
    expect(await siteRows(countTokens, other.id)).toEqual([{ n: 1 }])
    expect((await content("GET", "/me", { token: user.token })).status).toBe(401)
  })

  test("returns 429 for a user's sixty-first successful login in a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const user = await makeUser()
    const successes = { name: `login-success:central:${user.id}`, limit: 60 }
    for (let n = 0; n < 59; n++) await takeToken(env, createLog({}), successes)
    const login = () => content("POST", "/login", { json: { email: user.email, password: PASSWORD } })
    expect((await login()).status).toBe(200)
    for (let n = 0; n < 2; n++) expect((await login()).status).toBe(429)
  })
})

describe("tokens", () => {
  test("revokes all tokens of the user, and no other user's, at logout", async () => {
    const [ada, bob] = [await makeUser(), await makeUser()]
    const second = await makeToken(ada)
    const costs = await costsOf(async () => {
      const response = await content("GET", "/logout", { token: ada.token })
      expect(response.status).toBe(200)
      expect(response.body).toEqual({ error: false, data: null, message: "You have been logged out." })
    })
    expect(costs.roundTrips).toBe(2)
    for (const token of [ada.token, second]) {
      expect((await content("GET", "/me", { token })).body).toEqual(UNAUTHENTICATED)
    }
    expect((await content("GET", "/me", { token: bob.token })).status).toBe(200)
  })

  test("returns 401 on every user route without a valid token of the site, before any other error", async () => {
    const store = await makeReadyStore()
    const [own, foreign] = [await makeUser(store), await makeUser("central")]
    const [id = "", secret = ""] = own.token.split("|")
    const tokens = [
      undefined,
      foreign.token,
      `${id}|${"x".repeat(48)}`,
      `${Number(id) + 1}|${secret}`,
      secret,
      "1e3|x",
      `-1|${secret}`,
      `9007199254740993|${secret}`,
    ]
    const routes: [string, string][] = [
      ["GET", "/logout"],
      ["GET", "/me"],
      ["PUT", "/me"],
      ["POST", "/update/avatar"],
      ["PUT", "/update/password"],
      ["GET", "/settings"],
      ["PUT", "/settings"],
    ]
    for (const [method, path] of routes) {
      for (const token of tokens) {
        const json = method === "PUT" ? { theme: "pink", email: "nope", dob: 5 } : undefined
        const response = await content(method, path, { host: hostOfStore(store), token, json })
        expect(response.status, `${method} ${path} ${token}`).toBe(401)
        expect(response.body).toEqual(UNAUTHENTICATED)
      }
    }
    expect((await content("GET", "/me", { host: hostOfStore(store), token: own.token })).status).toBe(200)
  })
})

describe("email/check", () => {
  test("checks whether an address has an account at this site", async () => {
    const store = await makeReadyStore()
    await makeUser("central", { email: ADA.email })
    const check = (host: string) => content("POST", "/email/check", { host, json: { email: "ADA@EXAMPLE.com" } })
    expect((await check("localhost")).body).toEqual({ error: false, data: { exists: true }, message: null })
    expect((await check(hostOfStore(store))).body.data.exists).toBe(false)
    expect((await content("POST", "/email/check", { json: {} })).body.errors.email).toEqual([
      "The email field is required.",
    ])
  })
})

describe("password reset", () => {
  test("resets the password once with a mailed token, and ends every session", async () => {
    const mails = captureMails()
    const user = await makeUser("central", { email: ADA.email })
    const known = await content("POST", "/password/forgot", { json: { email: "Ada@example.com" } })
    const unknown = await content("POST", "/password/forgot", { json: { email: "unknown@example.com" } })
    expect(known.status).toBe(200)
    expect(known.body).toEqual(unknown.body)
    expect(mails.map((mail) => mail.to)).toEqual([ADA.email])
    const { token } = parseMailLink(mails[0])
    expect(mails[0]?.text).toContain(token)
    const reset = (overrides: object) =>
      content("POST", "/password/reset", {
        json: { email: ADA.email, token, password: "new-secret", password_confirmation: "new-secret", ...overrides },
      })
    const invalid = [await reset({ token: "x" }), await reset({ email: "other@example.com" })]
    for (const response of invalid) {
      expect(response.status).toBe(422)
      expect(response.body).toMatchObject({ error: true, data: null })
    }
    const both = await Promise.all([reset({}), reset({})])
    expect(both.map((response) => response.status).sort()).toEqual([200, 422])
    expect((await reset({})).status).toBe(422)
    expect((await content("GET", "/me", { token: user.token })).status).toBe(401)
    expect((await content("POST", "/login", { json: { email: ADA.email, password: "new-secret" } })).status).toBe(200)
    expect(await siteRows("select id from reset_tokens")).toEqual([])
  })

  test("accepts a user's last three reset tokens at their own site until one is used or they expire", async () => {
    const mails = captureMails()
    const store = await makeReadyStore()
    await makeUser("central", { email: ADA.email })
    await makeUser(store, { email: ADA.email })
    const forgot = () => content("POST", "/password/forgot", { json: { email: ADA.email } })
    const reset = (token: string, host = "localhost") =>
      content("POST", "/password/reset", {
        host,
        json: { email: ADA.email, token, password: "new-secret", password_confirmation: "new-secret" },
      })
    for (let n = 0; n < 4; n++) await forgot()
    const [oldest = "", older = "", old = "", newer = ""] = mails.map((mail) => parseMailLink(mail).token)
    expect((await reset(oldest)).status).toBe(422)
    expect((await reset(newer, hostOfStore(store))).status).toBe(422)
    await env.SITES_1.prepare("update reset_tokens set expires_at = ?")
      .bind(Date.now() - 1)
      .run()
    expect((await reset(newer)).status).toBe(422)
    await env.SITES_1.prepare("update reset_tokens set expires_at = ?")
      .bind(Date.now() + 60_000)
      .run()
    expect((await reset(older)).status).toBe(200)
    for (const used of [older, old, newer]) expect((await reset(used)).status).toBe(422)
  })

  test("resets the password through the form behind the mailed link", async () => {
    const mails = captureMails()
    await makeUser("central", { email: ADA.email })
    await content("POST", "/password/forgot", { json: { email: ADA.email } })
    const { path, token } = parseMailLink(mails[0])
    const form = await call("GET", path)
    expect(form.status).toBe(200)
    expect(form.text).toContain(`value="${token}"`)
    const submit = (fields: Record<string, string>) =>
      call("POST", "/account/reset-password", { body: new URLSearchParams({ email: ADA.email, token, ...fields }) })
    const mistyped = await submit({ password: "new-secret", password_confirmation: "new-secert" })
    expect(mistyped.status).toBe(422)
    expect(mistyped.text).toContain("The new password field confirmation does not match.")
    const passwords = { password: "new-secret", password_confirmation: "new-secret" }
    expect((await submit(passwords)).text).toContain("Password changed")
    expect((await submit(passwords)).text).toContain("This link no longer works")
    expect((await call("GET", `/account/reset-password?email="><script>&token=x`)).text).not.toContain("<script>")
    expect((await call("GET", "/account/nothing")).status).toBe(404)
  })

  test.each(["suspended", "cancelled"])("serves the password reset of a store that is %s", async (status) => {
    const mails = captureMails()
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    await makeUser(store, { email: ADA.email, isStaff: true })
    await env.DB.prepare("update stores set status = ? where id = ?").bind(status, store).run()
    expect((await content("POST", "/password/forgot", { host, json: { email: ADA.email } })).status).toBe(200)
    const { path, token } = parseMailLink(mails[0])
    expect((await call("GET", path, { host })).status).toBe(200)
    const body = new URLSearchParams({
      email: ADA.email,
      token,
      password: "new-secret",
      password_confirmation: "new-secret",
    })
    expect((await call("POST", "/account/reset-password", { host, body })).status).toBe(200)
    const login = { host, json: { email: ADA.email, password: "new-secret" } }
    expect((await content("POST", "/login", login)).status).toBe(200)
  })

  test("links to the store's primary host, whichever host the mail was requested through", async () => {
    const mails = captureMails()
    const store = await makeReadyStore()
    await makeUser(store, { email: ADA.email })
    const insertDomain =
      "insert into domains (domain, store_id, is_primary, is_fallback, verified_at, created_at) values (?, ?, 0, 0, 1, 1)"
    await env.DB.prepare(insertDomain).bind("evil.example", store).run()
    const forgot = (host: string) => content("POST", "/password/forgot", { host, json: { email: ADA.email } })
    expect((await forgot("evil.example")).status).toBe(200)
    expect(parseMailLink(mails[0]).host).toBe(hostOfStore(store))
    await env.DB.exec("update domains set is_primary = (domain = 'evil.example')")
    await forgot(hostOfStore(store))
    expect(parseMailLink(mails[1]).host).toBe("evil.example")
  })

  test("requests a reset mail through a page, which reveals no more than the API", async () => {
    const mails = captureMails()
    const store = await makeReadyStore()
    const host = hostOfStore(store)
    await makeUser(store, { email: ADA.email })
    expect((await call("GET", "/billing", { host })).text).toContain('href="/account/forgot-password"')
    expect((await call("GET", "/account/forgot-password", { host })).text).toContain('name="email"')
    const request = (email: string) =>
      call("POST", "/account/forgot-password", { host, body: new URLSearchParams({ email }) })
    const known = await request(ADA.email)
    expect([known.status, (await request("unknown@example.com")).text]).toEqual([200, known.text])
    expect(mails.map((mail) => mail.to)).toEqual([ADA.email])
    expect((await call("GET", parseMailLink(mails[0]).path, { host })).text).toContain("Choose a new password")
    const mistyped = await request("not-an-address")
    expect([mistyped.status, mistyped.text]).toEqual([422, expect.stringContaining("must be a valid email address")])
    expect(mistyped.text).toContain('value="not-an-address"')
    for (let n = 0; n < 8; n++) await request(ADA.email)
    const limited = await request(ADA.email)
    expect([limited.status, limited.text.includes(`value="${ADA.email}"`)]).toEqual([429, true])
    expect(mails).toHaveLength(5)
  })

  test.each(["pending", "failed"])("returns 503 for the password reset page of a store that is %s", async (status) => {
    const store = await makeReadyStore()
    await env.DB.prepare("update stores set status = ? where id = ?").bind(status, store).run()
    const path = `/account/reset-password?email=${ADA.email}&token=x`
    expect((await call("GET", path, { host: hostOfStore(store) })).status).toBe(503)
  })
})

describe("profile", () => {
  test("returns the user with all six settings in two round trips", async () => {
    const user = await makeUser("central", { phone: "+33 1", dob: "1815-12-10", gender: "female" })
    const costs = await costsOf(async () => {
      const { status, body } = await content("GET", "/me", { token: user.token })
      expect(status).toBe(200)
      expect(body).toEqual({
        error: false,
        message: null,
        data: {
          id: user.id,
          first_name: "Ada",
          last_name: "Byron",
          name: "Ada Byron",
          email: user.email,
          phone: "+33 1",
          avatar: null,
          dob: "1815-12-10",
          gender: "female",
          description: null,
          role: null,
          settings: {
            biometric_enabled: false,
            notification_enabled: true,
            language: "en",
            currency: "USD",
            theme: "light",
            timezone: "UTC",
          },
        },
      })
    })
    expect(costs.roundTrips).toBe(2)
  })

  test("updates the fields in the request, clears empty ones, and leaves the rest unchanged", async () => {
    const user = await makeUser("central", { phone: "+33 1 23", gender: "female" })
    const put = (json: object) => content("PUT", "/me", { token: user.token, json })
    const costs = await costsOf(async () => {
      const { status, body } = await put({ last_name: "Lovelace", dob: "1815-12-10", phone: "", description: "First" })
      expect(status).toBe(200)
      expect(body.data).toMatchObject({
        name: "Ada Lovelace",
        dob: "1815-12-10",
        phone: null,
        gender: "female",
        description: "First",
      })
    })
    // With a short body, the token is looked up in the batch that reads the user.
    expect(costs.roundTrips).toBe(3)
    expect((await put({ name: "Grace Hopper", gender: null })).body.data).toMatchObject({
      name: "Grace Hopper",
      gender: null,
    })
    const wrong: [object, string][] = [
      [{ dob: "1815-02-30" }, "dob"],
      [{ dob: "12/10/1815" }, "dob"],
      [{ dob: "2999-01-01" }, "dob"],
      [{ gender: "robot" }, "gender"],
      [{ description: "d".repeat(1001) }, "description"],
      [{ email: "" }, "email"],
      [{ first_name: "x" }, "first_name"],
      [{ first_name: "" }, "first_name"],
      [{ name: " " }, "name"],
      [{ phone: "call me" }, "phone"],
    ]
    for (const [json, field] of wrong) {
      const response = await put(json)
      expect(response.status, field).toBe(422)
      expect(Object.keys(response.body.errors)).toEqual([field])
    }
  })

  test("requires a new address to be free and confirmed before the next login", async () => {
    const mails = captureMails()
    const [user, other] = [await makeUser("central", { emailVerifiedAt: new Date() }), await makeUser()]
    const put = (email: string) =>
      content("PUT", "/me", { token: user.token, json: { email, current_password: PASSWORD } })
    expect((await put(other.email.toUpperCase())).body.errors.email).toEqual(["The email has already been taken."])
    // Without the password, the response does not reveal whether the address has an account.
    for (const current_password of [undefined, "wrong-password"])
      expect(
        Object.keys(
          (await content("PUT", "/me", { token: user.token, json: { email: other.email, current_password } })).body
            .errors,
        ),
      ).toEqual(["current_password"])
    await makeSettings("central", { emailVerification: true })
    expect((await put(user.email.toUpperCase())).status).toBe(200)
    expect((await siteRows("select email_verified_at v from users where id = ?", user.id))[0]?.v).not.toBeNull()
    expect((await put("moved@example.com")).status).toBe(200)
    expect(mails.map((mail) => mail.to).sort()).toEqual(["moved@example.com", user.email.toUpperCase()].sort())
    mails.sort((a, b) => Number(b.to === "moved@example.com") - Number(a.to === "moved@example.com"))
    const login = () => content("POST", "/login", { json: { email: "moved@example.com", password: PASSWORD } })
    expect((await login()).status).toBe(403)
    expect((await call("GET", parseMailLink(mails[0]).path)).status).toBe(200)
    expect((await login()).status).toBe(200)
  })
})

test("sends an address at most five mails per purpose and hour when accounts switch to it and back", async () => {
  const mails = captureMails()
  await makeSettings("central", { emailVerification: true })
  for (const rounds of [5, 1]) {
    const user = await makeUser("central", { emailVerifiedAt: new Date() })
    const put = (email: string) =>
      content("PUT", "/me", {
        token: user.token,
        json: { email, current_password: PASSWORD },
        headers: { "CF-Connecting-IP": `192.0.2.${rounds}` },
      })
    for (let round = 0; round < rounds; round += 1)
      for (const email of ["victim@example.com", user.email]) expect((await put(email)).status).toBe(200)
  }
  const subjects = mails.filter(({ to }) => to === "victim@example.com").map(({ subject }) => subject)
  expect([...Map.groupBy(subjects, (subject) => subject).values()].map(({ length }) => length)).toEqual([5, 5])
})

describe("update/password", () => {
  test("returns 401 without rate-limit headers for forged tokens", async () => {
    const json = { old_password: "guess", password: "other-pass", password_confirmation: "other-pass" }
    for (let attempt = 0; attempt < 40; attempt++) {
      const { status, headers } = await content("PUT", "/update/password", { token: "1|forged", json })
      expect([status, headers.get("Retry-After"), headers.get("X-RateLimit-Limit")]).toEqual([401, null, null])
    }
  })

  test("requires the current password, and ends every session", async () => {
    const user = await makeUser()
    const put = (json: object) => content("PUT", "/update/password", { token: user.token, json })
    const wrong = await put({ old_password: "not-it", password: "new-secret" })
    expect(wrong.status).toBe(403)
    expect(wrong.body).toEqual({ error: true, data: null, message: "The current password is incorrect." })
    expect((await put({ password: "new-secret" })).body.errors).toEqual({
      old_password: ["The old password field is required."],
    })
    for (const password of ["12345", "p".repeat(61)]) {
      expect((await put({ old_password: PASSWORD, password })).status).toBe(422)
    }
    expect((await put({ current_password: PASSWORD, password: "new-secret" })).status).toBe(200)
    expect((await put({ current_password: "new-secret", password: "other-1" })).status).toBe(401)
    expect((await content("POST", "/login", { json: { email: user.email, password: "new-secret" } })).status).toBe(200)
  })
})

describe("avatar", () => {
  const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array(64).fill(7)])

  const upload = (token: string, file: Blob | string, host = "localhost") => {
    const body = new FormData()
    if (typeof file === "string") body.set("avatar", file)
    else body.set("avatar", file, "../../me.png")
    return content("POST", "/update/avatar", { token, body, host })
  }

  test("stores an avatar among the site's files and replaces the previous one", async () => {
    const store = await makeReadyStore()
    const user = await makeUser(store)
    const host = hostOfStore(store)
    const first = await upload(user.token, new Blob([PNG]), host)
    expect(first.status).toBe(200)
    expect(first.body.data.avatar).toMatch(new RegExp(`^https://${host}/media/avatars/[0-9A-Z]{26}\\.png$`))
    const second = await upload(user.token, new Blob([PNG], { type: "text/html" }), host)
    const me = await content("GET", "/me", { token: user.token, host })
    expect(me.body.data.avatar).toBe(second.body.data.avatar)
    const { objects } = await env.MEDIA.list({ prefix: `${store}/` })
    expect(objects.map((object) => object.key)).toEqual([
      `${store}${new URL(second.body.data.avatar).pathname.replace("/media", "")}`,
    ])
    expect((await env.MEDIA.head(objects[0]?.key ?? ""))?.httpMetadata?.contentType).toBe("image/png")
  })

  test("accepts only images, recognized by their bytes, of at most 5 MB in a readable form", async () => {
    const user = await makeUser()
    const errors = async (file: Blob | string) => (await upload(user.token, file)).body.errors?.avatar
    expect(await errors(new Blob(["<html><script>"], { type: "image/png" }))).toEqual([
      "The avatar field must be an image.",
    ])
    expect(await errors(new Blob(["<svg onload=alert(1)>"], { type: "image/svg+xml" }))).toHaveLength(1)
    expect(await errors(new Blob([]))).toHaveLength(1)
    expect(await errors("text")).toEqual(["The avatar field must be a file."])
    expect(await errors(new Blob([PNG, new Uint8Array(5 * 1024 * 1024)]))).toEqual([
      "The avatar field must not be greater than 5120 kilobytes.",
    ])
    const huge = await upload(user.token, new Blob([PNG, new Uint8Array(9_000_000)]))
    expect(huge.status).toBe(413)
    const bare = (type: string, body: string) =>
      content("POST", "/update/avatar", { token: user.token, headers: { "Content-Type": type }, body })
    expect((await bare("multipart/form-data", "x")).status).toBe(415)
    expect((await bare("multipart/form-data; boundary=b", "--b\r\nContent-Dispo")).status).toBe(400)
    expect((await bare("multipart/form-data; boundary=b", "--b--\r\n")).status).toBe(422)
    expect((await bare("application/json", "{}")).status).toBe(415)
    expect((await env.MEDIA.list()).objects).toEqual([])
  })

  /** Creates a store with one megabyte of storage. */
  async function makeSmallStore() {
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 1, staff_users: 0 } })
    const store = await makeReadyStore({ plan: plan.slug })
    const picture = (bytes: number) => new Blob([PNG, new Uint8Array(bytes - PNG.length)])
    const stored = async () =>
      (await siteRows("select total from counters where list = 'media_bytes' and site_id = ?", store))[0]?.total ?? 0
    return { store, host: hostOfStore(store), picture, stored }
  }

  test("counts an avatar towards the plan's storage until it is replaced or its user is deleted", async () => {
    const { store, host, picture, stored } = await makeSmallStore()
    const [ada, bob] = [await makeUser(store), await makeUser(store)]
    await upload(ada.token, picture(300_000), host)
    await upload(bob.token, picture(200_000), host)
    expect(await stored()).toBe(500_000)
    await upload(ada.token, picture(100_000), host)
    expect(await stored()).toBe(300_000)
    const usage = await platform("GET", `/stores/${store}/usage?refresh=1`, { token: await makeKey() })
    expect(usage.body.data.usage.storage_bytes).toBe(300_000)
    await env.SITES_1.prepare("delete from users where id = ?").bind(bob.id).run()
    expect(await stored()).toBe(100_000)
  })

  test("rejects the second of two concurrent avatars when the storage is full, and releases its reservation", async () => {
    const { store, host, picture, stored } = await makeSmallStore()
    const [ada, bob] = [await makeUser(store), await makeUser(store)]
    const both = await Promise.all([ada, bob].map(({ token }) => upload(token, picture(700_000), host)))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403])
    expect(both.find(({ status }) => status === 403)?.body).toEqual({
      error: true,
      data: null,
      message: "This store has reached a limit of its plan.",
    })
    expect(await stored()).toBe(700_000)
    expect(await siteRows("select * from media_orphans where reserved_bytes > 0")).toEqual([])
    const media = await makeMediaClient(store)
    expect((await uploadFile(media, "a.bin", new Uint8Array(400_000))).status).toBe(403)
    expect((await uploadFile(media, "a.bin", new Uint8Array(100_000))).status).toBe(201)
    const { objects } = await env.MEDIA.list({ prefix: `${store}/` })
    expect(objects.map(({ size }) => size).sort()).toEqual([100_000, 700_000])
  })

  test("limits all avatars of a site to a tenth of the plan's storage", async () => {
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 80, staff_users: 0 } })
    const store = await makeReadyStore({ plan: plan.slug })
    const { picture } = await makeSmallStore()
    const host = hostOfStore(store)
    const tokens = [await makeUser(store), await makeUser(store), await makeUser(store)].map(({ token }) => token)
    const [ada = "", bob = "", eve = ""] = tokens
    for (const token of [ada, bob]) expect((await upload(token, picture(4_000_000), host)).status).toBe(200)
    expect((await upload(eve, picture(4_000_000), host)).status).toBe(403)
    // A replacement needs no more storage than it releases.
    expect((await upload(ada, picture(4_000_000), host)).status).toBe(200)
    expect((await upload(eve, picture(100_000), host)).status).toBe(200)
    expect((await uploadFile(await makeMediaClient(store), "a.bin", new Uint8Array(4_000_000))).status).toBe(201)
  })

  test("releases the reservation of an avatar whose bytes cannot be stored", async () => {
    const { store, host, picture, stored } = await makeSmallStore()
    const { token } = await makeUser(store)
    vi.spyOn(env.MEDIA, "put").mockRejectedValueOnce(new Error("R2 is down"))
    expect((await upload(token, picture(700_000), host)).status).toBe(500)
    expect(await siteRows("select * from media_orphans where reserved_bytes > 0")).toEqual([])
    expect((await upload(token, picture(700_000), host)).status).toBe(200)
    expect(await stored()).toBe(700_000)
  })

  test("limits avatar uploads to ten per token and hour, not counting forged tokens with the same id", async () => {
    // A repeated request counts, too.
    pauseFaults()
    const user = await makeUser()
    const [id] = user.token.split("|")
    for (let n = 0; n < 10; n++) await content("POST", "/update/avatar", { token: `${id}|${"x".repeat(48)}` })
    for (let n = 0; n < 10; n++) expect((await upload(user.token, new Blob([PNG]))).status).toBe(200)
    expect((await upload(user.token, new Blob([PNG]))).status).toBe(429)
    expect((await upload((await makeUser()).token, new Blob([PNG]))).status).toBe(200)
  })

  test("limits avatar uploads to sixty per network and hour", async () => {
    const headers = { "CF-Connecting-IP": "192.0.2.44" }
    const send = async (token: string) =>
      (await content("POST", "/update/avatar", { token, headers, body: new FormData() })).status
    const statuses: number[] = []
    for (let user = 0; user < 7; user++) {
      const { token } = await makeUser()
      for (let n = 0; n < 9; n++) statuses.push(await send(token))
    }
    expect([statuses.indexOf(429), new Set(statuses.slice(60))]).toEqual([60, new Set([429])])
  })
})
