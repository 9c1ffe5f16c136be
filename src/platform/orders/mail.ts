// Builds the mails to a store's owner about an order that was closed before its transfer arrived.
import type { Ctx } from "../../core/context"
import type { Write } from "../../db/write"
import { buildMailWrite } from "../../mails/outbox"
import type { StoreDetails } from "../stores/schemas"
import { buildOwnerMail } from "../subscriptions/mail"
import { paysForRestOfPeriod } from "./rules"
import type { Order } from "./schemas"

/**
 * Builds the write that mails the owner about a closed order, with the terms that were ordered.
 * @param reason the operator's reason, unchanged
 */
export function buildClosedOrderMail(
  ctx: Ctx,
  facts: StoreDetails,
  kind: "order_rejected" | "order_paid_by_card",
  order: Order,
  reason: string | null = null,
): Write {
  const { reference, planName, amountCents, currency, interval } = order
  const { subscription } = facts
  const rest = subscription && paysForRestOfPeriod(subscription, order) ? subscription.currentPeriodEndsAt : null
  return buildMailWrite(
    ctx,
    buildOwnerMail(ctx.settings, facts, kind, reference, {
      ...{ reference, reason, plan: planName, amount_cents: amountCents, currency },
      ...(rest ? { paid_until: rest.toISOString() } : { interval }),
    }),
  )
}
