// Stripe as a card provider.
import { Refusal } from "../../../core/http/refusal"
import { SECOND } from "../../../lib/time"
import type { CardProvider, CheckoutSession, ProviderCtx } from "../provider"
import { parseHttpUrl } from "../provider-request"
import {
  cancelSubscription,
  changePrice,
  createCheckout,
  createPortal,
  expireCheckout,
  readCheckout,
  readPrice,
  readSubscription,
} from "./api"
import { parseCheckout, parseEvent, parseSubscription } from "./events"
import { hasValidSignature } from "./signature"

export const stripe: CardProvider<"stripe"> = {
  name: "stripe",
  hasPlainIds: true,
  isConfigured: ({ STRIPE_SECRET_KEY }) => STRIPE_SECRET_KEY !== undefined,
  async isSigned({ STRIPE_WEBHOOK_SECRET: secret }, { headers, body, receivedAt }) {
    return secret !== undefined && hasValidSignature(headers.get("Stripe-Signature"), body, secret, receivedAt)
  },
  parseWebhook: parseEvent,
  readPrice,
  createCheckout,
  readCheckout: async (ctx, session) => toCheckoutSession(ctx, session, await readCheckout(ctx, session.id)),
  expireCheckout: async (ctx, session) => toCheckoutSession(ctx, session, await expireCheckout(ctx, session.id)),
  createPortal,
  async readSubscription(ctx, id) {
    const object = await readSubscription(ctx, id)
    const isOver = !object || object.status === "canceled" || object.status === "incomplete_expired"
    const content = parseSubscription(isOver ? "deleted" : "updated", object ?? { id, status: "canceled" })
    if (content === "unreadable") throw new Error("the provider's response is unreadable")
    return content
  },
  async changePrice(ctx, id, change, idempotencyKey) {
    const content = parseSubscription("updated", await changePrice(ctx, id, change, idempotencyKey))
    if (content === "unreadable") throw new Refusal("provider_unreachable")
    return content
  },
  cancelSubscription,
}

function toCheckoutSession(
  { now }: ProviderCtx,
  { id, store }: { id: string; store: string },
  object: Record<string, unknown> | null,
): CheckoutSession | null {
  if (!object) return null
  const status = toCheckoutStatus(object.status)
  // A compatible API may omit the store.
  const completed = { client_reference_id: store, ...object, id }
  return {
    status,
    url: parseHttpUrl(object.url),
    payment: status === "complete" ? parseCheckout(Math.floor(now.getTime() / SECOND), completed) : null,
  }
}

/** A compatible API may omit the status. */
const toCheckoutStatus = (status: unknown): CheckoutSession["status"] =>
  status === "open" || status === "complete" || status === "expired" ? status : "unknown"
