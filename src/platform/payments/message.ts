// Parses the payment provider's messages (Stripe events) into the facts that billing needs. Pure functions; no other
// module knows the provider's formats.
import * as z from "zod"

/** A paid or failed invoice. */
export interface Invoice {
  id: string
  amountCents: number
  currency: string
  /** The price of the first line that has one. */
  price: string | null
  /** The latest end of a paid period, in Unix seconds; null when no line has one. */
  until: number | null
}

export type ProviderMessageData =
  | {
      kind: "checkout"
      store: string
      plan: string | null
      /** The provider's id of the checkout session, if the message has one. */
      session: string | null
      /** The store's incarnation (`stores.seq`); null for sessions created by other tools or older releases. */
      storeSeq: string | null
      /** When the session was created, in Unix seconds. */
      startedAt: number
    }
  | { kind: "created" | "updated"; price: string | null; status: string; until: number | null; trialEnd: number | null }
  | { kind: "deleted" }
  | { kind: "paid" | "failed"; invoice: Invoice }

export type CheckoutMessageData = Extract<ProviderMessageData, { kind: "checkout" }>

export interface Message {
  id: string
  type: string
  /** Unix seconds. */
  created: number
  /** The provider's subscription id. */
  subscription: string
  customer: string | null
  facts: ProviderMessageData
}

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
  items: z
    .object({
      data: z.array(z.object({ price: z.object({ id }).nullish(), current_period_end: seconds.nullish() })),
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
  lines: z
    .object({
      data: z.array(
        z.object({
          period: z.object({ end: seconds.nullish() }).nullish(),
          price: z.object({ id }).nullish(),
          pricing: z.object({ price_details: z.object({ price: reference.nullish() }).nullish() }).nullish(),
        }),
      ),
    })
    .nullish(),
})

/**
 * Parses a message.
 * @param body the parsed JSON body
 * @returns `unreadable` for an invalid message, `ignored` for one that does not concern billing
 */
export function parseMessage(body: unknown): Message | "unreadable" | "ignored" {
  const envelope = Envelope.safeParse(body)
  if (!envelope.success) return "unreadable"
  const { id, type, created, data } = envelope.data
  const content = parseContent(type, created, data.object)
  return content === "unreadable" || content === "ignored" ? content : { id, type, created, ...content }
}

const ExpiredCheckout = z.object({
  type: z.literal("checkout.session.expired"),
  data: z.object({ object: z.object({ id }) }),
})

/** @returns the id of the expired checkout session; null for any other message */
export const parseExpiredCheckout = (body: unknown): string | null =>
  ExpiredCheckout.safeParse(body).data?.data.object.id ?? null

type MessageContent = Pick<Message, "subscription" | "customer" | "facts">

function parseContent(type: string, created: number, object: unknown): MessageContent | "unreadable" | "ignored" {
  switch (type) {
    case "checkout.session.completed":
      return parseCheckout(created, object)
    case "customer.subscription.created":
      return parseSubscription("created", object)
    case "customer.subscription.updated":
      return parseSubscription("updated", object)
    case "customer.subscription.deleted":
      return parseSubscription("deleted", object)
    case "invoice.paid":
    case "invoice.payment_succeeded":
      return parseInvoice("paid", object)
    case "invoice.payment_failed":
      return parseInvoice("failed", object)
    default:
      return "ignored"
  }
}

function parseCheckout(created: number, object: unknown): MessageContent | "ignored" {
  // A checkout without a store or a subscription belongs to another application.
  const { success, data } = Checkout.safeParse(object)
  if (!success) return "ignored"
  const facts = {
    kind: "checkout",
    store: data.client_reference_id,
    plan: data.metadata?.plan ?? null,
    session: data.id ?? null,
    storeSeq: data.metadata?.store_seq ?? null,
    startedAt: data.created ?? created,
  } as const
  return { subscription: data.subscription, customer: data.customer ?? null, facts }
}

function parseSubscription(kind: "created" | "updated" | "deleted", object: unknown): MessageContent | "unreadable" {
  const { success, data } = Subscription.safeParse(object)
  if (!success) return "unreadable"
  const ids = { subscription: data.id, customer: data.customer ?? null }
  if (kind === "deleted") return { ...ids, facts: { kind } }
  const [item] = data.items?.data ?? []
  return {
    ...ids,
    facts: {
      kind,
      price: item?.price?.id ?? null,
      status: data.status,
      until: data.current_period_end ?? item?.current_period_end ?? null,
      trialEnd: data.trial_end ?? null,
    },
  }
}

function parseInvoice(kind: "paid" | "failed", object: unknown): MessageContent | "unreadable" | "ignored" {
  const { success, data } = InvoiceObject.safeParse(object)
  if (!success) return "unreadable"
  const subscription = data.subscription ?? data.parent?.subscription_details?.subscription
  if (!subscription) return "ignored"
  const ends = (data.lines?.data ?? []).flatMap(({ period }) => period?.end ?? [])
  const [price = null] = (data.lines?.data ?? []).flatMap(
    (line) => line.price?.id ?? line.pricing?.price_details?.price ?? [],
  )
  const invoice = {
    id: data.id,
    price,
    amountCents: (kind === "paid" ? data.amount_paid : data.amount_due) ?? data.amount_due ?? data.amount_paid ?? 0,
    currency: (data.currency ?? "").toUpperCase(),
    until: ends.length ? Math.max(...ends) : null,
  }
  return { subscription, customer: data.customer ?? null, facts: { kind, invoice } }
}
