// Decides which of a store's card subscriptions bills it: that of the newest checkout, in whatever order the messages came. Pure.
import type { Life } from "./projection"

interface Contest {
  /** The subscription whose state the store takes over with this message; null when the message moves nothing. */
  winner: string | null
  /** Subscriptions that no longer bill the store, and are to be cancelled at the provider. */
  superseded: string[]
}

/**
 * @param lives of every subscription that is bound to the store
 * @param id the subscription that the message is about
 * @param isNew whether the message is the one that makes `id` billable: it binds it to the store, or names its plan
 * @param billed the subscription that the store is billed by so far; null for none
 */
export function decideContest(
  lives: ReadonlyMap<string, Life>,
  id: string,
  { isNew, billed }: { isNew: boolean; billed: string | null },
): Contest {
  // A subscription to something that is not sold here bills nothing.
  const billable = [...lives].filter(([subscription, { plan }]) => plan !== null || subscription === billed)
  const [newest = null] = billable.sort(byCheckout).at(-1) ?? []
  if (!isNew || !billable.some(([subscription]) => subscription === id)) {
    return { winner: billed === id ? id : null, superseded: [] }
  }
  const superseded = billable
    .filter(([subscription, { endedAt }]) => subscription !== newest && !endedAt)
    .map(([subscription]) => subscription)
  if (newest === id) return { winner: id, superseded }
  // An older checkout that arrives late: the newest goes on as if it had come second.
  return { winner: billed === newest ? newest : null, superseded: superseded.filter((one) => one === id) }
}

type Entry = [subscription: string, life: Life]

/** By the time of the checkout; in one second by id, so that every order of arrival decides the same. */
const byCheckout = ([a, one]: Entry, [b, other]: Entry): number =>
  (one.checkout?.at.getTime() ?? 0) - (other.checkout?.at.getTime() ?? 0) || (a < b ? -1 : 1)
