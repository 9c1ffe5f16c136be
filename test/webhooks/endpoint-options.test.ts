// Endpoint options: the store filter, the grace period of a rotation, and example events.
import { describe, expect, test } from "vitest"
import { verifyWebhook } from "../../src/client/index"
import { purgeStore, removeStore } from "../../src/platform/stores/remove"
import { EVENTS } from "../../tools/openapi/events/events"
import { platform, run } from "../support/app"
import { EXAMPLE_EVENTS } from "../support/example-events"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { emitEvent, freezeClock } from "../support/webhook-factories"

describe("the filter by store", () => {
  const url = "https://receiver.example/hook"

  test("sends only the events of the filter's stores, and events without a store only without a filter", async () => {
    const [store, other] = [await makeReadyStore(), await makeReadyStore()]
    const token = await makeKey()
    mockReceiver()
    const filtered = await platform("POST", "/webhooks", { token, json: { url, events: ["*"], stores: [store] } })
    const unfiltered = await platform("POST", "/webhooks", { token, json: { url, events: ["*"] } })
    for (const id of [store, other]) await platform("POST", `/stores/${id}/suspend`, { token })
    await emitEvent("store.ready")
    const deliveries = await rows("select endpoint_id, store_id from webhook_deliveries order by id")
    const storesOf = (id: number) => deliveries.filter((row) => row.endpoint_id === id).map((row) => row.store_id)
    expect(storesOf(filtered.body.data.id)).toEqual([store])
    expect(storesOf(unfiltered.body.data.id)).toEqual([store, other, null])
    expect((await platform("GET", `/webhooks/${filtered.body.data.id}`, { token })).body.data.stores).toEqual([store])
    const lifted = await platform("PATCH", `/webhooks/${filtered.body.data.id}`, { token, json: { stores: null } })
    expect(lifted.body.data.stores).toBeNull()
  })

  test("applies a store filter to a deleted store until it is set again for the store's successor", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    mockReceiver()
    const patch = (json: object) => platform("PATCH", `/webhooks/${id}`, { token, json })
    const { id } = (await platform("POST", "/webhooks", { token, json: { url, events: ["*"], stores: [store] } })).body
      .data
    await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "console" }))
    await run((ctx) => purgeStore(ctx, store))
    await makeReadyStore({ subdomain: store })
    const before = (await rows("select id from webhook_deliveries")).length
    await patch({ description: "renamed" })
    await patch({ stores: [store] })
    await platform("POST", `/stores/${store}/suspend`, { token })
    expect(await rows("select id from webhook_deliveries")).toHaveLength(before)
    await patch({ stores: null })
    await patch({ stores: [store] })
    await platform("POST", `/stores/${store}/resume`, { token })
    expect((await rows("select id from webhook_deliveries")).length).toBeGreaterThan(before)
  })

  test.each([[[]], [["nobody"]], ["x"], [[1]], [Array.from({ length: 101 }, (_, i) => `s${i}`)]])(
    "refuses the store filter %j",
    async (stores) => {
      mockReceiver()
      const token = await makeKey()
      const id = (await makeEndpoint()).id
      for (const [method, path] of [
        ["POST", "/webhooks"],
        ["PATCH", `/webhooks/${id}`],
      ] as const) {
        const { status, body } = await platform(method, path, { token, json: { url, events: ["*"], stores } })
        expect([status, Object.keys(body.errors)[0]?.split(".")[0]]).toEqual([422, "stores"])
      }
    },
  )

  test("refuses a store filter with a duplicate", async () => {
    const id = await makeReadyStore()
    const json = { url, events: ["*"], stores: [id, id] }
    expect((await platform("POST", "/webhooks", { token: await makeKey(), json })).status).toBe(422)
  })
})

describe("rotating with a grace period", () => {
  /** A delivery of now, as its receiver gets it. */
  async function deliver(id: number, token: string) {
    const hook = mockReceiver()
    await platform("POST", `/webhooks/${id}/test`, { token })
    const [request] = hook.requests
    hook.spy.mockRestore()
    if (!request) throw new Error("nothing was sent")
    return { headers: Object.fromEntries(request.headers), body: request.body }
  }

  const rotate = async (id: number, token: string, json?: unknown) =>
    (await platform("POST", `/webhooks/${id}/rotate-secret`, { token, json })).body.data.secret as string

  test("signs with both secrets until the grace period ends, in both schemes", async () => {
    const clock = freezeClock()
    const token = await makeKey()
    const { id, plainSecret } = await makeEndpoint()
    const secret = await rotate(id, token, { grace_seconds: 600 })
    const { data } = (await platform("GET", `/webhooks/${id}`, { token })).body
    expect(Date.parse(data.previous_secret_valid_until)).toBe(Math.floor((clock.now() + 600_000) / 1000) * 1000)
    const sent = await deliver(id, token)
    expect(sent.headers["x-tenancy-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(sent.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/)
    for (const accepted of [secret, plainSecret]) await verifyWebhook(sent, accepted)
    clock.advance(600)
    const after = await deliver(id, token)
    await verifyWebhook(after, secret)
    await expect(verifyWebhook(after, plainSecret)).rejects.toThrow()
    expect((await platform("GET", `/webhooks/${id}`, { token })).body.data.previous_secret_valid_until).toBeNull()
  })

  test("retains only the previous secret when the secret is rotated twice", async () => {
    const token = await makeKey()
    const { id, plainSecret } = await makeEndpoint()
    const second = await rotate(id, token, { grace_seconds: 600 })
    const third = await rotate(id, token, { grace_seconds: 600 })
    const sent = await deliver(id, token)
    for (const accepted of [second, third]) await verifyWebhook(sent, accepted)
    await expect(verifyWebhook(sent, plainSecret)).rejects.toThrow()
  })

  test("ends the old secret at once when it is rotated without a grace period", async () => {
    const token = await makeKey()
    const { id, plainSecret } = await makeEndpoint()
    await rotate(id, token, { grace_seconds: 600 })
    for (const json of [undefined, {}, { grace_seconds: 0 }, { grace_seconds: null }]) {
      const secret = await rotate(id, token, json)
      const sent = await deliver(id, token)
      await verifyWebhook(sent, secret)
      expect(sent.headers["x-tenancy-signature"]?.match(/v1=/g)).toHaveLength(1)
      await expect(verifyWebhook(sent, plainSecret)).rejects.toThrow()
    }
  })

  test.each([-1, 86_401, 1.5, "600"])("refuses a grace period of %s", async (grace_seconds) => {
    const { id } = await makeEndpoint()
    const path = `/webhooks/${id}/rotate-secret`
    const { status, body } = await platform("POST", path, { token: await makeKey(), json: { grace_seconds } })
    expect([status, Object.keys(body.errors)]).toEqual([422, ["grace_seconds"]])
  })
})

describe("an example event", () => {
  test.each(EXAMPLE_EVENTS)("sends, signs and logs an example of %s and marks it as a test", async (event) => {
    const hook = mockReceiver()
    const token = await makeKey()
    const { id, plainSecret } = await makeEndpoint()
    const { status, body } = await platform("POST", `/webhooks/${id}/test`, { token, json: { event } })
    expect([status, body.data.event, body.data.status]).toEqual([202, event, "delivered"])
    const [request] = hook.requests
    if (!request) throw new Error("nothing was sent")
    const sent = await verifyWebhook(request, plainSecret)
    expect(sent).toMatchObject({ type: event, meta: { test: true, actor: { type: "api_key" } } })
    expect(EVENTS[event].payloadSchema.safeParse(sent).error).toBeUndefined()
    expect(request.headers.get("X-Tenancy-Event")).toBe(event)
    expect((await platform("GET", "/events", { token })).body.data).toEqual([])
  })

  test("refuses an example of an unknown event", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    for (const event of ["store.*", "store.nothing", 1]) {
      const { status, body } = await platform("POST", `/webhooks/${id}/test`, { token, json: { event } })
      expect([status, Object.keys(body.errors)]).toEqual([422, ["event"]])
    }
  })
})
