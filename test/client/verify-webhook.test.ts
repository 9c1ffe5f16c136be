// Tests verifyWebhook with deliveries signed by the platform and with invalid ones.
import { describe, expect, test } from "vitest"
import { type TenancyEvent, verifyWebhook } from "../../src/client/index"
import { attemptDelivery } from "../../src/webhooks/attempt"
import { generateSecret } from "../../src/webhooks/sign"
import { run } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { mockReceiver } from "../support/receiver"
import { freezeClock, makeDelivery } from "../support/webhook-factories"

const PLATFORM_HEADERS = ["x-tenancy-signature"]
const STANDARD_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"]

/** Captures a delivery as a receiver gets it. */
async function makeReceivedDelivery() {
  const hook = mockReceiver()
  const endpoint = await makeEndpoint()
  const { id } = await makeDelivery(endpoint.id)
  await run((ctx) => attemptDelivery(ctx, id, "first"))
  const [request] = hook.requests
  if (!request) throw new Error("nothing was sent")
  return { headers: Object.fromEntries(request.headers), body: request.body, secret: endpoint.plainSecret }
}

const omitHeaders = (headers: Record<string, string>, names: string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

const expectedError = (code: string) => expect.objectContaining({ name: "WebhookVerificationError", code })

describe("a delivery of the platform", () => {
  test("verifies a delivery by either signature and returns its event", async () => {
    const { headers, body, secret } = await makeReceivedDelivery()
    const event: TenancyEvent = await verifyWebhook({ headers, body }, secret)
    expect(event).toEqual(JSON.parse(body))
    expect(await verifyWebhook({ headers: omitHeaders(headers, STANDARD_HEADERS), body }, secret)).toEqual(event)
    expect(await verifyWebhook({ headers: omitHeaders(headers, PLATFORM_HEADERS), body }, secret)).toEqual(event)
  })

  test("verifies a delivery from any kind of headers and body", async () => {
    const { headers, body, secret } = await makeReceivedDelivery()
    const bytes = new TextEncoder().encode(body)
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    const event = JSON.parse(body)
    expect(await verifyWebhook({ headers: new Headers(headers), body: bytes }, secret)).toEqual(event)
    expect(await verifyWebhook({ headers: upper, body: bytes.buffer }, secret)).toEqual(event)
  })

  test("verifies a delivery by any of several secrets", async () => {
    const { headers, body, secret } = await makeReceivedDelivery()
    expect(await verifyWebhook({ headers, body }, [generateSecret(), secret])).toEqual(JSON.parse(body))
    await expect(verifyWebhook({ headers, body }, [generateSecret(), generateSecret()])).rejects.toEqual(
      expectedError("signature_mismatch"),
    )
  })

  test("rejects a changed body", async () => {
    const { headers, body, secret } = await makeReceivedDelivery()
    for (const other of [`${body} `, body.slice(0, -1), body.replace("store", "Store"), ""]) {
      await expect(verifyWebhook({ headers, body: other }, secret)).rejects.toEqual(expectedError("signature_mismatch"))
    }
  })

  test("rejects a timestamp outside the tolerance", async () => {
    const clock = freezeClock()
    const { headers, body, secret } = await makeReceivedDelivery()
    const signedAt = Number(headers["webhook-timestamp"])
    const at = (second: number) => clock.advance(signedAt + second - clock.now() / 1000)
    at(300)
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(JSON.parse(body))
    at(301)
    await expect(verifyWebhook({ headers, body }, secret)).rejects.toEqual(expectedError("timestamp_outside_tolerance"))
    expect(await verifyWebhook({ headers, body }, secret, { tolerance: 600 })).toEqual(JSON.parse(body))
    at(-301)
    await expect(verifyWebhook({ headers, body }, secret)).rejects.toEqual(expectedError("timestamp_outside_tolerance"))
  })

  test("rejects a changed timestamp", async () => {
    const { headers, body, secret } = await makeReceivedDelivery()
    const otherTimestamp = Number(headers["webhook-timestamp"]) + 1
    const signature = String(headers["x-tenancy-signature"]).replace(/^t=\d+/, `t=${otherTimestamp}`)
    const headersWithOtherTime = { "x-tenancy-signature": signature, "webhook-timestamp": String(otherTimestamp) }
    await expect(verifyWebhook({ headers: { ...headers, ...headersWithOtherTime }, body }, secret)).rejects.toEqual(
      expectedError("signature_mismatch"),
    )
  })
})

test.each([
  ["none", {}],
  ["an empty one", { "x-tenancy-signature": "" }],
  ["one without a time", { "x-tenancy-signature": `v1=${"0".repeat(64)}` }],
  ["one that is too short", { "x-tenancy-signature": "t=1,v1=00" }],
  ["one of another scheme", { "x-tenancy-signature": `t=1,v0=${"0".repeat(64)}` }],
  ["one with a time that is not a number", { "x-tenancy-signature": `t=1e3,v1=${"0".repeat(64)}` }],
  ["one that never ends", { "x-tenancy-signature": `t=1${`,v1=${"0".repeat(64)}`.repeat(10_000)}` }],
  ["a standard one that is not base64", { "webhook-id": "a", "webhook-timestamp": "1", "webhook-signature": "v1,!" }],
])("a webhook with %s is refused as unsigned", async (_, headers) => {
  await expect(verifyWebhook({ headers, body: "{}" }, generateSecret())).rejects.toEqual(
    expectedError("signature_missing"),
  )
})

test("throws a TypeError without a secret, since anyone could sign with an empty one", async () => {
  for (const secret of ["", [], ["whsec_x", ""]]) {
    await expect(verifyWebhook({ headers: {}, body: "{}" }, secret)).rejects.toThrow(TypeError)
  }
})
