// Coupons in money: the discount on orders, invoices, booked payments and card checkouts, and when it ends.
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Discount } from "../../src/db/schema/central/subscriptions"
import {
  buildDiscount,
  calculateAmount,
  getRemainingMonths,
  isApplicable,
  startDiscount,
} from "../../src/platform/coupons/discounts"
import { call, sendOperatorCommand } from "../support/app"
import { runOperatorCommand } from "../support/blog-factories"
import { CARD_PROVIDER_DRIVERS } from "../support/card-providers/all"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { setSubscription } from "../support/subscription-factories"

const HALF: Discount = { code: "HALF", percent_off: 50, amount_off: null, months: 2, plans: null, ends_at: null }
const NO_TAX = { seller_country: "", rates: {}, prices_include_tax: false }
const date = (text: string) => new Date(`${text}T00:00:00Z`)

const sell = async (command: string, input: object) => (await sendOperatorCommand(command, input)).body.data

test("takes a percentage, rounded half up, or an amount off a price, before its tax", () => {
  const charge = { plan: "starter", priceCents: 1901, from: date("2027-01-01") }
  const germany = { seller_country: "DE", rates: { DE: { rate: 1900, name: "USt" } } }
  const buyer = { country: "DE", taxNumber: "" }
  expect(calculateAmount(charge, HALF, buyer, { ...germany, prices_include_tax: false })).toMatchObject({
    ...{ net_cents: 950, tax_cents: 181, discount: { code: "HALF", cents: 951, price_cents: 1901 } },
  })
  expect(calculateAmount(charge, HALF, buyer, { ...germany, prices_include_tax: true })).toMatchObject({
    ...{ net_cents: 798, tax_cents: 152 },
  })
  const amount = { ...HALF, percent_off: null, amount_off: 5000 }
  expect(calculateAmount(charge, amount, undefined, NO_TAX)).toMatchObject({ net_cents: 0, discount: { cents: 1901 } })
  expect(calculateAmount(charge, { ...HALF, plans: ["pro"] }, undefined, NO_TAX)).not.toHaveProperty("discount")
  expect(calculateAmount(charge, null, undefined, NO_TAX)).not.toHaveProperty("discount")
})

test("counts the months from the first discounted period", () => {
  const started = startDiscount(HALF, date("2027-01-31"))
  // The periods begin on 31 January, 28 February and 28 March.
  expect(started.ends_at).toBe("2027-03-28T00:00:00.000Z")
  expect(startDiscount(started, date("2027-02-28"))).toEqual(started)
  expect(isApplicable(started, "starter", date("2027-03-27"))).toBe(true)
  expect(isApplicable(started, "starter", date("2027-03-28"))).toBe(false)
  expect(startDiscount({ ...HALF, months: null }, date("2027-01-31")).ends_at).toBeNull()
  expect(getRemainingMonths(HALF, date("2027-01-15"), date("2027-01-01"))).toBe(2)
  expect(getRemainingMonths(HALF, date("2027-03-15"), date("2027-01-01"))).toBe(4)
  expect(getRemainingMonths(started, date("2027-02-28"), date("2027-02-20"))).toBe(1)
  expect(getRemainingMonths({ ...HALF, months: null }, date("2027-01-15"), date("2027-01-01"))).toBeNull()
  const trial = { trialDays: 30, percentOff: null, amountOff: null, months: null }
  expect(buildDiscount({ code: "T", plans: null, ...trial } as never)).toBeNull()
})

async function makeDiscountedStore(discount: Partial<Discount> = {}): Promise<string> {
  await makePlan({ slug: "starter", name: "Starter", price_cents: 2000, stripe_price: "price_a" })
  const id = await makeReadyStore({ plan: "starter" })
  await setSubscription(id, { discount: { ...HALF, ...discount }, couponCode: "HALF" })
  return id
}

const order = (store: string) => sell("orders:request", { store, plan: "starter" })

test("discounts paid periods that begin within the months, and shows it on their invoices", async () => {
  await sell("offline:settings", { enabled: true })
  const id = await makeDiscountedStore()
  const amounts: number[] = []
  for (let period = 0; period < 3; period++) {
    const { reference, amount_cents } = await order(id)
    amounts.push(amount_cents)
    await sell("orders:approve", { reference })
  }
  expect(amounts).toEqual([1000, 1000, 2000])
  const [third, , first] = await sell("invoices:list", { store: id })
  expect(first).toMatchObject({ gross_cents: 1000, discount: { code: "HALF", cents: 1000, price_cents: 2000 } })
  expect(third).toMatchObject({ gross_cents: 2000, discount: null })
  const credit = await sell("invoices:credit", { number: first.number, amount: "10.00", reason: "Refund" })
  expect(credit).toMatchObject({ gross_cents: 1000, discount: null })
})

test("keeps the discount of a store that pays after its trial ended, and of a booked payment", async () => {
  await sell("offline:settings", { enabled: true })
  const id = await makeDiscountedStore()
  await setSubscription(id, { status: "suspended", suspendedAt: new Date() })
  const { reference, amount_cents } = await order(id)
  expect(amount_cents).toBe(1000)
  await sell("orders:approve", { reference })
  const [stored] = await rows("select coupon_code, discount ->> '$.ends_at' as ends from subscriptions")
  expect(stored).toEqual({ coupon_code: "HALF", ends: expect.any(String) })
})

describe.each(CARD_PROVIDER_DRIVERS)("$name", (provider) => {
  let unregister: () => void
  beforeEach(() => {
    unregister = provider.register()
  })
  afterEach(() => unregister())

  test("passes the discount to the checkout, and shows that of the provider's invoice", async () => {
    const id = await makeDiscountedStore({ months: 3 })
    const host = `${id}.localhost`
    const login = { email: "owner@example.com", password: "correct-horse" }
    const { token } = (await call("POST", "/api/v1/login", { host, json: login })).body.data
    const api = provider.mockCheckouts()
    const checkout = () =>
      call("POST", "/api/v1/billing/checkout", { host, token, json: { plan: "starter" }, env: provider.settings })
    expect((await checkout()).status).toBe(200)
    await setSubscription(id, { discount: { ...HALF, percent_off: null, amount_off: 500, months: null } })
    expect((await checkout()).status).toBe(200)
    await setSubscription(id, { discount: { ...HALF, ends_at: "2020-01-01T00:00:00.000Z" } })
    expect((await checkout()).status).toBe(200)
    // The first of the three discounted periods begins in just under a month.
    expect(api.discounts()).toEqual(["50 %/3", "500 eur/always", null])

    const now = Math.floor(Date.now() / 1000)
    const deliver = (message: unknown) => provider.deliver(message, { env: provider.settings })
    await deliver(provider.checkoutMessage(id, "starter", now))
    await deliver(provider.invoiceMessage("paid", now + 1, { amount: 1000, discount: 1000 }))
    expect((await sell("invoices:list", { store: id }))[0]).toMatchObject({
      ...{ gross_cents: 1000, method: "card", discount: { code: "HALF", cents: 1000, price_cents: 2000 } },
    })
  })

  describe("months of a coupon", () => {
    const M = 31 * 86_400
    const T = Math.floor(Date.now() / 1000) - 6 * M
    const deliver = async (message: unknown) =>
      expect((await provider.deliver(message, { env: provider.settings })).status).toBe(200)
    const paid = (month: number, discount: number, amount = 2000 - discount) =>
      provider.invoiceMessage("paid", T + month * M, {
        id: `in_${month}`,
        until: T + (month + 1) * M,
        amount,
        discount,
      })
    const readDiscountEnd = async () =>
      (await rows("select discount ->> '$.ends_at' as ends from subscriptions"))[0]?.ends
    const end = startDiscount(HALF, new Date(T * 1000)).ends_at

    test.each([
      ["in order", [0, 1, 2]],
      ["in reverse order", [2, 1, 0]],
      ["before the checkout", [1, 0, 2, "checkout"]],
    ] as const)("start with the first invoice that it reduces, %s", async (_, order) => {
      const id = await makeDiscountedStore()
      const invoices = [paid(0, 1000), paid(1, 1000), paid(2, 0)]
      const checkout = provider.checkoutMessage(id, "starter", T)
      if (!order.includes("checkout" as never)) await deliver(checkout)
      for (const message of order) await deliver(message === "checkout" ? checkout : invoices[message])
      expect(await readDiscountEnd()).toBe(end)
    })

    test("start with an invoice of 0 that it covers, but not with one of another plan or of a trial", async () => {
      const id = await makeDiscountedStore({ percent_off: 100 })
      await sell("offline:settings", { enabled: true })
      await order(id)
      const readOrder = async () => (await sell("orders:list", { store: id }))[0].status
      await deliver(provider.checkoutMessage(id, "starter", T - 1))
      await deliver(paid(5, 0, 0))
      expect([await readDiscountEnd(), await readOrder()]).toEqual([null, "pending"])
      await deliver(paid(0, 2000))
      expect([await readDiscountEnd(), await readOrder()]).toEqual([end, "rejected"])
      await setSubscription(id, { discount: { ...HALF, plans: ["pro"] } })
      await deliver(paid(1, 1000))
      expect(await readDiscountEnd()).toBeNull()
    })

    test("end for a store that cancels and buys again", async () => {
      const id = await makeDiscountedStore()
      await deliver(provider.checkoutMessage(id, "starter", T))
      await deliver(provider.subscriptionMessage("created", T, { until: T + M }))
      // The status and the period are known already, so the invoice changes nothing else.
      await deliver(paid(0, 1000))
      expect(await readDiscountEnd()).toBe(end)
      await deliver(provider.subscriptionMessage("deleted", T + M))
      const host = `${id}.localhost`
      const login = { email: "owner@example.com", password: "correct-horse" }
      const { token } = (await call("POST", "/api/v1/login", { host, json: login })).body.data
      const api = provider.mockCheckouts()
      const json = { plan: "starter" }
      const checkout = await call("POST", "/api/v1/billing/checkout", { host, token, json, env: provider.settings })
      expect([checkout.status, api.discounts()]).toEqual([200, [null]])
    })
  })
})

test("shows the discount on the billing page and the invoice, and freezes it at sign-up", async () => {
  await sell("offline:settings", { enabled: true })
  await runOperatorCommand("coupons:save", { code: "HALF", percent_off: "50", months: "2" })
  const id = await makeDiscountedStore()
  const host = `${id}.localhost`
  const body = new URLSearchParams({ email: "owner@example.com", password: "correct-horse" }).toString()
  const headers = { "Content-Type": "application/x-www-form-urlencoded" }
  const signedIn = await call("POST", "/billing/sign-in", { host, body, headers })
  const Cookie = signedIn.headers.get("Set-Cookie")?.split(";")[0] ?? ""
  expect((await call("GET", "/billing", { host, headers: { Cookie } })).text).toContain("50 % off; months from")
  const { reference } = await order(id)
  const { number } = await sell("orders:approve", { reference })
  const page = await call("GET", `/billing/invoices/${number}`, { host, headers: { Cookie } })
  for (const text of ["Discount (HALF)", "€20.00", "-€10.00"]) expect(page.text).toContain(text)
})
