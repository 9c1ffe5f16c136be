// Signs staff in with a second factor and with passkeys, and ends sessions one by one.
import { env } from "cloudflare:workers"
import { Secret, TOTP } from "otpauth"
import { expect, test, vi } from "vitest"
import { MINUTE, SECOND } from "../../src/lib/time"
import { getCookie } from "../console/support"
import { call, sendOperatorCommand } from "../support/app"
import { createAuthenticator } from "../support/authenticator"
import { content, makeUser, PASSWORD } from "../support/content-factories"
import { makeReadyStore } from "../support/factories"
import { rows, siteRows } from "../support/rows"
import { nextAddress } from "../support/serial"
import { type AdminBrowser, createAdminBrowser, postLogin, signInToAdmin } from "./support"

const ACCOUNT = "/admin/account"
const CODE = "/admin/login/code"

const read = (html: string, pattern: RegExp) => pattern.exec(html)?.[1] ?? ""
const codeAt = (secret: string, moment: number) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: moment })

/** Turns on the second factor of a member; returns its secret and recovery codes. */
async function enableTotp(member: AdminBrowser) {
  const page = await member.post(`${ACCOUNT}/totp`, { current_password: PASSWORD })
  const secret = read(page.text, /<code>([A-Z2-7]+)<\/code>/)
  const setup = read(page.text, /name="setup" value="([^"]+)"/)
  const refused = await member.post(`${ACCOUNT}/totp/enable`, { code: "000000", setup })
  expect([refused.status, refused.text.includes(secret)]).toEqual([422, true])
  const enabled = await member.post(`${ACCOUNT}/totp/enable`, { code: codeAt(secret, Date.now()), setup })
  const codes = read(enabled.text, /<pre id="codes">([^<]+)/).split("\n")
  expect([enabled.status, codes.length]).toEqual([200, 10])
  return { secret, setup, codes }
}

test("requires a code at the admin's sign-in, once each, and accepts recovery codes", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2) })
  const store = await makeReadyStore()
  const member = await signInToAdmin(store, "editor")
  const { email } = member.user
  expect((await member.post(`${ACCOUNT}/totp`, { current_password: "wrong-wrong" })).status).toBe(422)
  const { secret, setup, codes } = await enableTotp(member)
  expect((await member.get(ACCOUNT)).text).toContain("On. 10 recovery codes left.")
  // The setup of one member is not that of another, and works once.
  const other = await signInToAdmin(store, "editor")
  const code = codeAt(secret, Date.now())
  for (const browser of [other, member])
    expect((await browser.post(`${ACCOUNT}/totp/enable`, { code, setup })).status).toBe(422)
  const stored = JSON.stringify([
    await siteRows("select * from user_totps"),
    await siteRows("select * from user_recovery_codes"),
  ])
  for (const value of [secret, ...codes]) expect(stored).not.toContain(value)

  const password = await postLogin(store, { email, password: PASSWORD, next: "/admin/orders" })
  expect(password.headers.get("Location")).toBe(`${CODE}?next=${encodeURIComponent("/admin/orders")}`)
  const pending = createAdminBrowser(store, getCookie(password))
  expect((await pending.get("/admin")).status).toBe(303)
  expect((await pending.get(CODE)).status).toBe(200)
  // The code that turned it on was used.
  for (const wrong of [code, "000000", `${codes[0]}x`])
    expect((await pending.post(CODE, { code: wrong })).status).toBe(422)
  vi.setSystemTime(Date.now() + 30 * SECOND)
  const next = codeAt(secret, Date.now())
  const entered = await pending.post(CODE, { code: `${next.slice(0, 3)} ${next.slice(3)}`, next: "/admin/orders" })
  expect([entered.status, entered.headers.get("Location")]).toEqual([303, "/admin/orders"])
  expect((await createAdminBrowser(store, getCookie(entered)).get("/admin")).status).toBe(200)
  expect((await pending.post(CODE, { code: next })).status).toBe(422)
  const recovered = await Promise.all([1, 2].map(() => pending.post(CODE, { code: codes[0] ?? "" })))
  expect(recovered.map(({ status }) => status).sort()).toEqual([303, 422])

  // The first step ends after ten minutes, with a forged cookie, and with another store.
  const [name, value = ""] = getCookie(password).split("=")
  const forged = createAdminBrowser(store, `${name}=${value.replace(/^\d+/, String(other.user.id))}`)
  expect((await forged.get(CODE)).headers.get("Location")).toBe("/admin/login")
  expect((await createAdminBrowser(await makeReadyStore(), getCookie(password)).get(CODE)).status).toBe(303)
  vi.setSystemTime(Date.now() + 10 * MINUTE)
  expect((await pending.post(CODE, { code: codes[1] ?? "" })).headers.get("Location")).toBe("/admin/login")
  expect((await member.post(`${ACCOUNT}/totp/delete`, { current_password: PASSWORD })).status).toBe(303)
  expect((await postLogin(store, { email, password: PASSWORD })).headers.get("Location")).toBe("/admin")
  const changes = await rows("select after from audit_entries where type = 'staff_changed' order by id")
  expect(changes.map(({ after }) => JSON.parse(String(after)))).toEqual([{ two_factor: true }, { two_factor: false }])
})

test("requires a code wherever a password signs a member in, and of members only", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2) })
  const store = await makeReadyStore()
  const member = await signInToAdmin(store)
  const { host } = member
  const { secret, codes } = await enableTotp(member)
  const used = codeAt(secret, Date.now())
  vi.setSystemTime(Date.now() + MINUTE)
  const credentials = { email: member.user.email, password: PASSWORD }
  const logIn = (fields: object) =>
    content("POST", "/login", {
      host,
      json: { ...credentials, ...fields },
      headers: { "CF-Connecting-IP": nextAddress() },
    })
  for (const [code, rule] of [
    [undefined, "required"],
    ["", "required"],
    [null, "required"],
    [used, "selected"],
    ["000000", "selected"],
    [`${codes[0]}x`, "selected"],
  ]) {
    const refused = await logIn({ code })
    expect([refused.status, Object.keys(refused.body.errors)], `${code}`).toEqual([422, ["code"]])
    expect(refused.body.message, `${code}`).toMatch(rule === "required" ? /required/ : /invalid/)
  }
  // A wrong password gets the same error with and without a code.
  vi.setSystemTime(Date.now() + MINUTE)
  const code = codeAt(secret, Date.now())
  const wrong = [await logIn({ password: "wrong-wrong", code }), await logIn({ password: "wrong-wrong" })]
  for (const { status, body } of wrong)
    expect([status, body]).toEqual([422, { error: true, data: null, message: expect.stringContaining("credentials") }])
  const both = await Promise.all([logIn({ code }), logIn({ code })])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422])
  const { token } = both.find(({ status }) => status === 200)?.body.data ?? {}
  expect((await content("GET", "/staff", { host, token })).status).toBe(200)
  vi.setSystemTime(Date.now() + MINUTE)
  const recovered = await Promise.all([1, 2].map(() => logIn({ code: codes[0] })))
  expect(recovered.map(({ status }) => status).sort()).toEqual([200, 422])

  const form = (path: string, fields: Record<string, string>) =>
    call("POST", path, {
      host,
      body: new URLSearchParams({ ...credentials, ...fields }),
      headers: { Origin: `https://${host}`, "CF-Connecting-IP": nextAddress() },
    })
  for (const [path, page] of [
    ["/billing/sign-in", "/billing"],
    ["/account/sign-in", "/account"],
  ] as const) {
    const asked = await form(path, {})
    expect([asked.status, asked.headers.get("Set-Cookie")], path).toEqual([422, null])
    expect(asked.text, path).toMatch(/<input[^>]*name="code"/)
    expect((await form(path, { code })).status, path).toBe(422)
    vi.setSystemTime(Date.now() + MINUTE)
    const entered = await form(path, { code: codeAt(secret, Date.now()) })
    expect([entered.status, entered.headers.get("Location")], path).toEqual([303, page])
  }

  // A member who has left the staff is a customer, who needs no code.
  const owner = await signInToAdmin(store)
  const customer = await makeUser(store)
  expect((await owner.post(`/admin/staff/${member.user.id}/delete`)).status).toBe(303)
  for (const { email } of [owner.user, customer]) {
    const response = await content("POST", "/login", { host, json: { email, password: PASSWORD } })
    expect(response.status).toBe(200)
  }
  expect((await logIn({})).status).toBe(200)
})

test("counts wrong codes of the API's login and of the admin against the same daily limit", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2) })
  const store = await makeReadyStore()
  const member = await signInToAdmin(store, "editor")
  const { secret } = await enableTotp(member)
  const { email } = member.user
  const logIn = async (code: string) => {
    const headers = { "CF-Connecting-IP": nextAddress() }
    const json = { email, password: PASSWORD, code }
    return (await content("POST", "/login", { host: member.host, json, headers })).status
  }
  const statuses: number[] = []
  // Ten per minute, which the limits of failed logins allow, too.
  for (let n = 0; n < 50; n++) {
    if (n % 10 === 0) vi.setSystemTime(Date.now() + 2 * MINUTE)
    statuses.push(await logIn("000000"))
  }
  expect(statuses).toEqual(Array(50).fill(422))
  vi.setSystemTime(Date.now() + 2 * MINUTE)
  const code = codeAt(secret, Date.now())
  expect(await logIn(code)).toBe(429)
  const headers = { "CF-Connecting-IP": nextAddress() }
  const pending = createAdminBrowser(store, getCookie(await postLogin(store, { email, password: PASSWORD })))
  expect((await pending.post(CODE, { code }, { headers })).status).toBe(429)
})

test("does not count a login without a code as failed, and counts wrong codes", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2) })
  const store = await makeReadyStore()
  const member = await signInToAdmin(store, "editor")
  const { secret } = await enableTotp(member)
  const { email } = member.user
  const headers = { "CF-Connecting-IP": nextAddress() }
  const logIn = async (fields: object) =>
    (await content("POST", "/login", { host: member.host, json: { email, password: PASSWORD, ...fields }, headers }))
      .status
  // Twice the failures that a network may have in a minute.
  for (let n = 0; n < 20; n++) expect(await logIn({})).toBe(422)
  // A login without a code takes back its own count only, so ten guesses of a password are still the limit.
  for (let n = 0; n < 9; n++) expect([await logIn({ password: `wrong-${n}` }), await logIn({})]).toEqual([422, 422])
  expect([await logIn({ password: "wrong-9" }), await logIn({})]).toEqual([422, 429])
  vi.setSystemTime(Date.now() + 2 * MINUTE)
  for (let n = 0; n < 10; n++) expect(await logIn({ code: "000000" })).toBe(422)
  expect(await logIn({ code: codeAt(secret, Date.now()) })).toBe(429)
})

test("a code that is too long is an error of the code, on every sign-in page", async () => {
  const store = await makeReadyStore()
  const member = await signInToAdmin(store)
  await enableTotp(member)
  const { host } = member
  const fields = { email: member.user.email, password: PASSWORD, code: "1".repeat(65) }
  const response = await content("POST", "/login", { host, json: fields })
  expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ["code"]])
  for (const path of ["/billing/sign-in", "/account/sign-in"]) {
    const form = (values: Record<string, string>) =>
      call("POST", path, { host, body: new URLSearchParams(values), headers: { Origin: `https://${host}` } })
    const page = await form(fields)
    expect([page.status, page.text.includes('id="code-error"')], path).toEqual([422, true])
    expect(page.text, path).not.toMatch(/credentials/)
    const wrong = await form({ ...fields, email: "no address" })
    expect([wrong.status, wrong.text.includes('name="code"')], path).toEqual([422, false])
    expect(wrong.text, path).toMatch(/credentials/)
  }
})

test("refuses a disabled member with the right code at every sign-in, and does not use up the code", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2) })
  const store = await makeReadyStore()
  const member = await signInToAdmin(store)
  const { secret } = await enableTotp(member)
  const { host, user } = member
  const credentials = { email: user.email, password: PASSWORD }
  vi.setSystemTime(Date.now() + MINUTE)
  const pending = createAdminBrowser(store, getCookie(await postLogin(store, credentials)))
  const code = codeAt(secret, Date.now())
  const setDisabled = (moment: number | null) =>
    env.SITES_1.prepare("update users set disabled_at = ? where id = ?").bind(moment, user.id).run()
  await setDisabled(1)
  for (const fields of [credentials, { ...credentials, code }]) {
    const refused = await content("POST", "/login", { host, json: fields })
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining("disabled")])
    for (const path of ["/billing/sign-in", "/account/sign-in"]) {
      const page = await call("POST", path, {
        host,
        body: new URLSearchParams(fields),
        headers: { Origin: `https://${host}` },
      })
      expect([page.headers.get("Set-Cookie"), page.text.includes("disabled")], path).toEqual([null, true])
      expect(page.text, path).not.toContain('name="code"')
    }
  }
  expect((await postLogin(store, credentials)).status).not.toBe(303)
  expect((await pending.post(CODE, { code })).status).not.toBe(303)
  await setDisabled(null)
  expect((await content("POST", "/login", { host, json: { ...credentials, code } })).status).toBe(200)
})

test("limits guesses of codes, and a removed member loses the second factor", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2) })
  const store = await makeReadyStore()
  const [owner, member] = [await signInToAdmin(store), await signInToAdmin(store, "editor")]
  await enableTotp(member)
  const { email, id } = member.user
  const pending = createAdminBrowser(store, getCookie(await postLogin(store, { email, password: PASSWORD })))
  const guess = (n: number) =>
    pending.post(CODE, { code: "000000" }, { headers: { "CF-Connecting-IP": `192.0.2.${n}` } })
  const statuses: number[] = []
  for (let n = 0; n < 14; n++) statuses.push((await guess(n)).status)
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(422))
  expect(statuses.slice(-3)).toEqual(Array(3).fill(429))
  expect((await owner.post(`/admin/staff/${id}/delete`)).status).toBe(303)
  expect(await siteRows("select 1 from user_totps union all select 1 from user_recovery_codes")).toEqual([])
})

test("an operator resets the second factor of a member who has lost it, and ends the member's logins", async () => {
  const store = await makeReadyStore()
  const member = await signInToAdmin(store)
  await enableTotp(member)
  const { email } = member.user
  const reset = (to: string) => sendOperatorCommand("staff:reset-second-factor", { site: store, email: to })
  const customer = await makeUser(store)
  for (const address of ["nobody@example.com", customer.email]) {
    const refused = await reset(address)
    expect([refused.status, Object.keys(refused.body.error.errors)]).toEqual([422, ["email"]])
  }
  expect((await reset(email.toUpperCase())).status).toBe(200)
  expect((await member.get(ACCOUNT)).status).toBe(303)
  expect((await postLogin(store, { email, password: PASSWORD })).headers.get("Location")).toBe("/admin")
  const [entry] = await rows(
    "select actor_type, after from audit_entries where type = 'staff_changed' order by id desc",
  )
  expect([entry?.actor_type, JSON.parse(String(entry?.after))]).toEqual(["admin", { two_factor: false }])
})

test("signs in with a passkey on the host that it was added on, once per challenge", async () => {
  const store = await makeReadyStore()
  const member = await signInToAdmin(store, "viewer")
  const rpId = member.host.replace(/:\d+$/, "")
  const challengeOf = async (path: string, browser = member) =>
    read((await browser.get(path)).text, /data-challenge="([^"]+)"/)
  const key = await createAuthenticator("-7", rpId)
  const registration = async () => ({
    name: "Phone",
    current_password: PASSWORD,
    ...(await key.create({ challenge: await challengeOf(ACCOUNT) })),
  })
  const wrong = await member.post(`${ACCOUNT}/passkeys`, { ...(await registration()), current_password: "wrong-wrong" })
  expect([wrong.status, wrong.text.includes('id="passkey-current_password-error"')]).toEqual([422, true])
  const added = await member.post(`${ACCOUNT}/passkeys`, await registration())
  expect(added.headers.get("Location")).toBe(`${ACCOUNT}?done=passkey_added`)
  const page = await member.get(ACCOUNT)
  expect(page.text).toContain("Phone")
  expect(page.text).toContain(rpId)

  const visitor = { ...member, ...createAdminBrowser(store, "") }
  const assertion = await key.get({ challenge: await challengeOf("/admin/login", visitor) }, 1)
  const entered = await visitor.post("/admin/login/passkey", { ...assertion, next: "/admin/orders" })
  expect([entered.status, entered.headers.get("Location")]).toEqual([303, "/admin/orders"])
  expect((await createAdminBrowser(store, getCookie(entered)).get("/admin")).status).toBe(200)
  expect((await visitor.post("/admin/login/passkey", assertion)).status).toBe(422)
  // A counter that does not grow, another host, and a challenge of another store.
  const replayed = await key.get({ challenge: await challengeOf("/admin/login", visitor) }, 1)
  const elsewhere = await key.get({ challenge: await challengeOf("/admin/login", visitor), rpId: "evil.localhost" }, 2)
  const neighbor = { ...member, ...createAdminBrowser(await makeReadyStore(), "") }
  const foreign = await key.get({ challenge: await challengeOf("/admin/login", neighbor) }, 2)
  for (const fields of [replayed, elsewhere, foreign])
    expect((await visitor.post("/admin/login/passkey", fields)).status).toBe(422)

  const colleague = await signInToAdmin(store, "owner")
  const path = read(page.text, /action="(\/admin\/account\/passkeys\/\d+\/delete)"/)
  expect((await colleague.post(path)).status).toBe(404)
  expect((await member.post(path)).status).toBe(303)
  expect((await member.get(ACCOUNT)).text).toContain("No passkeys yet.")
})

test("lists the member's logins and ends one of them, and only sessions of the admin open it", async () => {
  const store = await makeReadyStore()
  const member = await signInToAdmin(store)
  const login = await content("POST", "/login", {
    host: member.host,
    json: { email: member.user.email, password: PASSWORD },
  })
  const [id] = String(login.body.data.token).split("|")
  const page = await member.get(ACCOUNT)
  expect(page.text).toContain("This session")
  expect(page.text).toContain(`${ACCOUNT}/sessions/${id}/delete`)
  // A login that is about to expire is not a session, however short its life.
  await env.SITES_1.prepare("update user_tokens set expires_at = ? where id = ?")
    .bind(Date.now() + MINUTE, id)
    .run()
  const cookie = `admin=${encodeURIComponent(login.body.data.token)}`
  expect((await call("GET", "/admin", { host: member.host, headers: { Cookie: cookie } })).status).toBe(303)
  const neighbor = await signInToAdmin(store)
  await neighbor.post(`${ACCOUNT}/sessions/${id}/delete`)
  expect(await siteRows("select 1 from user_tokens where id = ?", id)).toHaveLength(1)
  expect((await member.post(`${ACCOUNT}/sessions/${id}/delete`)).status).toBe(303)
  expect(await siteRows("select 1 from user_tokens where id = ?", id)).toEqual([])
})
