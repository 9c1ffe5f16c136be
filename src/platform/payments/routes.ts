// POST /webhooks/stripe, on the central host: the card provider's messages. The signature comes before everything else.
import { parseJson, readText } from "../../core/http/body"
import { hostOf } from "../../core/http/host"
import { httpFault, Refusal } from "../../core/http/refusal"
import { createSurface, requestContext, type SurfaceEnv } from "../../core/http/surface"
import { settingsOf } from "../../env"
import { refuse } from "../envelope"
import { forgetCheckout } from "./checkouts"
import { readExpiredCheckout, readMessage } from "./message"
import { receiveMessage } from "./receive"
import { isSigned } from "./signature"

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
  if (!secret || !(await isSigned(c.req.header("Stripe-Signature"), body, secret, new Date()))) {
    throw new Refusal("invalid_signature", { status: 400 })
  }
  const given = parseJson(body)
  const ctx = requestContext(c, { interface: "system" })
  const message = readMessage(given)
  if (message === "unreadable") throw httpFault(400)
  const expired = message === "ignored" ? readExpiredCheckout(given) : null
  if (expired) await forgetCheckout(ctx, expired)
  if (message !== "ignored") await receiveMessage(ctx, message)
  return c.json({ received: true })
})
