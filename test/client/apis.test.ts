// Tests the clients of the content API and the license manager, and the options of calls, against the Worker.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test"
import { env } from "cloudflare:workers"
import { describe, expect, test } from "vitest"
import {
  createContentClient,
  createLicenseClient,
  type ResponseInfo,
  signWebhook,
  Tenancy,
  TenancyError,
  type TenancyEvent,
  type TenancyOptions,
  verifyWebhook,
} from "../../src/client/index"
import { loadContentRoutes } from "../../src/content/app"
import { routeTable } from "../../src/core/http/route"
import worker from "../../src/index"
import { licenseManager } from "../../src/license/app"
import { makePost } from "../support/blog-factories"
import { makeKey, makeStore } from "../support/factories"
import { makeServerKey } from "../support/key-factories"
import { makeLicense, makeLicenseKey, makeProduct } from "../support/license-factories"
import { skipTimeouts } from "../support/timers"

type Fetch = NonNullable<TenancyOptions["fetch"]>

/** The Worker as a `fetch`, which records its requests. */
function createWorkerFetch() {
  const requests: Request[] = []
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input as string, init as RequestInit)
    requests.push(request)
    const execution = createExecutionContext()
    const response = await worker.fetch(request as never, env, execution)
    await waitOnExecutionContext(execution)
    return response
  }
  return { fetch, requests }
}

const baseUrl = "http://localhost"
const respond =
  (body: unknown, init?: ResponseInit): Fetch =>
  async () =>
    Response.json(body, init)

describe("the content client", () => {
  test("reads posts and logs a user in", async () => {
    const { fetch } = createWorkerFetch()
    const post = await makePost({ slug: "hello", name: "Hello" })
    const content = createContentClient({ baseUrl, fetch })
    const posts = await content.posts.list({ per_page: 1 })
    expect(posts.data.map(({ name }) => name)).toEqual(["Hello"])
    expect((await content.posts.get(post.id)).data.slug).toBe("hello")
    const account = { email: "ada@example.com", password: "correct-horse" }
    await content.accounts.register({
      ...account,
      first_name: "Ada",
      last_name: "Lovelace",
      password_confirmation: account.password,
    })
    const { data } = await content.accounts.logIn(account)
    const asUser = createContentClient({ baseUrl, fetch, token: data.token })
    expect((await asUser.profile.get()).data.email).toBe("ada@example.com")
  })

  test("uploads a file as a form", async () => {
    const { fetch } = createWorkerFetch()
    const content = createContentClient({ baseUrl, fetch, apiKey: await makeServerKey() })
    const file = new File(["hello"], "hello.txt", { type: "text/plain" })
    const uploaded = await content.files.upload({ folder_id: 0, file })
    expect(uploaded.name).toContain("hello")
  })

  test("throws the message and the fields of an error", async () => {
    const { fetch } = createWorkerFetch()
    const content = createContentClient({ baseUrl, fetch })
    const invalid = content.accounts.logIn({ email: "nobody", password: "" })
    await expect(invalid).rejects.toMatchObject({
      name: "TenancyError",
      operation: "accounts.logIn",
      code: "http_error",
      status: 422,
      message: expect.stringMatching(/./),
      errors: { password: [expect.any(String)] },
    })
    await expect(content.profile.get()).rejects.toMatchObject({ status: 401 })
  })

  test("has a method for every route", async () => {
    const content = createContentClient({ baseUrl })
    const names = Object.entries(content).flatMap(([resource, verbs]) =>
      Object.keys(verbs).map((verb) => `${resource}.${verb}`),
    )
    expect(names.toSorted()).toEqual((await loadContentRoutes().then(routeTable)).map(({ id }) => id).toSorted())
  })
})

describe("the license client", () => {
  test("activates and verifies a license, and lists it as the vendor", async () => {
    const { fetch, requests } = createWorkerFetch()
    const product = await makeProduct()
    const license = await makeLicense(product)
    const installed = createLicenseClient({
      baseUrl,
      fetch,
      key: await makeLicenseKey("external"),
      installationUrl: "https://shop.example",
    })
    const product_id = product.referenceId
    const activated = await installed.client.activate({ product_id, license_code: license.code })
    expect(activated).toMatchObject({ is_active: true })
    const license_data = (activated as { data: { license_data: string } }).data.license_data
    expect(await installed.client.verify({ product_id, license_data })).toMatchObject({ is_active: true })
    expect(requests[0]?.headers.get("X-API-URL")).toBe("https://shop.example")
    const vendor = createLicenseClient({ baseUrl, fetch, key: await makeLicenseKey("internal") })
    expect((await vendor.licenses.list({ per_page: 1 })).data).toHaveLength(1)
    const file = await vendor.licenses.file(license.id)
    expect([file.status, file.headers.get("Content-Type")]).toEqual([200, expect.stringContaining("application/jwt")])
    expect(new TextDecoder().decode(await file.arrayBuffer())).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  })

  test("has a method for every route except those of older clients", () => {
    const client = createLicenseClient({ baseUrl, key: "k" })
    const names = Object.entries(client).flatMap(([resource, verbs]) =>
      Object.keys(verbs).map((verb) => `${resource}.${verb}`),
    )
    const current = routeTable(licenseManager).filter(({ id }) => !id.startsWith("old"))
    expect(names.toSorted()).toEqual(current.map(({ id }) => id).toSorted())
  })

  test("does not repeat a POST, which has no idempotency key, but repeats a GET", async () => {
    skipTimeouts()
    let calls = 0
    const fetch: Fetch = async () => {
      calls += 1
      return new Response("busy", { status: 503 })
    }
    const client = createLicenseClient({ baseUrl, key: "k", fetch, maxRetries: 2 })
    await expect(client.client.check({ license_code: "x" })).rejects.toMatchObject({ status: 503 })
    expect(calls).toBe(1)
    await expect(client.licenses.list()).rejects.toMatchObject({ status: 503 })
    expect(calls).toBe(4)
  })
})

test("the content client repeats an order with one key, which the caller may choose", async () => {
  skipTimeouts()
  const keys: (string | null)[] = []
  const fetch: Fetch = async (_, init) => {
    keys.push(new Headers(init?.headers).get("Idempotency-Key"))
    return new Response("busy", { status: 503 })
  }
  const content = createContentClient({ baseUrl, fetch, maxRetries: 1 })
  const input = { items: [{ product_id: 12, quantity: 1 }] }
  await expect(content.orders.place(input)).rejects.toMatchObject({ status: 503 })
  expect(keys[0]).toMatch(/^[\w-]{36}$/)
  await expect(content.orders.place(input, { headers: { "Idempotency-Key": "mine" } })).rejects.toThrow()
  expect(keys).toEqual([keys[0], keys[0], "mine", "mine"])
  await expect(content.contact.send({ name: "Ada", email: "ada@example.com", message: "Hi" })).rejects.toThrow()
  expect(keys.slice(4)).toEqual([null])
})

describe("options of a call", () => {
  test("override those of the client, and headers are added", async () => {
    skipTimeouts()
    const { fetch, requests } = createWorkerFetch()
    const tenancy = new Tenancy({ baseUrl, key: await makeKey(), fetch, headers: { "X-Trace": "1" }, maxRetries: 3 })
    const call = tenancy.stores.get("nobody", { headers: { "Accept-Language": "fr" } })
    await expect(call).rejects.toMatchObject({ message: "Introuvable." })
    expect(requests[0]?.headers.get("X-Trace")).toBe("1")
    let attempts = 0
    const fail: Fetch = async () => {
      attempts += 1
      return new Response(null, { status: 500 })
    }
    const failing = new Tenancy({ baseUrl, key: "k", fetch: fail })
    await expect(failing.me.get({ maxRetries: 0 })).rejects.toBeInstanceOf(TenancyError)
    expect(attempts).toBe(1)
  })

  test("a hook gets the request id and the rate limit of a response", async () => {
    const { fetch } = createWorkerFetch()
    const seen: ResponseInfo[] = []
    const tenancy = new Tenancy({ baseUrl, key: await makeKey(), fetch, onResponse: (info) => seen.push(info) })
    const own: ResponseInfo[] = []
    await tenancy.me.get({ onResponse: (info) => own.push(info) })
    expect(own).toEqual(seen)
    expect(own).toMatchObject([
      {
        operation: "me.get",
        method: "GET",
        url: "http://localhost/api/platform/v1/me",
        attempt: 1,
        status: 200,
        requestId: expect.stringMatching(/^[0-9A-Z]{26}$/),
        rateLimit: { limit: expect.any(Number), remaining: expect.any(Number) },
      },
    ])
  })

  test("hooks see every attempt and every retry", async () => {
    skipTimeouts()
    const seen: string[] = []
    let calls = 0
    const tenancy = new Tenancy({
      baseUrl,
      key: "k",
      fetch: async () => (++calls === 1 ? new Response(null, { status: 502 }) : Response.json({ data: { id: 1 } })),
      onRequest: ({ attempt }) => seen.push(`request ${attempt}`),
      onResponse: ({ attempt, status }) => seen.push(`response ${attempt} ${status}`),
      onRetry: ({ error, delayMs }) => seen.push(`retry ${error.status} ${delayMs > 0}`),
    })
    await tenancy.me.get()
    expect(seen).toEqual(["request 1", "response 1 502", "retry 502 true", "request 2", "response 2 200"])
  })

  test("an error of a hook is thrown unchanged, and not retried", async () => {
    let calls = 0
    const reason = new Error("hook")
    const tenancy = new Tenancy({
      baseUrl,
      key: "k",
      fetch: async () => Response.json({ data: { id: ++calls } }),
      onResponse: () => {
        throw reason
      },
    })
    await expect(tenancy.me.get()).rejects.toBe(reason)
    expect(calls).toBe(1)
  })

  test.each<[string, (tenancy: Tenancy) => unknown]>([
    ["an id of undefined", (tenancy) => tenancy.stores.get(undefined as never)],
    ["a timeout of 0", (tenancy) => tenancy.me.get({ timeout: 0 })],
    ["a signal that is none", (tenancy) => tenancy.me.get({ signal: {} as never })],
    ["an invalid header", (tenancy) => tenancy.me.get({ headers: { "a b": "c" } })],
    ["an idempotency key with a line break", (tenancy) => tenancy.stores.resume("a", {}, { idempotencyKey: "a\nb" })],
    ["a body that is a text", (tenancy) => tenancy.stores.create("acme" as never)],
    ["options that are a text", (tenancy) => tenancy.me.get("x" as never)],
  ])("%s is a TypeError, and nothing is sent", async (_, misuse) => {
    let calls = 0
    const fetch: Fetch = async () => Response.json({ data: ++calls })
    const tenancy = new Tenancy({ baseUrl, key: "k", fetch })
    await expect((async () => misuse(tenancy))()).rejects.toBeInstanceOf(TypeError)
    expect(calls).toBe(0)
  })

  test("a client without a key or an origin is a TypeError", () => {
    for (const options of [{ baseUrl }, { baseUrl, key: "a b" }, { key: "k" }, { baseUrl: "shops.example", key: "k" }])
      expect(() => new Tenancy(options as never)).toThrow(TypeError)
    expect(() => createLicenseClient({ baseUrl } as never)).toThrow(TypeError)
    expect(() => createContentClient({ baseUrl, token: "" })).toThrow(TypeError)
  })
})

describe("the beginning of a list", () => {
  test("first, take and limit request no more items than they need", async () => {
    const ids: string[] = []
    for (let count = 0; count < 3; count++) ids.unshift(await makeStore())
    const { fetch, requests } = createWorkerFetch()
    const list = new Tenancy({ baseUrl, key: await makeKey(), fetch }).stores.list()
    const newest = new Set(ids)
    expect(newest.has((await list.first())?.id ?? "")).toBe(true)
    expect(await list.take(2)).toHaveLength(2)
    expect(await list.take(0)).toEqual([])
    const limited: string[] = []
    for await (const store of list.limit(5)) limited.push(store.id)
    expect(new Set(limited)).toEqual(newest)
    expect(requests.map(({ url }) => new URL(url).search)).toEqual([
      "?per_page=1&page=1",
      "?per_page=2&page=1",
      "?per_page=5&page=1",
    ])
    for (const count of [-1, 1.5, Number.NaN]) expect(() => list.limit(count)).toThrow(TypeError)
  })

  test("first returns undefined for an empty list", async () => {
    const meta = { page: 1, per_page: 1, total: 0, last_page: 1 }
    const tenancy = new Tenancy({ baseUrl, key: "k", fetch: respond({ data: [], meta }) })
    expect(await tenancy.stores.list().first()).toBeUndefined()
  })
})

describe("signWebhook", () => {
  const secret = `whsec_${btoa("a secret of thirty-two characters")}`
  const event = { id: "01K4YQZ0M8T3V6N9R2B5C7D1EF", type: "ping", data: { message: "é" } } as unknown as TenancyEvent

  test("signs an event so that both schemes verify", async () => {
    const { headers, body } = await signWebhook(event, secret)
    const names = Object.keys(headers)
    for (const scheme of ["x-tenancy-", "webhook-"]) {
      const some = Object.fromEntries(
        names.filter((name) => name.startsWith(scheme)).map((name) => [name, headers[name]]),
      )
      expect(await verifyWebhook({ headers: some, body }, secret)).toEqual(event)
    }
    await expect(verifyWebhook({ headers, body: `${body} ` }, secret)).rejects.toMatchObject({
      code: "signature_mismatch",
    })
    const old = await signWebhook(JSON.stringify(event), secret, { timestamp: 1 })
    await expect(verifyWebhook(old, secret)).rejects.toMatchObject({ code: "timestamp_outside_tolerance" })
  })

  test("rejects a secret and an event of another form", async () => {
    await expect(signWebhook(event, "whsec_!")).rejects.toBeInstanceOf(TypeError)
    await expect(signWebhook("{}", secret)).rejects.toBeInstanceOf(TypeError)
  })

  test("verifyWebhook throws a TypeError for a parsed body, and takes every kind of bytes", async () => {
    const { headers, body } = await signWebhook(event, secret)
    const bytes = new TextEncoder().encode(`__${body}`)
    for (const raw of [bytes.subarray(2), bytes.slice(2).buffer])
      expect(await verifyWebhook({ headers, body: raw }, secret)).toEqual(event)
    for (const parsed of [event, undefined, null, 5])
      await expect(verifyWebhook({ headers, body: parsed as never }, secret)).rejects.toThrow(/raw body/)
  })
})
