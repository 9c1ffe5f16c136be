// Filters, thin payloads and request headers of endpoints.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { verifyWebhook } from "../../src/client/index"
import { MatchedPayload, prepareFilter } from "../../src/core/write/event-filter"
import type { FilterCondition } from "../../src/db/schema/central/webhooks"
import { signIn } from "../console/support"
import { consume, platform } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey, makeReadyStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { emitEvent } from "../support/webhook-factories"

const url = "https://receiver.example/hook"

/** Makes the first attempts that the router enqueued. */
async function attemptAll() {
  const calls = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.splice(0)
  await consume(
    "tenancy-webhooks",
    calls.flatMap(([sent]) => [...sent].map(({ body }) => body)),
  )
}

const PAYLOAD = {
  id: "01",
  type: "store.updated",
  data: {
    store: { id: "acme", theme: "atelier", tags: ["a", "b"], size: 10, on: true },
    changes: { name: { from: "A", to: "B" } },
  },
}

describe("a condition", () => {
  const holds = (path: string, op: FilterCondition["op"], value?: FilterCondition["value"]) =>
    prepareFilter([{ path, op, ...(value !== undefined && { value }) }])(new MatchedPayload(PAYLOAD))

  test.each<[string, FilterCondition["op"], FilterCondition["value"] | undefined, boolean]>([
    ["data.store.theme", "eq", "atelier", true],
    ["data.store.theme", "eq", "Atelier", false],
    ["data.store.size", "eq", 10, true],
    ["data.store.size", "eq", "10", false],
    ["data.store.on", "eq", true, true],
    ["data.store.on", "eq", 1, false],
    ["data.store", "eq", "[object Object]", false],
    ["data.store.size", "ne", 11, true],
    ["data.store.size", "ne", 10, false],
    ["data.store.none", "ne", 10, false],
    ["data.store.theme", "in", ["harbor", "atelier"], true],
    ["data.store.size", "in", ["10"], false],
    ["data.store.size", "gt", 9, true],
    ["data.store.size", "gt", 10, false],
    ["data.store.size", "gte", 10, true],
    ["data.store.size", "lt", 10, false],
    ["data.store.size", "lte", 10, true],
    ["data.store.size", "gt", "0", false],
    ["data.store.theme", "lt", "b", true],
    ["data.store.theme", "gte", 0, false],
    ["data.store.on", "gte", 0, false],
    ["data.store.tags.1", "eq", "b", true],
    ["data.store.tags.2", "exists", undefined, false],
    ["data.store.tags.length", "exists", undefined, false],
    ["data.store.theme.length", "exists", undefined, false],
    ["data.store.none.deeper", "exists", undefined, false],
    ["data.store", "exists", undefined, true],
    ["data.__proto__", "exists", undefined, false],
    ["data.constructor.name", "exists", undefined, false],
    ["data.store.toString", "exists", undefined, false],
    ["name", "changed", undefined, true],
    ["data.changes.name", "changed", undefined, true],
    ["theme", "changed", undefined, false],
    ["constructor", "changed", undefined, false],
  ])("%s %s %j is %s", (path, op, value, expected) => {
    expect(holds(path, op, value)).toBe(expected)
  })

  test("has to hold together with all others", () => {
    const theme: FilterCondition = { path: "data.store.theme", op: "eq", value: "atelier" }
    expect(prepareFilter([theme, { path: "data.store.size", op: "gt", value: 9 }])(new MatchedPayload(PAYLOAD))).toBe(
      true,
    )
    expect(prepareFilter([theme, { path: "data.store.size", op: "gt", value: 10 }])(new MatchedPayload(PAYLOAD))).toBe(
      false,
    )
    for (const payload of [undefined, null, 1, "text", []])
      expect(prepareFilter([theme])(new MatchedPayload(payload))).toBe(false)
  })
})

describe("an endpoint with a filter", () => {
  test("gets deliveries only of the events that meet it, from the next event after a change of it", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    mockReceiver()
    const filter = [{ path: "name", op: "changed" }]
    const json = { url, events: ["store.updated"], filter }
    const { id } = (await platform("POST", "/webhooks", { token, json })).body.data
    expect((await platform("GET", `/webhooks/${id}`, { token })).body.data.filter).toEqual(filter)
    const change = (fields: object) => platform("PATCH", `/stores/${store}`, { token, json: fields })
    await change({ owner_email: "new@example.com" })
    expect(await rows("select id from webhook_deliveries")).toEqual([])
    await change({ name: "Renamed" })
    expect(await rows("select id from webhook_deliveries")).toHaveLength(1)
    const patched = await platform("PATCH", `/webhooks/${id}`, {
      token,
      json: { filter: [{ path: "data.store.name", op: "in", value: ["Other", 1] }] },
    })
    expect(patched.body.data.filter).toEqual([{ path: "data.store.name", op: "in", value: ["Other", 1] }])
    await change({ name: "Again" })
    await change({ name: "Other" })
    expect(await rows("select id from webhook_deliveries")).toHaveLength(2)
    for (const none of [null, []]) {
      const lifted = await platform("PATCH", `/webhooks/${id}`, { token, json: { filter: none } })
      expect(lifted.body.data.filter).toBeNull()
    }
    await change({ name: "Last" })
    expect(await rows("select id from webhook_deliveries")).toHaveLength(3)
  })

  test("does not change what other endpoints receive, nor what their events cost", async () => {
    const plain = await makeEndpoint()
    await emitEvent()
    const { objectCalls: _, ...before } = await costsOf(() => emitEvent())
    await makeEndpoint({ events: ["order.paid"], filter: [{ path: "data.x", op: "exists" }] })
    await emitEvent()
    const { objectCalls: __, ...unrelated } = await costsOf(() => emitEvent())
    expect(unrelated).toEqual(before)
    const filtered = await makeEndpoint({ filter: [{ path: "data.x", op: "eq", value: 1 }] })
    await emitEvent("store.ready", { x: 1 })
    await emitEvent("store.ready", { x: 2 })
    const deliveries = await rows("select endpoint_id as endpoint from webhook_deliveries order by id desc limit 3")
    expect(deliveries.map(({ endpoint }) => endpoint)).toEqual([plain.id, filtered.id, plain.id])
  })

  test("gets no deliveries of a damaged payload, and other endpoints get theirs", async () => {
    const plain = await makeEndpoint()
    await makeEndpoint({ filter: [{ path: "type", op: "exists" }] })
    await env.DB.exec(
      "create trigger damage after insert on webhook_events begin update webhook_events set payload = '1!' where seq = new.seq; end;",
    )
    await emitEvent()
    expect(await rows("select endpoint_id as id from webhook_deliveries")).toEqual([{ id: plain.id }])
  })

  test("gets only matching events from a recovery", async () => {
    const token = await makeKey()
    const hook = mockReceiver()
    const since = new Date(Date.now() - 60_000).toISOString()
    await emitEvent("store.ready", { x: 1 })
    await emitEvent("store.ready", { x: 2 })
    const { id } = await makeEndpoint({ filter: [{ path: "data.x", op: "eq", value: 2 }] })
    const recovered = await platform("POST", `/webhooks/${id}/recover`, { token, json: { since, mode: "missed" } })
    expect(recovered.body.data).toEqual({ queued: 2 })
    await consume("tenancy-jobs", [{ job: "recovery", endpoint: id }])
    expect(hook.events().map(({ data }) => data.x)).toEqual([2])
    const { recovery } = (await platform("GET", `/webhooks/${id}`, { token })).body.data
    expect(recovery).toMatchObject({ queued: 2, done: 2, failed: 0 })
  })

  test("is refused at its fields, all of them at once", async () => {
    const cases: [filter: unknown, ...fields: string[]][] = [
      ["x", "filter"],
      [[1], "filter.0"],
      [[{ op: "exists" }], "filter.0.path"],
      [[{ path: "", op: "exists" }], "filter.0.path"],
      [[{ path: "data..x", op: "exists" }], "filter.0.path"],
      [[{ path: "$.data", op: "exists" }], "filter.0.path"],
      [[{ path: "store.name", op: "exists" }], "filter.0.path"],
      [[{ path: `data.${"x".repeat(200)}`, op: "exists" }], "filter.0.path"],
      [[{ path: "data.store.name", op: "changed" }], "filter.0.path"],
      [[{ path: "data.x", op: "like", value: 1 }], "filter.0.op"],
      [[{ path: "x", op: "like" }], "filter.0.op", "filter.0.path"],
      [[{ path: "data.x" }], "filter.0.op"],
      [[{ path: "data.x", op: "eq" }], "filter.0.value"],
      [[{ path: "data.x", op: "eq", value: null }], "filter.0.value"],
      [[{ path: "data.x", op: "eq", value: {} }], "filter.0.value"],
      [[{ path: "data.x", op: "eq", value: [1] }], "filter.0.value"],
      [[{ path: "data.x", op: "in", value: 1 }], "filter.0.value"],
      [[{ path: "data.x", op: "in", value: [] }], "filter.0.value"],
      [[{ path: "data.x", op: "in", value: Array.from({ length: 101 }, () => 1) }], "filter.0.value"],
      [[{ path: "data.x", op: "gt", value: true }], "filter.0.value"],
      [[{ path: "data.x", op: "exists", value: true }], "filter.0.value"],
      [[{ path: "name", op: "changed", value: 1 }], "filter.0.value"],
      [
        [
          { path: "data.x", op: "exists" },
          { path: "data.x", op: "eq" },
        ],
        "filter.1.value",
      ],
      [Array.from({ length: 11 }, () => ({ path: "data.x", op: "exists" })), "filter"],
    ]
    const token = await makeKey()
    mockReceiver()
    for (const [filter, ...fields] of cases) {
      const { status, body } = await platform("POST", "/webhooks", { token, json: { url, events: ["*"], filter } })
      expect([status, Object.keys(body.errors)], JSON.stringify(filter)).toEqual([422, fields])
    }
  })
})

describe("thin payloads", () => {
  test("contain ids and the event's URL, and are signed as they are sent", async () => {
    const token = await makeKey()
    const store = await makeReadyStore()
    const hook = mockReceiver()
    const json = { url, events: ["*"], payload: "thin" }
    const created = (await platform("POST", "/webhooks", { token, json })).body
    const { id } = created.data
    await platform("PATCH", `/stores/${store}`, { token, json: { name: "Renamed" } })
    await attemptAll()
    const [request] = hook.requests
    if (!request) throw new Error("nothing was sent")
    await verifyWebhook(request, created.secret)
    const [event] = (await platform("GET", "/events?order=desc&limit=1", { token })).body.data
    expect(JSON.parse(request.body)).toEqual({
      id: event.id,
      type: "store.updated",
      created_at: event.created_at,
      api_version: event.api_version,
      data: { store: { id: store } },
      url: `https://localhost/api/platform/v1/events/${event.id}`,
    })
    for (const [type, data] of [
      ["domain.verified", { store: { id: "example" }, domain: { id: 1 } }],
      ["app.enabled", { store: { id: "example" }, app: { slug: expect.any(String) } }],
      ["order.paid", { store: { id: "example" }, order: { reference: "PO-000001" } }],
    ] as const) {
      hook.requests.length = 0
      await platform("POST", `/webhooks/${id}/test`, { token, json: { event: type } })
      expect(hook.events()).toMatchObject([{ type, data }])
      expect(Object.keys(hook.events()[0])).not.toContain("meta")
    }
    hook.requests.length = 0
    await platform("POST", `/webhooks/${id}/test`, { token })
    expect(hook.events()).toMatchObject([{ type: "ping", data: { endpoint_id: id }, meta: {} }])
    for (const payload of ["full", "thin", null])
      expect((await platform("PATCH", `/webhooks/${id}`, { token, json: { payload } })).body.data.payload).toBe(
        payload ?? "full",
      )
    expect((await platform("PATCH", `/webhooks/${id}`, { token, json: { payload: "slim" } })).status).toBe(422)
  })
})

describe("request headers", () => {
  test("are sent decrypted, shown masked, and replaced as a whole", async () => {
    const token = await makeKey()
    const hook = mockReceiver()
    const headers = { Authorization: "Bearer s3cret", "X-Team": "ops, on call" }
    const { id } = (await platform("POST", "/webhooks", { token, json: { url, events: ["*"], headers } })).body.data
    const sentHeaders = async () => {
      hook.requests.length = 0
      await platform("POST", `/webhooks/${id}/test`, { token })
      return Object.fromEntries(hook.requests[0]?.headers ?? [])
    }
    const patch = (value: unknown) => platform("PATCH", `/webhooks/${id}`, { token, json: { headers: value } })
    expect(await sentHeaders()).toMatchObject({
      authorization: "Bearer s3cret",
      "x-team": "ops, on call",
      "content-type": "application/json",
      "x-tenancy-event": "ping",
    })
    const masked = { Authorization: "********", "X-Team": "********" }
    expect((await platform("GET", `/webhooks/${id}`, { token })).body.data.headers).toEqual(masked)
    for (const table of ["webhook_endpoints", "audit_entries"])
      expect(JSON.stringify(await rows(`select * from ${table}`))).not.toContain("s3cret")
    expect(await patch(masked)).toMatchObject({
      status: 422,
      body: { errors: { "headers.Authorization": [expect.any(String)], "headers.X-Team": [expect.any(String)] } },
    })
    expect((await patch({ "X-Other": "1" })).body.data.headers).toEqual({ "X-Other": "********" })
    expect(await sentHeaders()).toMatchObject({ "x-other": "1" })
    expect(await sentHeaders()).not.toHaveProperty("authorization")
    for (const none of [null, {}]) expect((await patch(none)).body.data.headers).toBeNull()
    expect(await sentHeaders()).not.toHaveProperty("x-other")
  })

  test("are not sent to another host unless they are set for it", async () => {
    const token = await makeKey()
    mockReceiver()
    const headers = { Authorization: "Bearer s3cret" }
    const { id } = await makeEndpoint({ headers })
    const patch = async (json: object) =>
      (await platform("PATCH", `/webhooks/${id}`, { token, json })).body.data.headers
    const url = new URL((await platform("GET", `/webhooks/${id}`, { token })).body.data.url)
    const masked = { Authorization: "********" }
    expect(await patch({ url: new URL("/moved", url).href })).toEqual(masked)
    expect(await patch({ url: "https://first.example/hook", headers })).toEqual(masked)
    expect(await patch({ url: "https://second.example/hook" })).toBeNull()
  })

  test("that cannot be decrypted fail the delivery with a clear error", async () => {
    const token = await makeKey()
    mockReceiver()
    const { id } = await makeEndpoint({ headers: { "X-Team": "damaged" } })
    const { body } = await platform("POST", `/webhooks/${id}/test`, { token })
    expect(body.data).toMatchObject({ status: "failed", error: expect.stringContaining("HeadersUnreadable") })
  })

  const names = ["Host", "Cookie", "Content-Type", "content-length", "Transfer-Encoding", "Connection", "Upgrade"]
  test.each<[unknown, string]>([
    ["x", "headers"],
    [["x"], "headers"],
    [Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, "1"])), "headers"],
    [{ "X-A": 1 }, "headers.X-A"],
    [{ "X-A": "" }, "headers.X-A"],
    [{ "X-A": "a\r\nHost: b" }, "headers.X-A"],
    [{ "X-A": "ü" }, "headers.X-A"],
    [{ "X-A": " a" }, "headers.X-A"],
    [{ "X-A": "a".repeat(1001) }, "headers.X-A"],
    [{ "X A": "a" }, "headers.X A"],
    [{ "X:A": "a" }, "headers.X:A"],
    [{ "X-A": "a", "x-a": "b" }, "headers.x-a"],
    ...[...names, "X-Tenancy-Signature", "Webhook-Id", "User-Agent", "Proxy-Authorization", "TE"].map(
      (name): [unknown, string] => [{ [name]: "a" }, `headers.${name}`],
    ),
  ])("refuses headers %# at their field", async (headers, field) => {
    const token = await makeKey()
    mockReceiver()
    const { status, body } = await platform("POST", "/webhooks", { token, json: { url, events: ["*"], headers } })
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]])
  })
})

test("the console edits a filter as lines, and replaces headers only with their own form", async () => {
  const admin = await signIn()
  mockReceiver()
  const filter: FilterCondition[] = [
    { path: "data.store.theme", op: "in", value: ["atelier", "two words"] },
    { path: "data.store.name", op: "eq", value: "10" },
    { path: "name", op: "changed" },
  ]
  const { id } = await makeEndpoint({ filter })
  const stored = async () => {
    const token = await makeKey()
    const { data } = (await platform("GET", `/webhooks/${id}`, { token })).body
    return { filter: data.filter, payload: data.payload, headers: data.headers }
  }
  const settings = await admin.get(`/console/webhooks/${id}/settings`)
  const text = settings.text.match(/<textarea[^>]*name="filter"[^>]*>([^<]*)</)?.[1]?.replaceAll("&quot;", '"') ?? ""
  expect(text.trim().split("\n")).toHaveLength(3)
  const edit = (fields: Record<string, string>) => admin.post(`/console/webhooks/${id}/edit`, fields)
  const form = { url, events: "*", is_active: "true", payload: "thin" }
  await edit({ headers: "X-Team: ops\r\nAuthorization: Basic YTpi" })
  await edit({ ...form, filter: text })
  const headers = { "X-Team": "********", Authorization: "********" }
  expect(await stored()).toEqual({ filter, payload: "thin", headers })
  const refused = await edit({ ...form, filter: "data.store.theme like a" })
  expect([refused.status, refused.text.includes("data.store.theme like a")]).toEqual([422, true])
  await edit({ ...form, filter: "" })
  await edit({ headers: "" })
  expect(await stored()).toEqual({ filter: null, payload: "thin", headers: null })
})
