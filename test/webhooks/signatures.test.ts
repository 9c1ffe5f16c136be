// Signatures: test vectors computed with openssl, and verification by third-party libraries.
import { Webhook } from "standardwebhooks"
import Stripe from "stripe"
import { describe, expect, test } from "vitest"
import { attemptDelivery } from "../../src/webhooks/attempt"
import { buildPlatformSignature, buildStandardSignature, generateSecret } from "../../src/webhooks/sign"
import { run } from "../support/app"
import { makeEndpoint } from "../support/factories"
import { mockReceiver, type ReceivedRequest } from "../support/receiver"
import { makeDelivery } from "../support/webhook-factories"

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAbCdEfGh"
const SIGNABLE = {
  id: "01M7X3Y2XHT4TJ9HB8XX8DSSXA",
  timestamp: 1_799_999_999,
  body: '{"id":"01M7X3Y2XHT4TJ9HB8XX8DSSXA","type":"ping","data":{"message":"Grüße, 世界 👋"}}',
}

describe("signature bytes", () => {
  test("computes the platform's signature as hex HMAC of timestamp and body with the whole secret", async () => {
    expect(await buildPlatformSignature(SECRET, SIGNABLE)).toBe(
      "t=1799999999,v1=8f2d006e7907d53357e13ee9ea6d19f1f53a20eb3cad5197519c3050eda23a13",
    )
  })

  test("computes the Standard Webhooks signature as base64 HMAC of id, timestamp and body", async () => {
    expect(await buildStandardSignature(SECRET, SIGNABLE)).toBe("v1,VQyIopPoKYqy47kRzbPb8v93m9bW7Gsq26Hup59OVt8=")
  })

  test("generates secrets with the prefix and forty base64 characters", () => {
    for (let round = 0; round < 50; round++) {
      const secret = generateSecret()
      expect(secret).toMatch(/^whsec_[0-9A-Za-z]{40}$/)
      expect(Uint8Array.fromBase64(secret.slice(6))).toHaveLength(30)
    }
  })
})

describe("signature verification by libraries", () => {
  const deliver = async (): Promise<{ request: ReceivedRequest; secret: string }> => {
    const hook = mockReceiver()
    const endpoint = await makeEndpoint()
    const { id } = await makeDelivery(endpoint.id)
    await run((ctx) => attemptDelivery(ctx, id, "first"))
    const [request] = hook.requests
    if (!request) throw new Error("nothing was sent")
    return { request, secret: endpoint.plainSecret }
  }
  const stripe = new Stripe("sk_test_none")
  const signed = (request: ReceivedRequest) => request.headers.get("X-Tenancy-Signature") ?? ""

  test("signs deliveries that Stripe's library verifies", async () => {
    const { request, secret } = await deliver()
    const event = await stripe.webhooks.constructEventAsync(request.body, signed(request), secret)
    expect(event).toEqual(JSON.parse(request.body))
  })

  test("fails Stripe's verification for another body, another secret and an old timestamp", async () => {
    const { request, secret } = await deliver()
    const refused = /No signatures found matching|Timestamp outside the tolerance/
    const { webhooks } = stripe
    const later = Date.now() + 301_000
    await expect(webhooks.constructEventAsync(`${request.body} `, signed(request), secret)).rejects.toThrow(refused)
    await expect(webhooks.constructEventAsync(request.body, signed(request), generateSecret())).rejects.toThrow(refused)
    await expect(
      webhooks.constructEventAsync(request.body, signed(request), secret, 300, undefined, later),
    ).rejects.toThrow(refused)
  })

  test("signs deliveries that the Standard Webhooks library verifies only with their body and secret", async () => {
    const { request, secret } = await deliver()
    const headers = Object.fromEntries(request.headers)
    expect(new Webhook(secret).verify(request.body, headers)).toEqual(JSON.parse(request.body))
    expect(() => new Webhook(secret).verify(`${request.body} `, headers)).toThrow("No matching signature found")
    expect(() => new Webhook(generateSecret()).verify(request.body, headers)).toThrow("No matching signature found")
  })
})
