// The billing data in card providers' messages, in the same form for all providers. Each provider parses its
// own format into it.

/** A paid or failed invoice. */
export interface Invoice {
  id: string
  amountCents: number
  currency: string
  /** The discount of a coupon; absent without one. */
  discountCents?: number
  /** The price of the first line that has one. */
  price: string | null
  /** The latest end of a paid period, in Unix seconds; null when no line has one. */
  until: number | null
}

/** Whether a paid invoice is a payment. One of 0 is none, unless a discount covers it. */
export const isPayment = ({ amountCents, discountCents = 0 }: Invoice): boolean => amountCents + discountCents > 0

/** Returns the price in a message; null for none. */
export function getPrice(facts: ProviderMessageData): string | null {
  if ("invoice" in facts) return facts.invoice.price
  return "price" in facts ? facts.price : null
}

/** The status of a subscription at its provider; `other` changes nothing. */
export type ReportedStatus = "trialing" | "active" | "past_due" | "other"

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
  | {
      kind: "created" | "updated"
      price: string | null
      status: ReportedStatus
      until: number | null
      trialEnd: number | null
      /** When the provider ends it, in Unix seconds. Absent from messages that older releases stored. */
      cancelAt?: number | null
      plan?: PricedPlan
    }
  | { kind: "deleted" }
  | { kind: "paid" | "failed"; invoice: Invoice; plan?: PricedPlan }

/**
 * Slug of the plan that had the message's price when the message was stored. The plan may get another price, while the
 * provider still charges the earlier one. Absent for an unknown price, and from messages that older releases stored.
 */
type PricedPlan = string

export type CheckoutMessageData = Extract<ProviderMessageData, { kind: "checkout" }>

/** The amount and the interval of a provider's price. */
export interface ProviderPrice {
  amountCents: number
  currency: string
  interval: "month" | "year"
}

/** The content of a message, without its id and time. */
export interface MessageContent {
  /** The provider's name of the event; stored for support only. */
  type: string
  /** The provider's id of the subscription. */
  subscription: string
  customer: string | null
  facts: ProviderMessageData
  /** The amount and the interval of its price, if the message contains them. Not stored with the message. */
  charged?: ProviderPrice & { price: string }
}

export interface Message extends MessageContent {
  id: string
  /** Unix seconds. */
  created: number
}

const REPORTED_STATUSES: readonly string[] = ["trialing", "active", "past_due"] satisfies ReportedStatus[]

/** Maps a status that providers name alike; every other one is `other`. */
export const toReportedStatus = (status: string): ReportedStatus =>
  REPORTED_STATUSES.includes(status) ? (status as ReportedStatus) : "other"

/** Returns the facts of a stored message. Older releases stored every status as the provider named it. */
export function readStoredFacts(stored: Record<string, unknown>): ProviderMessageData {
  const facts = stored as ProviderMessageData
  return "status" in facts ? { ...facts, status: toReportedStatus(facts.status) } : facts
}
