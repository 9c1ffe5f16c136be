// Handles POST /webhooks/stripe on the central host: receives the payment provider's messages. Verifies the signature
// first.

import { parseJson, readText } from "../../core/http/body"
import { hostOf } from "../../core/http/host"
import { httpError, Refusal } from "../../core/http/refusal"
import { createSurface, requestContext, type SurfaceEnv } from "../../core/http/surface"
import { settingsOf } from "../../env"
import { currentTime } from "../../lib/clock"
import { refuse } from "../envelope"
import { deleteExpiredCheckout } from "./checkouts"
import { parseExpiredCheckout, parseMessage } from "./message"
import { receiveMessage } from "./receive"
import { hasValidSignature } from "./signature"

export const providerWebhooks = createSurface<SurfaceEnv>({
  name: "provider",
  base: "/webhooks",
  gate: [
    async (c, next) => {
      if (hostOf(c.env, c.req.url).kind !== "central") throw new Refusal("not_found")
      await next()
    },
  ],
  maxBody: 1_000_000,
  refuse,
})

providerWebhooks.post("/stripe", async (c) => {
  const body = await readText(c)
  const secret = settingsOf(c.env).STRIPE_WEBHOOK_SECRET
  if (!secret || !(await hasValidSignature(c.req.header("Stripe-Signature"), body, secret, currentTime()))) {
    throw new Refusal("invalid_signature", { status: 400 })
  }
  const json = parseJson(body)
  const ctx = requestContext(c, { interface: "system" })
  const message = parseMessage(json)
  if (message === "unreadable") throw httpError(400)
  const expired = message === "ignored" ? parseExpiredCheckout(json) : null
  if (expired) await deleteExpiredCheckout(ctx, expired)
  if (message !== "ignored") await receiveMessage(ctx, message)
  return c.json({ received: true })
})
