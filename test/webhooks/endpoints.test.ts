// The API of webhook endpoints: fields, secrets, status, test events and manual retries.
import { env } from "cloudflare:workers"
import { describe, expect, test, vi } from "vitest"
import { JOB_LEASE_MS } from "../../src/core/queue/leased-jobs"
import { settingsOf } from "../../src/env"
import { decrypt } from "../../src/lib/cipher"
import { attemptDelivery } from "../../src/webhooks/attempt"
import { removeEndpoint } from "../../src/webhooks/endpoints/service"
import { buildPlatformSignature } from "../../src/webhooks/sign"
import { consume, cron, isolate, platform, run, withSettings } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { interceptRoundTrips } from "../support/round-trips"
import { count, rows } from "../support/rows"
import { emitEvent, freezeClock, makeDelivery } from "../support/webhook-factories"

const RECEIVER_URL = "https://receiver.example/hook"

const refusal = (response: Awaited<ReturnType<typeof platform>>) => [response.status, response.body.error?.code]

describe("creating an endpoint", () => {
  test("returns an endpoint's secret once and stores it encrypted", async () => {
    mockReceiver()
    const token = await makeKey({ name: "CRM sync" })
    const json = { url: RECEIVER_URL, events: ["store.*", "order.paid"], description: "CRM" }
    const created = await platform("POST", "/webhooks", { token, json })
    expect(created.status).toBe(201)
    expect(Object.keys(created.body)).toEqual(["data", "secret"])
    expect(created.body.data).toEqual({ id: expect.any(Number), url: RECEIVER_URL })
    expect(created.body.secret).toMatch(/^whsec_[0-9A-Za-z]{40}$/)

    const read = await platform("GET", `/webhooks/${created.body.data.id}`, { token })
    expect(read.body.data).toEqual({
      id: created.body.data.id,
      store_id: null,
      url: RECEIVER_URL,
      events: ["store.*", "order.paid"],
      description: "CRM",
      is_active: true,
      is_receiving: true,
      consecutive_failures: 0,
      disabled_at: null,
      disabled_reason: null,
      last_success_at: null,
      last_failure_at: null,
      previous_secret_valid_until: null,
      recovery: null,
      stores: null,
      filter: null,
      payload: "full",
      headers: null,
      max_per_second: null,
      ordered: false,
      reconcile: false,
      receiver_cursor: null,
      behind_since: null,
      created_by_name: "CRM sync",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      updated_at: expect.stringMatching(/\+00:00$/),
    })
    const [row] = await rows("select * from webhook_endpoints")
    expect(row?.secret).toMatch(/^v1\./)
    expect(JSON.stringify(row)).not.toContain(created.body.secret)
  })

  test("stores a blank description as null", async () => {
    mockReceiver()
    const token = await makeKey()
    const json = { url: RECEIVER_URL, events: ["*"], description: " " }
    const { body } = await platform("POST", "/webhooks", { token, json })
    expect((await platform("GET", `/webhooks/${body.data.id}`, { token })).body.data.description).toBeNull()
  })

  test("refuses invalid endpoints with 422", async () => {
    mockReceiver()
    const token = await makeKey()
    const refused: [Record<string, unknown>, string][] = [
      [{}, "url"],
      [{ events: ["*"] }, "url"],
      [{ url: RECEIVER_URL }, "events"],
      [{ url: RECEIVER_URL, events: [] }, "events"],
      [{ url: RECEIVER_URL, events: "*" }, "events"],
      [{ url: RECEIVER_URL, events: ["store.created", "store.created"] }, "events"],
      [{ url: RECEIVER_URL, events: ["store.exploded"] }, "events"],
      [{ url: RECEIVER_URL, events: ["ping"] }, "events"],
      [{ url: RECEIVER_URL, events: ["nothing.*"] }, "events"],
      [{ url: RECEIVER_URL, events: ["*"], description: "x".repeat(256) }, "description"],
      [{ url: "not a url", events: ["*"] }, "url"],
      [{ url: "http://receiver.example/hook", events: ["*"] }, "url"],
      [{ url: `https://receiver.example/${"x".repeat(2048)}`, events: ["*"] }, "url"],
      [{ url: "https://localhost/hook", events: ["*"] }, "url"],
      [{ url: "https://shop.localhost/hook", events: ["*"] }, "url"],
      [{ url: "https://127.0.0.1/hook", events: ["*"] }, "url"],
      [{ url: "https://0x7f.1/hook", events: ["*"] }, "url"],
      [{ url: "https://user:pass@receiver.example/", events: ["*"] }, "url"],
    ]
    for (const [json, field] of refused) {
      const response = await platform("POST", "/webhooks", { token, json })
      expect(refusal(response), JSON.stringify(json)).toEqual([422, "validation_failed"])
      expect(Object.keys(response.body.errors), JSON.stringify(json)).toContain(field)
    }
    expect(await count("webhook_endpoints")).toBe(0)
  })

  test("refuses a host that resolves to a private address or not at all", async () => {
    const token = await makeKey()
    const json = { url: RECEIVER_URL, events: ["*"] }
    for (const dns of ["10.1.2.3", "::1", "169.254.169.254"]) {
      const { spy } = mockReceiver(undefined, dns)
      expect(refusal(await platform("POST", "/webhooks", { token, json }))).toEqual([422, "validation_failed"])
      spy.mockRestore()
    }
    mockReceiver(undefined, () => [])
    expect(refusal(await platform("POST", "/webhooks", { token, json }))).toEqual([422, "validation_failed"])
  })

  test("says why a URL is refused", async () => {
    const token = await makeKey()
    const reasons: [string, RegExp][] = [
      ["http://receiver.example/", /must begin with https/],
      ["https://user:pass@receiver.example/", /must not contain a user name/],
      ["https://receiver.example:99/", /port 443/],
      ["https://localhost:9443/", /belongs to the platform or to one of its stores/],
      ["https://10.0.0.1/", /must have a public address/],
      ["https://1.1.1.1/", /a host name, not an IP address/],
    ]
    for (const [url, message] of reasons) {
      const { body } = await platform("POST", "/webhooks", { token, json: { url, events: ["*"] } })
      expect.soft(body.errors.url, url).toEqual([expect.stringMatching(message)])
    }
    mockReceiver(undefined, () => [])
    const { body } = await platform("POST", "/webhooks", { token, json: { url: RECEIVER_URL, events: ["*"] } })
    expect(body.errors.url).toEqual([expect.stringMatching(/does not resolve/)])
  })

  test("refuses a store's own domain on create and on update", async () => {
    mockReceiver()
    const token = await makeKey()
    await env.DB.prepare(
      `insert into domains (domain, store_id, is_primary, is_fallback, verified_at, created_at)
        values ('shop.example', 'shop', 0, 0, null, 1)`,
    ).run()
    const json = { url: "https://SHOP.example/hook", events: ["*"] }
    expect(refusal(await platform("POST", "/webhooks", { token, json }))).toEqual([422, "validation_failed"])
    const { id } = await makeEndpoint()
    const change = await platform("PATCH", `/webhooks/${id}`, { token, json: { url: json.url } })
    expect(refusal(change)).toEqual([422, "validation_failed"])
    expect((await rows("select url from webhook_endpoints"))[0]?.url).toBe(RECEIVER_URL)
  })

  test("allows private addresses where the setting permits them, and relaxes no other rule", async () => {
    mockReceiver(undefined, () => [])
    const token = await makeKey()
    const settings = { TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true" }
    const create = (url: string) =>
      platform("POST", "/webhooks", { token, json: { url, events: ["*"] }, env: settings })
    expect((await create("https://127.0.0.1:8443/hook")).status).toBe(201)
    expect((await create("http://127.0.0.1:8443/hook")).status).toBe(422)
    expect((await create("https://shop.localhost/hook")).status).toBe(422)
  })
})

describe("updating an endpoint", () => {
  test("updates the given fields of an endpoint only, and nothing without fields", async () => {
    mockReceiver()
    const clock = freezeClock()
    const token = await makeKey()
    const endpoint = await makeEndpoint({ description: "old" })
    clock.advance(10)
    const empty = await platform("PATCH", `/webhooks/${endpoint.id}`, { token, json: {} })
    expect(empty.body.data).toMatchObject({ description: "old", updated_at: empty.body.data.created_at })
    const changed = await platform("PATCH", `/webhooks/${endpoint.id}`, { token, json: { description: null } })
    expect(changed.body.data).toMatchObject({ description: null, url: RECEIVER_URL, events: ["*"], is_active: true })
    expect(changed.body.data.updated_at).not.toBe(changed.body.data.created_at)
    const moved = { url: "https://other.example/", events: ["app.*"] }
    expect((await platform("PATCH", `/webhooks/${endpoint.id}`, { token, json: moved })).body.data).toMatchObject(moved)
  })

  test("creates no deliveries for an inactive endpoint and does not replay missed events", async () => {
    mockReceiver()
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const disabled = await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: false } })
    expect(disabled.body.data).toMatchObject({ is_active: false, is_receiving: false, disabled_at: null })
    await emitEvent()
    expect(await count("webhook_deliveries")).toBe(0)
    const enabled = await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: true } })
    expect(enabled.body.data).toMatchObject({ is_active: true, is_receiving: true })
    expect(await count("webhook_deliveries")).toBe(0)
    await emitEvent()
    expect(await count("webhook_deliveries")).toBe(1)
  })

  test("re-enables an endpoint that failures disabled when `is_active` is set to true", async () => {
    mockReceiver(new Response(null, { status: 500 }))
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const settings = { TENANCY_WEBHOOK_DISABLE_AFTER: "2" }
    const fail = async () => {
      const delivery = await makeDelivery(id)
      await run((ctx) => attemptDelivery(ctx, delivery.id, "first"), { env: withSettings(settings) })
    }
    const state = async () => (await platform("GET", `/webhooks/${id}`, { token })).body.data
    await fail()
    expect(await state()).toMatchObject({ is_receiving: true, consecutive_failures: 1, disabled_at: null })
    await fail()
    expect(await state()).toMatchObject({ is_active: true, is_receiving: false, consecutive_failures: 2 })
    expect((await state()).disabled_at).toMatch(/\+00:00$/)
    await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: false } })
    expect((await state()).disabled_at).not.toBeNull()
    const enabled = await platform("PATCH", `/webhooks/${id}`, { token, json: { is_active: true } })
    expect(enabled.body.data).toMatchObject({ is_receiving: true, consecutive_failures: 0, disabled_at: null })
    await fail()
    expect(await state()).toMatchObject({ is_receiving: true, consecutive_failures: 1 })
  })
})

describe("deleting an endpoint", () => {
  test("hides a deleted endpoint and its deliveries at once and purges them through the queue", async () => {
    const token = await makeKey()
    const deleted = await makeEndpoint()
    const other = await makeEndpoint()
    await emitEvent()
    const [delivery] = await rows("select id from webhook_deliveries where endpoint_id = ?", deleted.id)
    expect((await platform("DELETE", `/webhooks/${deleted.id}`, { token })).status).toBe(204)
    const refused: [string, string][] = [
      ["DELETE", `/webhooks/${deleted.id}`],
      ["GET", `/webhooks/${deleted.id}`],
      ["GET", `/webhooks/${deleted.id}/deliveries`],
      ["POST", `/webhooks/${deleted.id}/test`],
      ["POST", `/webhooks/${deleted.id}/rotate-secret`],
      ["POST", `/webhooks/deliveries/${delivery?.id}/retry`],
    ]
    for (const [method, path] of refused) {
      expect(refusal(await platform(method, path, { token })), path).toEqual([404, "not_found"])
    }
    expect((await platform("GET", "/webhooks", { token })).body).toMatchObject({
      data: [{ id: other.id }],
      meta: { total: 1 },
    })
    await emitEvent()
    expect(await count(`webhook_deliveries where endpoint_id = ${deleted.id}`)).toBe(1)
    expect(env.SLOW_JOB_QUEUE.send).toHaveBeenCalledWith({ job: "endpoint", endpoint: deleted.id })
    for (let twice = 0; twice < 2; twice++)
      await consume("tenancy-slow-jobs", [{ job: "endpoint", endpoint: deleted.id }])
    expect(await rows("select distinct endpoint_id from webhook_deliveries")).toEqual([{ endpoint_id: other.id }])
    expect(await rows("select * from counters where list = ?", `deliveries:${deleted.id}`)).toEqual([])
    expect((await platform("GET", "/webhooks", { token })).body.meta.total).toBe(1)
  })

  test("purges many deliveries in bounded transactions and steps, and the cron continues a lost step", async () => {
    const { id } = await makeEndpoint()
    const { id: delivery } = await makeDelivery(id)
    await env.DB.prepare(
      `insert into webhook_deliveries (endpoint_id, event_id, event, attempt, status, created_at, updated_at, attempts)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 11000)
        select endpoint_id, event_id, event, 1, 'delivered', 1, 1, '[]' from webhook_deliveries, n where id = ${delivery}`,
    ).run()
    await run((ctx) => removeEndpoint(ctx, id))
    const { roundTrips } = await costsOf(() => consume("tenancy-slow-jobs", [{ job: "endpoint", endpoint: id }]))
    expect(roundTrips).toBe(11)
    expect(await count("webhook_deliveries")).toBe(1001)
    vi.mocked(env.SLOW_JOB_QUEUE.send).mockClear()
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + JOB_LEASE_MS })
    await cron("* * * * *")
    const sent = vi.mocked(env.SLOW_JOB_QUEUE.send).mock.calls.map(([message]) => message)
    const purges = sent.filter(({ job }) => job === "endpoint")
    expect(purges).toEqual([{ job: "endpoint", endpoint: id, lease: expect.any(String) }])
    await consume("tenancy-slow-jobs", purges)
    expect([await count("webhook_endpoints"), await count("webhook_deliveries")]).toEqual([0, 0])
  })

  test("purges nothing of an endpoint that was not deleted", async () => {
    const { id } = await makeEndpoint()
    await makeDelivery(id)
    await consume("tenancy-slow-jobs", [{ job: "endpoint", endpoint: id }])
    expect([await count("webhook_endpoints"), await count("webhook_deliveries")]).toEqual([1, 1])
  })
})

describe("rotating a secret", () => {
  test("ends the old secret at once and repairs an endpoint encrypted under another APP_KEY", async () => {
    const hook = mockReceiver()
    const token = await makeKey()
    const endpoint = await makeEndpoint()
    const settings = { APP_KEY: `base64:${"B".repeat(43)}=` }
    const ping = async () =>
      (await platform("POST", `/webhooks/${endpoint.id}/test`, { token, env: settings })).body.data
    expect(await ping()).toMatchObject({
      status: "failed",
      error: expect.stringMatching(/^SecretUnreadable: .*rotate/),
    })

    const rotated = await platform("POST", `/webhooks/${endpoint.id}/rotate-secret`, { token, env: settings })
    expect(rotated.status).toBe(200)
    expect(rotated.body).toEqual({
      data: { id: endpoint.id, secret: expect.stringMatching(/^whsec_[0-9A-Za-z]{40}$/) },
    })
    expect(rotated.body.data.secret).not.toBe(endpoint.plainSecret)
    expect(await ping()).toMatchObject({ status: "delivered" })

    const [request] = hook.requests
    const sent = request?.headers.get("X-Tenancy-Signature")
    const signable = { id: "", timestamp: Number(request?.headers.get("webhook-timestamp")), body: request?.body ?? "" }
    expect(sent).toBe(await buildPlatformSignature(rotated.body.data.secret, signable))
    expect(sent).not.toBe(await buildPlatformSignature(endpoint.plainSecret, signable))
  })
})

describe("concurrent rotations of a secret", () => {
  test("rotates a secret for one of 20 concurrent callers and returns 409 to the others", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    // No caller commits before all have read.
    let reads = 0
    const allRead = Promise.withResolvers<void>()
    const trips = interceptRoundTrips(async (send, [statement = ""]) => {
      const response = await send()
      if (statement.startsWith("select") && statement.includes("webhook_endpoints") && ++reads === 20) allRead.resolve()
      if (statement.startsWith("select") && statement.includes("webhook_endpoints")) await allRead.promise
      return response
    })
    const json = { grace_seconds: 60 }
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => platform("POST", `/webhooks/${id}/rotate-secret`, { token, json })),
    )
    trips.mockRestore()
    const winners = responses.filter(({ status }) => status === 200)
    const losers = responses.filter(({ status }) => status !== 200)
    expect([winners.length, losers.length]).toEqual([1, 19])
    expect(losers.map(refusal)).toEqual(losers.map(() => [409, "illegal_transition"]))
    const [stored] = await rows("select secret, previous_secret from webhook_endpoints")
    expect(await decrypt(settingsOf(isolate.env).APP_KEY, String(stored?.secret))).toBe(winners[0]?.body.data.secret)
    expect(await count("audit_entries where type = 'endpoint_rotated'")).toBe(1)
  })

  test("leaves the last rotated secret valid, and the one before it during its grace period", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const rotate = async () => {
      const json = { grace_seconds: 60 }
      return (await platform("POST", `/webhooks/${id}/rotate-secret`, { token, json })).body.data.secret as string
    }
    const [first, second] = [await rotate(), await rotate()]
    const [stored] = await rows("select secret, previous_secret from webhook_endpoints")
    const { APP_KEY } = settingsOf(isolate.env)
    const valid = [stored?.secret, stored?.previous_secret].map((encrypted) => decrypt(APP_KEY, String(encrypted)))
    expect(await Promise.all(valid)).toEqual([second, first])
  })
})

describe("the test event", () => {
  test("sends a ping regardless of subscriptions and status, and returns the result", async () => {
    const hook = mockReceiver(new Response("pong"))
    const token = await makeKey({ name: "CI" })
    const states = [{ events: ["app.enabled"] }, { isActive: false }, { disabledAt: new Date() }]
    for (const state of states) {
      const endpoint = await makeEndpoint(state)
      const response = await platform("POST", `/webhooks/${endpoint.id}/test`, { token })
      expect(response.status).toBe(202)
      expect(response.body).toEqual({
        data: {
          id: expect.any(Number),
          endpoint_id: endpoint.id,
          event_id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
          event: "ping",
          tenant_id: null,
          attempt: 1,
          status: "delivered",
          response_status: 200,
          response_excerpt: "pong",
          error: null,
          error_hint: null,
          next_attempt_at: null,
          waiting_for: null,
          delivered_at: expect.any(String),
          created_at: expect.any(String),
          updated_at: expect.any(String),
        },
      })
      const sent = hook.events().at(-1)
      expect(sent).toEqual({
        id: response.body.data.event_id,
        type: "ping",
        created_at: expect.any(String),
        api_version: "2026-09-02",
        data: { message: expect.any(String), endpoint_id: endpoint.id },
        meta: { actor: { type: "api_key", id: expect.any(Number), name: "CI" } },
      })
    }
  })

  test("retries a failed ping like any delivery and counts the failure", async () => {
    mockReceiver(new Response(null, { status: 503 }))
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const { data } = (await platform("POST", `/webhooks/${id}/test`, { token })).body
    expect(data).toMatchObject({ status: "failed", attempt: 1, response_status: 503, error: "http_503" })
    expect(data.next_attempt_at).not.toBeNull()
    expect((await rows("select consecutive_failures from webhook_endpoints"))[0]).toEqual({ consecutive_failures: 1 })
  })

  test("returns 404 for a ping to an unknown endpoint and writes nothing", async () => {
    const token = await makeKey()
    expect(refusal(await platform("POST", "/webhooks/99/test", { token }))).toEqual([404, "not_found"])
    expect(await count("webhook_events")).toBe(0)
  })
})

describe("a manual retry", () => {
  const retry = (id: number | string, token: string) => platform("POST", `/webhooks/deliveries/${id}/retry`, { token })

  test("makes one attempt on a manual retry and returns the delivery with its payload", async () => {
    const hook = mockReceiver(new Response("back again"))
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const delivery = await makeDelivery(id, { status: "exhausted", attempt: 6, nextAttemptAt: null, error: "http_500" })
    const response = await retry(delivery.id, token)
    expect(response.status).toBe(200)
    expect(response.body.data).toMatchObject({ id: delivery.id, status: "delivered", attempt: 7, response_status: 200 })
    expect(response.body.data).toMatchObject({ response_excerpt: "back again", error: null, next_attempt_at: null })
    expect(response.body.data.payload).toEqual(hook.events()[0])
    expect((await rows("select status, attempt from webhook_deliveries"))[0]).toEqual({
      status: "delivered",
      attempt: 7,
    })
  })

  test("continues the schedule after a failed manual retry", async () => {
    mockReceiver(new Response(null, { status: 500 }))
    const clock = freezeClock()
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const delivery = await makeDelivery(id, { status: "failed", attempt: 2, nextAttemptAt: new Date(clock.now() + 1) })
    const { data } = (await retry(delivery.id, token)).body
    expect(data).toMatchObject({ status: "failed", attempt: 3, error: "http_500" })
    expect(new Date(data.next_attempt_at).getTime()).toBe(Math.floor(clock.now() / 1000) * 1000 + 1_800_000)
  })

  test("refuses to retry a delivery that is delivered, in flight or unknown", async () => {
    const hook = mockReceiver()
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const done = await makeDelivery(id, { status: "delivered", attempt: 1, nextAttemptAt: null })
    const busy = await makeDelivery(id, { attempt: 1, nextAttemptAt: new Date(Date.now() + 30_000) })
    expect(refusal(await retry(done.id, token))).toEqual([409, "delivery_not_retryable"])
    expect(refusal(await retry(busy.id, token))).toEqual([409, "delivery_not_retryable"])
    for (const none of [4711, "abc", "0", "9".repeat(40)]) {
      expect(refusal(await retry(none, token))).toEqual([404, "not_found"])
    }
    expect(hook.requests).toHaveLength(0)
  })

  test("refuses a second manual retry while one is in flight, until its lease expires", async () => {
    const clock = freezeClock()
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const delivery = await makeDelivery(id, { status: "failed", attempt: 1 })
    const during: unknown[] = []
    mockReceiver(async (_request, n) => {
      if (n > 1) return new Response()
      during.push(refusal(await retry(delivery.id, token)))
      clock.advance(41)
      during.push((await retry(delivery.id, token)).body.data.status)
      return new Response()
    })
    await retry(delivery.id, token)
    expect(during).toEqual([[409, "delivery_not_retryable"], "delivered"])
  })
})

describe("the cost of endpoint requests", () => {
  test("costs at most two round trips per endpoint read and three per write, including the API key", async () => {
    mockReceiver()
    const token = await makeKey()
    const { id } = await makeEndpoint()
    const failed = await makeDelivery(id, { status: "failed", attempt: 1 })
    await platform("GET", "/me", { token })
    const cost = async (...request: Parameters<typeof platform>) => {
      const { roundTrips } = await costsOf(async () => {
        const response = await platform(...request)
        expect(response.status, request.slice(0, 2).join(" ")).toBeLessThan(300)
      })
      return roundTrips
    }
    const json = { url: "https://else.example/hook", events: ["*"] }
    expect(await cost("GET", "/webhooks", { token })).toBeLessThanOrEqual(2)
    expect(await cost("GET", `/webhooks/${id}`, { token })).toBeLessThanOrEqual(2)
    expect(await cost("POST", "/webhooks", { token, json })).toBeLessThanOrEqual(3)
    expect(await cost("PATCH", `/webhooks/${id}`, { token, json: { ...json, is_active: true } })).toBeLessThanOrEqual(3)
    expect(await cost("POST", `/webhooks/${id}/rotate-secret`, { token })).toBeLessThanOrEqual(3)
    expect(await cost("POST", `/webhooks/${id}/test`, { token })).toBeLessThanOrEqual(3)
    expect(await cost("POST", `/webhooks/deliveries/${failed.id}/retry`, { token })).toBeLessThanOrEqual(3)
    expect(await cost("DELETE", `/webhooks/${id}`, { token })).toBeLessThanOrEqual(3)
  })
})
