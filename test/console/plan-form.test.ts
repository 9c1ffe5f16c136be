// The console's form of a plan: prices in units of the currency, unlimited limits, and the card provider's price.
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { parseAmount } from "../../src/lib/intl"
import { CARD_PROVIDER_DRIVERS } from "../support/card-providers/all"
import { makePlan, makeReadyStore } from "../support/factories"
import { rows } from "../support/rows"
import { type Browser, signIn } from "./support"

const PLAN = {
  ...{ name: "Solo", description: "", currency: "EUR", interval: "month", trial_days: "0", sort_order: "0" },
  ...{ "limits.products": "10", "limits.orders": "10", "limits.storage_mb": "10", "limits.staff_users": "1" },
  ...{ apps: "", themes: "", stripe_price: "", is_active: "true" },
}

const create = (admin: Browser, fields: Record<string, string>, env?: Record<string, string>) =>
  admin.post("/console/plans", { slug: "solo", ...PLAN, ...fields }, { env })

test("parses amounts with the digits of their currency", () => {
  const amounts = ["29", "29.00", "29,5", "0.01", "29.001", "2.900", "-1", "1e3", "", "1.", "9999999999"]
  expect(amounts.map((amount) => parseAmount(amount, "EUR"))).toEqual([2900, 2900, 2950, 1, ...Array(7).fill(null)])
  expect(parseAmount("2900", "JPY")).toBe(2900)
  expect(parseAmount("29.5", "JPY")).toBeNull()
  expect(parseAmount("2.905", "KWD")).toBe(2905)
})

test("opens the form of a new plan again with what was entered", async () => {
  const admin = await signIn()
  expect((await admin.get("/console/plans")).text).toContain('<details class="disclosure"><summary>New plan')
  const { text } = await create(admin, { price: "free" })
  expect(text).toContain('<details class="disclosure" open=""><summary>New plan')
  expect(text).toContain('value="free"')
})

test("proposes the currency of the last plan, and the position after it", async () => {
  const admin = await signIn()
  const propose = async () => {
    const { text } = await admin.get("/console/plans")
    return ["currency", "sort_order"].map((name) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(text)?.[1])
  }
  expect(await propose()).toEqual(["EUR", "0"])
  await makePlan({ slug: "second", currency: "USD", sort_order: 7 })
  await makePlan({ slug: "first", currency: "EUR", sort_order: 2 })
  expect(await propose()).toEqual(["USD", "8"])
})

test("takes the price in units of the currency, and unlimited from its box only", async () => {
  const admin = await signIn()
  const refused: Record<string, string>[] = [
    { price: "29.001" },
    { price: "free" },
    { price: "29.00", "limits.orders": "0" },
  ]
  for (const fields of refused) {
    expect((await create(admin, fields)).status, JSON.stringify(fields)).toBe(422)
  }
  const limit = await create(admin, { price: "29.00", "limits.orders": "0" })
  expect(limit.text).toContain("The orders per month field must be at least 1.")
  expect(await rows("select slug from plans")).toEqual([])
  const unlimited = { price: "29.00", "limits.orders": "", "unlimited.orders": "true" }
  expect((await create(admin, unlimited)).status).toBe(303)
  expect(await rows("select price_cents, limits ->> '$.orders' as orders from plans")).toEqual([
    { price_cents: 2900, orders: 0 },
  ])
  const page = await admin.get("/console/plans/solo")
  expect(page.text).toContain('value="29.00"')
  await makeReadyStore({ plan: "solo" })
  const query = new URLSearchParams({ ...PLAN, ...unlimited, price: "39" })
  const confirmation = await admin.get(`/console/plans/solo/edit?${query}`)
  for (const text of ["€29.00 stays for 1 store", "€39.00 / month"]) expect(confirmation.text).toContain(text)
  expect((await admin.confirm("/console/plans/solo/edit", { ...PLAN, ...unlimited, price: "39" })).status).toBe(303)
  expect(await rows("select price_cents from plans")).toEqual([{ price_cents: 3900 }])
})

describe.each(CARD_PROVIDER_DRIVERS)("$name", (provider) => {
  let unregister: () => void
  beforeEach(() => {
    unregister = provider.register()
  })
  afterEach(() => unregister())

  test("asks before it saves a plan whose price the provider does not charge", async () => {
    const admin = await signIn()
    const price = { stripe_price: "price_a", price: "29.00" }
    provider.mockPrice({ amount: 1900, currency: "EUR", interval: "month" })
    const refused = await create(admin, price, provider.settings)
    expect([
      refused.status,
      refused.text.includes("charges €19.00 / month, but this plan says €29.00 / month"),
    ]).toEqual([422, true])
    expect((await create(admin, { ...price, confirm_price: "true" }, provider.settings)).status).toBe(303)
    const query = new URLSearchParams({ ...PLAN, ...price, price: "30.00" })
    const asked = await admin.get(`/console/plans/solo/edit?${query}`, { env: provider.settings })
    expect(asked.text).toContain("Save although the prices differ")
    expect(asked.text).toContain("confirm_price=true")
    expect((await admin.get("/console/plans/solo", { env: provider.settings })).text).toContain(
      "charges €19.00 / month",
    )
  })

  test.each([["an unknown price", null] as const, ["a provider that is down", "down"] as const])(
    "saves a plan with %s",
    async (_, state) => {
      const admin = await signIn()
      provider.mockPrice(state)
      expect((await create(admin, { stripe_price: "price_a", price: "29.00" }, provider.settings)).status).toBe(303)
      await makePlan({ slug: "other", stripe_price: "price_b" })
      expect((await admin.get("/console/plans/other", { env: provider.settings })).status).toBe(200)
    },
  )
})
