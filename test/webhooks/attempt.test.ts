// One attempt: its outcome for each kind of response, the states it may start from, and its writes.
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import type { Ctx } from "../../src/core/context"
import { attemptDelivery, sendAttempt } from "../../src/webhooks/attempt"
import { type Delivery, reserveManual } from "../../src/webhooks/reserve"
import { getNextAttemptAt, MAX_ATTEMPTS } from "../../src/webhooks/schedule"
import { platform, run, withSettings } from "../support/app"
import { costsOf } from "../support/costs"
import { makeEndpoint, makeKey } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { rows } from "../support/rows"
import { controlDeadlines } from "../support/timers"
import { freezeClock, makeDelivery } from "../support/webhook-factories"

type Trigger = "first" | "retry" | "manual"

const attemptAs = (id: number, kind: Trigger, settings = {}) =>
  run(
    (ctx) =>
      kind === "first" ? attemptDelivery(ctx, id, kind) : kind === "retry" ? attemptDue(ctx, id) : retry(ctx, id),
    {
      env: withSettings(settings),
    },
  )

/** Makes the attempt that a sweep would enqueue, if the delivery is due. */
async function attemptDue(ctx: Ctx, id: number): Promise<Delivery | null> {
  const [row] = await rows("select next_attempt_at as at from webhook_deliveries where id = ?", id)
  const isDue = typeof row?.at === "number" && row.at <= Date.now()
  return isDue ? attemptDelivery(ctx, id, new Date(Number(row.at))) : null
}

/** Makes a manual attempt. */
async function retry(ctx: Ctx, id: number): Promise<Delivery | null> {
  const reservation = await reserveManual(ctx, id)
  return reservation && sendAttempt(ctx, reservation)
}

/** Makes the first attempt of a new delivery and returns its row and its endpoint's. */
async function deliverOnce(settings = {}, overrides: Parameters<typeof makeEndpoint>[0] = {}) {
  const endpoint = await makeEndpoint(overrides)
  const { id } = await makeDelivery(endpoint.id)
  const row = await attemptAs(id, "first", settings)
  if (!row) throw new Error("no attempt was made")
  const [stored] = await rows("select * from webhook_endpoints where id = ?", endpoint.id)
  return { row, endpoint: stored }
}

describe("the retry schedule", () => {
  test("schedules retries after 60, 300, 1800, 7200 and 43200 seconds", () => {
    const delays = [1, 2, 3, 4, 5].map((number) => getNextAttemptAt(number, new Date(0))?.getTime())
    expect(delays).toEqual([60_000, 300_000, 1_800_000, 7_200_000, 43_200_000])
  })

  test("schedules no retry after the sixth attempt or any later one", () => {
    expect(MAX_ATTEMPTS).toBe(6)
    expect(getNextAttemptAt(6, new Date(0))).toBeNull()
    expect(getNextAttemptAt(7, new Date(0))).toBeNull()
  })
})

/** `last_success_at` of the newest endpoint, in milliseconds since 1970. */
const lastSuccess = async () => {
  const { body } = await platform("GET", "/webhooks", { token: await makeKey() })
  const at = body.data[0].last_success_at
  return at === null ? null : Date.parse(at)
}

describe("the response of a receiver", () => {
  test("marks the delivery as delivered on any 2xx response", async () => {
    const clock = freezeClock()
    for (const status of [200, 201, 202, 204, 299]) {
      const hook = mockReceiver(new Response(status === 204 ? null : "thanks", { status }))
      const { row, endpoint } = await deliverOnce()
      expect(row).toMatchObject({ status: "delivered", attempt: 1, responseStatus: status, error: null })
      expect(row).toMatchObject({ nextAttemptAt: null, deliveredAt: new Date(clock.now()) })
      expect(row.responseExcerpt).toBe(status === 204 ? "" : "thanks")
      expect(endpoint).toMatchObject({ consecutive_failures: 0, last_failure_at: null })
      expect(await lastSuccess()).toBe(Math.floor(clock.now() / 1000) * 1000)
      expect(hook.requests).toHaveLength(1)
      hook.spy.mockRestore()
    }
  })

  test("marks the delivery as failed on any other status and does not follow redirects", async () => {
    const clock = freezeClock()
    for (const status of [301, 302, 303, 307, 308, 400, 401, 404, 418, 429, 500, 502, 503, 599]) {
      const hook = mockReceiver(new Response("no", { status, headers: { Location: "https://elsewhere.example/" } }))
      const { row, endpoint } = await deliverOnce()
      expect(row).toMatchObject({ status: "failed", attempt: 1, responseStatus: status, error: `http_${status}` })
      expect(row).toMatchObject({ responseExcerpt: "no", deliveredAt: null })
      expect(row.nextAttemptAt).toEqual(new Date(clock.now() + 60_000))
      expect(endpoint).toMatchObject({ consecutive_failures: 1, last_failure_at: clock.now() })
      expect(await lastSuccess()).toBeNull()
      expect(hook.requests.map((request) => request.url)).toEqual(["https://receiver.example/hook"])
      expect(hook.spy.mock.calls.at(-1)?.[1]?.redirect).toBe("manual")
      hook.spy.mockRestore()
    }
  })

  test("records the class and message of a network error", async () => {
    mockReceiver(new Error("Network connection lost."))
    const { row } = await deliverOnce()
    expect(row).toMatchObject({ status: "failed", error: "Error: Network connection lost.", responseStatus: null })
  })

  test("truncates the message of a TLS error to 500 characters", async () => {
    mockReceiver(new TypeError(`certificate ${"x".repeat(5_000)}`))
    const { row } = await deliverOnce()
    expect(row.error).toMatch(/^TypeError: certificate x+$/)
    expect(row.error).toHaveLength(500)
  })

  test("fails with `timeout` and aborts the request when the receiver does not respond", async () => {
    const deadlines = controlDeadlines()
    let ended = false
    const hook = mockReceiver(
      (_request, _count, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            ended = true
            reject(signal.reason)
          })
        }),
    )
    const [{ row }] = await Promise.all([deliverOnce(), hook.received(1).then(() => deadlines.at(-1)?.expire())])
    expect(row).toMatchObject({ status: "failed", error: "timeout", responseStatus: null, responseExcerpt: null })
    expect(ended).toBe(true)
  })

  test("fails with `timeout` when the response body trickles past the deadline", async () => {
    const deadlines = controlDeadlines()
    let bytes = 0
    let cancelled = false
    mockReceiver(
      () =>
        new Response(
          new ReadableStream({
            pull: (stream) => {
              if (++bytes === 10) for (const { expire } of deadlines) expire()
              stream.enqueue(new Uint8Array([120]))
            },
            cancel: () => {
              cancelled = true
            },
          }),
        ),
    )
    const { row } = await deliverOnce()
    expect(row).toMatchObject({ status: "failed", error: "timeout" })
    expect(cancelled).toBe(true)
    // The stream buffers one byte ahead of the reader.
    expect(bytes).toBeLessThanOrEqual(12)
  })

  test("fails with `timeout` when the response body stalls", async () => {
    const deadlines = controlDeadlines()
    mockReceiver(() => {
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(new Uint8Array([97])),
        // The reader waits for the second byte.
        pull: () => {
          for (const { expire } of deadlines) expire()
        },
      })
      return new Response(body)
    })
    const { row } = await deliverOnce()
    expect(row).toMatchObject({ status: "failed", error: "timeout", responseStatus: null })
  })

  test("reads one kilobyte of a 100 MB response and cancels the rest", async () => {
    let sent = 0
    let cancelled = false
    const chunk = new Uint8Array(64 * 1024).fill(97)
    mockReceiver(
      () =>
        new Response(
          new ReadableStream({
            pull: (stream) => {
              sent += chunk.length
              if (sent > 100_000_000) stream.close()
              else stream.enqueue(chunk)
            },
            cancel: () => {
              cancelled = true
            },
          }),
        ),
    )
    const { row } = await deliverOnce()
    expect(row).toMatchObject({ status: "delivered", responseExcerpt: "a".repeat(1024) })
    expect(cancelled).toBe(true)
    expect(sent).toBeLessThan(1_000_000)
  })

  test("stores a response that is not UTF-8 or contains null bytes as readable text", async () => {
    mockReceiver(new Response(new Uint8Array([0xff, 0xfe, 0x00, 0x41, 0xc3]), { status: 500 }))
    const { row } = await deliverOnce()
    expect(row.responseExcerpt).toBe("\uFFFD\uFFFD\uFFFDA\uFFFD")
  })

  test("drops only the last character of an excerpt that is cut inside a character", async () => {
    mockReceiver(new Response(`${"a".repeat(1022)}€€`))
    const { row } = await deliverOnce()
    expect(row.responseExcerpt).toBe("a".repeat(1022))
  })

  test.each([
    [200, {}, { status: "delivered", error: null }, { consecutive_failures: 0, disabled_at: null }],
    [410, {}, { status: "exhausted", error: "http_410" }, { disabled_at: expect.any(Number), disabled_reason: "gone" }],
    [503, { "Retry-After": "7200" }, { status: "failed", error: "http_503" }, { consecutive_failures: 1 }],
  ])("counts status %d when the response body breaks off", async (status, headers, delivery, state) => {
    const clock = freezeClock()
    mockReceiver(
      () =>
        new Response(
          new ReadableStream({
            start: (stream) => stream.enqueue(new TextEncoder().encode("partial")),
            pull: (stream) => stream.error(new Error("Network connection lost.")),
          }),
          { status, headers },
        ),
    )
    const { row, endpoint } = await deliverOnce()
    expect(row).toMatchObject({ ...delivery, responseStatus: status, responseExcerpt: "partial" })
    expect(row.nextAttemptAt).toEqual(status === 503 ? new Date(clock.now() + 7_200_000) : null)
    expect(endpoint).toMatchObject(state)
  })
})

describe("the checks before a request", () => {
  test("resolves the host again and fails with `unsafe_host` when it has become private", async () => {
    const clock = freezeClock()
    const hook = mockReceiver(undefined, "10.0.0.7")
    const { row, endpoint } = await deliverOnce()
    expect(row).toMatchObject({ status: "failed", attempt: 1, error: "unsafe_host", responseStatus: null })
    expect(row.nextAttemptAt).toEqual(new Date(clock.now() + 60_000))
    expect(endpoint).toMatchObject({ consecutive_failures: 1 })
    expect(hook.requests).toHaveLength(0)
  })

  test.each([
    ["a name that does not resolve", () => []],
    ["a name whose servers fail", 2],
    ["a name that the resolver refuses", 5],
    ["one inward address among several", () => ["203.0.114.1", "203.0.114.2", "::1"]],
  ])("fails with `unsafe_host` for %s", async (_, dns) => {
    const hook = mockReceiver(undefined, dns)
    const { row, endpoint } = await deliverOnce()
    expect(row).toMatchObject({ status: "failed", attempt: 1, error: "unsafe_host" })
    expect(endpoint).toMatchObject({ consecutive_failures: 1 })
    expect(hook.requests).toHaveLength(0)
  })

  test("refuses the platform's own hosts even where private addresses are allowed", async () => {
    const hook = mockReceiver()
    const settings = { TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true" }
    expect((await deliverOnce(settings, { url: "https://shop.localhost/hook" })).row.error).toBe("unsafe_host")
    expect((await deliverOnce(settings, { url: "https://192.168.0.9:8443/hook" })).row.status).toBe("delivered")
    expect(hook.requests).toHaveLength(1)
  })

  test("sends nothing and names the cause when the secret was encrypted under another APP_KEY", async () => {
    const hook = mockReceiver()
    const { row } = await deliverOnce({ APP_KEY: `base64:${"B".repeat(43)}=` })
    expect(row).toMatchObject({ status: "failed", attempt: 1 })
    expect(row.error).toBe("SecretUnreadable: encrypted under another APP_KEY; rotate the endpoint's secret")
    expect(hook.requests).toHaveLength(0)
  })
})

describe("a request", () => {
  test("posts the stored payload with the documented headers", async () => {
    const hook = mockReceiver()
    const { row } = await deliverOnce()
    const [request] = hook.requests
    const [event] = await rows("select payload from webhook_events")
    expect(request?.body).toBe(event?.payload)
    const headers = Object.fromEntries(request?.headers ?? [])
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Tenancy-Webhooks/2026-09-02",
      "x-tenancy-event": "store.ready",
      "x-tenancy-delivery": row.eventId,
      "webhook-id": row.eventId,
    })
    expect(headers["x-tenancy-signature"]).toMatch(new RegExp(`^t=${headers["webhook-timestamp"]},v1=[0-9a-f]{64}$`))
    expect(headers["webhook-signature"]).toMatch(/^v1,[0-9A-Za-z+/]{43}=$/)
  })

  test("repeats the id and payload on a retry and signs with the new time", async () => {
    const clock = freezeClock()
    const hook = mockReceiver(new Response(null, { status: 500 }))
    const { row } = await deliverOnce()
    clock.advance(60)
    await attemptAs(row.id, "retry")
    const [first, second] = hook.requests
    expect(second?.body).toBe(first?.body)
    expect(second?.headers.get("webhook-id")).toBe(first?.headers.get("webhook-id"))
    expect(Number(second?.headers.get("webhook-timestamp"))).toBe(Number(first?.headers.get("webhook-timestamp")) + 60)
  })

  test("makes an attempt in two round trips and one call of the failure counter", async () => {
    mockReceiver()
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id)
    expect(await costsOf(() => attemptAs(id, "first"))).toMatchObject({ roundTrips: 2, objectCalls: 1 })
  })

  test("resets failures that occurred after the endpoint's row was read", async () => {
    mockReceiver((_, count) => new Response(null, { status: count === 1 ? 500 : 200 }))
    const endpoint = await makeEndpoint()
    const [first, second] = [await makeDelivery(endpoint.id), await makeDelivery(endpoint.id)]
    await attemptAs(first.id, "first")
    const counted = "select consecutive_failures, failure_seq from webhook_endpoints"
    expect(await rows(counted)).toEqual([{ consecutive_failures: 1, failure_seq: 1 }])
    await rows("update webhook_endpoints set consecutive_failures = 0, failure_seq = 0")
    expect((await attemptAs(second.id, "first"))?.status).toBe("delivered")
    expect(await rows(counted)).toEqual([{ consecutive_failures: 0, failure_seq: 2 }])
  })
})

describe("the states from which an attempt starts", () => {
  const PAST = new Date(Date.now() - 1_000)
  const FUTURE = new Date(Date.now() + 60_000)
  const states: [string, Partial<Delivery>, Trigger[]][] = [
    ["new, waiting for the queue", { status: "pending", attempt: 0, nextAttemptAt: FUTURE }, ["first", "manual"]],
    ["new, message lost", { status: "pending", attempt: 0, nextAttemptAt: PAST }, ["first", "retry", "manual"]],
    ["in flight", { status: "pending", attempt: 1, nextAttemptAt: FUTURE }, []],
    ["reserved by a worker that died", { status: "pending", attempt: 1, nextAttemptAt: PAST }, ["retry", "manual"]],
    ["failed, not due yet", { status: "failed", attempt: 1, nextAttemptAt: FUTURE }, ["manual"]],
    ["failed and due", { status: "failed", attempt: 1, nextAttemptAt: PAST }, ["retry", "manual"]],
    ["exhausted", { status: "exhausted", attempt: 6, nextAttemptAt: null }, ["manual"]],
    ["delivered", { status: "delivered", attempt: 1, nextAttemptAt: null }, []],
  ]
  test("allows an attempt depending on the delivery's status and on the trigger", async () => {
    const hook = mockReceiver()
    const endpoint = await makeEndpoint()
    for (const [name, state, allowed] of states) {
      for (const kind of ["first", "retry", "manual"] as const) {
        const { id } = await makeDelivery(endpoint.id, state)
        const before = hook.requests.length
        const row = await attemptAs(id, kind)
        const [stored] = await rows("select status, attempt from webhook_deliveries where id = ?", id)
        const expected = { status: "delivered", attempt: (state.attempt ?? 0) + 1 }
        const isAllowed = allowed.includes(kind)
        expect(hook.requests.length - before, `${kind}: ${name}`).toBe(isAllowed ? 1 : 0)
        expect(stored, `${kind}: ${name}`).toEqual(
          isAllowed ? expected : { status: state.status, attempt: state.attempt },
        )
        expect(row === null, `${kind}: ${name}`).toBe(!isAllowed)
      }
    }
  })

  test("makes no attempt of an unknown delivery", async () => {
    expect(await attemptAs(4711, "manual")).toBeNull()
  })

  test.each(["first", "retry", "manual"] as const)(
    "makes the %s attempt once when three workers try it concurrently",
    async (kind) => {
      const hook = mockReceiver()
      const endpoint = await makeEndpoint()
      const { id } = await makeDelivery(endpoint.id)
      const results = await Promise.all([1, 2, 3].map(() => attemptAs(id, kind)))
      expect(results.filter(Boolean)).toHaveLength(1)
      expect(hook.requests).toHaveLength(1)
    },
  )

  test("leases an attempt for the timeout plus thirty seconds", async () => {
    const clock = freezeClock()
    let lease: Record<string, unknown> | undefined
    mockReceiver(async () => {
      lease = (await rows("select status, attempt, next_attempt_at from webhook_deliveries"))[0]
      return new Response()
    })
    await deliverOnce()
    // The milliseconds of its end are random.
    expect(lease).toMatchObject({ status: "pending", attempt: 1 })
    expect(Math.ceil((Number(lease?.next_attempt_at) - clock.now()) / 1000)).toBe(40)
  })
})

describe("an endpoint that does not receive", () => {
  const disabled: [string, Parameters<typeof makeEndpoint>[0]][] = [
    ["disabled by the operator", { isActive: false }],
    ["disabled by failures", { disabledAt: new Date() }],
  ]
  test.each(disabled)(
    "closes due deliveries without a request or a counted attempt when the endpoint is %s",
    async (_, overrides) => {
      const hook = mockReceiver()
      const endpoint = await makeEndpoint(overrides)
      const pending = await makeDelivery(endpoint.id)
      const failed = await makeDelivery(endpoint.id, { status: "failed", attempt: 3, error: "http_500" })
      const closed = { status: "exhausted", error: "endpoint_disabled", nextAttemptAt: null }
      expect(await attemptAs(pending.id, "first")).toMatchObject({ ...closed, attempt: 0 })
      expect(await attemptAs(failed.id, "retry")).toMatchObject({ ...closed, attempt: 3 })
      expect(hook.requests).toHaveLength(0)
    },
  )

  test("allows a manual attempt at an endpoint that does not receive", async () => {
    const hook = mockReceiver()
    const endpoint = await makeEndpoint({ isActive: false })
    const { id } = await makeDelivery(endpoint.id, { status: "exhausted", error: "endpoint_disabled" })
    expect(await attemptAs(id, "manual")).toMatchObject({ status: "delivered", attempt: 1, error: null })
    expect(hook.requests).toHaveLength(1)
  })
})

describe("the last attempt", () => {
  test("exhausts the delivery when the last attempt fails", async () => {
    mockReceiver(new Response(null, { status: 500 }))
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id, { status: "failed", attempt: 5 })
    expect(await attemptAs(id, "retry")).toMatchObject({ status: "exhausted", attempt: 6, nextAttemptAt: null })
  })

  test("closes the delivery when the worker of the last attempt died", async () => {
    const hook = mockReceiver()
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id, { status: "pending", attempt: 6 })
    expect(await attemptAs(id, "retry")).toMatchObject({ status: "exhausted", attempt: 6 })
    expect((await rows("select error from webhook_deliveries"))[0]?.error).toMatch(/^AttemptLost: /)
    expect(hook.requests).toHaveLength(0)
  })

  test("leaves an exhausted delivery exhausted when a manual attempt fails", async () => {
    mockReceiver(new Response(null, { status: 500 }))
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id, { status: "exhausted", attempt: 6, nextAttemptAt: null })
    expect(await attemptAs(id, "manual")).toMatchObject({ status: "exhausted", attempt: 7, nextAttemptAt: null })
  })
})

describe("a late worker", () => {
  test("does not overwrite the result of a newer attempt with a late one", async () => {
    const clock = freezeClock()
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id)
    mockReceiver(async (_request, count) => {
      if (count > 1) return new Response("in time")
      clock.advance(41)
      await attemptAs(id, "retry")
      return new Response("too late", { status: 500 })
    })
    expect(await attemptAs(id, "first")).toMatchObject({ status: "delivered", attempt: 2, responseExcerpt: "in time" })
  })

  test("returns null when the delivery was deleted during the attempt", async () => {
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id)
    mockReceiver(async () => {
      await env.DB.prepare("delete from webhook_endpoints").run()
      return new Response()
    })
    expect(await attemptAs(id, "first")).toBeNull()
  })
})
