// The inputs and resources of bank-transfer orders and payments.
import * as z from "zod"
import { emptyAsNull, multilineText, shortText, withLookups } from "../../core/http/validation"
import { type orders, type payments, ORDER_STATUSES as STORED_STATUSES } from "../../db/schema/central/orders"
import type { PublishedColumns } from "../../lib/every-field"
import { formatTimestamp } from "../../lib/time"

export type Order = typeof orders.$inferSelect
export type Payment = typeof payments.$inferSelect

export const ORDER_STATUSES = STORED_STATUSES

export const RequestOrder = withLookups(
  z.object({
    plan: shortText(63).min(1),
    note: emptyAsNull(multilineText({ max: 500 })).describe("at most 500 characters"),
    start: z
      .enum(["now", "next_period"])
      .optional()
      .describe("when another plan begins while a period is paid: now, for the difference, or next_period"),
  }),
  "plan",
)

export const RejectOrder = z.object({
  reference: z.string().min(1),
  reason: multilineText({ max: 500 }).describe("mailed to the owner unchanged, at most 500 characters"),
})

/** Columns that the resource does not contain. */
type InternalColumn =
  | "tax"
  | "priceCents"
  | "kind"
  | "replaces"
  | "id"
  | "storeId"
  | "storeSeq"
  | "planName"
  | "interval"
  | "updatedAt"

export const OrderResource = z
  .object({
    reference: z.string(),
    status: z.enum(ORDER_STATUSES),
    plan: z.string(),
    amount_cents: z.int(),
    currency: z.string(),
    note: z.string().nullable(),
    reason: z.string().nullable(),
    number: z.string().nullable(),
    created_at: z.string(),
    paid_at: z.string().nullable(),
  } satisfies PublishedColumns<Order, InternalColumn>)
  .meta({ id: "Order" })

/** The resource for events and the store's owner. */
export const orderResource = (order: Order): z.input<typeof OrderResource> => ({
  reference: order.reference,
  status: order.status,
  plan: order.plan,
  amount_cents: order.amountCents,
  currency: order.currency,
  note: order.note,
  reason: order.reason,
  number: order.number,
  created_at: formatTimestamp(order.createdAt),
  paid_at: formatTimestamp(order.paidAt),
})

/** The resource for operators, which also names the store. */
export const operatorOrderResource = (order: Order) => ({ ...orderResource(order), store: order.storeId })

/** The resource for operators, without the provider's references. */
export const paymentResource = (payment: Payment) => ({
  id: payment.id,
  store: payment.storeId,
  provider: payment.provider,
  number: payment.number,
  order: payment.orderReference,
  plan: payment.plan,
  amount_cents: payment.amountCents,
  currency: payment.currency,
  paid_at: formatTimestamp(payment.paidAt),
})
