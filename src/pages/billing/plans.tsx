// Renders the plans that an owner can choose from: each with the ways to change to it, and the page that confirms a change
// without a payment here.
import type { Billing } from "../../content/billing/owner"
import { Sentence, UtcDay } from "../../core/html/moment"
import type { Locale } from "../../core/i18n/locale"
import { money } from "../../lib/intl"
import { calculateAmount } from "../../platform/coupons/discounts"
import { getPaidEnd, quoteOrder } from "../../platform/orders/quote"
import { labelForPage } from "../../platform/orders/settings"
import { getCheckoutStart } from "../../platform/payments/checkout-start"
import type { Plan } from "../../platform/plans/schemas"
import { getFirstCharge, isBilledByCard, isLive, isPrepaid } from "../../platform/subscriptions/rules"
import { calculateTax } from "../../platform/tax/rules"
import type { TaxSettings } from "../../platform/tax/settings"
import { Column } from "../kit/page"
import { PlanFeatures, PlanPrice } from "../kit/plan"
import { t } from "./strings"

export interface PlansProps {
  billing: Billing
  tax: TaxSettings
  locale: Locale
  now: Date
}

/** The ways to buy or switch to a plan. */
interface Ways {
  /** Without a payment here: at the card provider, to a free plan, or during the trial. */
  change: boolean
  checkout: boolean
  transfer: boolean
}

interface PlanOffer extends Ways {
  /** When a checkout charges the card first, or from when the plan is sold by card; null for immediately. */
  cardFrom: Date | null
}

function findOffer({ facts: { subscription }, orders, card, offline }: Billing, plan: Plan, now: Date): PlanOffer {
  const isFree = plan.priceCents === 0
  const isCurrent = subscription !== null && isLive(subscription) && subscription.plan?.slug === plan.slug
  const isSoldByCard = !isFree && plan.cardPrice !== null
  if (subscription && isBilledByCard(subscription)) {
    const canChange = !isCurrent && isSoldByCard
    const prepaidUntil = isPrepaid(subscription, now) ? getFirstCharge(subscription, now) : null
    return {
      change: canChange && !prepaidUntil,
      checkout: false,
      transfer: false,
      cardFrom: canChange ? prepaidUntil : null,
    }
  }
  const { isAvailable, from } = getCheckoutStart(subscription, plan.slug, now)
  const hasCheckout = isSoldByCard && card.enabled
  const scheduled = subscription && isLive(subscription) ? subscription.scheduledPlan : null
  const isTrialing = subscription?.status === "trialing"
  return {
    change: !isCurrent && !scheduled && (isFree || isTrialing),
    checkout: hasCheckout && isAvailable,
    cardFrom: hasCheckout ? from : null,
    transfer: !isFree && offline.enabled && !scheduled?.ends_at && !orders.some(({ status }) => status === "pending"),
  }
}

/** A way to change to a plan. */
export interface PlanChoice {
  way: "checkout" | "transfer"
  /** When an order's period begins, if the owner can choose. */
  start?: string | undefined
}

/** Whether the owner can still choose a plan in a way that was chosen before. */
export function isOffered(billing: Billing, plan: Plan, { way, start }: PlanChoice, now: Date): boolean {
  const offer = findOffer(billing, plan, now)
  if (way === "checkout" || !offer.transfer) return offer[way]
  const { subscription } = billing.facts
  const later = quoteOrder(subscription, plan, "next_period", now).kind
  if (start === "now") return quoteOrder(subscription, plan, "now", now).kind === "difference"
  return later === (start === "next_period" ? "next_period" : null)
}

/** Whether a plan is free, or costs less than the current one for the same interval. */
function isDowngrade({ facts: { subscription } }: Billing, plan: Plan): boolean {
  if (plan.priceCents === 0) return true
  const current = subscription && isLive(subscription) ? subscription.plan : null
  if (current?.interval !== plan.interval || current.currency !== plan.currency) return false
  return plan.priceCents < current.price_cents
}

/** The price, with tax, of an order that begins now: until the end of the paid period, or for the first period of another interval. */
function DifferenceLabel({ plan, billing, tax, locale, now }: PlansProps & { plan: Plan }) {
  const { subscription } = billing.facts
  const paidEnd = getPaidEnd(subscription, now)
  const quote = quoteOrder(subscription, plan, "now", now)
  // The difference is one of discounted prices.
  const { net_cents: net, tax_cents: taxes } = calculateAmount(
    { ...quote, plan: plan.slug },
    null,
    billing.details,
    tax,
  )
  const params = { label: labelForPage(billing.offline, locale), amount: money(net + taxes, plan.currency, locale) }
  if (!paidEnd || subscription?.plan?.interval !== plan.interval)
    return <>{t(plan.interval === "year" ? "order_first_year" : "order_first_month", locale, params)}</>
  return (
    <Sentence of={(date) => t("order_difference", locale, { ...params, date })}>
      <UtcDay at={paidEnd} locale={locale} />
    </Sentence>
  )
}

/** Whether the store's country adds a tax to the plan's price. */
const isTaxAdded = ({ billing, tax }: Pick<PlansProps, "billing" | "tax">, plan: Plan): boolean =>
  !tax.prices_include_tax && calculateTax(plan.priceCents, false, billing.details, tax).tax_cents > 0

/** Opens the payment provider's page for the card and the subscription. */
export const PortalForm = ({ locale }: { locale: Locale }) => (
  <form method="post" action="/billing/portal" class="row">
    <button class="quiet" type="submit">
      {t("portal", locale)}
    </button>
  </form>
)

export function Plans({ billing, tax, locale, now }: PlansProps) {
  const { subscription } = billing.facts
  const paysByCard = subscription !== null && isBilledByCard(subscription)
  const currentPlan = subscription && subscription.status !== "cancelled" ? subscription.plan?.slug : undefined
  return (
    <section id="plans">
      <h2>{t("plans", locale)}</h2>
      <ul class="cards">
        {billing.plans.map((plan) => (
          <li class={plan.slug === currentPlan ? "card current" : "card"} key={plan.slug}>
            <h3>{plan.name}</h3>
            <PlanPrice plan={plan} locale={locale} isTaxAdded={isTaxAdded({ billing, tax }, plan)} />
            <p class="soft">{plan.description}</p>
            <PlanFeatures plan={plan} locale={locale} />
            {plan.slug === currentPlan && <p class="small soft">{t("current_plan", locale)}</p>}
            <PlanForm plan={plan} billing={billing} tax={tax} locale={locale} now={now} />
          </li>
        ))}
      </ul>
      {paysByCard && <p class="soft below">{t("card_to_free", locale)}</p>}
    </section>
  )
}

/** @param choice the one way to show; all when undefined */
export function PlanForm({
  plan,
  billing,
  tax,
  locale,
  now,
  choice,
}: PlansProps & { plan: Plan; choice?: PlanChoice }) {
  const { change, checkout, transfer, cardFrom } = findOffer(billing, plan, now)
  const { subscription } = billing.facts
  const paidEnd = getPaidEnd(subscription, now)
  const label = labelForPage(billing.offline, locale)
  const primary = isDowngrade(billing, plan) ? null : change ? "change" : checkout ? "checkout" : "transfer"
  const classOf = (way: keyof Ways) => (choice || way === primary ? undefined : "quiet")
  const isShown = (way: PlanChoice["way"], start?: string) => !choice || (choice.way === way && choice.start === start)
  const quote = quoteOrder(subscription, plan, "now", now)
  const later = quoteOrder(subscription, plan, "next_period", now)
  return (
    <form method="post" class="row">
      <input type="hidden" name="plan" value={plan.slug} />
      {change && !choice && (
        <a
          class={primary === "change" ? "button" : "button quiet"}
          href={`/billing/change-plan?plan=${encodeURIComponent(plan.slug)}`}
        >
          {t("switch_plan", locale, { plan: plan.name })}
        </a>
      )}
      {checkout && isShown("checkout") && (
        <button class={classOf("checkout")} type="submit" formaction="/billing/checkout">
          {paidEnd && cardFrom ? (
            <Sentence of={(date) => t("card_from", locale, { date })}>
              <UtcDay at={cardFrom} locale={locale} />
            </Sentence>
          ) : (
            t("pay_by_card", locale)
          )}
        </button>
      )}
      {transfer && quote.kind === "difference" && isShown("transfer", "now") && (
        <button class={classOf("transfer")} type="submit" formaction="/billing/orders" name="start" value="now">
          <DifferenceLabel plan={plan} billing={billing} tax={tax} locale={locale} now={now} />
        </button>
      )}
      {transfer && later.kind === "next_period" && isShown("transfer", "next_period") && (
        <button
          class={quote.kind === "difference" && !choice ? "quiet" : classOf("transfer")}
          type="submit"
          formaction="/billing/orders"
          name="start"
          value="next_period"
        >
          <Sentence of={(date) => t("order_from", locale, { label, date })}>
            {paidEnd && <UtcDay at={paidEnd} locale={locale} />}
          </Sentence>
        </button>
      )}
      {transfer && later.kind === null && isShown("transfer") && (
        <button class={classOf("transfer")} type="submit" formaction="/billing/orders">
          {t(later.from > now ? "order_renewal" : "order_by_transfer", locale, { label })}
        </button>
      )}
      {cardFrom && !checkout && !choice && (
        <span class="small soft">
          <Sentence of={(date) => t("card_available", locale, { date })}>
            <UtcDay at={cardFrom} locale={locale} />
          </Sentence>
        </span>
      )}
    </form>
  )
}

/** Asks the owner to confirm a change of plan, with what it costs and when it begins. */
export function ChangePlanView({ billing, plan, locale, now }: Omit<PlansProps, "tax"> & { plan: Plan }) {
  const { subscription } = billing.facts
  const paidEnd = getPaidEnd(subscription, now)
  const text =
    subscription && isBilledByCard(subscription) && !getFirstCharge(subscription, now) ? (
      t("change_by_card_body", locale, { plan: plan.name })
    ) : plan.priceCents === 0 && paidEnd ? (
      <Sentence of={(date) => t("change_later_body", locale, { plan: plan.name, date })}>
        <UtcDay at={paidEnd} locale={locale} />
      </Sentence>
    ) : (
      t("change_now_body", locale, { plan: plan.name })
    )
  return (
    <Column title={t("change_plan", locale)}>
      <p>{text}</p>
      <form method="post" action="/billing/change-plan" class="row">
        <input type="hidden" name="plan" value={plan.slug} />
        <button type="submit">{t("switch_plan", locale, { plan: plan.name })}</button>
        <a href="/billing">{t("back", locale)}</a>
      </form>
    </Column>
  )
}
