// What hostile callers of the content API tried and must not reach.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { expireOrders } from "../../src/plugins/ecommerce/orders/expire"
import { call, platform, run } from "../support/app"
import { operator } from "../support/blog-factories"
import {
  content,
  hostOfStore,
  linkIn,
  makeSettings,
  makeToken,
  makeUser,
  PASSWORD,
  takeMail,
} from "../support/content-factories"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { makeServerKey, makeSiteKey } from "../support/key-factories"
import { siteRows } from "../support/rows"

const from = (ip: string) => ({ "CF-Connecting-IP": ip })
let serial = 0
const address = () => `10.${++serial >> 8}.${serial & 255}.1`

describe("one line of IPv6", () => {
  const guess = async (ip: string) =>
    (
      await content("POST", "/password/reset", {
        json: {
          email: `nobody${++serial}@example.com`,
          token: "x",
          password: "wrong-1",
          password_confirmation: "wrong-1",
        },
        headers: from(ip),
      })
    ).status

  test("has one budget for its /64, and the /48 around it a wider one", async () => {
    for (let n = 0; n < 10; n++) expect(await guess(`2001:db8:3:1::${n}`)).toBe(422)
    expect(await guess("2001:db8:3:1:ffff::1")).toBe(429)
    for (let net = 2; net < 5; net++) {
      for (let n = 0; n < (net === 4 ? 9 : 10); n++) expect(await guess(`2001:db8:3:${net}::${n}`)).toBe(422)
    }
    expect(await guess("2001:db8:3:9::1")).toBe(429)
    expect(await guess("2001:db8:4:1::1")).toBe(422)
  })

  test("is the IPv4 address that it stands for", async () => {
    for (let n = 0; n < 10; n++) expect(await guess("::ffff:192.0.2.1")).toBe(422)
    expect(await guess("192.0.2.1")).toBe(429)
  })
})

test("whether an address has an account may be asked sixty times a minute", async () => {
  const ask = async (ip: string) =>
    (await content("POST", "/email/check", { json: { email: "a@example.com" }, headers: from(ip) })).status
  for (let n = 0; n < 60; n++) expect(await ask("10.9.9.9")).toBe(200)
  expect(await ask("10.9.9.9")).toBe(429)
  expect(await ask("10.9.9.8")).toBe(200)
})

test("devices without a user are registered sixty times a minute, and those of users as often as they like", async () => {
  const { token } = await makeUser()
  const register = async (device: string, bearer?: string) =>
    (await content("POST", "/device-tokens", { json: { token: device }, headers: from("10.8.8.8"), token: bearer }))
      .status
  for (let n = 0; n < 60; n++) expect(await register(`d${n}`)).toBe(200)
  expect(await register("d60")).toBe(429)
  expect(await register("d61", token)).toBe(200)
})

test("a bearer of nothing but its name is none", async () => {
  for (const header of ["Bearer", "bearer ", "Bearer   "]) {
    const headers = { Authorization: header, ...from(address()) }
    expect((await content("POST", "/device-tokens", { json: { token: "t1" }, headers })).status).toBe(200)
    expect((await content("GET", "/me", { headers })).status).toBe(401)
  }
  const headers = { Authorization: "Bearer nonsense", ...from(address()) }
  expect((await content("POST", "/device-tokens", { json: { token: "t1" }, headers })).status).toBe(401)
})

describe("another e-mail address", () => {
  test("takes the password, is told to the old one, and ends every other login and link", async () => {
    const mails = takeMail()
    const user = await makeUser()
    const other = await makeToken(user)
    await content("POST", "/password/forgot", { json: { email: user.email }, headers: from(address()) })
    const reset = linkIn(mails[0]).token
    const put = (json: object) => content("PUT", "/me", { token: user.token, json, headers: from(address()) })

    const bare = await put({ email: "attacker@evil.example", dob: "2999-01-01" })
    expect(bare.status).toBe(422)
    expect(Object.keys(bare.body.errors).sort()).toEqual(["current_password", "dob"])
    const wrong = await put({ email: "attacker@evil.example", current_password: "not-it" })
    expect(wrong.body.errors).toEqual({ current_password: ["The password is incorrect."] })
    expect(await siteRows("select email from users where id = ?", user.id)).toEqual([{ email: user.email }])
    expect((await content("GET", "/me", { token: other })).status).toBe(200)

    const moved = await put({ email: "new@example.com", current_password: PASSWORD })
    expect(moved.body.data.email).toBe("new@example.com")
    expect(mails.at(-1)).toMatchObject({ to: user.email, subject: expect.stringContaining("address was changed") })
    expect((await content("GET", "/me", { token: user.token })).status).toBe(200)
    expect((await content("GET", "/me", { token: other })).status).toBe(401)
    const json = { email: "new@example.com", token: reset, password: "secret-2", password_confirmation: "secret-2" }
    expect((await content("POST", "/password/reset", { json, headers: from(address()) })).status).toBe(422)
  })

  test("is guessed at ten times a minute", async () => {
    const { token } = await makeUser()
    const guess = () =>
      content("PUT", "/me", {
        token,
        json: { email: "x@evil.example", current_password: "guess" },
        headers: from(address()),
      })
    for (let n = 0; n < 10; n++) expect((await guess()).status).toBe(422)
    expect((await guess()).status).toBe(429)
  }, 30_000)

  test("has to be confirmed, where addresses are, before the user does what a confirmed one may", async () => {
    const mails = takeMail()
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
    const link = linkIn(mails.find((mail) => mail.to === "ceo@victim.example"))
    expect((await call("GET", link.path)).status).toBe(200)
    expect((await content("PUT", "/settings", { token, json: { theme: "dark" } })).status).toBe(200)
  })
})

describe("mails to one address", () => {
  test("are five an hour and twenty a day of one purpose, over all sites", async () => {
    const mails = takeMail()
    const stores = [await makeReadyStore(), await makeReadyStore()]
    for (const store of stores) await makeUser(store, { email: "ada@example.com" })
    const ask = async (n: number) =>
      (
        await content("POST", "/password/forgot", {
          json: { email: n % 2 ? "ADA@example.com" : "ada@example.com" },
          host: hostOfStore(stores[n % 2] ?? ""),
          headers: from(address()),
        })
      ).status
    for (let n = 0; n < 5; n++) expect(await ask(n)).toBe(200)
    expect(await ask(5)).toBe(429)
    expect(mails).toHaveLength(5)
  })

  test("a login that succeeds is nobody's attempt; a wrong one is", async () => {
    const user = await makeUser()
    const login = async (password: string) =>
      (await content("POST", "/login", { json: { email: user.email, password }, headers: from("10.7.7.7") })).status
    for (let n = 0; n < 12; n++) expect(await login(PASSWORD)).toBe(200)
    for (let n = 0; n < 10; n++) expect(await login("wrong-1")).toBe(422)
    expect(await login(PASSWORD)).toBe(429)
  }, 30_000)
})

describe("orders", () => {
  async function shop(limits: object = {}) {
    const key = await makeKey()
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 0, staff_users: 0, ...limits } })
    const store = await makeReadyStore({ plan: plan.slug })
    await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token: key })
    const host = hostOfStore(store)
    const staff = await makeUser(store, { isStaff: true })
    const json = { name: "Bowl", price_cents: 100, currency: "EUR", stock: 50 }
    const { id } = (await content("POST", "/products", { token: staff.token, host, json })).body.data
    const place = (token: string, quantity = 1) =>
      content("POST", "/orders", {
        token,
        host,
        json: { items: [{ product_id: id, quantity }] },
        headers: from(address()),
      })
    const move = (order: number, status: string) =>
      content("PUT", `/orders/${order}`, { token: staff.token, host, json: { status } })
    const stock = async () => (await siteRows("select stock from products where id = ?", id))[0]?.stock
    return { store, host, key, place, move, stock }
  }

  test("that are cancelled free what they held of the plan", async () => {
    const { store, key, place, move } = await shop({ orders: 2 })
    const [evil, good] = [await makeUser(store), await makeUser(store)]
    const orders = [await place(evil.token), await place(evil.token)]
    expect((await place(good.token)).status).toBe(403)
    await move(orders[0]?.body.data.id, "cancelled")
    expect((await place(good.token)).status).toBe(201)
    expect((await place(good.token)).status).toBe(403)
    const usage = await platform("GET", `/stores/${store}/usage?refresh=1`, { token: key })
    expect(usage.body.data.usage.orders).toBe(2)
  })

  test("that nobody pays are bounded a user, and cancelled after a day with their stock put back", async () => {
    const { store, place, move, stock } = await shop()
    const [evil, good] = [await makeUser(store), await makeUser(store)]
    const first = await place(evil.token, 2)
    for (let n = 1; n < 10; n++) {
      if (n % 9 === 0) evil.token = await makeToken(evil)
      expect((await place(evil.token, 2)).status).toBe(201)
    }
    const eleventh = await place(await makeToken(evil), 2)
    expect(eleventh.status).toBe(422)
    expect(eleventh.body).toEqual({ error: true, data: null, message: expect.stringContaining("not paid") })
    expect((await place(good.token)).status).toBe(201)
    await move(first.body.data.id, "paid")
    expect(await stock()).toBe(50 - 21)
    const { now } = { now: new Date(Date.now() + 25 * 3_600_000) }
    await run(expireOrders, { now })
    await run(expireOrders, { now })
    expect(await stock()).toBe(48)
    expect(await siteRows("select status, count(*) n from orders group by status order by status")).toEqual([
      { status: "cancelled", n: 10 },
      { status: "paid", n: 1 },
    ])
  })

  test("are placed ten times a minute by one login", async () => {
    const { store, place } = await shop()
    const { token } = await makeUser(store)
    for (let n = 0; n < 10; n++) expect((await place(token)).status).toBe(201)
    expect((await place(token)).status).toBe(429)
  })
})

describe("the media library", () => {
  const form = (bytes: number) => {
    const body = new FormData()
    body.set("file", new Blob([new Uint8Array(bytes)]), "a.bin")
    return body
  }

  test("holds no more than the plan's storage, also of uploads side by side, and stores no byte beyond", async () => {
    const plan = await makePlan({ limits: { products: 0, orders: 0, storage_mb: 1, staff_users: 0 } })
    const store = await makeReadyStore({ plan: plan.slug })
    const headers = { "X-API-KEY": await makeServerKey(store, "internal") }
    const upload = (bytes: number) =>
      content("POST", "/media/files", { host: hostOfStore(store), headers, body: form(bytes) })
    const large = await upload(3_000_000)
    expect(large.status).toBe(403)
    expect(large.body).toEqual({ message: expect.any(String), errors: {} })
    expect((await env.MEDIA.list()).objects).toEqual([])
    const both = await Promise.all([upload(700_000), upload(700_000)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
    expect((await upload(700_000)).status).toBe(403)
    expect((await upload(100_000)).status).toBe(201)
    expect(await siteRows("select count(*) n from media_orphans where reserved_bytes > 0")).toEqual([{ n: 0 }])
    const file = (await siteRows("select id from media_files where size = 700000"))[0]?.id
    await content("DELETE", `/media/files/${file}`, { host: hostOfStore(store), headers })
    expect((await upload(700_000)).status).toBe(201)
  })

  test("is kept from the key that is in every app where the site says so; server tokens always may write", async () => {
    const [site, server] = [await makeSiteKey(), await makeServerKey()]
    const make = (key: string, name: string) =>
      content("POST", "/media/folders", { json: { name }, headers: { "X-API-KEY": key } })
    expect((await make(site, "a")).status).toBe(201)
    await operator("site:settings", { "media-key-writes": "off" })
    const refused = await make(site, "b")
    expect([refused.status, refused.body]).toEqual([403, { message: expect.any(String), errors: {} }])
    expect((await content("GET", "/media/folders", { headers: { "X-API-KEY": site } })).status).toBe(200)
    expect((await make(server, "b")).status).toBe(201)
  })

  test("leaves an entry in the trail of what a key changes", async () => {
    const key = await makeServerKey()
    await content("POST", "/media/folders", { json: { name: "a" }, headers: { "X-API-KEY": key } })
    const { results } = await env.DB.prepare("select * from audit_entries").all()
    expect(
      results.some((row) => JSON.stringify(row).includes('"folder') && JSON.stringify(row).includes("a server")),
    ).toBe(true)
  })
})

test("what is not public is stored nowhere and taken for nothing else", async () => {
  const { token } = await makeUser()
  for (const path of ["/me", "/settings", "/notifications", "/nothing"]) {
    const { headers } = await content("GET", path, { token })
    expect(headers.get("Cache-Control"), path).toBe("no-store")
    expect(headers.get("X-Content-Type-Options"), path).toBe("nosniff")
  }
})
