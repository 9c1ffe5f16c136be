// Sign-up: reservation, mailed link and store; limits, coupons, and what responses must not reveal.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { addMs, DAY, HOUR, MINUTE } from "../../src/lib/time"
import { confirmSignUp } from "../../src/platform/signups/service"
import { provisionStore } from "../../src/platform/stores/provision"
import { themes } from "../../src/themes/catalog"
import { call, platform, run, sendOperatorCommand } from "../support/app"
import { collectSentMails, runClockAt } from "../support/billing-factories"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeStore } from "../support/factories"
import { rows } from "../support/rows"
import { nextSerial } from "../support/serial"
import { listEventPayloads } from "../support/subscription-factories"

const WITHOUT_LIMITS = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0" }
const UNVERIFIED = { ...WITHOUT_LIMITS, TENANCY_SIGNUP_VERIFY_EMAIL: "false" }

const PASSWORD = "correct-horse"

const buildSignUp = (overrides: Record<string, unknown> = {}) => {
  const subdomain = `clay${nextSerial()}`
  return { name: "Clay & Co", subdomain, email: `${subdomain}@example.com`, plan: "starter", ...overrides }
}
const signUp = (json: unknown, settings: Record<string, string> = WITHOUT_LIMITS, headers = {}) =>
  call("POST", "/signup", { json, env: settings, headers })
const signUpUnverified = (json: object) => signUp({ password: PASSWORD, ...json }, UNVERIFIED)
const findConfirmationLink = (text: string | undefined) =>
  /https?:\/\/\S+\/signup\/confirm\?token=\S+/.exec(text ?? "")?.[0] ?? ""
const openLink = (link: string) => call("GET", link.replace(/^https?:\/\/[^/]+/, ""))
/** Opens a mailed link and sends the form of its page. */
const confirm = async (link: string, password = PASSWORD) => {
  const page = await openLink(link)
  const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1]
  if (!token) return page
  return call("POST", "/signup/confirm", {
    body: new URLSearchParams({ token, password }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  })
}
const progressPath = (subdomain: string) => `/signup/stores/${subdomain}`

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "starter", trial_days: 14 })
})

const readStore = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data

describe("with email verification", () => {
  test("reserves the subdomain, creates the store when the mailed link is confirmed, and shows its progress until it is ready", async () => {
    const input = buildSignUp({ theme: "atelier", preset: "linen" })
    const response = await signUp(input, WITHOUT_LIMITS, { "Accept-Language": "fr" })
    expect([response.status, response.body]).toEqual([
      202,
      { data: { subdomain: input.subdomain, status: "reserved" } },
    ])
    expect((await platform("GET", `/stores/${input.subdomain}`, { token })).status).toBe(404)
    const taken = { subdomain: input.subdomain, name: "x", owner_email: "x@example.com", password: "correct-horse" }
    expect((await platform("POST", "/stores", { token, json: taken })).body.error.code).toBe("subdomain_taken")
    const stored = [await rows("select * from mails"), await rows("select * from signup_reservations")]
    expect(JSON.stringify(stored)).not.toMatch(/token=|scrypt/)

    const [mail] = await collectSentMails()
    expect([mail?.to, mail?.subject]).toEqual([input.email, "Confirmez votre adresse pour ouvrir votre boutique"])
    const link = findConfirmationLink(mail?.text)
    expect((await openLink(link)).text).toContain("14 jours d’essai gratuit")
    const confirmed = await confirm(link)
    const progress = confirmed.headers.get("Location") ?? ""
    expect([confirmed.status, progress]).toEqual([303, progressPath(input.subdomain)])
    const waiting = await call("GET", progress)
    expect(waiting.text).toContain('http-equiv="refresh"')
    await run((ctx) => provisionStore(ctx, input.subdomain))
    const ready = await call("GET", progress)
    expect([...ready.text.matchAll(/<a class="(button[^"]*)" href="([^"]*)"/g)].map(([, ...link]) => link)).toEqual([
      ["button", `https://${input.subdomain}.localhost/admin`],
      ["button quiet", `https://${input.subdomain}.localhost`],
      ["button quiet", `https://${input.subdomain}.localhost/billing`],
    ])
    expect(await readStore(input.subdomain)).toMatchObject({
      status: "ready",
      name: "Clay & Co",
      theme: "atelier",
      preset: "linen",
      owner_email: input.email,
      subscription: { status: "trialing", plan: { slug: "starter" } },
    })
    const [created] = await listEventPayloads(input.subdomain)
    expect(created).toMatchObject({ type: "store.created", meta: { source: "signup", actor: { type: "customer" } } })
    const login = await call("POST", "/api/v1/login", {
      host: `${input.subdomain}.localhost`,
      json: { email: input.email, password: PASSWORD },
    })
    expect(login.status).toBe(200)
    expect((await sendOperatorCommand("site:settings", { site: input.subdomain })).body.data.language).toBe("fr")
  })

  test("creates the store when the confirmation is sent, as a form or as JSON, and not when the link is opened", async () => {
    const input = buildSignUp()
    await signUp(input)
    const link = findConfirmationLink((await collectSentMails())[0]?.text)
    for (const method of ["GET", "HEAD", "GET"]) {
      expect((await call(method, link.replace(/^https?:\/\/[^/]+/, ""))).status).toBe(200)
    }
    expect([
      await rows("select id from stores"),
      await rows("select id from signup_reservations where store_seq not null"),
    ]).toEqual([[], []])
    const token = link.split("token=")[1]
    const response = await call("POST", "/signup/confirm", { json: { token, password: PASSWORD } })
    expect([response.status, response.body]).toEqual([202, { data: { subdomain: input.subdomain, status: "pending" } }])
    const again = await openLink(link)
    expect([again.status, again.headers.get("Location")]).toEqual([303, progressPath(input.subdomain)])
    for (const json of [{}, { token: 1 }, { token: `1.${"0".repeat(32)}` }, { token: "x".repeat(5000), password: 1 }]) {
      const refused = await call("POST", "/signup/confirm", { json })
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["token"]])
    }
    expect(
      (await call("POST", "/signup/confirm", { body: "x", headers: { "Content-Type": "text/plain" } })).status,
    ).toBe(415)
  })

  test("returns 422 for a password that is missing, too short or too long, and leaves the link valid", async () => {
    const input = buildSignUp({ name: "<b>Clay</b>" })
    await signUp(input)
    const link = findConfirmationLink((await collectSentMails())[0]?.text)
    const token = link.split("token=")[1]
    for (const password of [undefined, "", "seven77", 12345678, "x".repeat(1025)]) {
      const refused = await call("POST", "/signup/confirm", { json: { token, password } })
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["password"]])
    }
    const page = await confirm(link, "seven77")
    expect(page.status).toBe(422)
    expect(page.text).toContain('id="password-error"')
    expect(page.text).toContain("&lt;b&gt;Clay&lt;/b&gt;")
    expect(page.text).not.toMatch(/seven77|<b>Clay/)
    expect(await rows("select id from stores")).toEqual([])
    const made = await call("POST", `/signup/confirm?token=${token}`, { json: { password: "x".repeat(1024) } })
    expect([made.status, made.body.data]).toEqual([202, { subdomain: input.subdomain, status: "pending" }])
    const later = await call("POST", "/signup/confirm", { json: { token } })
    expect([later.status, later.body.data]).toEqual([202, { subdomain: input.subdomain, status: "pending" }])
  })

  test("creates one store however often the link is confirmed, and none for a forged or expired link", async () => {
    const input = buildSignUp()
    await signUp(input)
    const link = findConfirmationLink((await collectSentMails())[0]?.text)
    const responses = await Promise.all([confirm(link), confirm(link), confirm(link)])
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303])
    expect((await confirm(link)).status).toBe(303)
    expect(await rows("select id from stores")).toHaveLength(1)
    expect((await listEventPayloads(input.subdomain)).filter((event) => event.type === "store.created")).toHaveLength(1)
    for (const bad of ["", "1.", `1.${"0".repeat(32)}`, "x".repeat(5000)]) {
      expect((await call("GET", `/signup/confirm?token=${bad}`)).status).toBe(422)
    }
    const late = buildSignUp()
    await signUp(late)
    const old = findConfirmationLink((await collectSentMails())[0]?.text).split("token=")[1] ?? ""
    const request = { token: old, password: PASSWORD, ip: "192.0.2.1" }
    expect(await run((ctx) => confirmSignUp(ctx, request), { now: addMs(new Date(), 25 * HOUR) })).toBeNull()
    await runClockAt(addMs(new Date(), 25 * HOUR))
    expect(await rows("select id from signup_reservations")).toEqual([])
    expect((await signUp({ ...buildSignUp(), subdomain: late.subdomain })).status).toBe(202)
  })

  test("gives a subdomain to one of two concurrent sign-ups, and mails the same link again when it signs up again", async () => {
    const [one, other] = [buildSignUp({ subdomain: "popular" }), buildSignUp({ subdomain: "popular" })]
    const responses = await Promise.all([signUp(one), signUp(other)])
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 409])
    expect(await rows("select id from signup_reservations")).toHaveLength(1)
    const winner = responses[0]?.status === 202 ? one : other
    const soon = Date.now() + 10 * MINUTE
    await env.DB.prepare("update signup_reservations set expires_at = ?").bind(soon).run()
    expect((await signUp({ ...winner, name: "Another name", email: winner.email.toUpperCase() })).status).toBe(202)
    const mails = await collectSentMails()
    expect(mails.map(({ to }) => to)).toEqual([winner.email, winner.email])
    expect(new Set(mails.map(({ text }) => findConfirmationLink(text))).size).toBe(1)
    expect(
      await rows("select name, email, expires_at > ? as is_extended from signup_reservations", soon + HOUR),
    ).toEqual([{ name: "Clay & Co", email: winner.email, is_extended: 1 }])
  })

  test("responds the same whether or not an email address owns a store", async () => {
    await makeStore({ owner_email: "known@example.com" })
    const [known, unknown] = [await signUp(buildSignUp({ email: "known@example.com" })), await signUp(buildSignUp())]
    expect([known.status, known.body.data.status]).toEqual([unknown.status, unknown.body.data.status])
    const replies = await Promise.all(
      ["known@example.com", "unknown@example.com"].map((email) => call("POST", "/sign-in", { json: { email } })),
    )
    expect(replies[0]?.text).toBe(replies[1]?.text)
  })
})

describe("without email verification", () => {
  test("creates the store immediately when email addresses are not verified", async () => {
    const input = buildSignUp()
    const response = await signUpUnverified(input)
    expect([response.status, response.body]).toEqual([202, { data: { subdomain: input.subdomain, status: "pending" } }])
    expect((await readStore(input.subdomain)).status).toBe("pending")
    expect((await signUpUnverified(buildSignUp({ subdomain: input.subdomain }))).body.error.code).toBe(
      "subdomain_taken",
    )
  })

  test("returns 422 for a sign-up without a password, which the form asks for", async () => {
    for (const password of [undefined, "", "seven77"]) {
      const refused = await signUp(buildSignUp({ password }), UNVERIFIED)
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["password"]])
    }
    expect(await rows("select id from stores")).toEqual([])
    const field = 'name="password"'
    expect((await call("GET", "/signup", { env: UNVERIFIED })).text).toContain(field)
    expect((await call("GET", "/signup", { env: WITHOUT_LIMITS })).text).not.toContain(field)
  })

  test("assigns the first plan on sale when the sign-up names none", async () => {
    const { plan: _, ...input } = buildSignUp()
    await signUpUnverified(input)
    expect((await readStore(input.subdomain)).subscription.plan.slug).toBe("starter")
  })
})

describe("validation", () => {
  test("returns all invalid fields at once", async () => {
    const response = await signUp({ name: "", subdomain: "No!", email: "x", password: "short", plan: "nope" })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(["name", "subdomain", "email", "plan"])
    expect(response.body.error.code).toBe("validation_failed")
  })

  test("returns errors for a plan, theme, preset and coupon that are not available", async () => {
    await makePlan({ slug: "plain", themes: ["nocturne"] })
    const choice = { plan: "plain", theme: "atelier", preset: "nope", coupon: "NONE" }
    const response = await signUp(buildSignUp(choice))
    expect(Object.keys(response.body.errors)).toEqual(["theme", "preset", "coupon"])
    expect((await signUp(buildSignUp({ plan: "gone" }))).body.errors).toHaveProperty("plan")
  })

  test("returns the code subdomain_reserved for a reserved subdomain", async () => {
    expect((await signUp(buildSignUp({ subdomain: "admin" }))).body.error.code).toBe("subdomain_reserved")
  })

  test("refuses email addresses of blocked domains and of their subdomains", async () => {
    const settings = { ...WITHOUT_LIMITS, TENANCY_SIGNUP_BLOCKED_EMAIL_DOMAINS: "trash.example" }
    for (const email of ["a@trash.example", "a@b.TRASH.example"]) {
      expect((await signUp(buildSignUp({ email }), settings)).body.errors, email).toHaveProperty("email")
    }
    expect((await signUp(buildSignUp({ email: "a@nottrash.example" }), settings)).status).toBe(202)
  })

  test("refuses malformed JSON, and returns 413 for a body that is too large", async () => {
    const post = (body: string) => call("POST", "/signup", { body, headers: { "Content-Type": "application/json" } })
    for (const body of ["{", "[]", '"x"']) expect((await post(body)).status, body).toBeLessThan(500)
    expect((await post("x".repeat(30_000))).status).toBe(413)
  })

  test("returns 413 for a form that is too large, and 415 for another media type", async () => {
    const post = (body: string, type: string) => call("POST", "/signup", { body, headers: { "Content-Type": type } })
    const form = await post(`name=${"x".repeat(30_000)}`, "application/x-www-form-urlencoded")
    expect([form.status, (await post("name=x", "text/plain")).status]).toEqual([413, 415])
  })
})

describe("limits", () => {
  const statuses = async (count: number, settings: Record<string, string>, ip: (n: number) => string) => {
    const found = []
    for (let n = 0; n < count; n++)
      found.push((await signUp(buildSignUp(), settings, { "CF-Connecting-IP": ip(n) })).status)
    return found
  }

  test("limits sign-ups per hour by network and globally; 0 disables a limit", async () => {
    expect(await statuses(4, { TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0" }, () => "203.0.113.7")).toEqual([
      202, 202, 202, 429,
    ])
    const one = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "1", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0" }
    const mine = { "CF-Connecting-IP": "203.0.113.8" }
    const gone = buildSignUp()
    await signUp(gone)
    for (const subdomain of ["admin", gone.subdomain, gone.subdomain]) {
      expect((await signUp(buildSignUp({ subdomain }), one, mine)).status, "a taken subdomain does not count").toBe(409)
    }
    expect((await signUp(buildSignUp(), one, mine)).status).toBe(202)
    const all = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "2" }
    expect(await statuses(3, all, () => "198.51.100.1")).toEqual([202, 202, 429])
    expect(await statuses(1, all, () => "198.51.100.2"), "a network without sign-ups").toEqual([202])
  })

  test("returns 202 for a filled honeypot and creates nothing", async () => {
    const response = await signUp(buildSignUp({ website: "https://spam.example" }))
    expect(response.status).toBe(202)
    expect(await rows("select id from signup_reservations")).toEqual([])
    expect(await collectSentMails()).toEqual([])
  })

  test("returns 202 for a filled honeypot whatever the other fields are, up to 60 times a minute", async () => {
    const deep = JSON.parse(`${"[".repeat(4_500)}${"]".repeat(4_500)}`)
    for (const bad of [{ toString: 1 }, deep, 1, null, true]) {
      const response = await signUp(buildSignUp({ website: "https://spam.example", subdomain: bad, email: bad }))
      expect(response.status, response.text.slice(0, 100)).toBe(202)
    }
    for (let n = 0; n < 55; n += 1) await signUp(buildSignUp({ website: "https://spam.example" }))
    expect((await signUp(buildSignUp({ website: "https://spam.example" }))).status).toBe(429)
  })

  test("returns 404 while sign-up is disabled, and on a store's host", async () => {
    const off = { TENANCY_SIGNUP_ENABLED: "false" }
    expect((await signUp(buildSignUp(), off)).status).toBe(404)
    expect((await call("GET", "/signup", { env: off })).status).toBe(404)
    expect((await call("GET", "/", { env: off })).text).not.toContain('href="/signup')
    const store = await makeStore()
    expect((await call("GET", "/signup", { host: `${store}.localhost` })).status).toBe(404)
  })
})

test("signs the owner in at the admin of the store once it is ready", async () => {
  const input = buildSignUp()
  await signUp(input)
  const link = findConfirmationLink((await collectSentMails())[0]?.text)
  const confirm = () =>
    call("POST", "/signup/confirm", {
      body: new URLSearchParams({ token: link.split("token=")[1] ?? "", password: PASSWORD }).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    })
  const confirmed = await confirm()
  const cookie = confirmed.headers.get("Set-Cookie") ?? ""
  expect(cookie).toMatch(/^first_sign_in=[^;]+; Max-Age=900; Path=\/signup; HttpOnly;( Secure;)? SameSite=Lax/)
  expect((await confirm()).headers.has("Set-Cookie")).toBe(false)
  const headers = { Cookie: cookie.split(";")[0] ?? "" }
  const path = progressPath(input.subdomain)
  expect((await call("GET", path, { headers })).status).toBe(200)
  await run((ctx) => provisionStore(ctx, input.subdomain))
  const other = await makeStore()
  const visited = await call("GET", progressPath(other), { headers })
  expect([visited.status, visited.headers.has("Set-Cookie"), visited.text.includes("/admin/arrive")]).toEqual([
    200,
    false,
    false,
  ])
  const ready = await call("GET", path, { headers })
  // A redirect would be refused by the browser: the form's page may only post to its own host.
  const url = new URL(/content="0;url=([^"]+)"/.exec(ready.text)?.[1] ?? "")
  expect([ready.status, url.hostname, url.pathname]).toEqual([200, `${input.subdomain}.localhost`, "/admin/arrive"])
  const arrived = await call("GET", url.pathname + url.search, { host: url.hostname })
  expect([arrived.headers.get("Location"), arrived.headers.get("Set-Cookie")?.startsWith("admin=")]).toEqual([
    "/admin",
    true,
  ])
})

test("takes one database round trip for a page, three to sign up or confirm, and none for a forged link", async () => {
  const countTrips = async (work: () => Promise<unknown>) => (await costsOf(work)).roundTrips
  const input = buildSignUp()
  const costs = {
    front: await countTrips(() => call("GET", "/")),
    form: await countTrips(() => call("GET", "/signup")),
    check: await countTrips(() => call("GET", "/signup/check?subdomain=free")),
    reserve: await countTrips(() => signUp(input)),
    taken: await countTrips(() => signUp(buildSignUp({ subdomain: input.subdomain }))),
    wrong: await countTrips(() => signUp({ ...input, email: "x" })),
  }
  const link = findConfirmationLink((await collectSentMails())[0]?.text)
  const token = link.split("token=")[1]
  const later = {
    link: await countTrips(() => openLink(link)),
    forged: await countTrips(() => openLink(`/signup/confirm?token=1.${"0".repeat(32)}`)),
    confirm: await countTrips(() => call("POST", "/signup/confirm", { json: { token, password: PASSWORD } })),
    again: await countTrips(() => call("GET", link.replace(/.*(?=\/signup)/, ""))),
    immediate: await countTrips(() => signUpUnverified(buildSignUp())),
    findStore: await countTrips(() => call("POST", "/sign-in", { json: { email: input.email } })),
  }
  expect({ ...costs, ...later }).toEqual({
    ...{ front: 1, form: 1, check: 1, reserve: 3, taken: 2, wrong: 1 },
    ...{ link: 1, forged: 0, confirm: 3, again: 1, immediate: 3, findStore: 1 },
  })
})

describe("coupons", () => {
  const save = (options: Record<string, unknown>) =>
    sendOperatorCommand("coupons:save", { code: "spring", trial_days: 30, ...options })

  test("saves coupons in upper case, lists them, and returns 422 for invalid ones", async () => {
    expect((await save({ max_redemptions: "5", plans: "starter", description: "Spring" })).body.data).toMatchObject({
      code: "SPRING",
      trial_days: 30,
      plans: ["starter"],
      max_redemptions: 5,
      redemptions: 0,
      is_active: true,
    })
    expect((await sendOperatorCommand("coupons:list")).body.data).toHaveLength(1)
    for (const options of [
      { trial_days: 0 },
      { trial_days: 366 },
      { code: "" },
      { code: "a b" },
      { starts_at: "soon" },
    ]) {
      expect((await save(options)).status).toBe(422)
    }
  })

  test("extends the trial by a coupon that is valid for the plan, the date and the redemptions left", async () => {
    await makePlan({ slug: "other" })
    await save({ plans: ["starter"] })
    const input = buildSignUp({ coupon: " spring " })
    await signUpUnverified(input)
    const { subscription } = await readStore(input.subdomain)
    expect(subscription.coupon_code).toBe("SPRING")
    const [frozen] = await rows("select discount from subscriptions where coupon_code = 'SPRING'")
    expect(frozen).toEqual({ discount: null })
    expect(Date.parse(subscription.trial_ends_at) - Date.parse(subscription.created_at)).toBe(44 * DAY)
    expect((await signUpUnverified(buildSignUp({ coupon: "SPRING", plan: "other" }))).body.errors).toHaveProperty(
      "coupon",
    )
    for (const options of [
      { expires_at: "2020-01-01T00:00:00Z" },
      { starts_at: "2050-01-01T00:00:00Z" },
      { is_active: false },
      { max_redemptions: 1 },
    ]) {
      await save(options)
      expect((await signUpUnverified(buildSignUp({ coupon: "SPRING" }))).body.errors).toHaveProperty("coupon")
    }
  })

  test("gives the last redemption to one of six concurrent sign-ups; the others start the regular trial", async () => {
    await save({ max_redemptions: 1 })
    const signUps = Array.from({ length: 6 }, () => buildSignUp({ coupon: "SPRING" }))
    for (const one of signUps) await signUp(one)
    const links = (await collectSentMails()).map(({ text }) => findConfirmationLink(text))
    const responses = await Promise.all(links.map((link) => confirm(link)))
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(303))
    const redeemed = await rows("select coupon_code from subscriptions where coupon_code is not null")
    expect([redeemed.length, (await rows("select redemptions from coupons"))[0]?.redemptions]).toEqual([1, 1])
    expect(await rows("select id from stores")).toHaveLength(6)
  })
})

describe("pages", () => {
  const form = (path: string, fields: Record<string, string>) =>
    call("POST", path, {
      body: new URLSearchParams(fields).toString(),
      env: WITHOUT_LIMITS,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    })

  test("loads nothing from other hosts and allows only its own script, by hash", async () => {
    for (const path of ["/", "/signup", "/sign-in"]) {
      const { headers, text } = await call("GET", path)
      const policy = headers.get("Content-Security-Policy") ?? ""
      expect(policy).toMatch(/^default-src 'none'; (script-src 'sha256-[^;]+; )?style-src 'sha256-/)
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(text).not.toMatch(/ (src="(?!\/themes\/)|style=|onclick=)/)
    }
  })

  test("fills a refused form in again with escaped values and without the password", async () => {
    const response = await form("/signup", {
      name: '"><script>x</script>',
      subdomain: "No!",
      email: "x",
      password: "hidden-secret",
    })
    expect(response.status).toBe(422)
    expect(response.text).not.toMatch(/<script>x|hidden-secret/)
    expect(response.text).toContain("&quot;&gt;&lt;script&gt;")
    const good = await form(
      "/signup",
      Object.fromEntries(Object.entries(buildSignUp()).map(([k, v]) => [k, String(v)])),
    )
    expect([good.status, good.text.includes("Check your inbox")]).toEqual([202, true])
  })

  test.each(["en", "es", "fr", "vi"])("renders the sign-up page in %s", async (language) => {
    const { text } = await call("GET", "/signup", { headers: { "Accept-Language": language } })
    expect(text).toContain(`<html lang="${language}"`)
  })

  test("offers every theme with its presets, and uses the chosen language for mails and the billing page", async () => {
    const page = (await call("GET", "/signup")).text
    for (const { slug, presets, published } of themes) {
      for (const preset of presets) expect(page.includes(`value="${slug}/${preset.slug}"`)).toBe(published)
    }
    expect(page).toMatch(/<b>[^<]+ · 14-day free trial<\/b>/)
    await makePlan({ slug: "plain", name: "Plain", themes: ["nocturne"] })
    expect((await call("GET", "/signup")).text).toMatch(/<b>Atelier \([^)]*\)<\/b>/)
    expect((await call("GET", "/signup")).text).toContain("<b>Nocturne</b>")
    const fields = Object.fromEntries(Object.entries(buildSignUp()).map(([k, v]) => [k, String(v)]))
    const wrong = await form("/signup", { ...fields, look: "atelier/nope" })
    expect([wrong.status, wrong.text.includes('id="look-error"')]).toEqual([422, true])
    expect((await form("/signup", { ...fields, look: "atelier/linen", plan: "plain" })).status).toBe(422)
    expect((await form("/signup", { ...fields, look: "atelier/linen", language: "xx" })).status).toBe(422)
    expect((await form("/signup", { ...fields, look: "atelier/linen", language: "vi" })).status).toBe(202)
    const [mail] = await collectSentMails()
    expect(mail?.html).toContain('lang="vi"')
    await confirm(findConfirmationLink(mail?.text))
    const id = fields.subdomain ?? ""
    expect(await readStore(id)).toMatchObject({ theme: "atelier", preset: "linen" })
    await run((ctx) => provisionStore(ctx, id))
    expect((await call("GET", "/billing", { host: `${id}.localhost` })).text).toContain('<html lang="vi"')
  })

  test("reports whether a subdomain is available", async () => {
    await makeStore({ subdomain: "taken" })
    const isAvailable = async (name: string) =>
      (await call("GET", `/signup/check?subdomain=${name}`)).body.data.available
    expect([
      await isAvailable("free"),
      await isAvailable("taken"),
      await isAvailable("admin"),
      await isAvailable("No!"),
    ]).toEqual([true, false, false, false])
  })

  test("stores a request for the list of stores before it responds, and deletes that of an address without a store", async () => {
    await makeStore({ owner_email: "owner@example.com" })
    await env.DB.exec("delete from mails")
    for (const email of ["owner@example.com", "unknown@example.com"])
      expect((await form("/sign-in", { email })).status).toBe(202)
    const pending = await rows("select recipient, data from mails where due_at is not null order by id")
    expect(pending).toEqual([
      { recipient: "owner@example.com", data: "{}" },
      { recipient: "unknown@example.com", data: "{}" },
    ])
    expect((await collectSentMails()).map(({ to }) => to)).toEqual(["owner@example.com"])
    expect(await rows("select recipient from mails")).toEqual([{ recipient: "owner@example.com" }])
  })

  test("mails an owner the links to their stores", async () => {
    const id = await makeStore({ owner_email: "Owner@Example.com" })
    await env.DB.exec("delete from mails")
    expect((await form("/sign-in", { email: "owner@example.com" })).status).toBe(202)
    const [mail] = await collectSentMails()
    expect(mail?.text).toContain(`https://${id}.localhost/billing`)
  })
})
