// The webhook commands of the operator CLI endpoint.
import { env } from "cloudflare:workers"
import { expect, test } from "vitest"
import { call } from "../support/app"
import { makeEndpoint, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { makeDelivery } from "../support/webhook-factories"

const operator = (command: string, json: object = {}) =>
  call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json })

test("trigger sends a test event to all subscribed endpoints or to the given one, and reports each result", async () => {
  const { events } = mockReceiver()
  const [all, stores, domains] = [
    await makeEndpoint({ url: "https://all.example/" }),
    await makeEndpoint({ url: "https://stores.example/", events: ["store.*"] }),
    await makeEndpoint({ url: "https://domains.example/", events: ["domain.verified"] }),
  ]
  const { status, body } = await operator("trigger", { event: "store.ready" })
  expect(status).toBe(200)
  expect(body.data).toEqual(
    [all, stores].map(({ id }) => ({
      delivery: expect.any(Number),
      endpoint: id,
      status: "delivered",
      response_status: 204,
      error: null,
    })),
  )
  expect(events()).toMatchObject(Array(2).fill({ type: "store.ready", meta: { test: true } }))
  const single = await operator("trigger", { event: "store.ready", endpoint: domains.id })
  expect(single.body.data).toMatchObject([{ endpoint: domains.id, status: "delivered" }])
  // A test event creates a delivery, but no entry in the event log.
  expect(await rows("select id from webhook_events where type = 'store.ready' and is_test = 0")).toEqual([])
})

test("trigger returns 422 for an unknown event and 404 for an unknown endpoint", async () => {
  const unknown = await operator("trigger", { event: "store.flew" })
  expect([unknown.status, Object.keys(unknown.body.errors)]).toEqual([422, ["event"]])
  expect((await operator("trigger", { event: "store.ready", endpoint: 99 })).status).toBe(404)
  expect((await operator("trigger", { event: "store.ready" })).body.data).toEqual([])
})

test("deliveries:tail returns deliveries after an id, and the current state of the given open ones", async () => {
  const [one, other] = [await makeEndpoint(), await makeEndpoint({ events: ["domain.*"] })]
  const old = await makeDelivery(one.id)
  const begin = await operator("deliveries:tail")
  expect(begin.body.data).toEqual({ deliveries: [], last: String(old.id) })
  const fresh = await makeDelivery(one.id)
  const elsewhere = await makeDelivery(other.id)
  const ids = async (options: object) =>
    (await operator("deliveries:tail", options)).body.data.deliveries.map(({ id }: { id: number }) => id)
  expect(await ids({ after: old.id })).toEqual([fresh.id, elsewhere.id])
  expect(await ids({ after: old.id, endpoint: other.id })).toEqual([elsewhere.id])
  expect(await ids({ after: elsewhere.id, open: `${old.id},nonsense,${fresh.id}` })).toEqual([old.id, fresh.id])
})

test("webhooks:recover enqueues failed and missed events, reports its progress, and rejects a second run", async () => {
  const { id } = await makeEndpoint({ isActive: false })
  await makeReadyStore()
  await env.DB.prepare("update webhook_endpoints set is_active = 1").run()
  expect((await operator("webhooks:progress", { endpoint: id })).body.data).toBeNull()
  const since = new Date(Date.now() - 60_000).toISOString()
  const { status, body } = await operator("webhooks:recover", { endpoint: id, since, events: "store.*" })
  expect(status).toBe(200)
  const { queued } = body.data
  expect(queued).toBeGreaterThan(0)
  const progress = await operator("webhooks:progress", { endpoint: id })
  expect(progress.body.data).toMatchObject({ queued, done: 0, failed: 0, is_receiving: true })
  await env.DB.prepare("update webhook_endpoints set disabled_at = 1").run()
  expect((await operator("webhooks:progress", { endpoint: id })).body.data).toMatchObject({ is_receiving: false })
  const second = await operator("webhooks:recover", { endpoint: id, since })
  expect([second.status, second.body.error.code]).toEqual([409, "recovery_running"])
  const wrong = await operator("webhooks:recover", {
    endpoint: id,
    since: "yesterday",
    mode: "some",
    events: "no.such",
  })
  expect([wrong.status, Object.keys(wrong.body.errors).sort()]).toEqual([422, ["events", "mode", "since"]])
})
