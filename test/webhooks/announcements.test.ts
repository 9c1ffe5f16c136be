// The events about endpoints and deliveries: when they are raised, and who receives them.
import { env } from "cloudflare:workers"
import { expect, test, vi } from "vitest"
import type { DeliveryMessage } from "../../src/core/queue/messages"
import { notifyDisabledEndpoints } from "../../src/webhooks/disabled-mail"
import { consume, cron, platform, run, withSettings } from "../support/app"
import { makeEndpoint, makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { count, rows } from "../support/rows"
import { emitEvent, makeDelivery } from "../support/webhook-factories"

const settings = withSettings({ TENANCY_WEBHOOK_DISABLE_AFTER: "5" })

/** Makes the first attempts that were enqueued, one by one. */
async function attemptAll() {
  const calls = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.splice(0)
  const messages = calls.flatMap(([sent]) => [...sent].map(({ body }) => body as DeliveryMessage))
  for (const message of messages) await consume("tenancy-webhooks", [message], { env: settings })
}

const failOnce = async () => {
  await emitEvent()
  await attemptAll()
}

const listRaised = async () =>
  (
    await rows("select type from webhook_events where type like 'endpoint.%' or type like 'delivery.%' order by seq")
  ).map(({ type }) => type)

test("a failing endpoint is announced at half and four fifths, then as disabled, and once when it works again", async () => {
  const token = await makeKey()
  const hook = mockReceiver(({ url }) => new Response(null, { status: url.includes("failing") ? 500 : 204 }))
  await env.DB.prepare(
    "insert into operators (email, name, password_hash, created_at) values ('ada@example.com', 'Ada', '-', 1)",
  ).run()
  const failing = await makeEndpoint({ url: "https://failing.example/", events: ["store.ready", "endpoint.*"] })
  const named = await makeEndpoint({ url: "https://named.example/", events: ["endpoint.*"] })
  const all = await makeEndpoint({ url: "https://all.example/", events: ["*"] })
  const raised: unknown[] = []
  for (let failure = 1; failure <= 5; failure++) {
    await failOnce()
    raised.push((await listRaised()).length)
  }
  expect(raised).toEqual([0, 0, 1, 2, 3])
  expect(await count("mails")).toBe(1)
  await Promise.all([run(notifyDisabledEndpoints), run(notifyDisabledEndpoints)])

  mockReceiver()
  await platform("PATCH", `/webhooks/${failing.id}`, { token, json: { is_active: true } })
  for (let success = 0; success < 3; success++) await failOnce()
  expect(await listRaised()).toEqual([
    ...["endpoint.failing", "endpoint.failing", "endpoint.disabled"],
    "endpoint.recovered",
  ])
  await attemptAll()
  const receivers = await rows(
    "select distinct endpoint_id as id from webhook_deliveries where event like 'endpoint.%' order by 1",
  )
  expect(receivers).toEqual([{ id: named.id }])
  expect(hook.requests.some(({ url }) => url === all.url)).toBe(true)

  const feed = async (types: string) => (await platform("GET", `/events?types=${types}&limit=100`, { token })).body.data
  const events = await feed("endpoint.*")
  expect(events.map(({ data }: { data: object }) => data)).toMatchObject([
    { endpoint: { id: failing.id, consecutive_failures: 3 }, failures: 3, disabled_after: 5 },
    { endpoint: { id: failing.id, consecutive_failures: 4 }, failures: 4, disabled_after: 5 },
    { endpoint: { id: failing.id, is_receiving: false, disabled_reason: "failures" } },
    { endpoint: { id: failing.id, is_receiving: true, consecutive_failures: 0 } },
  ])
  expect(events[0].meta.actor).toMatchObject({ type: "system" })
  const ofAll = await feed("*")
  expect(ofAll.every(({ type }: { type: string }) => type === "store.ready")).toBe(true)
  const unfiltered = (await platform("GET", "/events?limit=100", { token })).body.data
  expect(unfiltered).toHaveLength(ofAll.length + events.length)
  // A recovery sends an endpoint no event about itself either.
  const json = { since: new Date(Date.now() - 3_600_000).toISOString(), mode: "missed" }
  for (const [id, queued] of [
    [failing.id, 0],
    [named.id, 0],
  ])
    expect((await platform("POST", `/webhooks/${id}/recover`, { token, json })).body.data).toEqual({ queued })
})

test("an exhausted delivery is announced, unless it is a test, a retry by hand, or of such an event", async () => {
  const token = await makeKey()
  mockReceiver(({ url }) => new Response(null, { status: url.includes("failing") ? 410 : 204 }))
  const named = await makeEndpoint({ url: "https://named.example/", events: ["delivery.exhausted"] })
  const failing = await makeEndpoint({ url: "https://failing.example/", events: ["store.ready"] })
  await emitEvent("store.ready")
  await attemptAll()
  expect(await listRaised()).toEqual(expect.arrayContaining(["delivery.exhausted", "endpoint.disabled"]))
  const announced = await rows("select endpoint_id as id from webhook_deliveries where event = 'delivery.exhausted'")
  expect(announced).toEqual([{ id: named.id }])
  const [event] = (await platform("GET", "/events?types=delivery.*", { token })).body.data
  expect(event.data).toMatchObject({ endpoint: { id: failing.id }, delivery: { status: "exhausted", attempt: 1 } })

  const [exhausted] = await rows("select id from webhook_deliveries where status = 'exhausted'")
  await platform("POST", `/webhooks/deliveries/${exhausted?.id}/retry`, { token })
  await platform("POST", `/webhooks/${failing.id}/test`, { token })
  const other = await makeEndpoint({ url: "https://failing.example/other", events: ["delivery.*"] })
  const about = await makeDelivery(other.id, { event: "delivery.exhausted", eventId: "01K4YQZ0M8T3V6N9R2B5C7D1EF" })
  await env.DB.prepare("update webhook_events set is_test = 0 where id = ?").bind(about.eventId).run()
  await consume("tenancy-webhooks", [{ delivery: about.id, endpoint: other.id }], { env: settings })
  await cron("* * * * *")
  expect(await count("webhook_events where type = 'delivery.exhausted' and id <> '01K4YQZ0M8T3V6N9R2B5C7D1EF'")).toBe(1)
  await env.DB.exec("delete from webhook_events where id = '01K4YQZ0M8T3V6N9R2B5C7D1EF'")
})
