// Webhook endpoints of a store, through the content API: who may use them, what they receive, and how they are limited
// to their store.
import { env } from "cloudflare:workers"
import { Webhook } from "standardwebhooks"
import { beforeEach, describe, expect, test, vi } from "vitest"
import { removeStore } from "../../src/platform/stores/remove"
import { suspendStore } from "../../src/platform/stores/service"
import { consume, platform, run, type TestResponse } from "../support/app"
import { collectSentMails } from "../support/billing-factories"
import { content, hostOfStore, makeUser } from "../support/content-factories"
import { makeDeliveryDatabases } from "../support/delivery-databases"
import { makeEndpoint, makeKey, makePlan, makeReadyStore, makeStoreEndpoint } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { mockReceiver } from "../support/receiver"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { nextSerial } from "../support/serial"
import { freezeClock, makeDelivery } from "../support/webhook-factories"

const URL = "https://receiver.example/hook"

let operator = ""
beforeEach(async () => {
  operator = await makeKey()
})

/** Creates a store, and a function that sends requests of one of its admins. */
async function makeStoreWithAdmin(overrides: Record<string, unknown> = {}) {
  const store = await makeReadyStore(overrides)
  const admin = await makeUser(store, { isStaff: true, role: "admin", firstName: "Grace", lastName: "Hopper" })
  const host = hostOfStore(store)
  const send = (method: string, path: string, json?: object, headers?: Record<string, string>) =>
    content(method, path, { host, token: admin.token, headers, ...(json && { json }) })
  return { store, host, admin, send }
}

const create = (send: Awaited<ReturnType<typeof makeStoreWithAdmin>>["send"], json: object = {}) =>
  send("POST", "/webhooks", { url: URL, events: ["*"], ...json })

const refusal = ({ status, body }: TestResponse) => [status, body?.error?.code]

const rename = (store: string) =>
  platform("PATCH", `/stores/${store}`, { token: operator, json: { name: `Shop ${nextSerial()}` } })

/** Makes the first attempts that the router enqueued. */
async function attemptAll() {
  const calls = vi.mocked(env.WEBHOOK_QUEUE.sendBatch).mock.calls.splice(0)
  await consume(
    "tenancy-webhooks",
    calls.flatMap(([sent]) => [...sent].map(({ body }) => body)),
  )
}

test("shows the store that an operator deleted its endpoint", async () => {
  mockReceiver()
  const { store, send } = await makeStoreWithAdmin()
  const { id } = (await create(send, { events: ["shop.*"] })).body.data
  expect((await platform("DELETE", `/webhooks/${id}`, { token: operator })).status).toBe(204)
  const deletions = await rows("select store_id from audit_entries where type = 'endpoint_deleted'")
  expect(deletions).toEqual([{ store_id: store }])
})

test("lets an admin manage the endpoints of a store with the control plane's shapes", async () => {
  mockReceiver()
  const { store, send } = await makeStoreWithAdmin()
  const created = await create(send, { events: ["shop.*"], description: "Stock" })
  expect([created.status, created.body]).toEqual([
    201,
    { data: { id: expect.any(Number), url: URL }, secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{40}$/) },
  ])
  const { id } = created.body.data
  const read = await send("GET", `/webhooks/${id}`)
  const shown = (await platform("GET", `/webhooks/${id}`, { token: operator })).body.data
  expect(read.body.data).toEqual(shown)
  expect(shown).toMatchObject({ store_id: store, stores: [store], created_by_name: "Grace Hopper", is_active: true })

  const changed = await send(
    "PATCH",
    `/webhooks/${id}`,
    { payload: "thin" },
    { "If-Match": read.headers.get("ETag") ?? "" },
  )
  expect([changed.status, changed.body.data.payload]).toEqual([200, "thin"])
  const outdated = { "If-Match": read.headers.get("ETag") ?? "" }
  expect(refusal(await send("PATCH", `/webhooks/${id}`, { payload: "full" }, outdated))).toEqual([
    412,
    "precondition_failed",
  ])
  const rotated = await send("POST", `/webhooks/${id}/rotate-secret`, { grace_seconds: 60 })
  expect(rotated.body.data).toEqual({ id, secret: expect.stringMatching(/^whsec_/) })
  const tested = await send("POST", `/webhooks/${id}/test`, { event: "shop.order.placed" })
  expect([tested.status, tested.body.data.status]).toEqual([202, "delivered"])
  const list = await send("GET", "/webhooks?per_page=1")
  expect(list.body).toMatchObject({ data: [{ id }], meta: { page: 1, per_page: 1, total: 1, last_page: 1 } })
  const deliveries = await send("GET", `/webhooks/${id}/deliveries`)
  expect(deliveries.body.data).toMatchObject([{ id: tested.body.data.id, event: "shop.order.placed" }])
  const retry = () => send("POST", `/webhooks/deliveries/${tested.body.data.id}/retry`)
  expect(refusal(await retry())).toEqual([409, "delivery_not_retryable"])
  await env.DB.exec("update webhook_deliveries set status = 'exhausted', next_attempt_at = null")
  expect((await retry()).status).toBe(200)
  expect(refusal(await send("DELETE", `/webhooks/${id}`, undefined, outdated))).toEqual([412, "precondition_failed"])
  expect((await send("DELETE", `/webhooks/${id}`)).status).toBe(204)
  expect(refusal(await send("GET", `/webhooks/${id}`))).toEqual([404, "not_found"])

  const entries = await rows(
    "select type, actor_type, actor_name, store_id from audit_entries where subject_type in ('endpoint', 'delivery') order by id",
  )
  expect(entries.map(({ type }) => type)).toEqual([
    "endpoint_created",
    "endpoint_changed",
    "endpoint_rotated",
    "endpoint_tested",
    "delivery_retried",
    "endpoint_deleted",
  ])
  for (const { type: _, ...entry } of entries)
    expect(entry).toEqual({ actor_type: "customer", actor_name: "Grace Hopper", store_id: store })
})

test("names the store in the audit entries of what an operator does with its endpoint, and none for a platform's", async () => {
  mockReceiver()
  vi.mocked(env.SLOW_JOB_QUEUE.send).mockResolvedValue(undefined as never)
  const { store } = await makeStoreWithAdmin()
  const { id } = await makeStoreEndpoint(store)
  const other = await makeEndpoint()
  for (const endpoint of [id, other.id]) {
    const tested = await platform("POST", `/webhooks/${endpoint}/test`, { token: operator, json: {} })
    await env.DB.exec("update webhook_deliveries set status = 'exhausted', next_attempt_at = null")
    const path = `/webhooks/deliveries/${tested.body.data.id}/retry`
    expect((await platform("POST", path, { token: operator })).status).toBe(200)
    const recovery = { since: new Date(Date.now() - 3_600_000).toISOString(), mode: "all" }
    expect((await platform("POST", `/webhooks/${endpoint}/recover`, { token: operator, json: recovery })).status).toBe(
      202,
    )
  }
  const entries = await rows(
    `select type, store_id from audit_entries
     where type in ('endpoint_tested', 'delivery_retried', 'endpoint_recovered') order by id`,
  )
  expect(entries.map(({ type, store_id: of }) => [type, of])).toEqual(
    [store, ""].flatMap((of) =>
      ["endpoint_tested", "delivery_retried", "endpoint_recovered"].map((type) => [type, of]),
    ),
  )
})

test("rotates a secret once when two requests read the same one", async () => {
  const { store, send } = await makeStoreWithAdmin()
  const { id } = await makeStoreEndpoint(store)
  let reads = 0
  const bothRead = Promise.withResolvers<void>()
  const trips = interceptRoundTrips(async (sendTrip, [statement = ""]) => {
    const response = await sendTrip()
    if (!/^select.*"webhook_endpoints"/s.test(statement)) return response
    if (++reads === 2) bothRead.resolve()
    await bothRead.promise
    return response
  })
  const rotations = [1, 2].map(() => send("POST", `/webhooks/${id}/rotate-secret`, { grace_seconds: 60 }))
  const results = (await Promise.all(rotations)).map(refusal).sort()
  trips.mockRestore()
  expect(results).toEqual([
    [200, undefined],
    [409, "illegal_transition"],
  ])
})

test("shows operators whose endpoint it is, and lists those of one store", async () => {
  const [first, second] = [await makeReadyStore(), await makeReadyStore()]
  const own = await makeStoreEndpoint(first)
  await makeStoreEndpoint(second)
  const shared = await makeEndpoint()
  const list = async (query = "") => (await platform("GET", `/webhooks${query}`, { token: operator })).body
  expect((await list()).data.map((row: { store_id: string }) => row.store_id)).toEqual([null, second, first])
  expect((await list(`?store_id=${first}`)).data).toMatchObject([{ id: own.id }])
  expect((await list(`?store_id=${first}`)).meta.total).toBe(1)
  expect((await list(`?store_id=${first}&updated_since=2999-01-01T00:00:00Z`)).data).toEqual([])
  expect((await platform("GET", `/webhooks/${shared.id}`, { token: operator })).body.data.store_id).toBeNull()
})

test("requires the role admin or a server token with write, also for reading", async () => {
  mockReceiver()
  const { store, host, send } = await makeStoreWithAdmin()
  const { id } = (await create(send)).body.data
  const requests = [
    ["GET", "/webhooks"],
    ["GET", `/webhooks/${id}`],
    ["GET", `/webhooks/${id}/deliveries`],
    ["PATCH", `/webhooks/${id}`],
    ["POST", `/webhooks/${id}/test`],
    ["POST", `/webhooks/${id}/rotate-secret`],
    ["DELETE", `/webhooks/${id}`],
  ] as const
  const withKey = async (scopes: ("read" | "write")[]) => ({
    headers: { "X-API-KEY": await makeServerKey(store, "standard", scopes) },
  })
  const role = async (role: "owner" | "editor" | "viewer") => ({
    token: (await makeUser(store, { isStaff: true, role })).token,
  })
  const callers: [object, [number, string | undefined]][] = [
    [{}, [401, "unauthenticated"]],
    [{ token: "1|x" }, [401, "unauthenticated"]],
    [{ token: (await makeUser(store)).token }, [403, "forbidden"]],
    [await role("viewer"), [403, "forbidden"]],
    [await role("editor"), [403, "forbidden"]],
    [await withKey(["read"]), [403, "forbidden"]],
  ]
  for (const [caller, expected] of callers)
    for (const [method, path] of requests) {
      const json = method === "GET" || method === "DELETE" ? {} : { json: {} }
      expect(refusal(await content(method, path, { host, ...caller, ...json })), `${method} ${path}`).toEqual(expected)
    }
  for (const caller of [await role("owner"), await withKey(["write"])])
    expect((await content("GET", `/webhooks/${id}`, { host, ...caller })).status).toBe(200)
  const byServer = await content("POST", "/webhooks", {
    host,
    ...(await withKey(["write"])),
    json: { url: URL, events: ["*"] },
  })
  expect(byServer.status).toBe(201)
  const central = await makeUser("central", { isStaff: true, role: "owner" })
  expect(refusal(await content("GET", "/webhooks", { token: central.token }))).toEqual([404, "not_found"])
  await run((ctx) => suspendStore(ctx, store, { reason: "spam" } as never))
  expect(refusal(await create(send))).toEqual([503, "store_unavailable"])
})

test("hides the endpoints, deliveries and events of other stores", async () => {
  const { requests } = mockReceiver()
  const { send } = await makeStoreWithAdmin()
  const other = await makeReadyStore()
  await rename(other)
  const [event] = await rows("select id from webhook_events where store_id = ? and type = 'store.updated'", other)
  for (const endpoint of [await makeStoreEndpoint(other), await makeEndpoint()]) {
    const delivery = await makeDelivery(endpoint.id, { status: "failed" })
    const { id } = endpoint
    const attempts: [string, string, object?][] = [
      ["GET", `/webhooks/${id}`],
      ["PATCH", `/webhooks/${id}`, { is_active: false }],
      ["DELETE", `/webhooks/${id}`],
      ["POST", `/webhooks/${id}/rotate-secret`, {}],
      ["POST", `/webhooks/${id}/test`, {}],
      ["GET", `/webhooks/${id}/deliveries`],
      ["POST", `/webhooks/deliveries/${delivery.id}/retry`],
      ["GET", `/webhooks/events/${event?.id}`],
    ]
    const before = await rows("select * from webhook_endpoints where id = ?", id)
    for (const [method, path, json] of attempts)
      expect(refusal(await send(method, path, json)), `${method} ${path}`).toEqual([404, "not_found"])
    expect(await rows("select * from webhook_endpoints where id = ?", id)).toEqual(before)
  }
  expect((await send("GET", "/webhooks")).body).toMatchObject({ data: [], meta: { total: 0 } })
  expect(requests).toEqual([])
})

describe("the limit of the plan", () => {
  test("refuses the sixth endpoint, also when two are created at once", async () => {
    mockReceiver()
    const { store, send } = await makeStoreWithAdmin()
    await makeStoreEndpoint(await makeReadyStore())
    for (let n = 0; n < 4; n++) await makeStoreEndpoint(store)
    const statuses = await Promise.all([create(send), create(send), create(send)])
    expect(statuses.map(refusal).sort()).toEqual([
      [201, undefined],
      [409, "limit_reached"],
      [409, "limit_reached"],
    ])
    expect((await send("GET", "/webhooks")).body.meta.total).toBe(5)
    // A deleted endpoint does not count.
    const [{ id }] = (await send("GET", "/webhooks")).body.data
    await send("DELETE", `/webhooks/${id}`)
    expect((await create(send)).status).toBe(201)
  })

  test("is the plan's feature `webhooks`", async () => {
    mockReceiver()
    const features = { custom_domain: true, api_access: true, remove_branding: true }
    for (const webhooks of [0, 1]) {
      const { slug } = await makePlan({ features: { ...features, webhooks } })
      const shown = await platform("GET", `/plans/${slug}`, { token: operator })
      expect(shown.body.data.features).toEqual({ ...features, webhooks })
      const { send } = await makeStoreWithAdmin({ plan: slug })
      for (let n = 0; n < webhooks; n++) expect((await create(send)).status).toBe(201)
      expect(refusal(await create(send))).toEqual([409, "limit_reached"])
    }
  })
})

describe("what an endpoint of a store receives", () => {
  const listDeliveries = async (id: number) =>
    (await platform("GET", `/webhooks/${id}/deliveries`, { token: operator })).body.data.map(
      ({ event, tenant_id }: { event: string; tenant_id: string }) => [event, tenant_id],
    )

  test.each([["the central database"], ["delivery databases"]])(
    "is its own store's events, with %s",
    async (databases) => {
      if (databases === "delivery databases") await makeDeliveryDatabases()
      const { requests } = mockReceiver()
      const { store, send } = await makeStoreWithAdmin()
      const other = await makeReadyStore()
      const { id } = (await create(send, { events: ["*", "shop.*"], stores: [other], payload: "thin" })).body.data
      expect((await send("GET", `/webhooks/${id}`)).body.data.stores).toEqual([store])
      await rename(other)
      await rename(store)
      await send("POST", "/posts", { name: "Hello", status: "published" })
      await attemptAll()
      expect((await listDeliveries(id)).sort()).toEqual([
        ["shop.post.published", store],
        ["store.updated", store],
      ])
      // Thin payloads link to the store's own API.
      const bodies = requests.map(({ body }) => JSON.parse(body))
      for (const { url, id } of bodies) {
        expect(url).toMatch(new RegExp(`^http.*//${store}.localhost.*/api/v1/webhooks/events/${id}$`))
        const read = await send("GET", `/webhooks/events/${id}`)
        expect([read.status, read.body.data.id]).toEqual([200, id])
      }
      const [retried] = (await send("GET", `/webhooks/${id}/deliveries`)).body.data
      expect(retried.status).toBe("delivered")
    },
  )

  test("is the same request that endpoints of the platform get, signed with the endpoint's own secret", async () => {
    const { requests } = mockReceiver()
    const store = await makeReadyStore()
    const shared = await makeEndpoint({ events: ["store.updated"], url: "https://receiver.example/platform" })
    const own = await makeStoreEndpoint(store, { events: ["store.updated"], url: "https://receiver.example/store" })
    await env.DB.prepare("update webhook_endpoints set created_at_seq = (select max(seq) from webhook_events)").run()
    await rename(store)
    await attemptAll()
    expect(requests.map(({ url }) => url).sort()).toEqual([shared.url, own.url].sort())
    const [first, second] = requests.map(({ headers, body }) => ({
      body,
      headers: [...headers].filter(([name]) => !/signature|timestamp/.test(name)),
    }))
    expect(first).toEqual(second)
    for (const { url, headers, body } of requests) {
      const sent = Object.fromEntries(headers)
      const [verified, refused] = url === own.url ? [own, shared] : [shared, own]
      expect(new Webhook(verified.plainSecret).verify(body, sent)).toMatchObject({ data: { store: { id: store } } })
      expect(() => new Webhook(refused.plainSecret).verify(body, sent)).toThrow("No matching signature found")
    }
  })

  test("ends with the store", async () => {
    mockReceiver()
    const { store, send } = await makeStoreWithAdmin()
    const { id } = (await create(send)).body.data
    await run((ctx) => removeStore(ctx, store, { confirm: store, reason: "console" }))
    expect(refusal(await platform("GET", `/webhooks/${id}`, { token: operator }))).toEqual([404, "not_found"])
    expect(await listEndpointTotal()).toBe(0)
    expect(await rows("select is_active, deleted_at is null as shown from webhook_endpoints")).toEqual([
      { is_active: 0, shown: 0 },
    ])
  })

  const listEndpointTotal = async () => (await platform("GET", "/webhooks", { token: operator })).body.meta.total

  test("includes the trouble of the store's own endpoints only, and the owner gets the mail", async () => {
    const clock = freezeClock()
    mockReceiver(new Response(null, { status: 410 }))
    const store = await makeReadyStore({ owner_email: "owner@shop.example" })
    const listener = await makeStoreEndpoint(store, { events: ["endpoint.*"], url: "https://alarm.example/" })
    const failing = await makeStoreEndpoint(store, { events: ["store.updated"] })
    const foreign = await makeStoreEndpoint(await makeReadyStore(), { events: ["endpoint.*"] })
    const platforms = await makeEndpoint({ events: ["endpoint.*"] })
    const shared = await makeEndpoint({ events: ["store.updated"] })
    await env.DB.prepare("update webhook_endpoints set created_at_seq = (select max(seq) from webhook_events)").run()
    await collectSentMails()
    await rename(store)
    await attemptAll()
    clock.advance(1)
    const about = async (id: number) =>
      (
        await rows(
          `select payload from webhook_events where seq in (select id / 1048576 from webhook_deliveries
            where endpoint_id = ?) and type = 'endpoint.disabled'`,
          id,
        )
      ).map(({ payload }) => JSON.parse(String(payload)).data.endpoint.id)
    expect(await about(listener.id)).toEqual([failing.id])
    expect(await about(foreign.id)).toEqual([])
    expect((await about(platforms.id)).sort()).toEqual([failing.id, shared.id].sort())
    const mails = await collectSentMails()
    const owner = mails.filter(({ to }) => to === "owner@shop.example")
    expect(owner).toHaveLength(1)
    expect(owner[0]?.text).toContain(`/admin/webhooks/${failing.id}`)
    expect(owner[0]?.text).toContain("410 Gone")
  })
})

test("keeps an endpoint off that an operator turned off, and keeps it at its store", async () => {
  mockReceiver()
  const { store, send } = await makeStoreWithAdmin()
  const { id } = (await create(send)).body.data
  const patch = (json: object) => platform("PATCH", `/webhooks/${id}`, { token: operator, json })
  // The staff may turn off and on what only they turned off.
  await send("PATCH", `/webhooks/${id}`, { is_active: false })
  await patch({ is_active: false })
  expect((await send("PATCH", `/webhooks/${id}`, { is_active: true })).body.data.is_active).toBe(true)
  expect((await patch({ is_active: false })).body.data.is_active).toBe(false)
  expect(refusal(await send("PATCH", `/webhooks/${id}`, { is_active: true }))).toEqual([403, "forbidden"])
  expect((await send("PATCH", `/webhooks/${id}`, { description: "Off" })).status).toBe(200)
  expect((await patch({ is_active: true })).body.data.is_active).toBe(true)
  expect((await send("PATCH", `/webhooks/${id}`, { is_active: true })).status).toBe(200)
  for (const stores of [null, [await makeReadyStore()]]) {
    const refused = await patch({ stores })
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ["stores"]])
  }
  expect((await patch({ stores: [store] })).status).toBe(200)
})

test("refuses invalid input, private addresses and the platform's own hosts with the control plane's errors", async () => {
  mockReceiver(undefined, (name) => [name === "inside.example" ? "10.0.0.1" : "203.0.114.10"])
  const { store, send } = await makeStoreWithAdmin()
  const refused: [object, string][] = [
    [{ url: "https://inside.example/" }, "url"],
    [{ url: `https://${hostOfStore(store)}/` }, "url"],
    [{ url: "http://receiver.example/" }, "url"],
    [{ events: ["nothing"] }, "events"],
    [{ filter: [{ path: "data", op: "like", value: 1 }] }, "filter.0.op"],
  ]
  for (const [json, field] of refused) {
    const { status, body } = await create(send, json)
    expect([status, body.error.code, Object.keys(body.errors)], field).toEqual([422, "validation_failed", [field]])
    expect(body.error.errors).toEqual(body.errors)
    expect(body.error.message).toBe(body.errors[field][0])
  }
  expect(await count("webhook_endpoints")).toBe(0)
})
