// Signing up: a reservation, a mailed link, a store; limits, coupons, and what nobody is told.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { DAY, HOUR, later } from "../../src/lib/time"
import { confirmSignUp } from "../../src/platform/signups/service"
import { provisionStore } from "../../src/platform/stores/provision"
import { themes } from "../../src/themes/catalog"
import { call, platform, run } from "../support/app"
import { clockAt, operate, sentMails } from "../support/billing-factories"
import { costsOf } from "../support/costs"
import { makeKey, makePlan, makeStore } from "../support/factories"
import { rows } from "../support/rows"
import { payloadsOf } from "../support/subscription-factories"

const FREELY = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0" }
const AT_ONCE = { ...FREELY, TENANCY_SIGNUP_VERIFY_EMAIL: "false" }

const PASSWORD = "correct-horse"

let serial = 0
const wish = (given: Record<string, unknown> = {}) => ({
  name: "Clay & Co",
  subdomain: `clay${++serial}`,
  email: `clay${serial}@example.com`,
  plan: "starter",
  ...given,
})
const signUp = (json: unknown, settings: Record<string, string> = FREELY, headers = {}) =>
  call("POST", "/signup", { json, env: settings, headers })
const signUpAtOnce = (json: object) => signUp({ password: PASSWORD, ...json }, AT_ONCE)
const linkIn = (text: string | undefined) => /https?:\/\/\S+\/signup\/confirm\?token=\S+/.exec(text ?? "")?.[0] ?? ""
const open = (link: string) => call("GET", link.replace(/^https?:\/\/[^/]+/, ""))
/** Opens a mailed link, and sends the form that it shows. */
const follow = async (link: string, password = PASSWORD) => {
  const shown = await open(link)
  const token = /name="token" value="([^"]+)"/.exec(shown.text)?.[1]
  if (!token) return shown
  return call("POST", "/signup/confirm", {
    body: new URLSearchParams({ token, password }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  })
}
/** The path of a store's progress page. */
const progressOf = (subdomain: string) => `/signup/stores/${subdomain}`

let token: string
beforeEach(async () => {
  token = await makeKey()
  await makePlan({ slug: "starter", trial_days: 14 })
})

const read = async (id: string) => (await platform("GET", `/stores/${id}`, { token })).body.data

describe("with a mailed link", () => {
  test("a sign-up holds name and address; only the link makes the store, which is followed until it is ready", async () => {
    const input = wish({ theme: "atelier", preset: "linen" })
    const answer = await signUp(input, FREELY, { "Accept-Language": "fr" })
    expect([answer.status, answer.body]).toEqual([202, { data: { subdomain: input.subdomain, status: "reserved" } }])
    expect((await platform("GET", `/stores/${input.subdomain}`, { token })).status).toBe(404)
    const taken = { subdomain: input.subdomain, name: "x", owner_email: "x@example.com", password: "correct-horse" }
    expect((await platform("POST", "/stores", { token, json: taken })).body.error.code).toBe("subdomain_taken")
    const stored = [await rows("select * from mails"), await rows("select * from signup_reservations")]
    expect(JSON.stringify(stored)).not.toMatch(/token=|scrypt/)

    const [mail] = await sentMails()
    expect([mail?.to, mail?.subject]).toEqual([input.email, "Confirmez votre adresse pour ouvrir votre boutique"])
    const followed = await follow(linkIn(mail?.text))
    const progress = followed.headers.get("Location") ?? ""
    expect([followed.status, progress]).toEqual([303, progressOf(input.subdomain)])
    const waiting = await call("GET", progress)
    expect(waiting.text).toContain('http-equiv="refresh"')
    await run((ctx) => provisionStore(ctx, input.subdomain))
    const ready = await call("GET", progress)
    expect(ready.text).toContain(`https://${input.subdomain}.localhost/billing`)
    expect(await read(input.subdomain)).toMatchObject({
      status: "ready",
      name: "Clay & Co",
      theme: "atelier",
      preset: "linen",
      owner_email: input.email,
      subscription: { status: "trialing", plan: { slug: "starter" } },
    })
    const [created] = await payloadsOf(input.subdomain)
    expect(created).toMatchObject({ type: "store.created", meta: { source: "signup", actor: { type: "customer" } } })
    const login = await call("POST", "/api/v1/login", {
      host: `${input.subdomain}.localhost`,
      json: { email: input.email, password: PASSWORD },
    })
    expect(login.status).toBe(200)
    expect((await operate("site:settings", { site: input.subdomain })).body.data.language).toBe("fr")
  })

  test("a scanner that opens the link makes nothing; the button makes the store, as JSON does", async () => {
    const input = wish()
    await signUp(input)
    const link = linkIn((await sentMails())[0]?.text)
    for (const method of ["GET", "HEAD", "GET"]) {
      expect((await call(method, link.replace(/^https?:\/\/[^/]+/, ""))).status).toBe(200)
    }
    expect([
      await rows("select id from stores"),
      await rows("select id from signup_reservations where store_seq not null"),
    ]).toEqual([[], []])
    const token = link.split("token=")[1]
    const answer = await call("POST", "/signup/confirm", { json: { token, password: PASSWORD } })
    expect([answer.status, answer.body]).toEqual([202, { data: { subdomain: input.subdomain, status: "pending" } }])
    const again = await open(link)
    expect([again.status, again.headers.get("Location")]).toEqual([303, progressOf(input.subdomain)])
    for (const json of [{}, { token: 1 }, { token: `1.${"0".repeat(32)}` }, { token: "x".repeat(5000), password: 1 }]) {
      const refused = await call("POST", "/signup/confirm", { json })
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["token"]])
    }
    expect(
      (await call("POST", "/signup/confirm", { body: "x", headers: { "Content-Type": "text/plain" } })).status,
    ).toBe(422)
  })

  test("returns 422 for a password that is missing, too short or too long, and the link stays good", async () => {
    const input = wish({ name: "<b>Clay</b>" })
    await signUp(input)
    const link = linkIn((await sentMails())[0]?.text)
    const token = link.split("token=")[1]
    for (const password of [undefined, "", "seven77", 12345678, "x".repeat(1025)]) {
      const refused = await call("POST", "/signup/confirm", { json: { token, password } })
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["password"]])
    }
    const shown = await follow(link, "seven77")
    expect(shown.status).toBe(422)
    expect(shown.text).toContain('id="password-about"')
    expect(shown.text).toContain("&lt;b&gt;Clay&lt;/b&gt;")
    expect(shown.text).not.toMatch(/seven77|<b>Clay/)
    expect(await rows("select id from stores")).toEqual([])
    const made = await call("POST", `/signup/confirm?token=${token}`, { json: { password: "x".repeat(1024) } })
    expect([made.status, made.body.data]).toEqual([202, { subdomain: input.subdomain, status: "pending" }])
    const later = await call("POST", "/signup/confirm", { json: { token } })
    expect([later.status, later.body.data]).toEqual([202, { subdomain: input.subdomain, status: "pending" }])
  })

  test("a second click leads to the same store; two at once make one; a made-up or old link makes none", async () => {
    const input = wish()
    await signUp(input)
    const link = linkIn((await sentMails())[0]?.text)
    const answers = await Promise.all([follow(link), follow(link), follow(link)])
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    expect((await follow(link)).status).toBe(303)
    expect(await rows("select id from stores")).toHaveLength(1)
    expect((await payloadsOf(input.subdomain)).filter((event) => event.type === "store.created")).toHaveLength(1)
    for (const bad of ["", "1.", `1.${"0".repeat(32)}`, "x".repeat(5000)]) {
      expect((await call("GET", `/signup/confirm?token=${bad}`)).status).toBe(422)
    }
    const late = wish()
    await signUp(late)
    const old = linkIn((await sentMails())[0]?.text).split("token=")[1] ?? ""
    const given = { token: old, password: PASSWORD, ip: "192.0.2.1" }
    expect(await run((ctx) => confirmSignUp(ctx, given), { now: later(new Date(), 25 * HOUR) })).toBeNull()
    await clockAt(later(new Date(), 25 * HOUR))
    expect(await rows("select id from signup_reservations")).toEqual([])
    expect((await signUp({ ...wish(), subdomain: late.subdomain })).status).toBe(202)
  })

  test("two of one name: one of them has it; the same again is mailed again, and what was chosen first stays", async () => {
    const [one, other] = [wish({ subdomain: "wanted" }), wish({ subdomain: "wanted" })]
    const answers = await Promise.all([signUp(one), signUp(other)])
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409])
    expect(await rows("select id from signup_reservations")).toHaveLength(1)
    const winner = answers[0]?.status === 202 ? one : other
    expect((await signUp({ ...winner, name: "Another name", email: winner.email.toUpperCase() })).status).toBe(202)
    const mails = await sentMails()
    expect(mails.map(({ to }) => to)).toEqual([winner.email, winner.email])
    expect(new Set(mails.map(({ text }) => linkIn(text))).size).toBe(1)
    expect(await rows("select name, email from signup_reservations")).toEqual([
      { name: "Clay & Co", email: winner.email },
    ])
  })

  test("an address that owns a store is answered as any other, on every page", async () => {
    await makeStore({ owner_email: "known@example.com" })
    const [known, unknown] = [await signUp(wish({ email: "known@example.com" })), await signUp(wish())]
    expect([known.status, known.body.data.status]).toEqual([unknown.status, unknown.body.data.status])
    const asked = await Promise.all(
      ["known@example.com", "unknown@example.com"].map((email) => call("POST", "/sign-in", { json: { email } })),
    )
    expect(asked[0]?.text).toBe(asked[1]?.text)
  })
})

describe("without one", () => {
  test("the store is made at once", async () => {
    const input = wish()
    const answer = await signUpAtOnce(input)
    expect([answer.status, answer.body]).toEqual([202, { data: { subdomain: input.subdomain, status: "pending" } }])
    expect((await read(input.subdomain)).status).toBe("pending")
    expect((await signUpAtOnce(wish({ subdomain: input.subdomain }))).body.error.code).toBe("subdomain_taken")
  })

  test("returns 422 for a sign-up without a password, and the form has the field", async () => {
    for (const password of [undefined, "", "seven77"]) {
      const refused = await signUp(wish({ password }), AT_ONCE)
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["password"]])
    }
    expect(await rows("select id from stores")).toEqual([])
    const field = 'name="password"'
    expect((await call("GET", "/signup", { env: AT_ONCE })).text).toContain(field)
    expect((await call("GET", "/signup", { env: FREELY })).text).not.toContain(field)
  })

  test("no plan named is the first one on sale, and never an unlimited store", async () => {
    const { plan: _, ...input } = wish()
    await signUpAtOnce(input)
    expect((await read(input.subdomain)).subscription.plan.slug).toBe("starter")
  })
})

test("wrong fields are told all at once, as by the control plane; a name that is reserved is a conflict", async () => {
  const answer = await signUp({ name: "", subdomain: "No!", email: "x", password: "short", plan: "nope" })
  expect(answer.status).toBe(422)
  expect(Object.keys(answer.body.errors)).toEqual(["name", "subdomain", "email"])
  expect(answer.body.error.code).toBe("validation_failed")
  await makePlan({ slug: "plain", themes: ["nocturne"] })
  const choice = await signUp(wish({ plan: "plain", theme: "atelier", preset: "nope", coupon: "NONE" }))
  expect(Object.keys(choice.body.errors)).toEqual(["coupon", "theme", "preset"])
  expect((await signUp(wish({ plan: "gone" }))).body.errors).toHaveProperty("plan")
  expect((await signUp(wish({ subdomain: "admin" }))).body.error.code).toBe("subdomain_reserved")
  const blocked = { ...FREELY, TENANCY_SIGNUP_BLOCKED_EMAIL_DOMAINS: "trash.example" }
  for (const email of ["a@trash.example", "a@b.TRASH.example"]) {
    expect((await signUp(wish({ email }), blocked)).body.errors).toHaveProperty("email")
  }
  expect((await signUp(wish({ email: "a@nottrash.example" }), blocked)).status).toBe(202)
  for (const body of ["{", "[]", '"x"']) {
    const headers = { "Content-Type": "application/json" }
    expect((await call("POST", "/signup", { body, headers })).status < 500, body).toBe(true)
  }
  expect(
    (await call("POST", "/signup", { body: "x".repeat(30_000), headers: { "Content-Type": "application/json" } }))
      .status,
  ).toBe(413)
})

describe("limits", () => {
  const statuses = async (count: number, settings: Record<string, string>, ip: (n: number) => string) => {
    const found = []
    for (let n = 0; n < count; n++) found.push((await signUp(wish(), settings, { "CF-Connecting-IP": ip(n) })).status)
    return found
  }

  test("three an hour from one address, and so many from everywhere; 0 is no limit", async () => {
    expect(await statuses(4, { TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0" }, () => "203.0.113.7")).toEqual([
      202, 202, 202, 429,
    ])
    const one = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "1", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "0" }
    const mine = { "CF-Connecting-IP": "203.0.113.8" }
    const gone = wish()
    await signUp(gone)
    for (const subdomain of ["admin", gone.subdomain, gone.subdomain]) {
      expect((await signUp(wish({ subdomain }), one, mine)).status, "a name that is gone counts for nothing").toBe(409)
    }
    expect((await signUp(wish(), one, mine)).status).toBe(202)
    const all = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "2" }
    expect(await statuses(3, all, () => "198.51.100.1")).toEqual([202, 202, 429])
    expect(await statuses(1, all, () => "198.51.100.2"), "a network that has not signed up yet").toEqual([202])
  })

  test("who fills in the field that nobody sees is told that all went well, and nothing is made", async () => {
    const answer = await signUp(wish({ website: "https://spam.example" }))
    expect(answer.status).toBe(202)
    expect(await rows("select id from signup_reservations")).toEqual([])
    expect(await sentMails()).toEqual([])
  })

  test("returns 202 for a filled honeypot whatever the other fields are, up to 60 times a minute", async () => {
    const deep = JSON.parse(`${"[".repeat(4_500)}${"]".repeat(4_500)}`)
    for (const bad of [{ toString: 1 }, deep, 1, null, true]) {
      const answer = await signUp(wish({ website: "https://spam.example", subdomain: bad, email: bad }))
      expect(answer.status, answer.text.slice(0, 100)).toBe(202)
    }
    for (let n = 0; n < 55; n += 1) await signUp(wish({ website: "https://spam.example" }))
    expect((await signUp(wish({ website: "https://spam.example" }))).status).toBe(429)
  })

  test("switched off it is not there, nor on a store's host", async () => {
    const off = { TENANCY_SIGNUP_ENABLED: "false" }
    expect((await signUp(wish(), off)).status).toBe(404)
    expect((await call("GET", "/signup", { env: off })).status).toBe(404)
    expect((await call("GET", "/", { env: off })).text).not.toContain('href="/signup')
    const store = await makeStore()
    expect((await call("GET", "/signup", { host: `${store}.localhost` })).status).toBe(404)
  })
})

test("a page costs one trip, a sign-up three, its link one and its button three, what is forged none", async () => {
  const trips = async (work: () => Promise<unknown>) => (await costsOf(work)).roundTrips
  const input = wish()
  const costs = {
    front: await trips(() => call("GET", "/")),
    form: await trips(() => call("GET", "/signup")),
    check: await trips(() => call("GET", "/signup/check?subdomain=free")),
    reserve: await trips(() => signUp(input)),
    taken: await trips(() => signUp(wish({ subdomain: input.subdomain }))),
    wrong: await trips(() => signUp({ ...input, email: "x" })),
  }
  const link = linkIn((await sentMails())[0]?.text)
  const token = link.split("token=")[1]
  const later = {
    link: await trips(() => open(link)),
    forged: await trips(() => open(`/signup/confirm?token=1.${"0".repeat(32)}`)),
    confirm: await trips(() => call("POST", "/signup/confirm", { json: { token, password: PASSWORD } })),
    again: await trips(() => call("GET", link.replace(/.*(?=\/signup)/, ""))),
    atOnce: await trips(() => signUpAtOnce(wish())),
    ask: await trips(() => call("POST", "/sign-in", { json: { email: input.email } })),
  }
  expect({ ...costs, ...later }).toEqual({
    ...{ front: 1, form: 1, check: 1, reserve: 3, taken: 2, wrong: 0 },
    ...{ link: 1, forged: 0, confirm: 3, again: 1, atOnce: 3, ask: 2 },
  })
})

describe("coupons", () => {
  const save = (given: Record<string, unknown>) => operate("coupons:save", { code: "spring", trial_days: 30, ...given })

  test("are saved in upper case and listed; wrong ones are told", async () => {
    expect((await save({ max_redemptions: "5", plans: "starter", description: "Spring" })).body.data).toMatchObject({
      code: "SPRING",
      trial_days: 30,
      plans: ["starter"],
      max_redemptions: 5,
      redemptions: 0,
      is_active: true,
    })
    expect((await operate("coupons:list")).body.data).toHaveLength(1)
    for (const given of [
      { trial_days: 0 },
      { trial_days: 366 },
      { code: "" },
      { code: "a b" },
      { starts_at: "soon" },
    ]) {
      expect((await save(given)).status).toBe(422)
    }
  })

  test("add days to the trial; they hold for their plans and their time, and only while there are some left", async () => {
    await makePlan({ slug: "other" })
    await save({ plans: ["starter"] })
    const input = wish({ coupon: " spring " })
    await signUpAtOnce(input)
    const { subscription } = await read(input.subdomain)
    expect(subscription.coupon_code).toBe("SPRING")
    expect(Date.parse(subscription.trial_ends_at) - Date.parse(subscription.created_at)).toBe(44 * DAY)
    expect((await signUpAtOnce(wish({ coupon: "SPRING", plan: "other" }))).body.errors).toHaveProperty("coupon")
    for (const given of [
      { expires_at: "2020-01-01T00:00:00Z" },
      { starts_at: "2050-01-01T00:00:00Z" },
      { is_active: false },
      { max_redemptions: 1 },
    ]) {
      await save(given)
      expect((await signUpAtOnce(wish({ coupon: "SPRING" }))).body.errors).toHaveProperty("coupon")
    }
  })

  test("the last redemption goes to one of many; the others get their store on the ordinary trial", async () => {
    await save({ max_redemptions: 1 })
    const wishes = Array.from({ length: 6 }, () => wish({ coupon: "SPRING" }))
    for (const one of wishes) await signUp(one)
    const links = (await sentMails()).map(({ text }) => linkIn(text))
    const answers = await Promise.all(links.map((link) => follow(link)))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(303))
    const redeemed = await rows("select coupon_code from subscriptions where coupon_code is not null")
    expect([redeemed.length, (await rows("select redemptions from coupons"))[0]?.redemptions]).toEqual([1, 1])
    expect(await rows("select id from stores")).toHaveLength(6)
  })
})

describe("pages", () => {
  const form = (path: string, fields: Record<string, string>) =>
    call("POST", path, {
      body: new URLSearchParams(fields).toString(),
      env: FREELY,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    })

  test("load nothing from elsewhere, and allow no script but their own, by its hash", async () => {
    for (const path of ["/", "/signup", "/sign-in"]) {
      const { headers, text } = await call("GET", path)
      const policy = headers.get("Content-Security-Policy") ?? ""
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/)
      expect(policy).not.toMatch(/unsafe|\*|https?:/)
      expect(text).not.toMatch(/ (src|style|onclick)=/)
    }
  })

  test("a form that is wrong comes back with what was typed, escaped, and never with the password", async () => {
    const answer = await form("/signup", {
      name: '"><script>x</script>',
      subdomain: "No!",
      email: "x",
      password: "hidden-secret",
    })
    expect(answer.status).toBe(422)
    expect(answer.text).not.toMatch(/<script>x|hidden-secret/)
    expect(answer.text).toContain("&quot;&gt;&lt;script&gt;")
    const good = await form("/signup", Object.fromEntries(Object.entries(wish()).map(([k, v]) => [k, String(v)])))
    expect([good.status, good.text.includes("Look into your mail")]).toEqual([202, true])
  })

  test.each(["en", "es", "fr", "vi"])("are written in %s", async (language) => {
    const { text } = await call("GET", "/signup", { headers: { "Accept-Language": language } })
    expect(text).toContain(`<html lang="${language}"`)
  })

  test("a look of the list is a theme and its preset; the language is that of mails and of the owner's page", async () => {
    const shown = (await call("GET", "/signup")).text
    for (const { slug, presets, published } of themes) {
      for (const preset of presets) expect(shown.includes(`value="${slug}/${preset.slug}"`)).toBe(published)
    }
    await makePlan({ slug: "plain", name: "Plain", themes: ["nocturne"] })
    expect((await call("GET", "/signup")).text).toMatch(/<optgroup label="Atelier \([^)]*\)"/)
    expect((await call("GET", "/signup")).text).toContain('<optgroup label="Nocturne"')
    const fields = Object.fromEntries(Object.entries(wish()).map(([k, v]) => [k, String(v)]))
    const wrong = await form("/signup", { ...fields, look: "atelier/nope" })
    expect([wrong.status, wrong.text.includes('id="look-about"')]).toEqual([422, true])
    expect((await form("/signup", { ...fields, look: "atelier/linen", plan: "plain" })).status).toBe(422)
    expect((await form("/signup", { ...fields, look: "atelier/linen", language: "xx" })).status).toBe(422)
    expect((await form("/signup", { ...fields, look: "atelier/linen", language: "vi" })).status).toBe(202)
    const [mail] = await sentMails()
    expect(mail?.html).toContain('lang="vi"')
    await follow(linkIn(mail?.text))
    const id = fields.subdomain ?? ""
    expect(await read(id)).toMatchObject({ theme: "atelier", preset: "linen" })
    await run((ctx) => provisionStore(ctx, id))
    expect((await call("GET", "/billing", { host: `${id}.localhost` })).text).toContain('<html lang="vi"')
  })

  test("the address is looked up while it is typed", async () => {
    await makeStore({ subdomain: "taken" })
    const look = async (name: string) => (await call("GET", `/signup/check?subdomain=${name}`)).body.data.available
    expect([await look("free"), await look("taken"), await look("admin"), await look("No!")]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test("an owner is mailed where the stores are", async () => {
    const id = await makeStore({ owner_email: "Owner@Example.com" })
    await env.DB.exec("delete from mails")
    expect((await form("/sign-in", { email: "owner@example.com" })).status).toBe(202)
    const [mail] = await sentMails()
    expect(mail?.text).toContain(`https://${id}.localhost/billing`)
  })
})
