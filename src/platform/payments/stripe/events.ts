// Parses Stripe's events and objects (https://docs.stripe.com/api/events). Pure functions.
import * as z from "zod"
import { type MessageContent, type ProviderPrice, toReportedStatus } from "../message"
import type { WebhookContent } from "../provider"

const seconds = z.int().min(0).max(99_999_999_999)
const id = z.string().min(1).max(255)
/** A reference: an id, or the expanded object. */
const reference = z.union([id, z.object({ id }).transform((object) => object.id)])

const Envelope = z.object({
  id,
  type: z.string().max(255),
  created: seconds,
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
})

const Checkout = z.object({
  id: id.nullish(),
  created: seconds.nullish(),
  client_reference_id: z.string().max(63),
  subscription: reference,
  customer: reference.nullish(),
  metadata: z
    .object({
      plan: z.string().max(63).optional(),
      store_seq: z.union([z.string().max(63), z.number().transform(String)]).optional(),
    })
    .nullish(),
})

const Subscription = z.object({
  id,
  customer: reference.nullish(),
  status: z.string().max(50),
  current_period_end: seconds.nullish(),
  trial_end: seconds.nullish(),
  cancel_at: seconds.nullish(),
  cancel_at_period_end: z.boolean().nullish(),
  items: z
    .object({
      data: z.array(z.object({ price: z.looseObject({ id }).nullish(), current_period_end: seconds.nullish() })),
    })
    .nullish(),
})

const InvoiceObject = z.object({
  id,
  customer: reference.nullish(),
  subscription: reference.nullish(),
  parent: z.object({ subscription_details: z.object({ subscription: reference.nullish() }).nullish() }).nullish(),
  amount_paid: z.int().nullish(),
  amount_due: z.int().nullish(),
  currency: z.string().max(10).nullish(),
  total_discount_amounts: z.array(z.object({ amount: z.int() })).nullish(),
  lines: z
    .object({
      data: z.array(
        z.object({
          period: z.object({ end: seconds.nullish() }).nullish(),
          price: z.looseObject({ id }).nullish(),
          pricing: z.object({ price_details: z.object({ price: reference.nullish() }).nullish() }).nullish(),
        }),
      ),
    })
    .nullish(),
})

const PriceObject = z.object({
  unit_amount: z.int().min(0),
  currency: z.string().length(3),
  recurring: z.object({ interval: z.enum(["month", "year"]), interval_count: z.literal(1).optional() }),
})

const ExpiredCheckout = z.object({ id })

/** A content, or why there is none. */
type Parsed = MessageContent | "unreadable" | "ignored"

/** Parses the body of a webhook. */
export function parseEvent(body: unknown): WebhookContent {
  const envelope = Envelope.safeParse(body)
  if (!envelope.success) return { kind: "unreadable" }
  const { id, type, created, data } = envelope.data
  if (type === "checkout.session.expired") {
    const session = ExpiredCheckout.safeParse(data.object).data?.id
    return session ? { kind: "checkout_expired", session } : { kind: "ignored" }
  }
  const content = parseContent(type, created, data.object)
  return typeof content === "string" ? { kind: content } : { kind: "message", message: { id, created, ...content } }
}

/** The event types about billing. All others are ignored. */
function parseContent(type: string, created: number, object: unknown): Parsed {
  // lint: the set of event types is open
  switch (type) {
    case "checkout.session.completed":
      return parseCheckout(created, object) ?? "ignored"
    case "customer.subscription.created":
      return parseSubscription("created", object)
    case "customer.subscription.updated":
      return parseSubscription("updated", object)
    case "customer.subscription.deleted":
      return parseSubscription("deleted", object)
    case "invoice.paid":
    case "invoice.payment_succeeded":
      return parseInvoice("paid", type, object)
    case "invoice.payment_failed":
      return parseInvoice("failed", type, object)
    default:
      return "ignored"
  }
}

/**
 * Parses a completed checkout session.
 * @param created when it was completed, in Unix seconds
 * @returns null for a checkout without a store or a subscription, which belongs to another application
 */
export function parseCheckout(created: number, object: unknown): MessageContent | null {
  const { success, data } = Checkout.safeParse(object)
  if (!success) return null
  return {
    type: "checkout.session.completed",
    subscription: data.subscription,
    customer: data.customer ?? null,
    facts: {
      kind: "checkout",
      store: data.client_reference_id,
      plan: data.metadata?.plan ?? null,
      session: data.id ?? null,
      storeSeq: data.metadata?.store_seq ?? null,
      startedAt: data.created ?? created,
    },
  }
}

/** Parses a subscription. */
export function parseSubscription(
  kind: "created" | "updated" | "deleted",
  object: unknown,
): MessageContent | "unreadable" {
  const { success, data } = Subscription.safeParse(object)
  if (!success) return "unreadable"
  const common = {
    type: `customer.subscription.${kind}`,
    subscription: data.id,
    customer: data.customer ?? null,
    ...findCharged(data.items?.data ?? []),
  }
  if (kind === "deleted") return { ...common, facts: { kind } }
  const [item] = data.items?.data ?? []
  const until = data.current_period_end ?? item?.current_period_end ?? null
  return {
    ...common,
    facts: {
      kind,
      price: item?.price?.id ?? null,
      status: toReportedStatus(data.status),
      until,
      trialEnd: data.trial_end ?? null,
      cancelAt: data.cancel_at ?? (data.cancel_at_period_end ? until : null),
    },
  }
}

function parseInvoice(kind: "paid" | "failed", type: string, object: unknown): Parsed {
  const { success, data } = InvoiceObject.safeParse(object)
  if (!success) return "unreadable"
  const subscription = data.subscription ?? data.parent?.subscription_details?.subscription
  if (!subscription) return "ignored"
  const ends = (data.lines?.data ?? []).flatMap(({ period }) => period?.end ?? [])
  const [price = null] = (data.lines?.data ?? []).flatMap(
    (line) => line.price?.id ?? line.pricing?.price_details?.price ?? [],
  )
  const discountCents = (data.total_discount_amounts ?? []).reduce((sum, { amount }) => sum + amount, 0)
  const invoice = {
    ...(discountCents > 0 && { discountCents }),
    id: data.id,
    price,
    amountCents: (kind === "paid" ? data.amount_paid : data.amount_due) ?? data.amount_due ?? data.amount_paid ?? 0,
    currency: (data.currency ?? "").toUpperCase(),
    until: ends.length ? Math.max(...ends) : null,
  }
  const charged = findCharged(data.lines?.data ?? [])
  return { type, subscription, customer: data.customer ?? null, ...charged, facts: { kind, invoice } }
}

/** Returns the first readable price of a subscription's items or an invoice's lines. */
function findCharged(
  items: readonly { price?: ({ id: string } & Record<string, unknown>) | null | undefined }[],
): Pick<MessageContent, "charged"> {
  for (const { price } of items) {
    const charged = price ? parsePrice(price) : null
    if (price && charged) return { charged: { price: price.id, ...charged } }
  }
  return {}
}

/**
 * Parses a price.
 * @returns null for one that is not charged monthly or yearly, or without a fixed amount
 */
export function parsePrice(object: unknown): ProviderPrice | null {
  const { success, data } = PriceObject.safeParse(object)
  if (!success) return null
  const { unit_amount: amountCents, currency, recurring } = data
  return { amountCents, currency: currency.toUpperCase(), interval: recurring.interval }
}
