// Renders a plan for customers: its price and what it includes.
import type { Locale } from "../../core/i18n/locale"
import { money, storageSize } from "../../lib/intl"
import type { Plan } from "../../platform/plans/schemas"
import { t } from "./strings"

interface PlanPriceProps {
  plan: Plan
  locale: Locale
  /** Whether a tax is added to the price. */
  isTaxAdded?: boolean
}

export function PlanPrice({ plan, locale, isTaxAdded }: PlanPriceProps) {
  if (plan.priceCents === 0) return <p class="price">{t("free", locale)}</p>
  return (
    <p class="price">
      {money(plan.priceCents, plan.currency, locale)} <small>{t(plan.interval, locale)}</small>
      {isTaxAdded && <small> {t("plus_tax", locale)}</small>}
    </p>
  )
}

/** @param limit 0 means unlimited */
export const formatLimit = (limit: number, locale: Locale): string =>
  limit === 0 ? t("unlimited", locale) : new Intl.NumberFormat(locale).format(limit)

/** @param megabytes 0 means unlimited */
export const formatStorageLimit = (megabytes: number, locale: Locale): string =>
  megabytes === 0 ? t("unlimited", locale) : storageSize(megabytes, locale)

export function PlanFeatures({ plan, locale }: { plan: Plan; locale: Locale }) {
  const { limits } = plan
  return (
    <ul class="features">
      <li>{t("products_limit", locale, { count: formatLimit(limits.products, locale) })}</li>
      <li>{t("orders_limit", locale, { count: formatLimit(limits.orders, locale) })}</li>
      <li>{t("storage_limit", locale, { count: formatStorageLimit(limits.storage_mb, locale) })}</li>
      <li>{t("staff_limit", locale, { count: formatLimit(limits.staff_users, locale) })}</li>
      {plan.allowsCustomDomain && <li>{t("custom_domain", locale)}</li>}
      {plan.allowsApiAccess && <li>{t("api_access", locale)}</li>}
      {plan.removeBranding && <li>{t("remove_branding", locale)}</li>}
    </ul>
  )
}
