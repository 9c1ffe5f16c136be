// What an endpoint can ask for beside its events: the events of some stores, a grace for its old secret, an example of anything.
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

describe("a filter by stores", () => {
  const url = "https://receiver.example/hook"

  test("lets only the events of its stores pass; those about none go where there is no filter", async () => {
    const [one, other] = [await makeReadyStore(), await makeReadyStore()]
    const token = await makeKey()
    mockReceiver()
    const filtered = await platform("POST", "/webhooks", { token, json: { url, events: ["*"], stores: [one] } })
    const open = await platform("POST", "/webhooks", { token, json: { url, events: ["*"] } })
    for (const id of [one, other]) await platform("POST", `/stores/${id}/suspend`, { token })
    await emitEvent("store.ready")
    const opened = await rows("select endpoint_id, store_id from webhook_deliveries order by id")
    const seen = (id: number) => opened.filter((row) => row.endpoint_id === id).map((row) => row.store_id)
    expect(seen(filtered.body.data.id)).toEqual([one])
    expect(seen(open.body.data.id)).toEqual([one, other, null])
    expect((await platform("GET", `/webhooks/${filtered.body.data.id}`, { token })).body.data.stores).toEqual([one])
    const lifted = await platform("PATCH", `/webhooks/${filtered.body.data.id}`, { token, json: { stores: null } })
    expect(lifted.body.data.stores).toBeNull()
  })

  test("keeps to the deleted store when it is saved unchanged, and takes the later store of the name once it is set again", async () => {
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
    "refuses %j",
    async (stores) => {
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

  test("refuses a store twice", async () => {
    const id = await makeReadyStore()
    const json = { url, events: ["*"], stores: [id, id] }
    expect((await platform("POST", "/webhooks", { token: await makeKey(), json })).status).toBe(422)
  })
})

describe("rotating with a grace", () => {
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

  test("both secrets sign until it is over, by either signature", async () => {
    const clock = freezeClock()
    const token = await makeKey()
    const { id, plainSecret } = await makeEndpoint()
    const secret = await rotate(id, token, { grace_seconds: 600 })
    const { data } = (await platform("GET", `/webhooks/${id}`, { token })).body
    expect(Date.parse(data.previous_secret_valid_until)).toBe(Math.floor((clock.now() + 600_000) / 1000) * 1000)
    const graced = await deliver(id, token)
    expect(graced.headers["x-tenancy-signature"]).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(graced.headers["webhook-signature"]).toMatch(/^v1,\S{44} v1,\S{44}$/)
    for (const known of [secret, plainSecret]) await verifyWebhook(graced, known)
    clock.advance(600)
    const after = await deliver(id, token)
    await verifyWebhook(after, secret)
    await expect(verifyWebhook(after, plainSecret)).rejects.toThrow()
    expect((await platform("GET", `/webhooks/${id}`, { token })).body.data.previous_secret_valid_until).toBeNull()
  })

  test("a second rotation keeps only the secret before it", async () => {
    const token = await makeKey()
    const { id, plainSecret } = await makeEndpoint()
    const second = await rotate(id, token, { grace_seconds: 600 })
    const third = await rotate(id, token, { grace_seconds: 600 })
    const sent = await deliver(id, token)
    for (const known of [second, third]) await verifyWebhook(sent, known)
    await expect(verifyWebhook(sent, plainSecret)).rejects.toThrow()
  })

  test("without a grace the old one ends at once, one that was graced too", async () => {
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

  test.each([-1, 86_401, 1.5, "600"])("refuses a grace of %s", async (grace_seconds) => {
    const { id } = await makeEndpoint()
    const path = `/webhooks/${id}/rotate-secret`
    const { status, body } = await platform("POST", path, { token: await makeKey(), json: { grace_seconds } })
    expect([status, Object.keys(body.errors)]).toEqual([422, ["grace_seconds"]])
  })
})

describe("an example", () => {
  test.each(EXAMPLE_EVENTS)(
    "of %s is sent, signed and logged like any other, and says that it is one",
    async (event) => {
      const hook = mockReceiver()
      const token = await makeKey()
      const { id, plainSecret } = await makeEndpoint()
      const { status, body } = await platform("POST", `/webhooks/${id}/test`, { token, json: { event } })
      expect([status, body.data.event, body.data.status]).toEqual([202, event, "delivered"])
      const [request] = hook.requests
      if (!request) throw new Error("nothing was sent")
      const sent = await verifyWebhook(request, plainSecret)
      expect(sent).toMatchObject({ type: event, meta: { test: true, actor: { type: "api_key" } } })
      expect(EVENTS[event].payload.safeParse(sent).error).toBeUndefined()
      expect(request.headers.get("X-Tenancy-Event")).toBe(event)
      expect((await platform("GET", "/events", { token })).body.data).toEqual([])
    },
  )

  test("of an unknown event is refused", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    for (const event of ["store.*", "store.nothing", 1]) {
      const { status, body } = await platform("POST", `/webhooks/${id}/test`, { token, json: { event } })
      expect([status, Object.keys(body.errors)]).toEqual([422, ["event"]])
    }
  })
})
