// Attacks on sign-up: hijacking a store before its owner confirms it, shutting others out, and following links of deleted stores.
import { env } from "cloudflare:workers"
import { beforeEach, describe, expect, test } from "vitest"
import { type Env, settingsOf } from "../../src/env"
import { hmacSha256 } from "../../src/lib/hash"
import { provisionStore } from "../../src/platform/stores/provision"
import { call, platform, run } from "../support/app"
import { sentMails } from "../support/billing-factories"
import { makeKey, makePlan } from "../support/factories"
import { aroundTrips } from "../support/round-trips"
import { rows } from "../support/rows"

const VICTIM = "victim@example.com"
const PASSWORD = "correct-horse"

let serial = 0
/** A network of its own for each request, as a botnet has them. */
const network = () => `198.51.${++serial >> 8}.${serial & 255}`
const from = (ip: string) => ({ "CF-Connecting-IP": ip })

/** A sign-up as old clients send it: with a password, which counts only where no link is mailed. */
const wish = (given: Record<string, unknown> = {}) => ({
  name: "Clay & Co",
  subdomain: `clay${++serial}`,
  email: VICTIM,
  password: "attackers-password",
  plan: "starter",
  ...given,
})
const signUp = (json: object, ip = network(), settings: Record<string, string> = {}) =>
  call("POST", "/signup", { json, headers: from(ip), env: settings })
const linksIn = (mails: { to: string; text: string }[]) =>
  mails.flatMap(({ text }) => /\/signup\/confirm\?token=\S+/.exec(text) ?? [])
const tokenIn = (link = "") => link.split("token=")[1] ?? ""
const confirm = (token: string, password: string, ip = network()) =>
  call("POST", "/signup/confirm", {
    body: new URLSearchParams({ token, password }).toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...from(ip) },
  })
const login = async (store: string, password: string, email = VICTIM) =>
  (await call("POST", "/api/v1/login", { host: `${store}.localhost`, json: { email, password } })).status
/** Reserves a name and returns the token of the mailed link. */
const reserve = async (subdomain: string, email = VICTIM) => {
  await signUp(wish({ subdomain, email }))
  return tokenIn(linksIn(await sentMails())[0])
}

let key: string
beforeEach(async () => {
  key = await makeKey()
  await makePlan({ slug: "starter", name: "Starter Plan" })
})

/** Deletes a store with everything that keeps its name from being taken again. */
async function deleteStore(id: string): Promise<void> {
  await run((ctx) => provisionStore(ctx, id))
  expect((await platform("DELETE", `/stores/${id}`, { token: key, json: { confirm: id } })).status).toBe(204)
  await env.DB.exec("delete from purges")
}

describe("a sign-up with somebody else's e-mail address", () => {
  test("leaves the choice of the password to the owner of the mailbox", async () => {
    const subdomain = "hijacked"
    expect((await signUp(wish({ subdomain }))).status).toBe(202)
    const [link = ""] = linksIn(await sentMails())
    const shown = (await call("GET", link)).text
    for (const fact of ["Clay &amp; Co", `${subdomain}.localhost`, "Starter Plan"]) expect(shown).toContain(fact)
    expect((await confirm(tokenIn(link), "victims-password")).status).toBe(303)
    await run((ctx) => provisionStore(ctx, subdomain))
    expect(await login(subdomain, "attackers-password")).toBe(422)
    expect(await login(subdomain, "victims-password")).toBe(200)
  })

  test("does not keep the owner of the address from reserving another name, or the same one", async () => {
    await signUp(wish({ subdomain: "foreign" }))
    const own = await signUp(wish({ subdomain: "mine" }))
    expect([own.status, own.body.data]).toEqual([202, { subdomain: "mine", status: "reserved" }])
    expect((await signUp(wish({ subdomain: "foreign" }))).status).toBe(202)
    const [foreign, mine, again] = linksIn(await sentMails())
    expect(foreign).not.toBe(mine)
    expect(again).toBe(foreign)
    expect((await confirm(tokenIn(mine), "victims-password")).headers.get("Location")).toContain("/signup/stores/mine")
    expect((await call("GET", foreign ?? "")).status).toBe(200)
    expect(await rows("select subdomain from signup_reservations order by subdomain")).toHaveLength(2)
  })

  test("reserves the name against other addresses with 409", async () => {
    await signUp(wish({ subdomain: "foreign" }))
    const other = await signUp(wish({ subdomain: "foreign", email: "other@example.com" }))
    expect([other.status, other.body.error.code]).toEqual([409, "subdomain_taken"])
    expect(await sentMails()).toHaveLength(1)
  })

  test("sends at most 3 mails an hour from one network, and refuses nobody else's", async () => {
    const freely = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0" }
    const attacker = network()
    for (let n = 0; n < 6; n += 1) {
      const answer = await signUp(wish({ subdomain: "foreign" }), attacker, freely)
      expect([answer.status, answer.body.data]).toEqual([202, { subdomain: "foreign", status: "reserved" }])
    }
    expect(await sentMails()).toHaveLength(3)
    expect((await signUp(wish({ subdomain: "mine" }))).status).toBe(202)
    expect(linksIn(await sentMails())).toHaveLength(1)
  })

  test("counts the lines of an IPv6 /48 as one network that causes mails", async () => {
    for (let n = 0; n < 6; n += 1) {
      expect((await signUp(wish({ subdomain: "foreign" }), `2001:4860:1:${n}::1`)).status).toBe(202)
    }
    expect(await sentMails()).toHaveLength(3)
  })

  test("sends at most 10 mails an hour from all networks together, and answers the same beyond", async () => {
    for (let n = 0; n < 11; n += 1) expect((await signUp(wish({ subdomain: "foreign" }))).status).toBe(202)
    expect(await sentMails()).toHaveLength(10)
    expect((await signUp(wish({ subdomain: "mine" }))).body.data).toEqual({ subdomain: "mine", status: "reserved" })
    expect(await sentMails()).toEqual([])
  })

  test("spends none of the address's mails on names that are taken", async () => {
    await signUp(wish({ subdomain: "gone", email: "other@example.com" }))
    for (let n = 0; n < 12; n += 1) expect((await signUp(wish({ subdomain: "gone" }))).status).toBe(409)
    await sentMails()
    expect((await signUp(wish())).status).toBe(202)
    expect(await sentMails()).toHaveLength(1)
  })
})

describe("asking where one's stores are", () => {
  const ask = (ip: string) => call("POST", "/sign-in", { json: { email: VICTIM }, headers: from(ip) })

  test("is refused to nobody because somebody else asked for the same address", async () => {
    await confirm(await reserve("mine"), "victims-password")
    await run((ctx) => provisionStore(ctx, "mine"))
    await sentMails()
    const attacker = network()
    for (let n = 0; n < 6; n += 1) expect((await ask(attacker)).status).toBe(202)
    expect(await sentMails()).toHaveLength(3)
    expect((await ask(network())).status).toBe(202)
    expect(await sentMails()).toHaveLength(1)
    for (let n = 0; n < 10; n += 1) expect((await ask(network())).status).toBe(202)
    expect(await sentMails()).toHaveLength(6)
  })
})

describe("the link of a reservation", () => {
  test("makes one store of two confirmations at once, with the password of the first commit", async () => {
    const token = await reserve("twice")
    const passwords = ["password-one", "password-two"]
    const answers = await Promise.all(passwords.map((password) => confirm(token, password)))
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(new Set(answers.map(({ headers }) => headers.get("Location"))).size).toBe(1)
    expect((await confirm(token, "password-three")).status).toBe(303)
    expect(await rows("select id from stores")).toEqual([{ id: "twice" }])
    await run((ctx) => provisionStore(ctx, "twice"))
    const works = await Promise.all([...passwords, "password-three"].map((password) => login("twice", password)))
    expect(works.toSorted()).toEqual([200, 422, 422])
    expect(works[2]).toBe(422)
  })

  test("does not work any more once its store was deleted, whoever has the name now", async () => {
    const token = await reserve("reborn")
    expect((await confirm(token, "password-one")).status).toBe(303)

    const isDead = async () => {
      const opened = await call("GET", `/signup/confirm?token=${token}`)
      expect([opened.status, opened.text.includes("does not work any more")]).toEqual([422, true])
      expect((await confirm(token, "password-four")).status).toBe(422)
      const json = { token, password: "password-four" }
      const asJson = await call("POST", "/signup/confirm", { json, headers: from(network()) })
      expect([asJson.status, Object.keys(asJson.body.errors)]).toEqual([422, ["token"]])
    }
    await deleteStore("reborn")
    await isDead()
    const successor = await reserve("reborn", "other@example.com")
    await isDead()
    expect((await confirm(successor, "others-password")).status).toBe(303)
    await isDead()
    await run((ctx) => provisionStore(ctx, "reborn"))
    await isDead()
    expect(await login("reborn", "others-password", "other@example.com")).toBe(200)
    expect(await login("reborn", "password-four", "other@example.com")).toBe(422)
  })

  test("creates no store once another confirmation completed the reservation, even where the name is free again", async () => {
    const token = await reserve("late")
    const spy = aroundTrips(async (send, statements) => {
      // Between this confirmation's decision and its commit the other one commits, and its store is deleted.
      if (statements.some((text) => /^insert into "stores"/i.test(text))) {
        spy.mockRestore()
        await env.DB.exec("update signup_reservations set store_seq = 4711 where subdomain = 'late'")
      }
      return send()
    })
    expect((await confirm(token, "password-one")).status).toBe(422)
    expect(await rows("select id from stores")).toEqual([])
  })

  test("takes ten passwords a minute from one network, and refuses the eleventh with 429 before it is hashed", async () => {
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

  test("frees the name once its plan is withdrawn, so that its owner can choose another", async () => {
    const token = await reserve("second-try")
    await env.DB.exec("update plans set is_active = 0")
    expect((await confirm(token, PASSWORD)).status).toBe(422)
    await env.DB.exec("update plans set is_active = 1")
    expect((await confirm(await reserve("second-try"), PASSWORD)).status).toBe(303)
  })

  test("of the sign-ups before reservations had no password is dead", async () => {
    await reserve("current")
    const { APP_KEY } = settingsOf(env as Env)
    const proof = (await hmacSha256(APP_KEY.current, "signup:1")).toHex().slice(0, 32)
    expect((await call("GET", `/signup/confirm?token=1.${proof}`)).status).toBe(422)
  })
})

describe("sign-ups that nobody confirms", () => {
  test("do not close sign-up for networks that have not signed up within the hour", async () => {
    const freely = { TENANCY_SIGNUP_PER_IP_PER_HOUR: "0", TENANCY_SIGNUP_GLOBAL_PER_HOUR: "60" }
    const email = () => `n${++serial}@example.com`
    const flood = Array.from({ length: 60 }, network)
    for (const ip of flood) expect((await signUp(wish({ email: email() }), ip, freely)).status).toBe(202)
    const late = network()
    expect((await signUp(wish({ email: email() }), late, freely)).status).toBe(202)
    for (const ip of [flood[0], flood[59], late]) {
      expect((await signUp(wish({ email: email() }), ip, freely)).status, ip).toBe(429)
    }
  }, 60_000)

  test("of one network use up three of everybody's, however many it sends", async () => {
    const settings = { TENANCY_SIGNUP_GLOBAL_PER_HOUR: "5" }
    const attacker = network()
    const statuses: number[] = []
    for (let n = 0; n < 10; n += 1)
      statuses.push((await signUp(wish({ subdomain: `a${n}` }), attacker, settings)).status)
    expect(statuses).toEqual([202, 202, 202, ...Array(7).fill(429)])
    const other = network()
    for (let n = 0; n < 2; n += 1) {
      expect((await signUp(wish({ email: "other@example.com" }), other, settings)).status).toBe(202)
    }
  })
})
