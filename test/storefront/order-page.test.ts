// The page of an order and the mails about it: what they show, to whom, and that nothing caches them.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import { expireOrders } from "../../src/apps/ecommerce/orders/expire"
import { sendDueAccountMails } from "../../src/content/mails/outbox"
import { addMs, DAY } from "../../src/lib/time"
import { call, platform, run } from "../support/app"
import { content, hostOfStore, makeUser, recordMails } from "../support/content-factories"
import { makeKey, makeReadyStore } from "../support/factories"
import { siteRows } from "../support/rows"
import { nextAddress } from "../support/serial"

const CUSTOMER = { name: "Buy <cheap> pills", email: "ada@example.com", phone: "+44 20" }

async function makeShop(settings: object = {}) {
  const store = await makeReadyStore()
  const host = hostOfStore(store)
  await platform("POST", `/stores/${store}/apps/ecommerce/enable`, { token: await makeKey() })
  await env.SITES_1.prepare("delete from users where site_id = ?").bind(store).run()
  const owner = await makeUser(store, {
    isStaff: true,
    email: "owner@example.com",
    emailVerifiedAt: new Date(),
  })
  const asOwner = (method: string, path: string, json: object) =>
    content(method, path, { host, token: owner.token, json })
  const payment = { transfer: "IBAN DE02 <1>" }
  await asOwner("PUT", "/shop/settings", { tax_rate: 19, shipping: { flat_cents: 490 }, payment, ...settings })
  const product = { name: "Bowl", price_cents: 1000, currency: "EUR", stock: 99 }
  const { id } = (await asOwner("POST", "/products", product)).body.data
  const mails = recordMails()
  const sendMails = () => run((ctx) => sendDueAccountMails(ctx, "SITES_1"))
  // The link that confirms the contact address.
  await sendMails()
  mails.length = 0
  const place = async (json: object = {}, headers: Record<string, string> = {}) =>
    (
      await content("POST", "/orders", {
        host,
        headers: { "CF-Connecting-IP": nextAddress(), ...headers },
        json: { items: [{ product_id: id, quantity: 2 }], customer: CUSTOMER, note: "Visit evil.example", ...json },
      })
    ).body.data
  const show = (path: string, language = "en") => call("GET", path, { host, headers: { "Accept-Language": language } })
  return { store, asOwner, place, show, mails, sendMails }
}

test("the page shows an order to the holder of its key only, is never cached, and names nobody", async () => {
  const { asOwner, place, show } = await makeShop()
  const order = await place()
  const path = `/orders/${order.number}?key=${order.key}`
  const page = await show(path)
  expect(page.status).toBe(200)
  expect([page.headers.get("Cache-Control"), page.headers.get("Referrer-Policy"), page.headers.get("ETag")]).toEqual([
    "no-store",
    "no-referrer",
    null,
  ])
  expect(page.text).toMatch(/href="\/products">Continue shopping.*href="\/account\/register">Create an account/s)
  for (const text of ["Order 1001", "2 × Bowl", "€20.00", "€4.90", "€24.90", "€3.98", "IBAN DE02 &lt;1&gt;", "noindex"])
    expect(page.text, text).toContain(text)
  expect(page.text).not.toMatch(/pills|ada@example|evil\.example|\+44/)
  for (const [language, text] of [
    ["es", "Pedido 1001"],
    ["fr", "Commande 1001"],
    ["vi", "Đơn hàng 1001"],
  ] as const)
    expect((await show(path, language)).text).toContain(text)
  const other = await makeShop()
  await other.place()
  expect((await other.show(path)).status).toBe(404)
  for (const wrong of [
    "/orders/1001",
    "/orders/1001?key=",
    `/orders/1002?key=${order.key}`,
    `/orders/x?key=${order.key}`,
    "/orders/1001?key=' or 1=1",
    "/orders",
  ]) {
    const refused = await show(wrong)
    expect([refused.status, refused.text.includes("2 × Bowl")], wrong).toEqual([404, false])
  }
  await asOwner("PUT", `/orders/${order.id}`, { status: "paid" })
  await asOwner("PUT", `/orders/${order.id}`, { status: "fulfilled", tracking: "DHL 1", staff_note: "Difficult" })
  const later = (await show(path)).text
  expect(later).toContain("DHL 1")
  expect(later).toContain("We sent your order.")
  expect(later).not.toMatch(/Difficult|IBAN|Please pay by/)
})

test("the page names the day until which a transfer has to arrive", async () => {
  const { place, show, asOwner } = await makeShop()
  const order = await place()
  const due = addMs(new Date(order.created_at), 7 * DAY)
  const path = `/orders/${order.number}?key=${order.key}`
  expect((await show(path)).text).toContain(`Please pay by <time datetime="${due.toISOString().slice(0, 10)}`)
  await asOwner("PUT", "/shop/settings", { payment: { transfer: null, on_delivery: "Cash" } })
  const onDelivery = await place()
  expect((await show(`/orders/${onDelivery.number}?key=${onDelivery.key}`)).text).not.toContain("Please pay by")
})

describe("the customer gets a mail", () => {
  test("when the order is sent, in the language of the order, once", async () => {
    const { asOwner, place, mails, sendMails } = await makeShop({ contact_email: "shop@example.com" })
    const { id } = await place({}, { "Accept-Language": "fr" })
    await sendMails()
    mails.length = 0
    await asOwner("PUT", `/orders/${id}`, { status: "paid", staff_note: "Difficult" })
    await asOwner("PUT", `/orders/${id}`, { status: "fulfilled", tracking: "DHL 1" })
    await asOwner("PUT", `/orders/${id}`, { status: "fulfilled", tracking: "DHL 2" })
    await sendMails()
    expect(mails).toHaveLength(1)
    const [mail] = mails
    expect(mail).toMatchObject({
      to: "ada@example.com",
      replyTo: "shop@example.com",
      subject: expect.stringContaining("Votre commande 1001 est en route"),
      text: expect.stringContaining("Suivi de la livraison\u00a0: DHL 1"),
    })
    for (const text of [mail?.text, mail?.html]) expect(text).not.toMatch(/pills|evil\.example|\+44|Difficult|key=/)
  })

  test("when the order is cancelled, with a link to it for customers with an account", async () => {
    const { store, asOwner, place, mails, sendMails } = await makeShop()
    const { id } = await place()
    const user = await makeUser(store)
    const own = await place({ customer: undefined }, { Authorization: `Bearer ${user.token}` })
    await sendMails()
    mails.length = 0
    for (const order of [id, own.id]) await asOwner("PUT", `/orders/${order}`, { status: "cancelled" })
    await sendMails()
    expect(mails.map(({ to, subject }) => [to, subject.split(" · ")[0]])).toEqual([
      ["ada@example.com", "Your order 1001 was cancelled"],
      [user.email, "Your order 1002 was cancelled"],
    ])
    expect(mails.map(({ text }) => text.includes("/account/orders/"))).toEqual([false, true])
    expect(mails[1]?.text).toContain(`/account/orders/${own.id}`)
  })

  test("when the order was not paid within the days of its payment method", async () => {
    const { asOwner, place, mails, sendMails } = await makeShop({
      contact_email: "shop@example.com",
      payment: { transfer: "IBAN", on_delivery: "Cash" },
    })
    const placed = [
      await place({ payment_method: "transfer" }),
      await place({ payment_method: "on_delivery" }),
      await place(),
    ]
    await asOwner("PUT", "/shop/settings", { language: "es" })
    await sendMails()
    mails.length = 0
    const now = Date.now()
    const expectCancelled = async (days: number, cancelled: object[]) => {
      const moment = addMs(new Date(now), days * DAY)
      await run((ctx) => expireOrders(ctx, "SITES_1"), { now: moment })
      await run((ctx) => sendDueAccountMails(ctx, "SITES_1"), { now: moment })
      expect(
        mails.map(({ text }) => /(\d{4}) was cancelled/.exec(text)?.[1]),
        `${days} days`,
      ).toEqual(cancelled.map((order) => (order as { number: string }).number))
    }
    const [transfer, onDelivery, neither] = placed
    await expectCancelled(0.9, [])
    await expectCancelled(1.1, [neither])
    await expectCancelled(6.9, [neither])
    await expectCancelled(7.1, [neither, transfer])
    await expectCancelled(29.9, [neither, transfer])
    await expectCancelled(30.1, [neither, transfer, onDelivery])
    await expectCancelled(60, [neither, transfer, onDelivery])
    expect(mails[0]?.text).toContain("did not receive your payment in time")
    expect(mails[0]).toMatchObject({ to: "ada@example.com", replyTo: "shop@example.com" })
  })

  test("except those from before a restore, which may have been paid since the backup", async () => {
    const { place, store, mails, sendMails } = await makeShop()
    await place()
    await sendMails()
    mails.length = 0
    await env.DB.prepare(
      `insert into store_restores (id, backup_id, store_id, database, is_new, is_dry_run, phase, position, differences, rounds, created_at)
      values ('1', '1', ?, 'SITES_1', 0, 0, 'done', '{}', '{}', 1, ?)`,
    )
      .bind(store, Date.now())
      .run()
    const expire = (days: number) => run((ctx) => expireOrders(ctx, "SITES_1"), { now: addMs(new Date(), days * DAY) })
    await expire(60)
    expect(await siteRows("select status from orders where site_id = ?", store)).toEqual([{ status: "pending" }])
    await env.DB.exec("update store_restores set is_dry_run = 1")
    await expire(60)
    expect(await siteRows("select status from orders where site_id = ?", store)).toEqual([{ status: "cancelled" }])
  })

  test("but not after the customer was erased", async () => {
    const { asOwner, place, store, mails, sendMails } = await makeShop()
    const user = await makeUser(store)
    const { id } = await place({ customer: undefined }, { Authorization: `Bearer ${user.token}` })
    await env.SITES_1.prepare("update orders set customer_email = null where id = ?").bind(id).run()
    await sendMails()
    mails.length = 0
    await asOwner("PUT", `/orders/${id}`, { status: "cancelled" })
    await sendMails()
    expect(mails).toEqual([])
  })
})

test("an order is mailed to the customer, without what was typed, and to the shop", async () => {
  const { place, mails, show, store, sendMails } = await makeShop({ contact_email: "shop@example.com" })
  const order = await place()
  await sendMails()
  const [toCustomer, toShop] = mails
  expect(toCustomer).toMatchObject({
    to: "ada@example.com",
    replyTo: "shop@example.com",
    subject: expect.stringContaining("order 1001"),
  })
  const link = /https?:\/\/\S+\/orders\/1001\?key=[0-9a-f]{40}/.exec(String(toCustomer?.text))?.[0] ?? ""
  expect(link).toContain(order.key)
  expect((await show(link.slice(link.indexOf("/orders")))).status).toBe(200)
  for (const text of ["2 × Bowl: €20.00", "Shipping: €4.90", "Total: €24.90"]) expect(toCustomer?.text).toContain(text)
  for (const text of [toCustomer?.text, toCustomer?.html]) expect(text).not.toMatch(/pills|evil\.example|\+44/)
  expect(toShop).toMatchObject({ to: "shop@example.com", replyTo: "ada@example.com" })
  for (const text of ["New order 1001", "Buy <cheap> pills", "Visit evil.example"]) expect(toShop?.text).toContain(text)
  for (const text of [
    "Payment: Bank transfer",
    "Shipping: Delivery",
    `${new URL(link).origin}/admin/orders/${order.id}\n`,
  ])
    expect(toShop?.text).toContain(text)
  expect(toShop?.html).toContain("Buy &lt;cheap&gt; pills")
  expect(toShop?.text).not.toContain(order.key)
  expect(await siteRows("select id from account_mails where site_id = ?", store)).toEqual([])
})

test("mails in French have a space before the colons", async () => {
  const { place, mails, sendMails } = await makeShop()
  await place({}, { "Accept-Language": "fr" })
  await sendMails()
  const text = String(mails.find(({ to }) => to === "ada@example.com")?.text)
  for (const label of ["2 × Bowl", "Livraison", "Total"]) expect(text).toContain(`${label}\u00a0: `)
})

test("the owner gets the mail of a shop without an address, and repeated requests send none", async () => {
  const { place, mails, sendMails } = await makeShop()
  const once = { "Idempotency-Key": "once" }
  await place({}, once)
  await place({}, once)
  await sendMails()
  expect(mails.map(({ to }) => to).sort()).toEqual(["ada@example.com", "owner@example.com"])
})

test("strangers cannot fill a mailbox with orders, and the shop hears of each", async () => {
  const { place, mails, sendMails } = await makeShop()
  for (let n = 0; n < 8; n++) await place()
  await sendMails()
  expect(mails.filter(({ to }) => to === "owner@example.com")).toHaveLength(8)
  const toCustomer = mails.filter(({ to }) => to === "ada@example.com").length
  expect(toCustomer).toBeGreaterThan(0)
  expect(toCustomer).toBeLessThanOrEqual(6)
})
