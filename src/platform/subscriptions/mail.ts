// Builds the mails about billing to a store's owner. Each mail has a unique key, so a repeated transition does not send
// it twice.
import { type SQL, sql } from "drizzle-orm"
import { getFallbackHost, publicUrl, type Settings } from "../../env"
import { assertNever } from "../../lib/assert-never"
import { formatTimestamp } from "../../lib/time"
import type { MailDraft } from "../../mails/outbox"
import type { MailParams } from "../../mails/render"
import type { MailKind } from "../../mails/strings"
import type { StoreDetails } from "../stores/schemas"
import { isBilledByCard } from "./rules"
import { daysUntil, type SubscribedStore, type Transition } from "./transition"

/** Path of the billing page on the store's own host. */
const BILLING_PATH = "/billing"

/** Path of the admin on the store's own host. */
const ADMIN_PATH = "/admin"

/**
 * Builds a mail to the owner of a store.
 * @param about identifies the mail among those of its kind and store, e.g. an order reference; part of the mail's
 *   unique key
 */
export function buildOwnerMail(
  settings: Settings,
  { store, primary }: Pick<StoreDetails, "store" | "primary">,
  kind: MailKind,
  about: string,
  facts: MailParams = {},
): MailDraft {
  const host = primary?.domain ?? getFallbackHost(settings, store.id)
  const root = publicUrl(settings, host)
  const url = publicUrl(settings, host, kind === "store_ready" ? ADMIN_PATH : BILLING_PATH)
  return {
    kind,
    key: `${kind}:${store.seq}:${about}`,
    to: store.ownerEmail,
    storeId: store.id,
    storeSeq: store.seq,
    facts: { store: store.name, root, url, ...facts },
  }
}

/** Returns the URL of an invoice whose number only the batch knows. */
export const invoiceUrl = (draft: MailDraft, number: SQL): SQL => sql`${`${draft.facts.url}/invoices/`} || ${number}`

/**
 * Builds the mail about a transition.
 * @param facts the store after the transition
 * @param tellsOwner whether the owner, the clock or the card provider made the change
 * @returns null for transitions without a mail
 */
export function buildTransitionMail(
  settings: Settings,
  facts: SubscribedStore,
  { audit }: Transition,
  now: Date,
  tellsOwner: boolean,
): MailDraft | null {
  const { subscription } = facts
  const mail = (kind: MailKind, about: string, more?: MailParams) => buildOwnerMail(settings, facts, kind, about, more)
  const until = String(audit.data?.until)
  const reason = typeof audit.data?.reason === "string" ? audit.data.reason : null
  const nowText = formatTimestamp(now)
  switch (audit.type) {
    case "trial_ending": {
      const { createdAt, trialEndsAt, trialReminder } = subscription
      // A subscription may have several trials.
      const about = `${createdAt.getTime()}:${trialEndsAt?.getTime()}:${trialReminder}`
      return mail(isBilledByCard(subscription) ? "trial_ending_card" : "trial_ending", about, {
        ends_on: until,
        days_left: trialEndsAt ? daysUntil(trialEndsAt, now) : 0,
      })
    }
    case "payment_reminded":
      return mail("past_due", `${subscription.pastDueSince?.getTime()}:${subscription.dunningDay}`, { until })
    case "suspended":
      return mail(audit.data?.reason === "trial_expired" ? "suspended_trial" : "suspended", nowText)
    case "cancelled":
      return mail("cancelled", nowText, { until, reason })
    case "cancel_scheduled":
      return mail("cancel_scheduled", nowText, { until, reason })
    case "purge_announced":
      return mail("purge_ahead", `${subscription.cancelledAt?.getTime()}`, { until })
    case "plan_changed":
      // An operator chooses whether to tell the owner, and a paid order has a receipt.
      return tellsOwner ? mail("plan_changed", nowText, { plan: subscription.plan?.name ?? null }) : null
    case "plan_change_scheduled": {
      const { terms, ends_at: paidUntil } = subscription.scheduledPlan ?? {}
      return mail(paidUntil ? "paid_plan_scheduled" : "plan_change_scheduled", nowText, {
        plan: terms?.name ?? null,
        until,
      })
    }
    case "assigned":
    case "extended":
    case "reactivated":
    case "activated":
    case "past_due":
    case "billing_updated":
    case "cancel_withdrawn":
    case "plan_change_withdrawn":
      return null
    default:
      return assertNever(audit)
  }
}
