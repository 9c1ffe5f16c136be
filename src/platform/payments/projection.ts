// Projects the provider's messages about one subscription onto its current state. The result depends only on the set of
// messages, not on their order or on duplicates.
import { assertNever } from "../../lib/assert-never"
import { getPrice, type Invoice, isPayment, type Message } from "./message"

/** The state of a provider subscription; null for everything that no message contains. */
export interface SubscriptionProjection {
  /** The checkout that bound the subscription to a store; without one it belongs to no store. */
  checkout: { store: string; at: Date } | null
  customer: string | null
  /** The plan's slug; `since` is the time of the change to it, null for the first plan. */
  plan: { slug: string; since: Date | null } | null
  /** `open`: only the checkout is known, so it is either active or trialing. */
  status: "open" | "trialing" | "active" | "past_due" | null
  pastDueSince: Date | null
  periodEnd: Date | null
  trialEnd: Date | null
  /** When the provider ends it; null while no cancellation is scheduled. */
  cancelAt: Date | null
  endedAt: Date | null
  paid: { invoice: Invoice; at: Date }[]
  /** Failed invoices that have not been paid since. */
  failed: Invoice[]
  /** Prices without a plan. */
  unknownPrices: string[]
}

/** Returns the slug of the plan with a price; undefined if there is none. */
export type FindPlanByPrice = (price: string) => string | undefined

/** Order of messages with the same timestamp; later kinds take precedence. */
const KIND_ORDER: Record<Message["facts"]["kind"], number> = {
  checkout: 0,
  created: 1,
  failed: 2,
  paid: 3,
  updated: 4,
  deleted: 5,
}

const toDate = (seconds: number): Date => new Date(seconds * 1000)

/**
 * Projects messages onto the state of their subscription.
 * @param messages all messages about one provider subscription, in any order
 * @param findPlanByPrice returns the slug of the plan with that price; undefined if there is none
 * @param isKnownPlan whether a plan with that slug exists
 */
export function projectSubscription(
  messages: readonly Message[],
  findPlanByPrice: FindPlanByPrice,
  isKnownPlan: (slug: string) => boolean,
): SubscriptionProjection {
  const sorted = sortMessages(messages)
  const projection = initialProjection()
  let requestedPlan: string | null = null
  for (const { facts, created, customer } of sorted) {
    projection.customer = customer ?? projection.customer
    if (projection.endedAt && facts.kind !== "paid" && facts.kind !== "checkout") continue
    switch (facts.kind) {
      case "checkout":
        projection.checkout ??= { store: facts.store, at: toDate(created) }
        if (facts.plan && isKnownPlan(facts.plan)) requestedPlan ??= facts.plan
        break
      case "created":
      case "updated":
        applyUpdate(projection, facts, created, findPlanByPrice)
        break
      case "failed":
        applyFailure(projection, created)
        projection.failed.push(facts.invoice)
        break
      case "paid":
        projection.paid.push({ invoice: facts.invoice, at: toDate(created) })
        if (!projection.endedAt) applyPayment(projection, facts.invoice)
        break
      case "deleted":
        projection.endedAt = toDate(created)
        break
      default:
        assertNever(facts)
    }
  }
  // The billed price takes precedence over the plan that the checkout asked for.
  if (!projection.plan && requestedPlan) projection.plan = { slug: requestedPlan, since: null }
  if (!projection.status && projection.checkout) projection.status = "open"
  const paid = new Map(projection.paid.map((payment) => [payment.invoice.id, payment]))
  projection.paid = [...paid.values()]
  projection.failed = projection.failed.filter(({ id }) => !paid.has(id))
  return projection
}

const sortMessages = (messages: readonly Message[]): Message[] =>
  [...messages].sort(
    (a, b) =>
      a.created - b.created ||
      KIND_ORDER[a.facts.kind] - KIND_ORDER[b.facts.kind] ||
      (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  )

/**
 * Returns a function that also finds the plans of prices that were replaced: by the stored messages of the subscription,
 * which the provider continues to charge at the earlier price.
 * @param findPlanByPrice finds plans by their current prices, which take precedence
 */
export function withEarlierPrices(messages: readonly Message[], findPlanByPrice: FindPlanByPrice): FindPlanByPrice {
  const earlier = new Map(
    sortMessages(messages).flatMap(({ facts }) => {
      const price = getPrice(facts)
      return price !== null && "plan" in facts && facts.plan ? [[price, facts.plan]] : []
    }),
  )
  return (price) => findPlanByPrice(price) ?? earlier.get(price)
}

const initialProjection = (): SubscriptionProjection => ({
  checkout: null,
  customer: null,
  plan: null,
  status: null,
  pastDueSince: null,
  periodEnd: null,
  trialEnd: null,
  cancelAt: null,
  endedAt: null,
  paid: [],
  failed: [],
  unknownPrices: [],
})

type SubscriptionUpdate = Extract<Message["facts"], { kind: "created" | "updated" }>

function applyUpdate(
  projection: SubscriptionProjection,
  facts: SubscriptionUpdate,
  created: number,
  findPlanByPrice: FindPlanByPrice,
): void {
  const slug = facts.price === null ? undefined : findPlanByPrice(facts.price)
  if (!slug) {
    // Updates with an unknown price are ignored.
    if (facts.price) projection.unknownPrices.push(facts.price)
    return
  }
  if (projection.plan?.slug !== slug) projection.plan = { slug, since: projection.plan ? toDate(created) : null }
  switch (facts.status) {
    case "past_due":
      applyFailure(projection, created)
      break
    case "active":
    case "trialing":
      projection.status = facts.status
      projection.pastDueSince = null
      break
    case "other":
      break
    default:
      assertNever(facts.status)
  }
  if (facts.until !== null) projection.periodEnd = toDate(facts.until)
  if (facts.trialEnd !== null) projection.trialEnd = toDate(facts.trialEnd)
  projection.cancelAt = facts.cancelAt ? toDate(facts.cancelAt) : null
}

/** Applies a failed payment. The grace period starts with the first failure; later ones do not restart it. */
function applyFailure(projection: SubscriptionProjection, created: number): void {
  if (projection.status !== "past_due") projection.pastDueSince = toDate(created)
  projection.status = "past_due"
}

function applyPayment(projection: SubscriptionProjection, invoice: Invoice): void {
  const { until } = invoice
  // An invoice of 0 starts a trial, or credits a change; while a payment is due, it settles nothing.
  if (!isPayment(invoice) && projection.status !== "active") return
  projection.status = "active"
  projection.pastDueSince = null
  if (until !== null) projection.periodEnd = toDate(until)
}
