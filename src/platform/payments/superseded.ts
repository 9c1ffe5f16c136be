// Decides which of a store's card subscriptions bills it: the one with the newest checkout, regardless of the order of
// the messages. Pure functions.
import type { SubscriptionProjection } from "./projection"

interface BillingDecision {
  /** The subscription whose state applies to the store after this message; null when the message changes nothing. */
  winner: string | null
  /** Subscriptions that no longer bill the store and have to be cancelled at the provider. */
  superseded: string[]
}

/**
 * Decides which subscription bills the store after a message.
 * @param projections by subscription id, of every subscription that is bound to the store
 * @param id the subscription of the message
 * @param isNew whether this message makes `id` billable: it binds it to the store, or names its plan
 * @param billed the subscription that bills the store so far; null for none
 */
export function decideBilling(
  projections: ReadonlyMap<string, SubscriptionProjection>,
  id: string,
  { isNew, billed }: { isNew: boolean; billed: string | null },
): BillingDecision {
  // A subscription without a known plan does not bill the store.
  const billable = [...projections].filter(([subscription, { plan }]) => plan !== null || subscription === billed)
  const [newest = null] = billable.sort(compareCheckouts).at(-1) ?? []
  if (!isNew || !billable.some(([subscription]) => subscription === id)) {
    return { winner: billed === id ? id : null, superseded: [] }
  }
  const superseded = billable
    .filter(([subscription, { endedAt }]) => subscription !== newest && !endedAt)
    .map(([subscription]) => subscription)
  if (newest === id) return { winner: id, superseded }
  // An older checkout arrived late: the newest one continues as if it had arrived second.
  return {
    winner: billed === newest ? newest : null,
    superseded: superseded.filter((subscription) => subscription === id),
  }
}

type Entry = [subscription: string, projection: SubscriptionProjection]

/** Compares by time of the checkout, then by id, so that the decision does not depend on the order of arrival. */
const compareCheckouts = ([idA, a]: Entry, [idB, b]: Entry): number =>
  (a.checkout?.at.getTime() ?? 0) - (b.checkout?.at.getTime() ?? 0) || (idA < idB ? -1 : 1)
