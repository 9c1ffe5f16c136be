// A plan as the platform's pages show it: what it costs and what is in it.
import type { Locale } from "../../core/i18n/locale"
import { money } from "../../lib/intl"
import type { Plan } from "../../platform/plans/schemas"
import { word } from "./strings"

/** What it costs, with its interval. */
export function Price({ plan, locale }: { plan: Plan; locale: Locale }) {
  if (plan.priceCents === 0) return <p class="price">{word("free", locale)}</p>
  return (
    <p class="price">
      {money(plan.priceCents, plan.currency, locale)} <small>{word(plan.interval, locale)}</small>
    </p>
  )
}

/** An upper bound; 0 is none. */
export const bound = (count: number, locale: Locale): string =>
  count === 0 ? word("unlimited", locale) : new Intl.NumberFormat(locale).format(count)

/** Megabytes as people read them. */
export const megabytes = (count: number, locale: Locale): string =>
  count === 0
    ? word("unlimited", locale)
    : count >= 1000
      ? `${new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(count / 1000)} GB`
      : `${count} MB`

/** What is in it. */
export function Contents({ plan, locale }: { plan: Plan; locale: Locale }) {
  const { limits } = plan
  return (
    <ul class="ticks">
      <li>{word("products", locale, { count: bound(limits.products, locale) })}</li>
      <li>{word("orders_a_month", locale, { count: bound(limits.orders, locale) })}</li>
      <li>{word("storage", locale, { count: megabytes(limits.storage_mb, locale) })}</li>
      <li>{word("staff", locale, { count: bound(limits.staff_users, locale) })}</li>
      {plan.allowsCustomDomain && <li>{word("custom_domain", locale)}</li>}
      {plan.allowsApiAccess && <li>{word("api_access", locale)}</li>}
      {plan.removeBranding && <li>{word("remove_branding", locale)}</li>}
    </ul>
  )
}
