// Closes the open bank-transfer order of a store that pays by card instead, so that one debt is not paid twice.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { AuditRecord } from "../../core/write/commit"
import { orders } from "../../db/schema/central/orders"
import { update, type Write } from "../../db/write"
import { type StoreDetails, storeResource } from "../stores/schemas"
import { buildClosedOrderMail } from "./mail"
import { type Order, orderResource } from "./schemas"

/** The reason of an order that a payment by card closed. */
export const PAID_BY_CARD = "paid_by_card"

/**
 * Builds what closes an order in the commit of a payment by card.
 * @returns `condition`: whether the order is still open, for the guard of that commit
 */
export function buildOrderPaidByCard(
  ctx: Ctx,
  facts: StoreDetails,
  order: Order,
): { condition: SQL; writes: Write[]; auditLog: AuditRecord[] } {
  const isPending = and(eq(orders.id, order.id), eq(orders.status, "pending"))
  const closed = { ...order, status: "rejected" as const, reason: PAID_BY_CARD, updatedAt: ctx.now }
  const { reference } = order
  return {
    condition: sql`exists (select 1 from ${orders} where ${isPending})`,
    writes: [
      update(orders).set({ status: "rejected", reason: PAID_BY_CARD, updatedAt: ctx.now }).where(isPending),
      buildClosedOrderMail(ctx, facts, "order_paid_by_card", order),
    ],
    auditLog: [
      {
        audit: {
          storeId: facts.store.id,
          type: "order_rejected",
          data: { order: reference, reason: PAID_BY_CARD },
        },
        events: [
          {
            type: "order.rejected",
            data: { store: storeResource(ctx.settings, facts), order: orderResource(closed) },
          },
        ],
      },
    ],
  }
}
