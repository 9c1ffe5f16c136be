// OWASP API10, unsafe consumption of APIs: third parties may return nothing, garbage, endless bodies or redirects. The
// platform reports a refusal or failure, returns no 500, responds in time and leaves no partial change.
import { afterEach, describe, expect, test, vi } from "vitest"
import { addMs, DAY } from "../../src/lib/time"
import { call, platform, type TestResponse } from "../support/app"
import { ZONE } from "../support/cloudflare"
import { content } from "../support/content-factories"
import { disableRateLimits } from "../support/credentials"
import { makeEndpoint, makeKey, makePlan } from "../support/factories"
import { makeUnlimitedStore } from "../support/full-store"
import { externalClient, makeProduct } from "../support/license-factories"
import { rows } from "../support/rows"
import { diffStates, readState } from "../support/state"
import { setSubscription } from "../support/subscription-factories"

const endless = () =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
  })

/** Bad responses of third parties. */
const BAD_RESPONSES: Record<string, () => Response> = {
  "a network error": () => {
    throw new TypeError("Network connection lost.")
  },
  nothing: () => new Response(null, { status: 204 }),
  "an empty body": () => new Response(""),
  "an HTML page": () => new Response("<html>It works!</html>", { headers: { "Content-Type": "text/html" } }),
  null: () => Response.json(null),
  "a list": () => Response.json([]),
  "a number": () => Response.json(1e308),
  "a string": () => Response.json("ok"),
  "fields of other types": () =>
    Response.json({
      Status: "0",
      Answer: { data: 1 },
      url: ["https://x"],
      item: 7,
      success: "yes",
      result: 1,
      id: {},
      errors: 7,
    }),
  "DNS records without data": () =>
    Response.json({ Status: 0, Answer: [null, 1, "x", {}, { type: 16 }, { type: 1, data: null }] }),
  "a javascript: URL": () => Response.json({ url: "javascript:alert(1)" }),
  "a prototype's names": () =>
    new Response('{"__proto__":{"Status":0},"constructor":{"url":"https://x"},"toString":1}'),
  "deep nesting": () => new Response("[".repeat(50_000) + "]".repeat(50_000)),
  "broken JSON": () => new Response('{"Status":0,"Answer":['),
  "bytes that are not UTF-8": () => new Response(new Uint8Array(1000).fill(0xff)),
  "five megabytes": () => new Response(`{"x":"${"x".repeat(5_000_000)}"}`),
  "an endless body": () => new Response(endless()),
  "a redirect": () => new Response(null, { status: 302, headers: { Location: "http://127.0.0.1/" } }),
  "a 502": () => new Response("<h1>502</h1>", { status: 502 }),
  "a 401": () => Response.json({ error: { message: "sk_live_of_the_platform" } }, { status: 401 }),
}

/** Time limit of a request in milliseconds. */
const MAX_RESPONSE_MS = 5_000

afterEach(() => vi.restoreAllMocks())

/** Sends a request against every bad third-party response, and checks each of its responses. */
async function assertHandlesBadResponses(
  send: () => Promise<TestResponse>,
  check: (response: TestResponse) => string | null | Promise<string | null>,
): Promise<void> {
  const failures: string[] = []
  for (const [name, make] of Object.entries(BAD_RESPONSES)) {
    let calls = 0
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      calls += 1
      if ((init as RequestInit | undefined)?.redirect !== "manual")
        failures.push(`${name}: a redirect would be followed`)
      if (!(init as RequestInit | undefined)?.signal) failures.push(`${name}: the request has no timeout`)
      return make()
    })
    const started = performance.now()
    const response = await send()
    const ms = performance.now() - started
    spy.mockRestore()
    const problem = await check(response)
    if (problem) failures.push(`${name}: ${problem} (${response.status} ${response.text.slice(0, 120)})`)
    if (!calls) failures.push(`${name}: the third party was not called`)
    if (ms > MAX_RESPONSE_MS) failures.push(`${name}: ${Math.round(ms)} ms`)
    if (/sk_live_of_the_platform|Network connection lost|SyntaxError|javascript:/.test(response.text))
      failures.push(`${name}: leaks the third party's response`)
  }
  expect(failures).toEqual([])
}

describe("the DNS resolver", () => {
  test("does not verify a domain on a bad DNS response, and returns the reason", async () => {
    const { id } = await makeUnlimitedStore()
    const token = await makeKey()
    await platform("POST", `/stores/${id}/domains`, { token, json: { domain: "shop.example" } })
    await assertHandlesBadResponses(
      () => platform("POST", `/stores/${id}/domains/shop.example/verify`, { token }),
      ({ status, body }) =>
        status === 200 && body.verification_result?.verified === false && body.verification_result.reason
          ? null
          : "not refused",
    )
    expect(await rows("select 1 from domains where domain = 'shop.example' and verified_at is not null")).toEqual([])
  })

  test("does not create a webhook endpoint on a bad DNS response", async () => {
    const token = await makeKey()
    await assertHandlesBadResponses(
      () => platform("POST", "/webhooks", { token, json: { url: "https://receiver.example/", events: ["*"] } }),
      ({ status }) => (status === 422 ? null : "accepted"),
    )
    expect(await rows("select 1 from webhook_endpoints")).toEqual([])
  })
})

describe("a webhook receiver", () => {
  test("records every delivery attempt as delivered or failed, whatever the receiver returns", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    for (const [name, make] of Object.entries(BAD_RESPONSES)) {
      const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (input) => {
        const { hostname, searchParams } = new URL(input instanceof Request ? input.url : input)
        if (hostname === "receiver.example") return make()
        return Response.json({
          Status: 0,
          Answer: searchParams.get("type") === "A" ? [{ type: 1, data: "203.0.114.10" }] : [],
        })
      })
      const { status, body } = await platform("POST", `/webhooks/${id}/test`, { token })
      spy.mockRestore()
      expect(status, name).toBe(202)
      expect(["delivered", "failed"], name).toContain(body.data.status)
      expect((body.data.response_excerpt ?? "").length).toBeLessThanOrEqual(1024)
    }
  })
})

describe("the card provider", () => {
  const CARD = { STRIPE_SECRET_KEY: "sk_live_of_the_platform", STRIPE_API_URL: "https://provider.example" }

  test("returns 502 for a checkout on a bad response of the card provider, and changes nothing", async () => {
    const { id, host, staff } = await makeUnlimitedStore()
    await setSubscription(id, {
      status: "trialing",
      trialEndsAt: addMs(new Date(), 14 * DAY),
      currentPeriodEndsAt: null,
    })
    const { slug } = await makePlan({ stripe_price: "price_1" })
    const before = await readState()
    await assertHandlesBadResponses(
      () => content("POST", "/billing/checkout", { host, token: staff.token, json: { plan: slug }, env: CARD }),
      ({ status }) => (status === 502 ? null : "not refused"),
    )
    expect(diffStates(before, await readState())).toEqual([])
  })
})

describe("the marketplace", () => {
  test("activates no license on a bad response of the marketplace", async () => {
    const product = await makeProduct({ marketplace_id: "77" })
    const external = await externalClient()
    disableRateLimits()
    const json = {
      product_id: product.referenceId,
      license_code: "8f2b1c9a-0000-4000-8000-000000000000",
      client_name: "x",
      verify_type: "marketplace",
    }
    await assertHandlesBadResponses(
      () => external("POST", "/license/activate", { json }),
      ({ status, body }) => (status < 500 && body.is_active !== true ? null : "activated"),
    )
    expect(await rows("select 1 from licenses")).toEqual([])
    expect(await rows("select 1 from license_activations")).toEqual([])
  })
})

describe("Cloudflare", () => {
  test("verifies a domain on a bad response of Cloudflare, and creates its hostname later", async () => {
    const { id } = await makeUnlimitedStore()
    const token = await makeKey()
    const failures: string[] = []
    let n = 0
    for (const [name, make] of Object.entries(BAD_RESPONSES)) {
      n += 1
      const domain = `shop${n}.example`
      const { body } = await platform("POST", `/stores/${id}/domains`, { token, env: ZONE, json: { domain } })
      if (!body.data) {
        await platform("DELETE", `/stores/${id}/domains/shop${n - 1}.example`, { token })
        continue
      }
      const spy = vi
        .spyOn(globalThis, "fetch")
        .mockImplementation(async (input) =>
          String(input instanceof Request ? input.url : input).includes("dns-query")
            ? Response.json({ Status: 0, Answer: [{ type: 16, data: `"${body.data.verification.txt_value}"` }] })
            : make(),
        )
      const response = await platform("POST", `/stores/${id}/domains/${domain}/verify`, { token, env: ZONE })
      spy.mockRestore()
      if (response.status !== 200 || !response.body.verification_result.verified)
        failures.push(`${name}: ${response.status} ${response.text.slice(0, 200)}`)
      await call("DELETE", `/api/platform/v1/stores/${id}/domains/${domain}`, { token })
    }
    expect(failures).toEqual([])
  })
})
