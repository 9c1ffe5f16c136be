// Decides whether a store may buy a plan by card, and when the card is charged first. Pure functions. Days that are paid
// are never lost: while a period is paid, a card pays for the next one, of the same plan.
import type { Subscription } from "../../db/schema/central/subscriptions"
import { addMs, DAY } from "../../lib/time"
import { getPaidEnd } from "../orders/quote"
import { getRemainingEnd } from "../subscriptions/actions"
import { isLive } from "../subscriptions/rules"

/** Card providers accept a later first charge only when it is at least this far ahead. */
const MIN_DELAY_MS = 2 * DAY

/** `from`: when the card is charged first, or when the plan is sold by card; null for immediately, or unknown. */
type CheckoutStart = { isAvailable: boolean; from: Date | null }

/** Decides when a checkout of a plan charges the card first. The subscription is billed by the platform, or missing. */
export function getCheckoutStart(subscription: Subscription | null, slug: string, now: Date): CheckoutStart {
  // The next period is paid for another plan: it begins first.
  if (subscription && isLive(subscription) && subscription.scheduledPlan?.ends_at)
    return { isAvailable: false, from: null }
  const isFarEnough = (at: Date) => at >= addMs(now, MIN_DELAY_MS)
  const paidEnd = getPaidEnd(subscription, now)
  // Another plan would begin immediately and replace the paid days.
  if (paidEnd) return { isAvailable: subscription?.plan?.slug === slug && isFarEnough(paidEnd), from: paidEnd }
  const trialEnd = subscription && getRemainingEnd(subscription, now)
  return { isAvailable: true, from: trialEnd && isFarEnough(trialEnd) ? trialEnd : null }
}
