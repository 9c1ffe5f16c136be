// Triggers each of the 27 events about stores by its real cause. test/webhooks/announcements.test.ts triggers those about
// endpoints, test/webhooks/shop-events.test.ts those of shops.
import { expect, test } from "vitest"
import { isDeliveryEvent, isShopEvent } from "../src/core/write/event-types"
import { addMs, DAY } from "../src/lib/time"
import { provisionStore } from "../src/platform/stores/provision"
import { call, cron, platform, run, sendOperatorCommand } from "./support/app"
import { runClockAt } from "./support/billing-factories"
import { mockTxtRecords } from "./support/dns"
import { makeKey, makePlan, makeReadyStore, makeStore } from "./support/factories"
import { rows } from "./support/rows"
import { setSubscription } from "./support/subscription-factories"

test("raises every event type that can be subscribed to", async () => {
  const token = await makeKey()
  const api = (method: string, path: string, json?: unknown) => platform(method, `/stores${path}`, { token, json })
  await makePlan({ slug: "a", trial_days: 14, price_cents: 2900 })
  await makePlan({ slug: "b" })
  await makePlan({ slug: "free", price_cents: 0, trial_days: 14 })

  // The life of a store: name, theme, apps, domains.
  const body = { subdomain: "life", name: "Life", owner_email: "o@example.com", password: "correct-horse", plan: "a" }
  await api("POST", "", body)
  await run((ctx) => provisionStore(ctx, "life"))
  await api("PATCH", "/life", { name: "Better life" })
  await api("POST", "/life/theme", { theme: "nocturne" })
  await api("POST", "/life/apps/galleries/enable")
  await api("POST", "/life/apps/galleries/disable")
  const domain = (await api("POST", "/life/domains", { domain: "life.example.org" })).body.data
  mockTxtRecords({ "_tenancy-verify.life.example.org": [domain.verification.txt_value] })
  await api("POST", `/life/domains/${domain.id}/verify`)
  await api("POST", `/life/domains/${domain.id}/primary`)
  const secondDomain = (await api("POST", "/life/domains", { domain: "gone.example.org" })).body.data
  await api("DELETE", `/life/domains/${secondDomain.id}`)
  await api("POST", "/life/suspend")
  await api("POST", "/life/resume")

  // Operator actions on the subscription, and the billing clock.
  await api("POST", "/life/subscription/change-plan", { plan: "b" })
  await api("POST", "/life/subscription/extend", { days: 1 })
  await api("POST", "/life/subscription/cancel")
  await api("POST", "/life/subscription/reactivate")
  const trial = await makeReadyStore({ plan: "free" })
  const unpaid = await makeReadyStore({ plan: "b" })
  await setSubscription(unpaid, { currentPeriodEndsAt: addMs(new Date(), DAY) })
  await runClockAt(addMs(new Date(), 8 * DAY))
  await runClockAt(addMs(new Date(), 20 * DAY))
  expect((await api("GET", `/${trial}`)).body.data.subscription.status).toBe("active")

  // Bank transfers.
  await sendOperatorCommand("offline:settings", { enabled: true })
  const request = async () =>
    (await sendOperatorCommand("orders:request", { store: "life", plan: "a" })).body.data.reference
  await sendOperatorCommand("orders:reject", { reference: await request(), reason: "no money came" })
  await sendOperatorCommand("orders:approve", { reference: await request() })

  // A store that cannot be provisioned, and one that is deleted.
  await makeStore({ subdomain: "broken" })
  const { env } = await import("cloudflare:workers")
  await env.SITES_1.exec("alter table users rename to users_away")
  await run((ctx) => provisionStore(ctx, "broken"))
  await env.SITES_1.exec("alter table users_away rename to users")
  await api("DELETE", `/${unpaid}`, { confirm: unpaid })
  await cron("* * * * *")

  const listEventTypes = async (id: string) =>
    (await rows("select type from webhook_events where store_id = ? order by seq", id)).map(({ type }) => type)
  expect(await listEventTypes("life")).toEqual([
    ...["store.created", "subscription.assigned", "store.ready", "store.updated", "store.theme_changed"],
    ...["app.enabled", "app.disabled", "domain.added", "domain.verified", "domain.primary_changed"],
    ...["domain.added", "domain.removed", "store.suspended", "store.resumed"],
    ...["subscription.plan_changed", "subscription.extended", "store.cancelled", "subscription.cancelled"],
    ...["subscription.reactivated", "order.requested", "order.rejected", "order.requested", "order.paid"],
    "subscription.plan_changed",
  ])
  expect(await listEventTypes(trial)).toEqual([
    ...["store.created", "subscription.assigned", "store.ready", "subscription.trial_ending", "subscription.activated"],
  ])
  expect(await listEventTypes(unpaid)).toEqual([
    ...["store.created", "subscription.assigned", "store.ready", "subscription.past_due", "subscription.suspended"],
    "store.deleted",
  ])
  expect(await listEventTypes("broken")).toEqual(["store.created", "store.provisioning_failed"])
  const { webhook_events } = (await platform("GET", "/platform", { token })).body.data
  const emitted = (await rows("select distinct type from webhook_events")).map(({ type }) => String(type))
  const catalog = webhook_events.filter((name: string) => !isDeliveryEvent(name) && !isShopEvent(name))
  expect(catalog).toHaveLength(27)
  expect(catalog.filter((name: string) => !emitted.includes(name))).toEqual([])
  const health = await call("GET", "/api/health-check")
  expect(health.status).toBe(200)
})
