// Without the card provider's API key, the console compares a plan's price with the provider's last message about it.
import { expect, test } from "vitest"
import { makePlan } from "../support/factories"
import { deliverMessage, providerMessage } from "../support/provider-factories"
import { rows } from "../support/rows"
import { signIn } from "./support"

const NOW = 1_790_000_000

const monthly = (amount: number, more: object = {}) => ({
  ...{ id: "price_a", unit_amount: amount, currency: "eur", recurring: { interval: "month", interval_count: 1 } },
  ...more,
})

const subscription = (created: number, price: object) =>
  providerMessage("customer.subscription.updated", created, {
    ...{ id: "sub_1", status: "active", items: { data: [{ price }] } },
  })

const invoice = (created: number, price: object) =>
  providerMessage("invoice.paid", created, {
    ...{ id: `in_${created}`, subscription: "sub_1", amount_paid: 1900, currency: "eur", lines: { data: [{ price }] } },
  })

const selectPrices = () => rows("select price, amount_cents, currency, interval from provider_prices")

test("asks before it saves a plan whose price differs from the one in the last message", async () => {
  const admin = await signIn()
  await makePlan({ slug: "solo", stripe_price: "price_a", price_cents: 2900, currency: "EUR" })
  expect((await admin.get("/console/plans/solo")).text).not.toContain("The card provider charges")
  expect((await deliverMessage(subscription(NOW, monthly(1900)))).status).toBe(200)
  const page = await admin.get("/console/plans/solo")
  expect(page.text).toContain("charges €19.00 / month, but this plan says €29.00 / month")
  const fields = {
    ...{ name: "Solo", price: "30.00", currency: "EUR", interval: "month", trial_days: "0", sort_order: "0" },
    ...{ "limits.products": "10", "limits.orders": "10", "limits.storage_mb": "10", "limits.staff_users": "1" },
    ...{ stripe_price: "price_a", is_active: "true" },
  }
  const asked = await admin.get(`/console/plans/solo/edit?${new URLSearchParams(fields)}`)
  expect(asked.text).toContain("Save although the prices differ")
})

test("stores the price of the latest message only, and writes nothing for a known one", async () => {
  await deliverMessage(subscription(NOW, monthly(1900)))
  const known = [{ price: "price_a", amount_cents: 1900, currency: "EUR", interval: "month" }]
  expect(await selectPrices()).toEqual(known)
  const [first] = await rows("select reported_at from provider_prices")
  await deliverMessage(invoice(NOW + 60, monthly(1900)))
  expect(await rows("select reported_at from provider_prices")).toEqual([first])
  await deliverMessage(subscription(NOW - 60, monthly(900)))
  expect(await selectPrices()).toEqual(known)
  await deliverMessage(invoice(NOW + 120, monthly(2500)))
  expect(await selectPrices()).toEqual([{ ...known[0], amount_cents: 2500 }])
})

test.each([
  ["without an amount", monthly(1900, { unit_amount: null })],
  ["for several months", monthly(1900, { recurring: { interval: "month", interval_count: 3 } })],
  ["per week", monthly(1900, { recurring: { interval: "week" } })],
  ["that is charged once", monthly(1900, { recurring: null })],
  ["without its details", { id: "price_a" }],
])("accepts a message about a price %s, and stores no price", async (_, price) => {
  expect((await deliverMessage(subscription(NOW, price))).status).toBe(200)
  expect(await rows("select count(*) as n from provider_messages")).toEqual([{ n: 1 }])
  expect(await selectPrices()).toEqual([])
})
