import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { validInput } from "../../src/core/http/input"
import { recordMetrics } from "../../src/platform/metrics/service"
import { RequestOrder } from "../../src/platform/orders/schemas"
import { requestOrder } from "../../src/platform/orders/service"
import { saveOfflineSettings } from "../../src/platform/orders/settings"
import { run } from "../support/app"
import { makePlan, makeReadyStore } from "../support/factories"
import { signIn } from "./support"

test("formats amounts in the currency's own digits, and gives each currency's revenue chart its own scale", async () => {
  await makePlan({ slug: "tokyo", price_cents: 1500, currency: "JPY" })
  await makePlan({ slug: "paris", price_cents: 1900, currency: "EUR" })
  const store = await makeReadyStore({ subdomain: "acme", plan: "tokyo" })
  await makeReadyStore({ subdomain: "bloom", plan: "paris" })
  await run((ctx) => saveOfflineSettings(ctx, { enabled: true }))
  const { reference } = await run((ctx) => requestOrder(ctx, store, validInput(RequestOrder, { plan: "tokyo" })))
  await run((ctx) => recordMetrics(ctx))
  const admin = await signIn()
  const subscriptions = "/console/subscriptions"
  for (const path of ["/console/plans", subscriptions, "/console/orders", `/console/orders/${reference}`]) {
    expect((await admin.get(path)).text.includes("¥1,500"), path).toBe(true)
  }
  expect((await admin.get(`/console/stores/${store}/billing`)).text).toContain("¥1,500")
  const overview = (await admin.get("/console")).text
  const scales = [...overview.matchAll(/<p class="scale">([^<]*[€¥][^<]*)</g)].map(([, scale]) => scale)
  expect(scales).toEqual(["€20.00", "¥2,000"])
  expect(overview).toContain("JPY: <b>¥1,500</b>")
})

test("lists payments whose currency is missing or unknown", async () => {
  const store = await makeReadyStore()
  for (const [index, currency] of ["", "E1"].entries()) {
    await env.DB.prepare(
      "insert into payments (store_id, store_seq, provider, stripe_invoice, amount_cents, currency, paid_at, created_at) values (?, 1, 'stripe', ?, 1900, ?, 1, 1)",
    )
      .bind(store, `in_${index}`, currency)
      .run()
  }
  const page = await (await signIn()).get("/console/payments")
  expect(page.status).toBe(200)
  expect(page.text).toContain(">19.00<")
  expect(page.text).toContain(">19.00 E1<")
})
