// Renders the choice that an owner made before signing in, with the button that sends it.
import type { Child } from "hono/jsx"
import type { Billing } from "../../content/billing/owner"
import type { SubmittedForm } from "../../core/auth/form-drafts"
import { lastValues } from "../../core/http/body"
import { LANGUAGE_NAMES, LOCALES, type Locale } from "../../core/i18n/locale"
import { withColon } from "../../lib/intl"
import { isBilledByCard } from "../../platform/subscriptions/rules"
import { isOffered, type PlanChoice, PlanForm, type PlansProps } from "./plans"
import { t } from "./strings"

interface ChoiceProps extends PlansProps {
  form: SubmittedForm
}

/** The forms that choose a plan, by their path. */
const PLAN_WAYS: ReadonlyMap<string, PlanChoice["way"]> = new Map([
  ["/billing/orders", "transfer"],
  ["/billing/checkout", "checkout"],
])

/** Returns the page that confirms the choice; null for a choice without one. */
export function getConfirmationPath({ path, fields }: SubmittedForm): string | null {
  if (path === "/billing/cancel") return path
  const { plan } = lastValues(fields)
  return path === "/billing/change-plan" && plan ? `/billing/change-plan?plan=${encodeURIComponent(plan)}` : null
}

/** Renders the button of the choice. Returns null when the choice is no longer offered. */
export function renderChoice({ form: { path, fields }, ...props }: ChoiceProps): Child {
  const { billing, locale } = props
  const values = lastValues(fields)
  const way = PLAN_WAYS.get(path)
  if (way) return renderPlan(props, values.plan, { way, start: values.start || undefined })
  if (path === "/billing/language") return renderLanguage(values.language, locale)
  const label = describeButtons(billing, locale).get(path)
  return label === undefined ? null : (
    <form class="row" method="post" action={path}>
      <button type="submit">{label}</button>
    </form>
  )
}

/** Returns the labels of the forms that have only a button, by their path. */
function describeButtons({ facts: { subscription }, orders }: Billing, locale: Locale): Map<string, string> {
  const labels = new Map<string, string>()
  if (subscription?.cancelAt) labels.set("/billing/cancel/withdraw", t("keep_plan", locale))
  if (subscription?.scheduledPlan?.ends_at === null) labels.set("/billing/change-plan/withdraw", t("keep_plan", locale))
  if (subscription && isBilledByCard(subscription)) labels.set("/billing/portal", t("portal", locale))
  for (const { reference, status } of orders)
    if (status === "pending")
      labels.set(
        `/billing/orders/${encodeURIComponent(reference)}/withdraw`,
        `${t("cancel_order", locale)} (${reference})`,
      )
  return labels
}

function renderPlan(props: PlansProps, slug: string | undefined, choice: PlanChoice): Child {
  const plan = props.billing.plans.find((other) => other.slug === slug)
  if (!plan || !isOffered(props.billing, plan, choice, props.now)) return null
  return (
    <>
      <h2>{plan.name}</h2>
      <PlanForm {...props} plan={plan} choice={choice} />
    </>
  )
}

function renderLanguage(language = "", locale: Locale): Child {
  const name = LOCALES.find((known) => known === language)
  if (!name) return null
  return (
    <form class="row" method="post" action="/billing/language">
      <input type="hidden" name="language" value={name} />
      <button type="submit">
        {withColon(t("save", locale), locale)} <span lang={name}>{LANGUAGE_NAMES[name]}</span>
      </button>
    </form>
  )
}
