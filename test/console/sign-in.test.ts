import { env } from "cloudflare:workers"
import { Secret, TOTP } from "otpauth"
import { expect, test, vi } from "vitest"
import { call, cron } from "../support/app"
import { makeReadyStore } from "../support/factories"
import { browser, cookieOf, makeOperator, PASSWORD, post, signIn } from "./support"

const rows = async (sql: string) => (await env.DB.prepare(sql).all<Record<string, unknown>>()).results

test("without a session every page leads to the sign-in, and back", async () => {
  const answer = await call("GET", "/console/audit?type=x")
  expect(answer.status).toBe(303)
  expect(answer.headers.get("Location")).toBe("/console/login?next=%2Fconsole%2Faudit%3Ftype%3Dx")
  const email = await makeOperator()
  const page = await call("GET", answer.headers.get("Location") ?? "")
  expect(page.text).toContain('name="next" value="/console/audit?type=x"')
  const signed = await post("/console/login", { email, password: PASSWORD, next: "/console/audit?type=x" })
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
])("the sign-in leads to pages of the console only, not to %s", async (next) => {
  const email = await makeOperator()
  const signed = await post("/console/login", { email, password: PASSWORD, next })
  expect([signed.status, signed.headers.get("Location")]).toEqual([303, "/console"])
})

test("the cookie is a random text whose hash is kept, and on https it has the prefix that binds it to the host", async () => {
  const email = await makeOperator()
  const answer = await post("/console/login", { email, password: PASSWORD })
  const cookie = answer.headers.get("Set-Cookie") ?? ""
  expect(cookie).toMatch(/^console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  const [session] = await rows("select * from operator_sessions")
  expect(JSON.stringify(session)).not.toContain(cookieOf(answer).split("=")[1])
  expect(session).toMatchObject({ address: "192.0.2.1" })
  const [entry] = await rows("select * from audit_entries where type = 'session_signed_in'")
  expect(entry).toMatchObject({ actor_type: "admin", interface: "console", address: "192.0.2.1" })
})

test("an unknown address and a wrong password have one answer, with what was typed", async () => {
  const email = await makeOperator()
  const wrong = await post("/console/login", { email, password: "wrong" })
  const unknown = await post("/console/login", { email: "nobody@example.com", password: "wrong" })
  expect([wrong.status, unknown.status]).toEqual([422, 422])
  expect(wrong.text).toContain("The e-mail address or the password is wrong.")
  const plain = ({ text }: typeof wrong, typed: string) =>
    text.replaceAll(typed, "").replace(/data-challenge="[^"]+"/, "")
  expect(plain(wrong, email)).toBe(plain(unknown, "nobody@example.com"))
  expect(wrong.text).toContain(`value="${email}"`)
  expect(wrong.headers.get("Set-Cookie")).toBeNull()
  const empty = await post("/console/login", { email: "", password: "" })
  expect(empty.status).toBe(422)
  expect(empty.text).toContain('aria-describedby="email-error"')
})

test("ten failures a minute by network and by account are let through; successes do not count", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const email = await makeOperator()
  const signInFrom = async (ip: string, password: string, account = email) =>
    (await post("/console/login", { email: account, password }, { headers: { "CF-Connecting-IP": ip } })).status
  const another = await makeOperator()
  for (let i = 0; i < 10; i++) expect(await signInFrom(`2001:db8::${i}`, "wrong")).toBe(422)
  const eleventh = await post(
    "/console/login",
    { email: another, password: PASSWORD },
    { headers: { "CF-Connecting-IP": "2001:db8::99" } },
  )
  expect(eleventh.status).toBe(429)
  expect(Number(eleventh.headers.get("Retry-After") ?? 60)).toBeGreaterThan(0)
  // The account is closed to all strangers, another account is not.
  expect(await signInFrom("192.0.2.77", PASSWORD)).toBe(429)
  for (let i = 0; i < 11; i++) expect(await signInFrom("192.0.2.77", PASSWORD, another)).toBe(303)
})

test("wrong passwords of strangers do not refuse a network from which the operator has signed in", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const email = await makeOperator()
  const signInFrom = async (ip: string, password: string) =>
    (await post("/console/login", { email, password }, { headers: { "CF-Connecting-IP": ip } })).status
  expect(await signInFrom("192.0.2.10", PASSWORD)).toBe(303)
  for (let i = 0; i < 10; i++) expect(await signInFrom(`10.0.0.${i}`, "wrong")).toBe(422)
  expect(await signInFrom("10.0.1.1", PASSWORD)).toBe(429)
  expect(await signInFrom("192.0.2.10", PASSWORD)).toBe(303)
  // An unknown network does not become known by failing.
  expect(await rows("select operator_id from operator_networks")).toHaveLength(1)
})

test("a network from which the operator has signed in has a limit of ten failures as well", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  const email = await makeOperator()
  const signInAtHome = async (password: string) => (await post("/console/login", { email, password })).status
  expect(await signInAtHome(PASSWORD)).toBe(303)
  for (let i = 0; i < 10; i++) expect(await signInAtHome("wrong")).toBe(422)
  expect(await signInAtHome(PASSWORD)).toBe(429)
})

test("a new password forgets all networks but the one that set it", async () => {
  const email = await makeOperator()
  const signInFrom = (ip: string) =>
    post("/console/login", { email, password: PASSWORD }, { headers: { "CF-Connecting-IP": ip } })
  await signInFrom("198.51.100.66")
  const cookie = cookieOf(await signInFrom("192.0.2.10"))
  const networks = async () =>
    (await rows("select network from operator_networks order by network")).map(({ network }) => network)
  const before = await networks()
  expect(before).toHaveLength(2)
  const password = "another long phrase 2"
  const fields = { current_password: PASSWORD, password, password_confirmation: password }
  // From a third network.
  const headers = { Cookie: cookie, "CF-Connecting-IP": "192.0.2.99" }
  const { status, text } = await post("/console/account/password", fields, { headers })
  expect(status, text.slice(0, 400)).toBe(303)
  const after = await networks()
  expect(after).toHaveLength(1)
  expect(before).not.toContain(after[0])
})

test("an operator's twenty newest networks are remembered, for ninety days after the last sign-in", async () => {
  const email = await makeOperator()
  await env.DB.batch(
    Array.from({ length: 20 }, (_, n) =>
      env.DB.prepare("insert into operator_networks select id, ?, ? from operators").bind(`network-${n}`, n + 1),
    ),
  )
  expect((await post("/console/login", { email, password: PASSWORD })).status).toBe(303)
  const known = (await rows("select network from operator_networks order by last_seen_at")).map(
    ({ network }) => network,
  )
  expect(known).toHaveLength(20)
  expect(known).not.toContain("network-0")
  await cron("30 2 * * *")
  expect(await rows("select network from operator_networks")).toHaveLength(1)
})

test("signing out ends the session", async () => {
  const ada = await signIn()
  expect((await ada.get("/console")).status).toBe(200)
  const out = await ada.post("/console/logout")
  expect([out.status, out.headers.get("Location")]).toEqual([303, "/console/login?done=signed_out"])
  expect((await ada.get("/console")).status).toBe(303)
})

test("a session ends after two hours idle and twelve in all", async () => {
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

test("an operator who is shut out, or whose password changed elsewhere, is out at the next request", async () => {
  const ada = await signIn({ email: "ada@example.com" })
  const again = browser(cookieOf(await post("/console/login", { email: "ada@example.com", password: PASSWORD })))
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
  expect((await post("/console/login", { email: "grace@example.com", password: PASSWORD })).status).toBe(422)
})

test("the console is on the central host only", async () => {
  const store = await makeReadyStore()
  for (const path of ["/console", "/console/login", "/console/assets/x.css"]) {
    expect((await call("GET", path, { host: `${store}.localhost` })).status).toBe(404)
    expect((await call("GET", path, { host: "elsewhere.example" })).status).toBe(404)
  }
})

test("a form counts only from the console's own pages, and only as a form", async () => {
  const ada = await signIn()
  const form = { name: "Key", scopes: "read" }
  for (const site of ["same-site", "cross-site", "none"]) {
    const answer = await ada.post("/console/keys", form, { headers: { "Sec-Fetch-Site": site } })
    expect(answer.status).toBe(403)
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

test("every page has one policy, and no place for a script or a style of its own", async () => {
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

test("the assets are kept for ever under names of what is in them, and weigh little", async () => {
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

test("a viewer sees every page and posts nothing but what is their own", async () => {
  const viewer = await signIn({ role: "viewer" })
  const page = await viewer.get("/console/keys")
  expect(page.status).toBe(200)
  expect(page.text).not.toContain('action="/console/keys"')
  expect((await viewer.post("/console/keys", { name: "Key", scopes: "read" })).status).toBe(403)
  expect((await viewer.post("/console/nowhere")).status).toBe(403)
  const own = await viewer.post("/console/account", { name: "Vera", time_zone: "Asia/Tokyo", theme: "dark" })
  expect(own.status).toBe(303)
  expect((await viewer.get("/console")).text).toContain('data-theme="dark"')
  expect((await viewer.post("/console/logout")).status).toBe(303)
})

test("a form sent twice is done once, and answered alike", async () => {
  const ada = await signIn()
  const form = { name: "Key", scopes: ["read", "write"], once: "01ABC" }
  const [first, second] = [await ada.post("/console/keys", form), await ada.post("/console/keys", form)]
  expect(first.text).toMatch(/tnk_\w{8}_\w{40}/)
  expect(second.text).toBe(first.text)
  expect(await rows("select id from api_keys")).toHaveLength(1)
  const other = await ada.post("/console/keys", { ...form, name: "Other" })
  expect(other.status).toBe(422)
})

test("ten minutes after the password what is dangerous asks for it again, and keeps what was typed", async () => {
  const start = Date.now()
  const ada = await signIn()
  vi.useFakeTimers({ toFake: ["Date"], now: start + 11 * 60_000 })
  const form = { name: "A <key>", scopes: "read" }
  const asked = await ada.post("/console/keys", form)
  expect(asked.status).toBe(403)
  expect(asked.text).toContain('name="name" value="A &lt;key&gt;"')
  const wrong = await ada.post("/console/keys", { ...form, confirm_password: "wrong" })
  expect(wrong.status).toBe(422)
  expect(await rows("select id from api_keys")).toHaveLength(0)
  expect((await ada.post("/console/keys", { ...form, confirm_password: PASSWORD })).text).toMatch(/tnk_/)
  expect((await ada.post("/console/keys", form)).text).toMatch(/tnk_/)
})

test("with a second factor a code is asked for; each counts once, and a recovery code as well", async () => {
  const ada = await signIn({ email: "ada@example.com" })
  expect((await ada.post("/console/account/totp")).status).toBe(303)
  const secret = /<code>([A-Z2-7]{32})<\/code>/.exec((await ada.get("/console/account")).text)?.[1] ?? ""
  const start = Date.now()
  const codeAt = (moment: number) => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: moment })
  expect((await ada.post("/console/account/totp/enable", { code: "000000" })).status).toBe(422)
  const enabled = await ada.post("/console/account/totp/enable", { code: codeAt(start) })
  const codes = enabled.text.match(/(?<=^|>)[0-9a-z]{5}-[0-9a-z]{5}(?=$|<)/gm) ?? []
  expect(codes).toHaveLength(10)

  const first = await post("/console/login", { email: "ada@example.com", password: PASSWORD })
  expect(first.headers.get("Location")).toBe("/console/login/code?next=%2Fconsole")
  const pending = browser(cookieOf(first))
  expect((await pending.get("/console")).status).toBe(303)
  expect((await pending.post("/console/keys", { name: "Key", scopes: "read" })).status).toBe(303)
  expect((await pending.post("/console/login/code", { code: codeAt(start) })).status).toBe(422)
  vi.useFakeTimers({ toFake: ["Date"], now: start + 30_000 })
  expect((await pending.post("/console/login/code", { code: codeAt(start + 30_000) })).status).toBe(303)
  expect((await pending.get("/console")).status).toBe(200)

  const withRecovery = { email: "ada@example.com", password: PASSWORD, code: codes[0] ?? "" }
  expect((await post("/console/login", withRecovery)).headers.get("Location")).toBe("/console")
  expect((await post("/console/login", withRecovery)).status).toBe(422)
})

test("the last admin stays, and nobody removes or demotes themselves", async () => {
  const ada = await signIn({ email: "ada@example.com" })
  const id = async (email: string) =>
    (await env.DB.prepare("select id from operators where email = ?").bind(email).first<{ id: number }>())?.id
  const own = `/console/operators/${await id("ada@example.com")}`
  expect((await ada.post(`${own}/edit`, { name: "Ada", role: "viewer" })).status).toBe(422)
  expect((await ada.post(`${own}/delete`, { confirm: "ada@example.com" })).status).toBe(422)
  const fields = { email: "Vera@example.com", name: "Vera", password: "a long enough one", role: "viewer" }
  expect((await ada.post("/console/operators", fields)).status).toBe(303)
  expect((await ada.post("/console/operators", fields)).status).toBe(422)
  const vera = `/console/operators/${await id("vera@example.com")}`
  expect((await ada.post(`${vera}/delete`, { confirm: "nope" })).status).toBe(422)
  expect((await ada.post(`${vera}/delete`, { confirm: "vera@example.com" })).status).toBe(303)
  expect(await rows("select role from operators")).toEqual([{ role: "admin" }])
})
