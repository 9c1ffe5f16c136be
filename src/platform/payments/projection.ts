// What the provider's messages about one of its subscriptions amount to. A function of their set: whatever the order in which they
// came and however often, the same life comes out.
import type { Invoice, Message } from "./message"

/** A life as it stands; what no message says is null. */
export interface Life {
  /** The checkout that tied the subscription to a store; without one it belongs to nobody here. */
  checkout: { store: string; at: Date } | null
  customer: string | null
  /** The plan's slug; `since` when it was changed to, null while it is the first. */
  plan: { slug: string; since: Date | null } | null
  /** `open` is one that was paid for or is on trial: its checkout is all that is known. */
  status: "open" | "trialing" | "active" | "past_due" | null
  pastDueSince: Date | null
  periodEnd: Date | null
  trialEnd: Date | null
  endedAt: Date | null
  paid: { invoice: Invoice; at: Date }[]
  /** Failed invoices that were not paid since. */
  failed: Invoice[]
  /** Prices that no plan has. */
  unknownPrices: string[]
}

/** Of messages of one second, which says more: the order in which they are taken. */
const RANK = { checkout: 0, created: 1, failed: 2, paid: 3, updated: 4, deleted: 5 }

const at = (seconds: number): Date => new Date(seconds * 1000)

/**
 * @param messages all that were received about one provider subscription, in any order
 * @param planOfPrice the slug of the plan with that price; undefined for a price of no plan
 * @param isPlan whether there is a plan of that slug
 */
export function lifeOf(
  messages: readonly Message[],
  planOfPrice: (price: string) => string | undefined,
  isPlan: (slug: string) => boolean,
): Life {
  const inOrder = [...messages].sort(
    (a, b) =>
      a.created - b.created || RANK[a.facts.kind] - RANK[b.facts.kind] || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
  )
  const life = unborn()
  let sold: string | null = null
  for (const { facts, created, customer } of inOrder) {
    life.customer = customer ?? life.customer
    if (life.endedAt && facts.kind !== "paid" && facts.kind !== "checkout") continue
    switch (facts.kind) {
      case "checkout":
        life.checkout ??= { store: facts.store, at: at(created) }
        if (facts.plan && isPlan(facts.plan)) sold ??= facts.plan
        break
      case "created":
      case "updated":
        beMoved(life, facts, created, planOfPrice)
        break
      case "failed":
        fail(life, created)
        life.failed.push(facts.invoice)
        break
      case "paid":
        life.paid.push({ invoice: facts.invoice, at: at(created) })
        if (!life.endedAt) bePaid(life, facts.invoice)
        break
      case "deleted":
        life.endedAt = at(created)
        break
    }
  }
  // What it is billed at says more than what was asked for.
  if (!life.plan && sold) life.plan = { slug: sold, since: null }
  if (!life.status && life.checkout) life.status = "open"
  const paid = new Map(life.paid.map((payment) => [payment.invoice.id, payment]))
  life.paid = [...paid.values()]
  life.failed = life.failed.filter(({ id }) => !paid.has(id))
  return life
}

const unborn = (): Life => ({
  checkout: null,
  customer: null,
  plan: null,
  status: null,
  pastDueSince: null,
  periodEnd: null,
  trialEnd: null,
  endedAt: null,
  paid: [],
  failed: [],
  unknownPrices: [],
})

type Moved = Extract<Message["facts"], { kind: "created" | "updated" }>

function beMoved(life: Life, facts: Moved, created: number, planOfPrice: (price: string) => string | undefined): void {
  const slug = facts.price === null ? undefined : planOfPrice(facts.price)
  if (!slug) {
    // Of something that is not sold here nothing is taken over.
    if (facts.price) life.unknownPrices.push(facts.price)
    return
  }
  if (life.plan?.slug !== slug) life.plan = { slug, since: life.plan ? at(created) : null }
  if (facts.status === "past_due") fail(life, created)
  if (facts.status === "active" || facts.status === "trialing") {
    life.status = facts.status
    life.pastDueSince = null
  }
  if (facts.until !== null) life.periodEnd = at(facts.until)
  if (facts.trialEnd !== null) life.trialEnd = at(facts.trialEnd)
}

/** A payment failed: the grace starts with the first failure, and no later one starts it anew. */
function fail(life: Life, created: number): void {
  if (life.status !== "past_due") life.pastDueSince = at(created)
  life.status = "past_due"
}

function bePaid(life: Life, { amountCents, until }: Invoice): void {
  // A trial begins with an invoice over nothing, which pays for nothing.
  if (amountCents === 0 && life.status === "trialing") return
  life.status = "active"
  life.pastDueSince = null
  if (until !== null) life.periodEnd = at(until)
}
