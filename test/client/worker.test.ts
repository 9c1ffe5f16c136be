// Tests the client against the Worker over a network that loses, repeats and delays requests and responses.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { drizzle } from "drizzle-orm/d1"
import { beforeEach, describe, expect, test } from "vitest"
import { Tenancy, TenancyError, type TenancyOptions } from "../../src/client/index"
import { stores } from "../../src/db/schema/central/stores"
import { webhookEndpoints } from "../../src/db/schema/central/webhooks"
import worker from "../../src/index"
import { provisionStore } from "../../src/platform/stores/provision"
import { run } from "../support/app"
import { makeKey, makePlan, makeReadyStore, makeStore } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { skipTimeouts } from "../support/timers"
import { emitEvent } from "../support/webhook-factories"

type Fetch = NonNullable<TenancyOptions["fetch"]>

/** The Worker as a `fetch`; `interfere` sits between client and Worker. */
const createFetch =
  (interfere: (request: Request, forward: (request: Request) => Promise<Response>) => Promise<Response>): Fetch =>
  async (input, init) =>
    interfere(new Request(input as string, init as RequestInit), async (request) => {
      const execution = createExecutionContext()
      const response = await worker.fetch(request as never, env, execution)
      const body = response.status === 204 ? null : await response.text()
      await waitOnExecutionContext(execution)
      return new Response(body, response)
    })

const createClient = async (
  trouble: Parameters<typeof createFetch>[0] = (request, carry) => carry(request),
  more = {},
) => new Tenancy({ baseUrl: "http://localhost", key: await makeKey(), fetch: createFetch(trouble), ...more })

const buildStoreInput = (subdomain: string) => ({
  subdomain,
  name: "A shop",
  owner_email: "owner@example.com",
  password: "correct-horse",
})

describe("a client", () => {
  test("the client creates a store, waits until it is ready, updates and deletes it", async () => {
    skipTimeouts()
    const tenancy = await createClient()
    const { slug } = await makePlan()
    const accepted = await tenancy.stores.create({ ...buildStoreInput("clientshop"), plan: slug })
    expect(accepted).toMatchObject({ id: "clientshop", access_state: "preparing" })
    const waiting = tenancy.stores.waitUntil("clientshop", "ready")
    await run((ctx) => provisionStore(ctx, "clientshop"))
    expect(await waiting).toMatchObject({ status: "ready", subscription: { plan: { slug } } })
    expect(await tenancy.stores.update("clientshop", { name: "Another name" })).toMatchObject({ name: "Another name" })
    const apps = await tenancy.apps.enable("clientshop", "reviews")
    expect(apps.filter((app) => app.enabled).map((app) => app.slug)).toContain("reviews")
    expect((await tenancy.domains.list("clientshop").page()).meta.plan_allows_custom_domains).toBe(true)
    const domain = await tenancy.domains.create("clientshop", { domain: "shop.customer.example" })
    expect(domain.verification?.txt_name).toBe("_tenancy-verify.shop.customer.example")
    expect((await tenancy.audit.list("clientshop").all()).at(-1)).toMatchObject({ type: "store_created" })
    await tenancy.stores.delete("clientshop", { confirm: "clientshop" })
    await expect(tenancy.stores.get("clientshop")).rejects.toMatchObject({ code: "not_found", status: 404 })
  })

  test("waitUntil rejects when the store failed", async () => {
    const id = await makeStore()
    await drizzle(env.DB).update(stores).set({ status: "failed" })
    const tenancy = await createClient()
    await expect(tenancy.stores.waitUntil(id, "ready")).rejects.toMatchObject({ code: "wait_failed" })
  })

  test("waitUntil rejects after the timeout", async () => {
    const id = await makeStore()
    const tenancy = await createClient()
    await expect(tenancy.stores.waitUntil(id, "ready", { timeout: 1 })).rejects.toMatchObject({ code: "wait_timeout" })
  })

  test("iterates over every page of a list", async () => {
    const createdIds = new Set<string>()
    for (let count = 0; count < 5; count++) createdIds.add(await makeReadyStore())
    const tenancy = await createClient()
    const seen: string[] = []
    for await (const store of tenancy.stores.list({ per_page: 2 })) seen.push(store.id)
    expect(seen).toHaveLength(5)
    expect(new Set(seen)).toEqual(createdIds)
    const page = await tenancy.stores.list({ per_page: 2, include: "usage" }).page(2)
    expect(page.meta).toEqual({ page: 2, per_page: 2, total: 5, last_page: 3 })
    expect(page.data.map((store) => store.id)).toEqual(seen.slice(2, 4))
    expect(page.data[0]?.usage?.period).toMatch(/^\d{4}-\d\d$/)
  })

  test("repeats no item when one is added during the iteration", async () => {
    for (let count = 0; count < 4; count++) await makeStore()
    const tenancy = await createClient()
    const seen: string[] = []
    for await (const store of tenancy.stores.list({ per_page: 2 })) {
      seen.push(store.id)
      if (seen.length === 2) await makeStore()
    }
    expect(seen).toHaveLength(4)
    expect(new Set(seen).size).toBe(4)
  })

  test("throws an error with its code, fields and request id", async () => {
    const tenancy = await createClient()
    const thrown = await tenancy.stores.create({ ...buildStoreInput("Not Valid!"), name: "" }).catch((error) => error)
    expect(thrown).toBeInstanceOf(TenancyError)
    expect(thrown).toMatchObject({ code: "validation_failed", status: 422, operation: "stores.create" })
    expect(Object.keys(thrown.errors).toSorted()).toEqual(["name", "subdomain"])
    expect(thrown.requestId).toMatch(/^[0-9A-Z]{26}$/)
    expect(TenancyError.is(thrown, "stores.create")).toBe(true)
    expect(TenancyError.is(thrown, "stores.get")).toBe(false)
    if (TenancyError.is(thrown, "stores.create")) {
      const code: "subdomain_taken" | typeof thrown.code = thrown.code
      // @ts-expect-error: no creation of a store is refused with this
      expect(code === "confirm_mismatch").toBe(false)
    }
  })
})

describe("following the log", () => {
  test("follow returns every event once and in order over a failing network", async () => {
    skipTimeouts()
    let calls = 0
    const tenancy = await createClient(async (request, carry) => {
      const response = await carry(request)
      if (++calls % 3 === 0) throw new TypeError("fetch failed")
      return response
    })
    for (let mark = 0; mark < 250; mark++) await emitEvent("store.ready", { mark })
    const seen: number[] = []
    for await (const event of tenancy.events.follow({ types: ["store.*"] })) {
      seen.push((event.data as unknown as { mark: number }).mark)
      if (seen.length === 200) await emitEvent("store.ready", { mark: 250 })
      if (seen.length === 251) break
    }
    expect(seen).toEqual(Array.from({ length: 251 }, (_, mark) => mark))
  })

  const getMark = (event: { data: unknown }) => (event.data as { mark: number }).mark

  test("loses and repeats no event when it starts again with the cursor that the loop saved, wherever the loop was left", async () => {
    for (let mark = 0; mark < 30; mark++) await emitEvent("store.ready", { mark })
    const tenancy = await createClient()
    const seen: number[] = []
    let saved: string | undefined
    while (seen.length < 30) {
      const stream = tenancy.events.follow({ after: saved })
      let left = 1 + (seen.length % 4)
      for await (const event of stream) {
        // The event at which the loop is left is not handled, and its cursor not saved.
        if (left-- === 0) break
        seen.push(getMark(event))
        saved = stream.cursor
        if (seen.length === 30) break
      }
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, mark) => mark))
  })

  test("follow yields each later event once after a restart with the saved cursor", async () => {
    await emitEvent("store.ready", { mark: 0 })
    skipTimeouts()
    let polls = 0
    const tenancy = await createClient(async (request, forward) => {
      if (++polls === 2) await emitEvent("store.ready", { mark: 1 })
      return forward(request)
    })
    const first = tenancy.events.follow({ after: "now" })
    const seen: number[] = []
    let saved: string | undefined
    for await (const event of first) {
      seen.push(getMark(event))
      saved = first.cursor
      break
    }
    for (const mark of [2, 3]) await emitEvent("store.ready", { mark })
    for await (const event of tenancy.events.follow({ after: saved })) {
      seen.push(getMark(event))
      if (seen.length === 3) break
    }
    expect(seen).toEqual([1, 2, 3])
  })

  test("follow from `now` has a cursor before the first event", async () => {
    skipTimeouts()
    const asked: (string | null)[] = []
    const controller = new AbortController()
    const tenancy = await createClient(async (request, carry) => {
      const { searchParams } = new URL(request.url)
      asked.push(searchParams.get("after"), searchParams.get("wait"))
      if (asked.length > 2) controller.abort(new Error("enough"))
      return carry(request)
    })
    const stream = tenancy.events.follow({ after: "now" }, { signal: controller.signal })
    const walk = async () => {
      for await (const event of stream) return event
    }
    await expect(walk()).rejects.toThrow("enough")
    expect(asked).toEqual(["now", "0", expect.stringMatching(/^ev1_/), "25"])
    expect(stream.cursor).toMatch(/^ev1_/)
  })

  test("continues behind the event at which the loop was left when the same stream is walked again", async () => {
    for (let mark = 0; mark < 5; mark++) await emitEvent("store.ready", { mark })
    const stream = (await createClient()).events.follow()
    const seen: number[] = []
    while (seen.length < 5) {
      for await (const event of stream) {
        seen.push(getMark(event))
        break
      }
    }
    expect(seen).toEqual([0, 1, 2, 3, 4])
  })

  test("asks a quiet platform no more than once a second, and ends with its signal", async () => {
    const pauses = skipTimeouts()
    const controller = new AbortController()
    const reason = new Error("enough")
    let calls = 0
    const tenancy = await createClient(async () => {
      if (++calls === 3) controller.abort(reason)
      return Response.json({ data: [], meta: { next_cursor: "ev1_0", has_more: false } })
    })
    const walk = async () => {
      for await (const event of tenancy.events.follow({ after: "now" }, { signal: controller.signal })) return event
    }
    await expect(walk()).rejects.toBe(reason)
    expect(pauses.filter((pause) => pause > 900 && pause <= 1_000)).toHaveLength(2)
  })
})

describe("over a bad network", () => {
  const countEndpoints = async () => (await drizzle(env.DB).select().from(webhookEndpoints)).length
  const endpoint = { url: "https://receiver.example/hook", events: ["*" as const] }
  beforeEach(() => void mockReceiver())

  test("retries a write whose response is lost without repeating it", async () => {
    skipTimeouts()
    let attempts = 0
    const tenancy = await createClient(async (request, carry) => {
      const response = await carry(request)
      if (++attempts < 3) throw new TypeError("fetch failed", { cause: new Error("socket hang up") })
      return response
    })
    const created = await tenancy.webhooks.create(endpoint)
    expect(created.secret).toMatch(/^whsec_/)
    expect(attempts).toBe(3)
    expect(await countEndpoints()).toBe(1)
  })

  test("retries a write whose response is truncated without repeating it", async () => {
    skipTimeouts()
    let tries = 0
    const tenancy = await createClient(async (request, carry) => {
      const response = await carry(request)
      const text = await response.text()
      return ++tries === 1 ? new Response(text.slice(0, 20), response) : new Response(text, response)
    })
    expect((await tenancy.webhooks.create(endpoint)).id).toBeGreaterThan(0)
    expect(await countEndpoints()).toBe(1)
  })

  test("a duplicated write takes effect once", async () => {
    skipTimeouts()
    const tenancy = await createClient(async (request, carry) => {
      const [, second] = await Promise.all([carry(request.clone() as Request), carry(request)])
      return second
    })
    expect((await tenancy.webhooks.create(endpoint)).id).toBeGreaterThan(0)
    expect(await countEndpoints()).toBe(1)
  })

  test("all attempts of a write share a key, and each call has its own", async () => {
    skipTimeouts()
    const keys: (string | null)[] = []
    const tenancy = await createClient(async (request, carry) => {
      keys.push(request.headers.get("Idempotency-Key"))
      if (keys.length < 3) throw new TypeError("fetch failed")
      return carry(request)
    })
    await tenancy.webhooks.create(endpoint)
    await tenancy.webhooks.create(endpoint)
    expect(new Set(keys.slice(0, 3)).size).toBe(1)
    expect(keys[3]).not.toBe(keys[0])
    await tenancy.webhooks.create(endpoint, { idempotencyKey: "mine" })
    expect(keys.at(-1)).toBe("mine")
  })

  test("waits for Retry-After when rate limited", async () => {
    const pauses = skipTimeouts()
    let tries = 0
    const tenancy = await createClient(async (request, carry) => {
      if (++tries > 1) return carry(request)
      const error = { code: "rate_limited", message: "Too many requests." }
      return Response.json({ error }, { status: 429, headers: { "Retry-After": "7" } })
    })
    await tenancy.me.get()
    expect(pauses.filter((pause) => pause >= 7_000 && pause <= 7_250)).toHaveLength(1)
  })

  test("throws instead of waiting for a long Retry-After", async () => {
    const tenancy = await createClient(async () =>
      Response.json(
        { error: { code: "rate_limited", message: "No." } },
        { status: 429, headers: { "Retry-After": "3600" } },
      ),
    )
    await expect(tenancy.me.get()).rejects.toMatchObject({ code: "rate_limited", retryAfter: 3600 })
  })

  test("throws the last error after maxRetries", async () => {
    skipTimeouts()
    let tries = 0
    const down = async () => {
      tries += 1
      return new Response("<h1>Bad gateway</h1>", { status: 502 })
    }
    const tenancy = await createClient(down, { maxRetries: 2 })
    await expect(tenancy.me.get()).rejects.toMatchObject({ code: "http_error", status: 502 })
    expect(tries).toBe(3)
  })

  test("does not retry a client error", async () => {
    let tries = 0
    const tenancy = await createClient((request, carry) => {
      tries += 1
      return carry(request)
    })
    await expect(tenancy.stores.get("nobody")).rejects.toMatchObject({ code: "not_found" })
    expect(tries).toBe(1)
  })

  test("retries an attempt that times out", async () => {
    let tries = 0
    const hang = (request: Request) =>
      new Promise<never>((_, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason))
      })
    const tenancy = await createClient((request, carry) => (++tries === 1 ? hang(request) : carry(request)), {
      timeout: 300,
    })
    expect((await tenancy.me.get()).is_usable).toBe(true)
    expect(tries).toBe(2)
    const never = await createClient(hang, { timeout: 20, maxRetries: 0 })
    await expect(never.me.get()).rejects.toMatchObject({ code: "timeout", status: 0 })
  })

  test("a signal aborts a call during its retry delay with the signal's reason", async () => {
    const reason = new Error("enough")
    const controller = new AbortController()
    const tenancy = await createClient(async () => {
      queueMicrotask(() => controller.abort(reason))
      return new Response(null, { status: 503, headers: { "Retry-After": "60" } })
    })
    await expect(tenancy.me.get({ signal: controller.signal })).rejects.toBe(reason)
  })
})
