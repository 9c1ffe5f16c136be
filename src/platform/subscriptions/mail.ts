// What a store's owner is told of its billing: one mail a move, with a key that makes it this mail and no other.
import { publicUrl, type Settings } from "../../env"
import { timestamp } from "../../lib/time"
import type { MailFacts } from "../../mails/enqueue"
import type { MailDraft } from "../../mails/outbox"
import type { MailKind } from "../../mails/strings"
import type { StoreFacts } from "../stores/schemas"
import type { SubscribedFacts } from "./commit-transition"
import { daysUntil, type Move } from "./transition"

/** The page where an owner pays. */
const BILLING_PATH = "/billing"

/**
 * A mail to the owner of a store.
 * @param about what of the store it is about, e.g. `receipt:INV-2027-000001`
 */
export function ownerMail(
  settings: Settings,
  { store, primary }: Pick<StoreFacts, "store" | "primary">,
  kind: MailKind,
  about: string,
  facts: MailFacts = {},
): MailDraft {
  const host = primary?.domain ?? `${store.id}.${settings.CENTRAL_DOMAIN}`
  const root = publicUrl(settings, host)
  const url = publicUrl(settings, host, kind === "store_ready" ? "/" : BILLING_PATH)
  return {
    kind,
    key: `${kind}:${store.seq}:${about}`,
    to: store.ownerEmail,
    storeId: store.id,
    storeSeq: store.seq,
    facts: { store: store.name, root, url, ...facts },
  }
}

/**
 * What the owner is told of a move, if anything.
 * @param facts the store after the move
 */
export function moveMail(settings: Settings, facts: SubscribedFacts, { audit }: Move, now: Date): MailDraft | null {
  const { subscription } = facts
  const mail = (kind: MailKind, about: string, more?: MailFacts) => ownerMail(settings, facts, kind, about, more)
  const until = String(audit.data?.until)
  const nowText = timestamp(now)
  switch (audit.type) {
    case "trial_ending":
      return mail("trial_ending", `${subscription.createdAt.getTime()}:${subscription.trialReminder}`, {
        ends_on: until,
        days_left: subscription.trialEndsAt ? daysUntil(subscription.trialEndsAt, now) : 0,
      })
    case "payment_reminded":
      return mail("past_due", `${subscription.pastDueSince?.getTime()}:${subscription.dunningDay}`, { until })
    case "suspended":
      return mail(audit.data?.reason === "trial_expired" ? "suspended_trial" : "suspended", nowText)
    case "cancelled":
      return mail("cancelled", nowText, { until })
    case "purge_announced":
      return mail("purge_ahead", `${subscription.cancelledAt?.getTime()}`, { until })
    default:
      return null
  }
}
