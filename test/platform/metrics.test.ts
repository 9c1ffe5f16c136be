// The daily metrics: revenue from frozen terms, conversions and cancellations from the audit log, each counted
// once.
import { expect, test } from "vitest"
import { addMs, DAY } from "../../src/lib/time"
import { recordMetrics } from "../../src/platform/metrics/service"
import { platform, run, sendOperatorCommand } from "../support/app"
import { makeKey, makePlan, makeReadyStore } from "../support/factories"
import { setSubscription } from "../support/subscription-factories"

test("records stores by status, recurring revenue by plan and currency, trials, conversions and cancellations", async () => {
  const token = await makeKey()
  await makePlan({ slug: "monthly", price_cents: 1900 })
  await makePlan({ slug: "yearly", price_cents: 12_100, interval: "year", currency: "USD" })
  await makePlan({ slug: "free", price_cents: 0 })
  const [one, two] = [await makeReadyStore({ plan: "monthly" }), await makeReadyStore({ plan: "monthly" })]
  await makeReadyStore({ plan: "yearly" })
  await makeReadyStore({ plan: "free" })
  const trial = await makeReadyStore({ plan: "monthly", trial_days: 14 })
  await makePlan({ slug: "monthly", price_cents: 9900 })
  await platform("POST", `/stores/${two}/cancel`, { token })
  await setSubscription(one, { status: "past_due" })
  await run((ctx) => recordMetrics(ctx))
  const [row] = (await sendOperatorCommand("figures:list", { days: 5 })).body.data
  expect(row).toMatchObject({
    day: new Date().toISOString().slice(0, 10),
    stores: { ready: 4, cancelled: 1 },
    recurring: [
      { plan: "monthly", currency: "EUR", cents: 1900, subscriptions: 1 },
      { plan: "yearly", currency: "USD", cents: 1008, subscriptions: 1 },
    ],
    trials: 1,
    conversions: 0,
    cancellations: 1,
  })
  await sendOperatorCommand("offline:settings", { enabled: true })
  await makePlan({ slug: "monthly", price_cents: 1900 })
  const order = (await sendOperatorCommand("orders:request", { store: trial, plan: "monthly" })).body.data
  await sendOperatorCommand("orders:approve", { reference: order.reference })
  await run((ctx) => recordMetrics(ctx), { now: addMs(new Date(), DAY) })
  await run((ctx) => recordMetrics(ctx), { now: addMs(new Date(), DAY) })
  const rows = (await sendOperatorCommand("figures:list")).body.data
  expect(
    rows.map((row: { conversions: number; cancellations: number }) => [row.conversions, row.cancellations]),
  ).toEqual([
    [1, 0],
    [0, 1],
  ])
})
