// Attacks on sign-up: hijacking a store before its owner confirms it, locking others out, and using links of deleted
// stores.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import type { Env } from "../../src/bindings"
import { settingsOf } from "../../src/env"
import { hmacSha256 } from "../../src/lib/hash"
import { provisionStore } from "../../src/platform/stores/provision"
import { call, platform, run } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import { makeKey, makePlan } from "../support/factories"
import { interceptRoundTrips } from "../support/round-trips"
import { rows } from "../support/rows"
import { nextAddress, nextSerial } from "../support/serial"

const VICTIM = "victim@example.com"
const PASSWORD = "correct-horse"

/** Returns a new network for each request, as a botnet has. */
const network = nextAddress
const from = (ip: string) => ({ "CF-Connecting-IP": ip })

/** Builds a sign-up with a password, as old clients send it. The password is ignored when a link is mailed. */
const buildSignUp = (overrides: Record<string, unknown> = {}) => ({
  name: "Clay & Co",
  subdomain: `clay${nextSerial()}`,
  email: VICTIM,
  password: "attackers-password",
  plan: "starter",
  ...overrides,
})
const signUp = (json: object, ip = network(), settings: Record<string, string> = {}) =>
  call("POST", "/signup", { json, headers: from(ip), env: settings })
const findLinks = (mails: { to: string; text: string }[]) =>
  mails.flatMap(({ text }) => /\/signup\/confirm\?token=\S+/.exec(text) ?? [])
const parseToken = (link = "") => link.split("token=")[1] ?? ""
const confirm = (token: string, password: string, ip = network()) =>
  call("POST", "/signup/confirm", {
    body: new URLSearchParams({ token, password }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...from(ip) },
  })
const login = async (store: string, password: string, email = VICTIM) =>
  (await call("POST", "/api/v1/login", { host: `${store}.localhost`, json: { email, password } })).status
/** Reserves a name and returns the token of the mailed link. */
const reserve = async (subdomain: string, email = VICTIM) => {
  await signUp(buildSignUp({ subdomain, email }))
  return parseToken(findLinks(await collectSentMails())[0])
}

let key: string
beforeEach(async () => {
  key = await makeKey()
  await makePlan({ slug: "starter", name: "Starter Plan" })
})

/** Deletes a store and frees its name. */
async function deleteStore(id: string): Promise<void> {
  await run((ctx) => provisionStore(ctx, id))
  expect((await platform("DELETE", `/stores/${id}`, { token: key, json: { confirm: id } })).status).toBe(204)
  await env.DB.exec("delete from purges")
}

describe("a sign-up with another person's e-mail address", () => {
  test("leaves the choice of the password to the owner of the mailbox", async () => {
    const subdomain = "hijacked"
    expect((await signUp(buildSignUp({ subdomain }))).status).toBe(202)
    const [link = ""] = findLinks(await collectSentMails())
    const shown = (await call("GET", link)).text
    for (const fact of ["Clay &amp; Co", `${subdomain}.localhost`, "Starter Plan"]) expect(shown).toContain(fact)
    expect((await confirm(parseToken(link), "victims-password")).status).toBe(303)
    await run((ctx) => provisionStore(ctx, subdomain))
    expect(await login(subdomain, "attackers-password")).toBe(422)
    expect(await login(subdomain, "victims-password")).toBe(200)
  })

  test("lets the owner of the address reserve another name or the same one", async () => {
    await signUp(buildSignUp({ subdomain: "foreign" }))
    const own = await signUp(buildSignUp({ subdomain: "mine" }))
    expect(own.status).toBe(202)
    expect(own.body.data).toEqual({ subdomain: "mine", status: "reserved" })
    expect((await signUp(buildSignUp({ subdomain: "foreign" }))).status).toBe(202)
    const [foreign, mine, again] = findLinks(await collectSentMails())
    expect(foreign).not.toBe(mine)
    expect(again).toBe(foreign)
    expect((await confirm(parseToken(mine), "victims-password")).headers.get("Location")).toContain(
      "/signup/stores/mine",
    )
    expect((await call("GET", foreign ?? "")).status).toBe(200)
    expect(await rows("select subdomain from signup_reservations order by subdomain")).toHaveLength(2)
  })

  test("returns 409 subdomain_taken for the reserved name to other addresses", async () => {
    await signUp(buildSignUp({ subdomain: "foreign" }))
    const other = await signUp(buildSignUp({ subdomain: "foreign", email: "other@example.com" }))
    expect([other.status, other.body.error.code]).toEqual([409, "subdomain_taken"])
    expect(await collectSentMails()).toHaveLength(1)
  })

  test("sends at most 3 mails per hour for one network, and does not limit other networks", async () => {
    const settings = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0" }
    const attacker = network()
    for (let n = 0; n < 6; n += 1) {
      const response = await signUp(buildSignUp({ subdomain: "foreign" }), attacker, settings)
      expect([response.status, response.body.data]).toEqual([202, { subdomain: "foreign", status: "reserved" }])
    }
    expect(await collectSentMails()).toHaveLength(3)
    expect((await signUp(buildSignUp({ subdomain: "mine" }))).status).toBe(202)
    expect(findLinks(await collectSentMails())).toHaveLength(1)
  })

  test("counts an IPv6 /48 as one network for the mail limit", async () => {
    for (let n = 0; n < 6; n += 1) {
      expect((await signUp(buildSignUp({ subdomain: "foreign" }), `2001:4860:1:${n}::1`)).status).toBe(202)
    }
    expect(await collectSentMails()).toHaveLength(3)
  })

  test("sends at most 10 mails per hour for all networks together, and returns the same response beyond", async () => {
    for (let n = 0; n < 11; n += 1) expect((await signUp(buildSignUp({ subdomain: "foreign" }))).status).toBe(202)
    expect(await collectSentMails()).toHaveLength(10)
    expect((await signUp(buildSignUp({ subdomain: "mine" }))).body.data).toEqual({
      subdomain: "mine",
      status: "reserved",
    })
    expect(await collectSentMails()).toEqual([])
  })

  test("does not count sign-ups for taken names towards the address's mail limit", async () => {
    await signUp(buildSignUp({ subdomain: "gone", email: "other@example.com" }))
    for (let n = 0; n < 12; n += 1) expect((await signUp(buildSignUp({ subdomain: "gone" }))).status).toBe(409)
    await collectSentMails()
    expect((await signUp(buildSignUp())).status).toBe(202)
    expect(await collectSentMails()).toHaveLength(1)
  })
})

describe("a request for the list of one's stores", () => {
  const requestList = (ip: string) => call("POST", "/sign-in", { json: { email: VICTIM }, headers: from(ip) })

  test("a request from one network does not limit requests of others for the same address", async () => {
    await confirm(await reserve("mine"), "victims-password")
    await run((ctx) => provisionStore(ctx, "mine"))
    await collectSentMails()
    const attacker = network()
    for (let n = 0; n < 6; n += 1) expect((await requestList(attacker)).status).toBe(202)
    expect(await collectSentMails()).toHaveLength(3)
    expect((await requestList(network())).status).toBe(202)
    expect(await collectSentMails()).toHaveLength(1)
    for (let n = 0; n < 10; n += 1) expect((await requestList(network())).status).toBe(202)
    expect(await collectSentMails()).toHaveLength(6)
  })
})

describe("the link of a reservation", () => {
  test("creates one store for two concurrent confirmations, with the password of the first commit", async () => {
    const token = await reserve("twice")
    const passwords = ["password-one", "password-two"]
    const responses = await Promise.all(passwords.map((password) => confirm(token, password)))
    expect(responses.map(({ status }) => status)).toEqual([303, 303])
    expect(new Set(responses.map(({ headers }) => headers.get("Location"))).size).toBe(1)
    expect((await confirm(token, "password-three")).status).toBe(303)
    expect(await rows("select id from stores")).toEqual([{ id: "twice" }])
    await run((ctx) => provisionStore(ctx, "twice"))
    const statuses = await Promise.all([...passwords, "password-three"].map((password) => login("twice", password)))
    expect(statuses.toSorted()).toEqual([200, 422, 422])
    expect(statuses[2]).toBe(422)
  })

  test("stops working when its store is deleted, also after the name is taken again", async () => {
    const token = await reserve("reborn")
    expect((await confirm(token, "password-one")).status).toBe(303)

    const expectDeadLink = async () => {
      const opened = await call("GET", `/signup/confirm?token=${token}`)
      expect([opened.status, opened.text.includes("no longer works")]).toEqual([422, true])
      expect((await confirm(token, "password-four")).status).toBe(422)
      const json = { token, password: "password-four" }
      const asJson = await call("POST", "/signup/confirm", { json, headers: from(network()) })
      expect([asJson.status, Object.keys(asJson.body.errors)]).toEqual([422, ["token"]])
    }
    await deleteStore("reborn")
    await expectDeadLink()
    const successor = await reserve("reborn", "other@example.com")
    await expectDeadLink()
    expect((await confirm(successor, "others-password")).status).toBe(303)
    await expectDeadLink()
    await run((ctx) => provisionStore(ctx, "reborn"))
    await expectDeadLink()
    expect(await login("reborn", "others-password", "other@example.com")).toBe(200)
    expect(await login("reborn", "password-four", "other@example.com")).toBe(422)
  })

  test("creates no store after another confirmation completed the reservation, even if the name is free again", async () => {
    const token = await reserve("late")
    const spy = interceptRoundTrips(async (send, statements) => {
      // The other confirmation commits, and its store is deleted, before this one commits.
      if (statements.some((text) => /^insert into "stores"/i.test(text))) {
        spy.mockRestore()
        await env.DB.exec("update signup_reservations set store_seq = 4711 where subdomain = 'late'")
      }
      return send()
    })
    expect((await confirm(token, "password-one")).status).toBe(422)
    expect(await rows("select id from stores")).toEqual([])
  })

  test("accepts ten passwords a minute from one network, and returns 429 for the eleventh before hashing it", async () => {
    const ip = network()
    const token = await reserve("busy")
    for (let n = 0; n < 10; n += 1) {
      expect((await confirm(await reserve(`busy-${n}`, `busy${n}@example.com`), PASSWORD, ip)).status).toBe(303)
    }
    const refused = await confirm(token, PASSWORD, ip)
    expect([refused.status, refused.text.includes('name="password"')]).toEqual([429, true])
    const asJson = await call("POST", "/signup/confirm", { json: { token, password: PASSWORD }, headers: from(ip) })
    expect([asJson.status, asJson.body.error.code]).toEqual([429, "rate_limited"])
    expect((await confirm(token, PASSWORD)).status).toBe(303)
  })

  test("frees the name when its plan is withdrawn, so the owner can choose another plan", async () => {
    const token = await reserve("second-try")
    await env.DB.exec("update plans set is_active = 0")
    expect((await confirm(token, PASSWORD)).status).toBe(422)
    await env.DB.exec("update plans set is_active = 1")
    expect((await confirm(await reserve("second-try"), PASSWORD)).status).toBe(303)
  })

  test("returns 422 for links in the format before reservations", async () => {
    await reserve("current")
    const { APP_KEY } = settingsOf(env as Env)
    const proof = (await hmacSha256(APP_KEY.current, "signup:1")).toHex().slice(0, 32)
    expect((await call("GET", `/signup/confirm?token=1.${proof}`)).status).toBe(422)
  })
})

describe("unconfirmed sign-ups", () => {
  test("reaching the global limit does not block networks that have not signed up within the hour", async () => {
    const settings = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "60" }
    const email = () => `n${nextSerial()}@example.com`
    const flood = Array.from({ length: 60 }, network)
    for (const ip of flood) expect((await signUp(buildSignUp({ email: email() }), ip, settings)).status).toBe(202)
    const late = network()
    expect((await signUp(buildSignUp({ email: email() }), late, settings)).status).toBe(202)
    for (const ip of [flood[0], flood[59], late]) {
      expect((await signUp(buildSignUp({ email: email() }), ip, settings)).status, ip).toBe(429)
    }
  }, 60_000)

  test("one network uses at most three of the global limit", async () => {
    const settings = { TENANCY_SIGNUP_GLOBAL_PER_HOUR: "5" }
    const attacker = network()
    const statuses: number[] = []
    for (let n = 0; n < 10; n += 1)
      statuses.push((await signUp(buildSignUp({ subdomain: `a${n}` }), attacker, settings)).status)
    expect(statuses).toEqual([202, 202, 202, ...Array(7).fill(429)])
    const other = network()
    for (let n = 0; n < 2; n += 1) {
      expect((await signUp(buildSignUp({ email: "other@example.com" }), other, settings)).status).toBe(202)
    }
  })
})
