// Signatures: their bytes against vectors made with openssl, and deliveries as other people's libraries verify them.
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

describe("the bytes of a signature", () => {
  test("the platform's is the hex HMAC of timestamp and body, keyed with the whole secret", async () => {
    expect(await buildPlatformSignature(SECRET, SIGNABLE)).toBe(
      "t=1799999999,v1=8f2d006e7907d53357e13ee9ea6d19f1f53a20eb3cad5197519c3050eda23a13",
    )
  })

  test("the Standard Webhooks one is the base64 HMAC of id, timestamp and body, keyed with the decoded secret", async () => {
    expect(await buildStandardSignature(SECRET, SIGNABLE)).toBe("v1,VQyIopPoKYqy47kRzbPb8v93m9bW7Gsq26Hup59OVt8=")
  })

  test("every new secret has the prefix and forty characters that are base64", () => {
    for (let round = 0; round < 50; round++) {
      const secret = generateSecret()
      expect(secret).toMatch(/^whsec_[0-9A-Za-z]{40}$/)
      expect(Uint8Array.fromBase64(secret.slice(6))).toHaveLength(30)
    }
  })
})

describe("a delivery as libraries verify it", () => {
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

  test("stripe's webhook verifier accepts the platform's signature over our bytes", async () => {
    const { request, secret } = await deliver()
    const event = await stripe.webhooks.constructEventAsync(request.body, signed(request), secret)
    expect(event).toEqual(JSON.parse(request.body))
  })

  test("stripe's webhook verifier refuses another body, another secret and an old timestamp", async () => {
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

  test("the Standard Webhooks library accepts its headers, and refuses another body and another secret", async () => {
    const { request, secret } = await deliver()
    const headers = Object.fromEntries(request.headers)
    expect(new Webhook(secret).verify(request.body, headers)).toEqual(JSON.parse(request.body))
    expect(() => new Webhook(secret).verify(`${request.body} `, headers)).toThrow("No matching signature found")
    expect(() => new Webhook(generateSecret()).verify(request.body, headers)).toThrow("No matching signature found")
  })
})
