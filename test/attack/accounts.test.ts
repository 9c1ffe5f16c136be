// Attacks on user accounts: forged tokens, password guessing, email address takeover and mail flooding.
import { afterEach, describe, expect, test, vi } from "vitest"
import { DAY, HOUR } from "../../src/lib/time"
import { call } from "../support/app"
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
import { makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"
import { nextAddress } from "../support/serial"

const from = (ip: string) => ({ "CF-Connecting-IP": ip })

test("treats an Authorization header without a token, or with a forged one, as no token on a public route", async () => {
  for (const header of ["Bearer", "bearer ", "Bearer   ", "Bearer nonsense"]) {
    const headers = { Authorization: header, ...from(nextAddress()) }
    expect((await content("POST", "/device-tokens", { json: { token: "t1" }, headers })).status).toBe(200)
    expect((await content("GET", "/me", { headers })).status).toBe(401)
  }
})

test("counts only failed logins towards the limit of ten", async () => {
  const user = await makeUser()
  const login = async (password: string) =>
    (await content("POST", "/login", { json: { email: user.email, password }, headers: from("10.7.7.7") })).status
  for (let n = 0; n < 12; n++) expect(await login(PASSWORD)).toBe(200)
  for (let n = 0; n < 10; n++) expect(await login("wrong-1")).toBe(422)
  expect(await login(PASSWORD)).toBe(429)
})

describe("a change of the e-mail address", () => {
  test("changing the address requires the password, notifies the old address, and ends other logins and mailed links", async () => {
    const mails = captureMails()
    const user = await makeUser()
    const other = await makeToken(user)
    await content("POST", "/password/forgot", { json: { email: user.email }, headers: from(nextAddress()) })
    const reset = parseMailLink(mails[0]).token
    const put = (json: object) => content("PUT", "/me", { token: user.token, json, headers: from(nextAddress()) })

    const withoutPassword = await put({ email: "attacker@evil.example", dob: "2999-01-01" })
    expect(withoutPassword.status).toBe(422)
    expect(Object.keys(withoutPassword.body.errors).sort()).toEqual(["current_password", "dob"])
    const wrong = await put({ email: "attacker@evil.example", current_password: "not-it" })
    expect(wrong.body.errors).toEqual({ current_password: ["The password is incorrect."] })
    expect(await siteRows("select email from users where id = ?", user.id)).toEqual([{ email: user.email }])
    expect((await content("GET", "/me", { token: other })).status).toBe(200)

    const changed = await put({ email: "new@example.com", current_password: PASSWORD })
    expect(changed.body.data.email).toBe("new@example.com")
    expect(mails.at(-1)).toMatchObject({ to: user.email, subject: expect.stringContaining("address was changed") })
    expect((await content("GET", "/me", { token: user.token })).status).toBe(200)
    expect((await content("GET", "/me", { token: other })).status).toBe(401)
    const json = { email: "new@example.com", token: reset, password: "secret-2", password_confirmation: "secret-2" }
    expect((await content("POST", "/password/reset", { json, headers: from(nextAddress()) })).status).toBe(422)
  })

  test("changing the address accepts ten wrong passwords a minute", async () => {
    const { token } = await makeUser()
    const guess = () =>
      content("PUT", "/me", {
        token,
        json: { email: "x@evil.example", current_password: "guess" },
        headers: from(nextAddress()),
      })
    for (let n = 0; n < 10; n++) expect((await guess()).status).toBe(422)
    expect((await guess()).status).toBe(429)
  })

  test("requires a new address to be confirmed before the user counts as confirmed", async () => {
    const mails = captureMails()
    await makeSettings("central", { emailVerification: true })
    const user = await makeUser("central", { emailVerifiedAt: new Date() })
    const { token } = user
    const json = { email: "ceo@victim.example", current_password: PASSWORD }
    expect((await content("PUT", "/me", { token, json })).status).toBe(200)
    const refused = [
      await content("PUT", "/settings", { token, json: { theme: "dark" } }),
      await content("GET", "/notifications", { token }),
      await content("POST", "/device-tokens", { token, json: { token: "t1" } }),
      await content("POST", "/notifications/mark-all-read", { token }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect(await siteRows("select token from device_tokens")).toEqual([])
    expect((await content("GET", "/me", { token })).status).toBe(200)
    const link = parseMailLink(mails.find((mail) => mail.to === "ceo@victim.example"))
    expect((await call("GET", link.path)).status).toBe(200)
    expect((await content("PUT", "/settings", { token, json: { theme: "dark" } })).status).toBe(200)
  })
})

describe("mails to one address", () => {
  afterEach(() => void vi.useRealTimers())

  const forgot = async (email: string, store: string, ip = nextAddress()) =>
    (await content("POST", "/password/forgot", { json: { email }, host: hostOfStore(store), headers: from(ip) })).status

  test("sends at most five mails per hour and twenty per day to a mailbox, and returns the same response beyond", async () => {
    const mails = captureMails()
    const stores = [await makeReadyStore(), await makeReadyStore()]
    for (const store of stores) await makeUser(store, { email: "ada@example.com" })
    const requestReset = (n: number) => forgot(n % 2 ? "ADA@example.com" : "ada@example.com", stores[n % 2] ?? "")
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2030-01-01T00:00:30Z") })
    for (let hour = 1; hour <= 4; hour++) {
      for (let n = 0; n < 8; n++) expect(await requestReset(n), `${hour} ${n}`).toBe(200)
      expect(mails).toHaveLength(5 * hour)
      vi.setSystemTime(Date.now() + HOUR)
    }
    vi.setSystemTime(Date.now() + DAY)
    expect(await requestReset(0)).toBe(200)
    expect(mails).toHaveLength(21)
  })

  test("sends a mail from a site that sent none for an hour even after other sites used up the mailbox's limit", async () => {
    const mails = captureMails()
    const [attacked = "", other = ""] = [await makeReadyStore(), await makeReadyStore()]
    for (const store of [attacked, other]) await makeUser(store, { email: "ada@example.com" })
    for (let n = 0; n < 8; n++) expect(await forgot("ada@example.com", attacked)).toBe(200)
    expect(mails).toHaveLength(5)
    expect(await forgot("ada@example.com", other)).toBe(200)
    expect(parseMailLink(mails.at(-1)).host).toBe(hostOfStore(other))
    expect(await forgot("ada@example.com", other)).toBe(200)
    expect(mails).toHaveLength(6)
  })

  test("mails that are dropped do not invalidate the links that were mailed", async () => {
    const mails = captureMails()
    await makeSettings("central", { emailVerification: true })
    await makeUser("central", { email: "ada@example.com" })
    const request = (path: string) =>
      content("POST", path, { json: { email: "ada@example.com" }, headers: from(nextAddress()) })
    for (let n = 0; n < 9; n++) await request("/resend-verify-account-email")
    expect((await call("GET", parseMailLink(mails.at(-1)).path)).status).toBe(200)
    mails.length = 0
    for (let n = 0; n < 9; n++) await request("/password/forgot")
    expect(mails).toHaveLength(5)
    const reset = { email: "ada@example.com", password: "secret-2", password_confirmation: "secret-2" }
    const json = { ...reset, token: parseMailLink(mails.at(-1)).token }
    expect((await content("POST", "/password/reset", { json })).status).toBe(200)
  })

  test("requests for addresses without an account do not use up the mail limit", async () => {
    const mails = captureMails()
    const [attacked = "", other = ""] = [await makeReadyStore(), await makeReadyStore()]
    await makeUser(other, { email: "ada@example.com" })
    for (let n = 0; n < 8; n++) expect(await forgot("ada@example.com", attacked)).toBe(200)
    for (let n = 0; n < 5; n++) expect(await forgot("ada@example.com", other)).toBe(200)
    expect(mails).toHaveLength(5)
  })

  test("requests that are refused for another reason do not use up the mail limit", async () => {
    const mails = captureMails()
    await makeUser("central", { email: "ada@example.com" })
    const requestReset = async (email: string, ip: string) =>
      (await content("POST", "/password/forgot", { json: { email }, headers: from(ip) })).status
    for (let n = 0; n < 10; n++) expect(await requestReset(`unknown-${n}@example.com`, "10.8.8.8")).toBe(200)
    for (let n = 0; n < 5; n++) expect(await requestReset("ada@example.com", "10.8.8.8")).toBe(429)
    expect(mails).toHaveLength(0)
    for (let n = 0; n < 5; n++) expect(await requestReset("ada@example.com", nextAddress())).toBe(200)
    expect(mails).toHaveLength(5)
  })
})

test("sends no-store and nosniff with responses that are not public", async () => {
  const { token } = await makeUser()
  for (const path of ["/me", "/settings", "/notifications", "/nothing"]) {
    const { headers } = await content("GET", path, { token })
    expect(headers.get("Cache-Control"), path).toBe("no-store")
    expect(headers.get("X-Content-Type-Options"), path).toBe("nosniff")
  }
})
