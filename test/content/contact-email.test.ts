// The address that gets a shop's mails about orders and messages: mails to it are limited until its holder confirms it.
import { env } from "cloudflare:workers"
import { afterEach, expect, test, vi } from "vitest"
import { DAY, HOUR } from "../../src/lib/time"
import { signInToAdmin } from "../admin/support"
import { call } from "../support/app"
import { assertAtomicWrite } from "../support/atomic-writes"
import { captureMails, content, makeUser, parseMailLink } from "../support/content-factories"
import { measureCriticalPath } from "../support/critical-path"
import { interceptRoundTrips } from "../support/round-trips"
import { rows, siteRows } from "../support/rows"
import { nextAddress, nextSerial } from "../support/serial"
import { makeShop, type Shop } from "../support/shop-visits"

const ADDRESS = "Shop@example.com"

/** Mails to one address per hour while it is not confirmed. */
const MAILS_PER_HOUR = 5

afterEach(() => void vi.useRealTimers())

async function prepareShop() {
  const shop = await makeShop({ apps: ["ecommerce", "contact"] })
  const product = await shop.makeProduct({ stock: 99 })
  const mails = captureMails()
  const save = (contact_email: string | null) => shop.asStaff("PUT", "/shop/settings", { contact_email })
  const customer = { name: "Ada", email: "ada@example.com" }
  const order = () =>
    content("POST", "/orders", {
      host: shop.host,
      headers: { "CF-Connecting-IP": nextAddress() },
      json: { items: [{ product_id: product, quantity: 1 }], customer, note: "Buy pills" },
    })
  const write = () => shop.visitor().post("/contact", { ...customer, subject: "Hello", message: "Buy pills" })
  /** Returns how many of the mails that requests cause go to an address. */
  const count = async (times: number, request: () => Promise<{ status: number }>, to = ADDRESS) => {
    const before = mails.length
    for (let n = 0; n < times; n += 1) expect([201, 303]).toContain((await request()).status)
    return mails.slice(before).filter((mail) => mail.to === to).length
  }
  return { ...shop, mails, save, order, write, count }
}

/** Submits the form behind a mailed link. */
const confirm = (shop: Pick<Shop, "host">, fields: { email?: string; token: string }) =>
  call("POST", "/account/contact-email", {
    host: shop.host,
    headers: { "CF-Connecting-IP": nextAddress() },
    body: new URLSearchParams({ email: ADDRESS, ...fields }),
  })

const auditOf = (store: string) =>
  rows(
    "select type, actor_type, data from audit_entries where store_id = ? and subject_type = 'contact_email' order by id",
    store,
  )

test("limits the mails to an address until its holder confirms it with the mailed link, and loses no order", async () => {
  const shop = await prepareShop()
  const { store, mails, save, order, write, count } = shop
  expect((await save(ADDRESS)).status).toBe(200)
  expect(mails).toMatchObject([{ to: ADDRESS, subject: expect.stringContaining("Confirm the contact address") }])
  expect(await count(MAILS_PER_HOUR + 3, order)).toBe(MAILS_PER_HOUR)
  expect(await count(MAILS_PER_HOUR + 3, write)).toBe(MAILS_PER_HOUR)
  expect(await siteRows("select id from orders where site_id = ?", store)).toHaveLength(MAILS_PER_HOUR + 3)
  expect(await siteRows("select id from contact_messages where site_id = ?", store)).toHaveLength(MAILS_PER_HOUR + 3)

  const { path, token } = parseMailLink(mails[0])
  const page = await call("GET", path, { host: shop.host })
  expect([page.status, page.headers.get("Cache-Control"), page.headers.get("Referrer-Policy")]).toEqual([
    200,
    "no-store",
    "no-referrer",
  ])
  expect(page.text).toContain(`will go to ${ADDRESS}.`)
  expect(await count(1, order), "the link was only opened").toBe(0)
  const confirmed = await confirm(shop, { token })
  expect([confirmed.status, confirmed.text.includes("Address confirmed")]).toEqual([200, true])
  expect(await auditOf(store)).toMatchObject([{ type: "contact_email_confirmed", actor_type: "system" }])
  expect(await count(MAILS_PER_HOUR + 3, order)).toBe(MAILS_PER_HOUR + 3)
  vi.useFakeTimers({ toFake: ["Date"] })
  vi.setSystemTime(Date.now() + DAY + HOUR)
  expect(await count(MAILS_PER_HOUR + 3, write), "messages are limited as before").toBe(MAILS_PER_HOUR)
  expect((await confirm(shop, { token })).status, "the link was used").toBe(422)
  expect((await call("GET", path, { host: shop.host })).status).toBe(422)
})

test("limits the mails to a new address, and not those to the former one when it is entered again", async () => {
  const shop = await prepareShop()
  const { mails, save, order, count } = shop
  await save(ADDRESS)
  await confirm(shop, parseMailLink(mails[0]))
  await save(ADDRESS.toLowerCase())
  expect(mails, "the same address needs no link").toHaveLength(1)
  const { roundTrips } = await measureCriticalPath(() => save("stranger@example.com"))
  expect(roundTrips).toBeLessThanOrEqual(3)
  expect(mails).toHaveLength(2)
  expect(await count(MAILS_PER_HOUR + 1, order, "stranger@example.com")).toBe(MAILS_PER_HOUR)
  const link = parseMailLink(mails[1])
  await save(ADDRESS)
  expect((await confirm(shop, { ...link, email: "stranger@example.com" })).status, "the address was replaced").toBe(422)
  expect(await count(MAILS_PER_HOUR + 1, order)).toBe(MAILS_PER_HOUR + 1)
})

test("mails no link to an address that a member of the staff has confirmed, as long as the member has it", async () => {
  const { store, mails, save, order, count } = await prepareShop()
  await makeUser(store, { email: "customer@example.com", emailVerifiedAt: new Date() })
  const member = { isStaff: true, role: "viewer" } as const
  const { id } = await makeUser(store, { ...member, email: "Grace@example.com", emailVerifiedAt: new Date() })
  await makeUser(store, { ...member, email: "unverified@example.com" })
  await save("grace@Example.com")
  expect(mails).toEqual([])
  expect(await count(MAILS_PER_HOUR + 1, order, "grace@Example.com")).toBe(MAILS_PER_HOUR + 1)
  await env.SITES_1.prepare("update users set is_staff = 0 where id = ?").bind(id).run()
  expect(await count(MAILS_PER_HOUR + 1, order, "grace@Example.com")).toBe(MAILS_PER_HOUR)
  for (const email of ["customer@example.com", "unverified@example.com"]) {
    await save(email)
    expect(mails.at(-1)).toMatchObject({ to: email, subject: expect.stringContaining("Confirm the contact address") })
  }
})

test("limits the mails to an owner who has not confirmed a changed address", async () => {
  const { store, mails, order, count, host } = await prepareShop()
  const to = "stranger@example.com"
  await env.SITES_1.prepare("delete from users where site_id = ?").bind(store).run()
  const user = await makeUser(store, { isStaff: true, email: to })
  expect(await count(MAILS_PER_HOUR + 1, order, to)).toBe(MAILS_PER_HOUR)
  const owner = await signInToAdmin(store)
  expect((await owner.get("/admin/settings")).text).toContain(`Until ${to} is confirmed`)
  await owner.post("/admin/settings/contact-email")
  expect((await confirm({ host }, { email: to, token: parseMailLink(mails.at(-1)).token })).status).toBe(200)
  expect(await count(MAILS_PER_HOUR + 1, order, to)).toBe(MAILS_PER_HOUR + 1)
  expect(await siteRows("select email_verified_at from users where id = ?", user.id)).toEqual([
    { email_verified_at: null },
  ])
})

test("accepts a link once, only at its shop and for its address, and not after 72 hours", async () => {
  const [shop, other] = [await prepareShop(), await prepareShop()]
  await shop.save(ADDRESS)
  const { path, token } = parseMailLink(shop.mails[0] ?? other.mails[0])
  const mail = other.mails[0] ?? shop.mails[0]
  expect(mail).toMatchObject({ to: ADDRESS })
  await other.save(ADDRESS)
  expect((await call("GET", path, { host: other.host })).status).toBe(422)
  expect((await confirm(other, { token })).status).toBe(422)
  expect((await confirm(shop, { token, email: "mallory@example.com" })).status).toBe(422)
  expect((await confirm(shop, { token: "x".repeat(48) })).status).toBe(422)
  const results = await Promise.all([confirm(shop, { token }), confirm(shop, { token })])
  expect(results.map(({ status }) => status).sort()).toEqual([200, 422])
  expect(await auditOf(shop.store)).toHaveLength(1)
  expect(await auditOf(other.store)).toEqual([])

  const late = parseMailLink(other.mails.at(-1))
  vi.useFakeTimers({ toFake: ["Date"] })
  vi.setSystemTime(Date.now() + 72 * HOUR)
  expect((await call("GET", late.path, { host: other.host })).status).toBe(422)
  expect((await confirm(other, { token: late.token })).status).toBe(422)
})

test("sends 30 links per hour to the addresses that one shop enters", async () => {
  const { mails, save } = await prepareShop()
  for (let n = 0; n < 33; n += 1) expect((await save(`stranger${n}@example.com`)).status).toBe(200)
  expect(mails).toHaveLength(30)
})

test.each(["order", "write"] as const)(
  "sends 30 mails per hour to the unconfirmed addresses that one shop enters: %s",
  async (kind) => {
    const shop = await prepareShop()
    let sent = 0
    for (let n = 0; n < 33; n += 1) {
      const to = `stranger${n}@example.com`
      await shop.save(to)
      shop.mails.length = 0
      sent += await shop.count(1, shop[kind], to)
    }
    expect(sent).toBe(30)
  },
)

test("the settings page shows whether the address is confirmed, and sends another link that replaces the first", async () => {
  const { store, host, mails, save } = await prepareShop()
  await save(ADDRESS)
  const owner = await signInToAdmin(store)
  const editor = await signInToAdmin(store, "editor")
  const page = await owner.get("/admin/settings")
  expect(page.text).toContain(`Until ${ADDRESS} is confirmed`)
  expect(page.text).toContain("Send the link again")
  expect((await editor.get("/admin/settings")).text).not.toContain("Send the link again")
  expect((await editor.post("/admin/settings/contact-email")).status).toBe(403)
  const sent = await owner.post("/admin/settings/contact-email")
  expect(sent.headers.get("Location")).toBe("/admin/settings?done=contact_link_sent")
  expect(await auditOf(store)).toMatchObject([{ type: "contact_email_resent", actor_type: "customer" }])
  expect((await confirm({ host }, parseMailLink(mails[0]))).status).toBe(422)
  for (let n = 0; n < 3; n += 1) await owner.post("/admin/settings/contact-email")
  expect((await owner.post("/admin/settings/contact-email")).status).toBe(429)
  expect(mails).toHaveLength(MAILS_PER_HOUR)
  expect((await confirm({ host }, parseMailLink(mails.at(-1)))).status).toBe(200)
  const confirmed = await owner.get("/admin/settings")
  expect(confirmed.text).toContain("Confirmed</span>")
  expect(confirmed.text).not.toContain("Send the link again")
  await owner.post("/admin/settings/contact-email")
  expect(mails, "a confirmed address gets no link").toHaveLength(MAILS_PER_HOUR)
})

test("mails another link to the current address only, when the address changes at the same moment", async () => {
  const { store, host, mails, save } = await prepareShop()
  await save(ADDRESS)
  const owner = await signInToAdmin(store)
  const spy = interceptRoundTrips(async (send, statements) => {
    if (statements.some((text) => text.startsWith('insert into "mailed_tokens"'))) {
      spy.mockRestore()
      await save("new@example.com")
    }
    return send()
  })
  expect((await owner.post("/admin/settings/contact-email")).status).toBe(303)
  expect(mails.map(({ to }) => to)).toEqual([ADDRESS, "new@example.com", "new@example.com"])
  const { token } = parseMailLink(mails[2])
  expect((await confirm({ host }, { email: "new@example.com", token })).status).toBe(200)
})

test("confirms an address completely or not at all when a database call fails", async () => {
  const { host, mails, save } = await prepareShop()
  const changes = await assertAtomicWrite(async () => {
    const email = `shop${nextSerial()}@example.com`
    await save(email)
    const { token } = parseMailLink(mails.at(-1))
    return () => confirm({ host }, { email, token })
  })
  expect(changes).toMatchObject({ "site mailed_tokens": -1, auditLog: 1 })
})
