import { env } from "cloudflare:workers"
import { Secret, TOTP } from "otpauth"
import { expect, test, vi } from "vitest"
import { call, cron } from "../support/app"
import { makeReadyStore } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { createBrowser, getCookie, makeOperator, PASSWORD, postForm, signIn } from "./support"

const rows = async (sql: string) => (await env.DB.prepare(sql).all<Record<string, unknown>>()).results

test("returns 405 for a method that the sign-in page does not support", async () => {
  const response = await call("PUT", "/console/login", {
    headers: { "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded" },
  })
  expect(response.status).toBe(405)
})

test("redirects to the sign-in without a session, and back after it", async () => {
  const response = await call("GET", "/console/audit?type=x")
  expect(response.status).toBe(303)
  expect(response.headers.get("Location")).toBe("/console/login?next=%2Fconsole%2Faudit%3Ftype%3Dx")
  const email = await makeOperator()
  const page = await call("GET", response.headers.get("Location") ?? "")
  expect(page.text).toContain('name="next" value="/console/audit?type=x"')
  const signed = await postForm("/console/login", { email, password: PASSWORD, next: "/console/audit?type=x" })
  expect([signed.status, signed.headers.get("Location")]).toEqual([303, "/console/audit?type=x"])
})

test.each([
  "https://evil.example/",
  "//evil.example",
  "/console//evil.example",
  "/api",
  "/consoleevil",
  "/console/../api",
  "/console/\\evil",
  "/console/%2e%2e/%2e%2e/media/x",
  "/console/.%2E/media/x",
  "/console\\..\\media\\x",
  "/console/%2e%2e\\media",
  "/\t/evil.example",
  "\\\\evil.example",
])("does not redirect to %s after sign-in", async (next) => {
  const email = await makeOperator()
  const signed = await postForm("/console/login", { email, password: PASSWORD, next })
  expect([signed.status, signed.headers.get("Location")]).toEqual([303, "/console"])
})

test("sets a random cookie, stores only its hash, and logs the sign-in", async () => {
  const email = await makeOperator()
  const response = await postForm("/console/login", { email, password: PASSWORD })
  const cookie = response.headers.get("Set-Cookie") ?? ""
  expect(cookie).toMatch(/^console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const [session] = await rows("select * from operator_sessions")
  expect(JSON.stringify(session)).not.toContain(getCookie(response).split("=")[1])
  expect(session).toMatchObject({ address: "192.0.2.1" })
  const [entry] = await rows("select * from audit_entries where type = 'session_signed_in'")
  expect(entry).toMatchObject({ actor_type: "admin", interface: "console", address: "192.0.2.1" })
})

test("responds identically to an unknown email address and a wrong password, and keeps the email address", async () => {
  const email = await makeOperator()
  const wrong = await postForm("/console/login", { email, password: "wrong" })
  const unknown = await postForm("/console/login", { email: "nobody@example.com", password: "wrong" })
  expect([wrong.status, unknown.status]).toEqual([422, 422])
  expect(wrong.text).toContain("Incorrect email address or password.")
  const plain = ({ text }: typeof wrong, typed: string) =>
    text.replaceAll(typed, "").replace(/data-challenge="[^"]+"/, "")
  expect(plain(wrong, email)).toBe(plain(unknown, "nobody@example.com"))
  expect(wrong.text).toContain(`value="${email}"`)
  expect(wrong.headers.get("Set-Cookie")).toBeNull()
  const empty = await postForm("/console/login", { email: "", password: "" })
  expect(empty.status).toBe(422)
  expect(empty.text).toContain('aria-describedby="email-error"')
})

test("allows ten failed sign-ins per minute by network and by account, and does not count successes", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const email = await makeOperator()
  const signInFrom = async (ip: string, password: string, account = email) =>
    (await postForm("/console/login", { email: account, password }, { headers: { "CF-Connecting-IP": ip } })).status
  const another = await makeOperator()
  for (let i = 0; i < 10; i++) expect(await signInFrom(`2001:db8::${i}`, "wrong")).toBe(422)
  const eleventh = await postForm(
    "/console/login",
    { email: another, password: PASSWORD },
    { headers: { "CF-Connecting-IP": "2001:db8::99" } },
  )
  expect(eleventh.status).toBe(429)
  expect(Number(eleventh.headers.get("Retry-After") ?? 60)).toBeGreaterThan(0)
  // Unknown networks are blocked for this account only.
  expect(await signInFrom("192.0.2.77", PASSWORD)).toBe(429)
  for (let i = 0; i < 11; i++) expect(await signInFrom("192.0.2.77", PASSWORD, another)).toBe(303)
})

test("does not block a known network because of failures from unknown networks", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const email = await makeOperator()
  const signInFrom = async (ip: string, password: string) =>
    (await postForm("/console/login", { email, password }, { headers: { "CF-Connecting-IP": ip } })).status
  expect(await signInFrom("192.0.2.10", PASSWORD)).toBe(303)
  for (let i = 0; i < 10; i++) expect(await signInFrom(`10.0.0.${i}`, "wrong")).toBe(422)
  expect(await signInFrom("10.0.1.1", PASSWORD)).toBe(429)
  expect(await signInFrom("192.0.2.10", PASSWORD)).toBe(303)
  // Failed sign-ins do not make a network known.
  expect(await rows("select operator_id from operator_networks")).toHaveLength(1)
})

test("allows ten failed sign-ins per minute from a known network", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const email = await makeOperator()
  const signInAtHome = async (password: string) => (await postForm("/console/login", { email, password })).status
  expect(await signInAtHome(PASSWORD)).toBe(303)
  for (let i = 0; i < 10; i++) expect(await signInAtHome("wrong")).toBe(422)
  expect(await signInAtHome(PASSWORD)).toBe(429)
})

test("forgets all known networks except the current one when the password changes", async () => {
  const email = await makeOperator()
  const signInFrom = (ip: string) =>
    postForm("/console/login", { email, password: PASSWORD }, { headers: { "CF-Connecting-IP": ip } })
  await signInFrom("198.51.100.66")
  const cookie = getCookie(await signInFrom("192.0.2.10"))
  const networks = async () =>
    (await rows("select network from operator_networks order by network")).map(({ network }) => network)
  const before = await networks()
  expect(before).toHaveLength(2)
  const password = "another long phrase 2"
  const fields = { current_password: PASSWORD, password, password_confirmation: password }
  // From a third network.
  const headers = { Cookie: cookie, "CF-Connecting-IP": "192.0.2.99" }
  const { status, text } = await postForm("/console/account/password", fields, { headers })
  expect(status, text.slice(0, 400)).toBe(303)
  const after = await networks()
  expect(after).toHaveLength(1)
  expect(before).not.toContain(after[0])
})

test("remembers the twenty latest networks of an operator for 90 days after the last sign-in", async () => {
  const email = await makeOperator()
  await env.DB.batch(
    Array.from({ length: 20 }, (_, n) =>
      env.DB.prepare("insert into operator_networks select id, ?, ? from operators").bind(`network-${n}`, n + 1),
    ),
  )
  expect((await postForm("/console/login", { email, password: PASSWORD })).status).toBe(303)
  const known = (await rows("select network from operator_networks order by last_seen_at")).map(
    ({ network }) => network,
  )
  expect(known).toHaveLength(20)
  expect(known).not.toContain("network-0")
  await cron("30 2 * * *")
  expect(await rows("select network from operator_networks")).toHaveLength(1)
})

test("ends the session at sign-out", async () => {
  const ada = await signIn()
  expect((await ada.get("/console")).status).toBe(200)
  const out = await ada.post("/console/logout")
  expect([out.status, out.headers.get("Location")]).toEqual([303, "/console/login?done=signed_out"])
  expect((await ada.get("/console")).status).toBe(303)
})

test("ends a session after two idle hours and after twelve hours in total", async () => {
  const start = Date.now()
  const ada = await signIn()
  vi.useFakeTimers({ toFake: ["Date"], now: start + 121 * 60_000 })
  expect((await ada.get("/console")).status).toBe(303)
  for (let minutes = 100; minutes < 720; minutes += 100) {
    vi.setSystemTime(start + minutes * 60_000)
    expect((await ada.get("/console")).status).toBe(200)
  }
  vi.setSystemTime(start + 721 * 60_000)
  expect((await ada.get("/console")).status).toBe(303)
})

test("ends the sessions of a disabled operator, and the other sessions when the password changes", async () => {
  const ada = await signIn({ email: "ada@example.com" })
  const again = createBrowser(
    getCookie(await postForm("/console/login", { email: "ada@example.com", password: PASSWORD })),
  )
  const common = { current_password: PASSWORD, password: "1q2w3e4r5t6y", password_confirmation: "1q2w3e4r5t6y" }
  const created = { email: "eve@example.com", name: "Eve", role: "viewer", password: "1q2w3e4r5t6y" }
  for (const [path, fields] of [
    ["/console/account/password", common],
    ["/console/operators", created],
  ] as const) {
    const refused = await ada.post(path, fields)
    expect([refused.status, refused.text.includes("This password is too common.")], path).toEqual([422, true])
  }
  const changed = await ada.post("/console/account/password", {
    current_password: PASSWORD,
    password: "another good password",
    password_confirmation: "another good password",
  })
  expect(changed.status).toBe(303)
  expect((await again.get("/console")).status).toBe(303)
  expect((await ada.get("/console")).status).toBe(200)
  const grace = await signIn({ email: "grace@example.com" })
  const [{ id } = { id: 0 }] = await rows("select id from operators where email = 'grace@example.com'")
  expect(
    (await ada.post(`/console/operators/${id}/edit`, { name: "Grace", role: "admin", disabled: "true" })).status,
  ).toBe(303)
  expect((await grace.get("/console")).status).toBe(303)
  expect((await postForm("/console/login", { email: "grace@example.com", password: PASSWORD })).status).toBe(422)
})

test("serves the console on the central host only", async () => {
  const store = await makeReadyStore()
  for (const path of ["/console", "/console/login", "/console/assets/x.css"]) {
    expect((await call("GET", path, { host: `${store}.localhost` })).status).toBe(404)
    expect((await call("GET", path, { host: "elsewhere.example" })).status).toBe(404)
  }
})

test("accepts forms only from the console's own pages, and only in form encodings", async () => {
  const ada = await signIn()
  const form = { name: "Key", scopes: "read" }
  for (const site of ["same-site", "cross-site", "none"]) {
    const response = await ada.post("/console/keys", form, { headers: { "Sec-Fetch-Site": site } })
    expect(response.status).toBe(403)
  }
  const bare = (headers: Record<string, string>) =>
    call("POST", "/console/keys", {
      body: "name=Key&scopes=read",
      headers: { Cookie: ada.cookie, "Content-Type": "application/x-www-form-urlencoded", ...headers },
    })
  expect((await bare({})).status).toBe(403)
  expect((await bare({ Origin: "http://acme.localhost" })).status).toBe(403)
  expect((await bare({ Origin: "null" })).status).toBe(403)
  expect((await bare({ Origin: "http://localhost" })).status).toBe(200)
  const json = { headers: { "Content-Type": "application/json" } }
  expect((await ada.post("/console/keys", form, json)).status).toBe(415)
  expect((await ada.post("/console/keys", form, { headers: { "Content-Type": "text/plain" } })).status).toBe(415)
  expect(await rows("select name from api_keys")).toHaveLength(1)
})

test("sends a strict CSP on every page and renders no inline scripts or styles", async () => {
  const ada = await signIn()
  for (const page of [
    await ada.get("/console"),
    await call("GET", "/console/login"),
    await ada.get("/console/nowhere"),
  ]) {
    expect(page.headers.get("Content-Security-Policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(page.headers.get("Cache-Control")).toBe("no-store")
    expect(page.headers.get("Referrer-Policy")).toBe("same-origin")
    expect(page.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin")
    expect(page.headers.get("X-Content-Type-Options")).toBe("nosniff")
    expect(page.text).not.toMatch(/\sstyle=|\son[a-z]+=/)
    expect(page.text.match(/<h1/g)).toHaveLength(1)
  }
})

test("serves small assets that browsers cache forever, under content hashes", async () => {
  const { text } = await call("GET", "/console/login")
  const paths = [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "")
  expect(paths).toHaveLength(2)
  let weight = 0
  for (const path of paths) {
    const file = await call("GET", path)
    expect(file.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable")
    const packed = new Response(new Blob([file.text]).stream().pipeThrough(new CompressionStream("gzip")))
    weight += (await packed.arrayBuffer()).byteLength
  }
  expect(weight).toBeLessThan(40_000)
  expect((await call("GET", "/console/assets/0000000000000000.css")).status).toBe(404)
})

test("lets viewers see every page and submit only their own forms", async () => {
  const viewer = await signIn({ role: "viewer" })
  const page = await viewer.get("/console/keys")
  expect(page.status).toBe(200)
  expect(page.text).not.toContain('action="/console/keys"')
  expect((await viewer.post("/console/keys", { name: "Key", scopes: "read" })).status).toBe(403)
  expect((await viewer.post("/console/nowhere")).status).toBe(404)
  const own = await viewer.post("/console/account", { name: "Vera", time_zone: "Asia/Tokyo", theme: "dark" })
  expect(own.status).toBe(303)
  expect((await viewer.get("/console")).text).toContain('data-theme="dark"')
  expect((await viewer.post("/console/logout")).status).toBe(303)
})

test("runs a form that is submitted twice only once, with the same response", async () => {
  const ada = await signIn()
  const form = { name: "Key", scopes: ["read", "write"], once: "01ABC" }
  const [first, second] = [await ada.post("/console/keys", form), await ada.post("/console/keys", form)]
  expect(first.text).toMatch(/tnk_\w{8}_\w{40}/)
  expect(second.text).toBe(first.text)
  expect(await rows("select id from api_keys")).toHaveLength(1)
  const other = await ada.post("/console/keys", { ...form, name: "Other" })
  expect(other.status).toBe(422)
})

test("asks for the password again after ten minutes, and keeps the values of the form", async () => {
  const start = Date.now()
  const ada = await signIn()
  vi.useFakeTimers({ toFake: ["Date"], now: start + 11 * 60_000 })
  const form = { name: "A <key>", scopes: "read" }
  const confirmation = await ada.post("/console/keys", form)
  expect(confirmation.status).toBe(403)
  expect(confirmation.text).toContain('name="name" value="A &lt;key&gt;"')
  const wrong = await ada.post("/console/keys", { ...form, confirm_password: "wrong" })
  expect(wrong.status).toBe(422)
  expect(await rows("select id from api_keys")).toHaveLength(0)
  expect((await ada.post("/console/keys", { ...form, confirm_password: PASSWORD })).text).toMatch(/tnk_/)
  expect((await ada.post("/console/keys", form)).text).toMatch(/tnk_/)
})

test("asks for a two-factor code, and accepts each code and each recovery code once", async () => {
  const ada = await signIn({ email: "ada@example.com" })
  expect((await ada.post("/console/account/totp")).status).toBe(303)
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec((await ada.get("/console/account")).text)?.[1] ?? ""
  const start = Date.now()
  const codeAt = (moment: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: moment })
  expect((await ada.post("/console/account/totp/enable", { code: "000000" })).status).toBe(422)
  const enabled = await ada.post("/console/account/totp/enable", { code: codeAt(start) })
  const codes = enabled.text.match(/(?<=^|>)[0-9a-z]{5}-[0-9a-z]{5}(?=$|<)/gm) ?? []
  expect(codes).toHaveLength(10)

  const first = await postForm("/console/login", { email: "ada@example.com", password: PASSWORD })
  expect(first.headers.get("Location")).toBe("/console/login/code?next=%2Fconsole")
  const pending = createBrowser(getCookie(first))
  expect((await pending.get("/console")).status).toBe(303)
  expect((await pending.post("/console/keys", { name: "Key", scopes: "read" })).status).toBe(303)
  expect((await pending.post("/console/login/code", { code: codeAt(start) })).status).toBe(422)
  vi.useFakeTimers({ toFake: ["Date"], now: start + 30_000 })
  expect((await pending.post("/console/login/code", { code: codeAt(start + 30_000) })).status).toBe(303)
  expect((await pending.get("/console")).status).toBe(200)

  const withRecovery = { email: "ada@example.com", password: PASSWORD, code: codes[0] ?? "" }
  expect((await postForm("/console/login", withRecovery)).headers.get("Location")).toBe("/console")
  expect((await postForm("/console/login", withRecovery)).status).toBe(422)
})

test("does not turn on a second factor whose secret was replaced while its code was confirmed", async () => {
  const ada = await signIn({ email: "ada@example.com" })
  await ada.post("/console/account/totp")
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec((await ada.get("/console/account")).text)?.[1] ?? ""
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  let isReplaced = false
  const spy = interceptRoundTrips(async (send, statements) => {
    if (!isReplaced && statements.some((sql) => /^update "operators" set .*"totp_enabled_at" = /.test(sql))) {
      isReplaced = true
      // Another tab starts the setup again.
      await ada.post("/console/account/totp")
    }
    return send()
  })
  const response = await ada.post("/console/account/totp/enable", { code })
  spy.mockRestore()
  expect([isReplaced, response.status]).toEqual([true, 422])
  expect(await rows("select totp_enabled_at from operators")).toEqual([{ totp_enabled_at: null }])
})

test("prevents operators from removing or demoting themselves", async () => {
  const ada = await signIn({ email: "ada@example.com" })
  const id = async (email: string) =>
    (await env.DB.prepare("select id from operators where email = ?").bind(email).first<{ id: number }>())?.id
  const own = `/console/operators/${await id("ada@example.com")}`
  expect((await ada.post(`${own}/edit`, { name: "Ada", role: "viewer" })).status).toBe(422)
  expect((await ada.confirm(`${own}/delete`, {}, { confirm: "ada@example.com" })).status).toBe(422)
  const fields = { email: "Vera@example.com", name: "Vera", password: "a long enough one", role: "viewer" }
  expect((await ada.post("/console/operators", fields)).status).toBe(303)
  expect((await ada.post("/console/operators", fields)).status).toBe(422)
  const vera = `/console/operators/${await id("vera@example.com")}`
  expect((await ada.confirm(`${vera}/delete`, {}, { confirm: "nope" })).status).toBe(422)
  expect((await ada.confirm(`${vera}/delete`, {}, { confirm: "vera@example.com" })).status).toBe(303)
  expect(await rows("select role from operators")).toEqual([{ role: "admin" }])
})
