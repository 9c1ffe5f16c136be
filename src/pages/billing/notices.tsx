// Notices that confirm what a form of the billing page did. The redirect names one in its query.
import type { Child } from "hono/jsx"
import type { Billing } from "../../content/billing/owner"
import { Sentence, UtcDay } from "../../core/html/moment"
import type { Locale } from "../../core/i18n/locale"
import { t } from "./strings"

/** The query parameter with the name of the notice. */
export const NOTICE_PARAMETER = "done"

const NOTICES = {
  ordered: "order_placed",
  order_cancelled: "order_was_cancelled",
  cancelled: "subscription_was_cancelled",
  reactivated: "subscription_continues",
  plan_changed: "plan_change_saved",
  plan_kept: "plan_change_cancelled",
  details_saved: "details_saved",
  language_saved: "language_saved",
} as const

export type Notice = keyof typeof NOTICES

const isKnownNotice = (name: string): name is Notice => Object.hasOwn(NOTICES, name)

/** Returns the text of a notice; undefined for an unknown name. */
export function describeNotice(name: string, { facts: { subscription } }: Billing, locale: Locale): Child | undefined {
  if (!isKnownNotice(name)) return undefined
  if (name === "cancelled" && subscription?.cancelAt)
    return (
      <Sentence of={(date) => t("subscription_ends", locale, { date })}>
        <UtcDay at={subscription.cancelAt} locale={locale} />
      </Sentence>
    )
  // The page may be loaded again after the state has changed.
  if (name === "cancelled" && subscription?.status !== "cancelled") return undefined
  return t(NOTICES[name], locale)
}
