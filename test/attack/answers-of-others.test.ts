// API10, unsafe consumption of APIs: whoever the platform asks may answer nothing, nonsense, without end, or somewhere else. It is a
// refusal or a failure that says so, never a fault of ours, never long, and nothing half done.
import { afterEach, describe, expect, test, vi } from "vitest"
import { type Answer, call, platform } from "../support/app"
import { ZONE } from "../support/cloudflare"
import { content } from "../support/content-factories"
import { withoutBudgets } from "../support/credentials"
import { makeEndpoint, makeKey, makePlan } from "../support/factories"
import { externalClient, makeProduct } from "../support/license-factories"
import { rows } from "../support/rows"
import { differences, everything } from "../support/state"
import { makeOpenStore } from "../support/world"

const endless = () =>
  new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
  })

/** What others may answer. */
const BAD: Record<string, () => Response> = {
  "a fault of the network": () => {
    throw new TypeError("Network connection lost.")
  },
  nothing: () => new Response(null, { status: 204 }),
  "an empty text": () => new Response(""),
  "a page": () => new Response("<html>It works!</html>", { headers: { "Content-Type": "text/html" } }),
  null: () => Response.json(null),
  "a list": () => Response.json([]),
  "a number": () => Response.json(1e308),
  "a text": () => Response.json("ok"),
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
  "answers without anything": () =>
    Response.json({ Status: 0, Answer: [null, 1, "x", {}, { type: 16 }, { type: 1, data: null }] }),
  "a script for an address": () => Response.json({ url: "javascript:alert(1)" }),
  "a prototype's names": () =>
    new Response('{"__proto__":{"Status":0},"constructor":{"url":"https://x"},"toString":1}'),
  "deep nesting": () => new Response("[".repeat(50_000) + "]".repeat(50_000)),
  "broken JSON": () => new Response('{"Status":0,"Answer":['),
  "bytes that are no text": () => new Response(new Uint8Array(1000).fill(0xff)),
  "five megabytes": () => new Response(`{"x":"${"x".repeat(5_000_000)}"}`),
  "an answer without end": () => new Response(endless()),
  "somewhere else": () => new Response(null, { status: 302, headers: { Location: "http://127.0.0.1/" } }),
  "its own fault": () => new Response("<h1>502</h1>", { status: 502 }),
  "its own refusal": () => Response.json({ error: { message: "sk_live_of_the_platform" } }, { status: 401 }),
}

/** Milliseconds that none of it may take. */
const LONGEST = 5_000

afterEach(() => vi.restoreAllMocks())

/** Lets others answer badly in every way, and judges what became of it. */
async function answerBadly(
  ask: () => Promise<Answer>,
  judge: (answer: Answer) => string | null | Promise<string | null>,
): Promise<void> {
  const wrong: string[] = []
  for (const [name, make] of Object.entries(BAD)) {
    let asked = 0
    const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      asked += 1
      if ((init as RequestInit | undefined)?.redirect !== "manual") wrong.push(`${name}: a redirect would be followed`)
      if (!(init as RequestInit | undefined)?.signal) wrong.push(`${name}: nothing ends the wait`)
      return make()
    })
    const started = performance.now()
    const answer = await ask()
    const ms = performance.now() - started
    spy.mockRestore()
    const fault = await judge(answer)
    if (fault) wrong.push(`${name}: ${fault} (${answer.status} ${answer.text.slice(0, 120)})`)
    if (!asked) wrong.push(`${name}: nobody was asked`)
    if (ms > LONGEST) wrong.push(`${name}: ${Math.round(ms)} ms`)
    if (/sk_live_of_the_platform|Network connection lost|SyntaxError|javascript:/.test(answer.text))
      wrong.push(`${name}: told on`)
  }
  expect(wrong).toEqual([])
}

describe("the resolver", () => {
  test("a domain is not verified, and the answer says why", async () => {
    const { id } = await makeOpenStore()
    const token = await makeKey()
    await platform("POST", `/stores/${id}/domains`, { token, json: { domain: "shop.example" } })
    await answerBadly(
      () => platform("POST", `/stores/${id}/domains/shop.example/verify`, { token }),
      ({ status, body }) =>
        status === 200 && body.verification_result?.verified === false && body.verification_result.reason
          ? null
          : "not refused",
    )
    expect(await rows("select 1 from domains where domain = 'shop.example' and verified_at is not null")).toEqual([])
  })

  test("an endpoint is not made, and no attempt is sent", async () => {
    const token = await makeKey()
    await answerBadly(
      () => platform("POST", "/webhooks", { token, json: { url: "https://receiver.example/", events: ["*"] } }),
      ({ status }) => (status === 422 ? null : "taken"),
    )
    expect(await rows("select 1 from webhook_endpoints")).toEqual([])
  })
})

describe("a receiver", () => {
  test("an attempt is settled, whatever came back", async () => {
    const token = await makeKey()
    const { id } = await makeEndpoint()
    for (const [name, make] of Object.entries(BAD)) {
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
      expect([status, ["delivered", "failed"].includes(body.data.status)], name).toEqual([202, true])
      expect((body.data.response_excerpt ?? "").length).toBeLessThanOrEqual(1024)
    }
  })
})

describe("the card provider", () => {
  const CARD = { STRIPE_SECRET_KEY: "sk_live_of_the_platform", STRIPE_API_URL: "https://provider.example" }

  test("an owner is told that it cannot be reached, and is sent nowhere", async () => {
    const { host, staff } = await makeOpenStore()
    const { slug } = await makePlan({ stripe_price: "price_1" })
    const before = await everything()
    await answerBadly(
      () => content("POST", "/billing/checkout", { host, token: staff.token, json: { plan: slug }, env: CARD }),
      ({ status }) => (status === 502 ? null : "no refusal"),
    )
    expect(differences(before, await everything())).toEqual([])
  })
})

describe("the marketplace", () => {
  test("a code that it does not vouch for activates nothing", async () => {
    const product = await makeProduct({ marketplace_id: "77" })
    const external = await externalClient()
    withoutBudgets()
    const json = {
      product_id: product.referenceId,
      license_code: "8f2b1c9a-0000-4000-8000-000000000000",
      client_name: "x",
      verify_type: "marketplace",
    }
    await answerBadly(
      () => external("POST", "/license/activate", { json }),
      ({ status, body }) => (status < 500 && body.is_active !== true ? null : "activated"),
    )
    expect(await rows("select 1 from licenses")).toEqual([])
    expect(await rows("select 1 from license_activations")).toEqual([])
  })
})

describe("Cloudflare", () => {
  test("a domain is verified all the same, and its hostname waits for a better day", async () => {
    const { id } = await makeOpenStore()
    const token = await makeKey()
    const wrong: string[] = []
    let n = 0
    for (const [name, make] of Object.entries(BAD)) {
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
      const answer = await platform("POST", `/stores/${id}/domains/${domain}/verify`, { token, env: ZONE })
      spy.mockRestore()
      if (answer.status !== 200 || !answer.body.verification_result.verified)
        wrong.push(`${name}: ${answer.status} ${answer.text.slice(0, 200)}`)
      await call("DELETE", `/api/platform/v1/stores/${id}/domains/${domain}`, { token })
    }
    expect(wrong).toEqual([])
  })
})
