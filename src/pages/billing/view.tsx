// Renders a store's billing for its owner: the plan with its usage, plans to choose from, payments and orders.
import type { Child } from "hono/jsx"
import type { Billing } from "../../content/billing/owner"
import { Sentence, UtcDay } from "../../core/html/moment"
import type { Locale } from "../../core/i18n/locale"
import type { Settings } from "../../env"
import { money } from "../../lib/intl"
import { MEGABYTE } from "../../lib/megabyte"
import { addMs, DAY } from "../../lib/time"
import { t as tInvoice } from "../../platform/invoices/strings"
import { PAID_BY_CARD } from "../../platform/orders/paid-by-card"
import { getPaidEnd } from "../../platform/orders/quote"
import { getRemainingEnd } from "../../platform/subscriptions/actions"
import { getFirstCharge, isBilledByCard, isPrepaid } from "../../platform/subscriptions/rules"
import type { TaxSettings } from "../../platform/tax/settings"
import { usageResource } from "../../platform/usage/schemas"
import { ErrorSummary, Field, Form, type FormState, TextArea } from "../kit/form"
import { Column, DescriptionList, Table } from "../kit/page"
import { formatLimit, formatStorageLimit } from "../kit/plan"
import { Plans, PortalForm } from "./plans"
import { t } from "./strings"

type BilledSubscription = NonNullable<Billing["facts"]["subscription"]>

type Discount = NonNullable<BilledSubscription["discount"]>

interface SectionProps {
  billing: Billing
  locale: Locale
}

interface Props extends SectionProps {
  tax: TaxSettings
  settings: Settings
  now: Date
  /** Why the last form was refused. */
  error?: string
  /** A confirmation, shown unless there is an error. */
  notice?: Child
  /** The choice made before signing in; shown with the notice. */
  choice?: Child
  /** The form of the billing details as it was sent; shown instead of the stored ones. */
  detailsForm?: FormState
}

export function BillingView({ billing, tax, settings, locale, now, error, notice, choice, detailsForm }: Props) {
  return (
    <div class="shell page">
      <h1>{t("billing", locale)}</h1>
      {error && <ErrorSummary text={error} />}
      {notice && !error && (
        <div class="notice" role="status">
          <p>{notice}</p>
          {choice}
        </div>
      )}
      <Closed billing={billing} settings={settings} locale={locale} />
      <OpenOrder billing={billing} locale={locale} now={now} />
      <Subscription billing={billing} settings={settings} locale={locale} now={now} />
      {billing.facts.usage && <Usage billing={billing} locale={locale} />}
      <Plans billing={billing} tax={tax} locale={locale} now={now} />
      <Payments billing={billing} locale={locale} />
      <Orders billing={billing} locale={locale} />
      <Details billing={billing} locale={locale} form={detailsForm} />
    </div>
  )
}

/** Shows that an operator closed the store, and why: the subscription itself is unchanged. */
function Closed({ billing, settings, locale }: SectionProps & { settings: Settings }) {
  const { operatorSuspendedAt, suspensionReason: reason } = billing.facts.store
  if (!operatorSuspendedAt) return null
  const platform = settings.APP_NAME
  return (
    <div class="notice" role="status">
      <h2>{t("closed_by_platform", locale, { platform })}</h2>
      {reason && <p>{t("closed_reason", locale, { reason })}</p>}
      <p>{t("closed_by_platform_body", locale, { platform })}</p>
    </div>
  )
}

function OpenOrder({ billing, locale, now }: SectionProps & { now: Date }) {
  const order = billing.orders.find(({ status }) => status === "pending")
  if (!order) return null
  const { reference } = order
  const { subscription } = billing.facts
  const amount = money(order.amountCents, order.currency, locale)
  // Only the difference to a larger plan is for the period that is running.
  const startsOn = order.kind === "difference" ? null : getPaidEnd(subscription, now)
  return (
    <div class="notice">
      {subscription && isBilledByCard(subscription) ? (
        <>
          <h2>{t("open_order_by_card", locale, { reference })}</h2>
          <p>{t("open_order_by_card_body", locale)}</p>
        </>
      ) : order.amountCents === 0 ? (
        <>
          <h2>{t("open_order_free", locale, { reference })}</h2>
          <p>{t("open_order_free_body", locale)}</p>
        </>
      ) : (
        <>
          <h2>{t("open_order", locale, { reference })}</h2>
          <p>
            {startsOn ? (
              <Sentence
                of={(date) => t("open_order_later_body", locale, { amount, reference, plan: order.planName, date })}
              >
                <UtcDay at={startsOn} locale={locale} />
              </Sentence>
            ) : (
              t("open_order_body", locale, { amount, reference })
            )}
          </p>
          {billing.offline.instructions && <pre>{billing.offline.instructions}</pre>}
        </>
      )}
      <form method="post" action={`/billing/orders/${encodeURIComponent(reference)}/withdraw`}>
        <button class="plain" type="submit">
          {t("cancel_order", locale)}
        </button>
      </form>
    </div>
  )
}

function Subscription({ billing, settings, locale, now }: SectionProps & Pick<Props, "settings" | "now">) {
  const { subscription } = billing.facts
  if (!subscription) return <p class="lede">{t("no_plan", locale)}</p>
  const { status, plan, provider, trialEndsAt, currentPeriodEndsAt, pastDueSince, cancelledAt, cancelAt, discount } =
    subscription
  const { TENANCY_BILLING_GRACE_DAYS: graceDays, TENANCY_RETENTION_DAYS: retentionDays } = settings
  const dates: Record<typeof status, [label: string, date: Date | null]> = {
    trialing: [t(isBilledByCard({ provider }) ? "first_charge" : "trial_ends", locale), trialEndsAt],
    active: [t("paid_until", locale), currentPeriodEndsAt],
    past_due: [t("offline_on", locale), pastDueSince && addMs(pastDueSince, graceDays * DAY)],
    suspended: ["", null],
    cancelled: [t("data_deleted_on", locale), cancelledAt && addMs(cancelledAt, retentionDays * DAY)],
  }
  const firstCharge = isPrepaid(subscription, now) ? getFirstCharge(subscription, now) : null
  const [label, date] = cancelAt ? [t("ends_on", locale), cancelAt] : dates[status]
  return (
    <>
      <DescriptionList
        rows={[
          [t("plan", locale), plan?.name ?? "–"],
          [t("status", locale), t(status, locale)],
          ...(date ? [[label, <UtcDay at={date} locale={locale} />] as const] : []),
          ...(firstCharge && !cancelAt
            ? [[t("first_charge", locale), <UtcDay at={firstCharge} locale={locale} />] as const]
            : []),
          ...(discount
            ? [[tInvoice("discount", locale), describeDiscount(discount, plan?.currency ?? "", locale)] as const]
            : []),
          ...(isBilledByCard({ provider }) ? [[tInvoice("payment_method", locale), t("card", locale)] as const] : []),
        ]}
      />
      {isBilledByCard({ provider }) && billing.card.enabled && <PortalForm locale={locale} />}
      <ScheduledPlan subscription={subscription} locale={locale} />
      <Cancellation subscription={subscription} locale={locale} />
    </>
  )
}

/** Shows the discount of a coupon, and its duration. */
function describeDiscount(discount: Discount, currency: string, locale: Locale): Child {
  const { percent_off: percent, amount_off: amount, months, ends_at: endsAt, code } = discount
  const off = percent === null ? money(amount ?? 0, currency, locale) : `${percent} %`
  if (endsAt)
    return (
      <Sentence of={(date) => `${t("discount_until", locale, { off, date })} (${code})`}>
        <UtcDay at={new Date(endsAt)} locale={locale} />
      </Sentence>
    )
  const text = months === null ? t("discount_always", locale, { off }) : t("discount_months", locale, { off, months })
  return `${text} (${code})`
}

/** The plan that begins when the paid period ends, and the way to withdraw it while it is not paid. */
function ScheduledPlan({ subscription, locale }: { subscription: BilledSubscription; locale: Locale }) {
  const { scheduledPlan: scheduled, currentPeriodEndsAt: end, status } = subscription
  if (!scheduled || !end || status === "cancelled") return null
  return (
    <div class="notice">
      <p>
        <Sentence of={(date) => t("plan_begins", locale, { plan: scheduled.terms.name, date })}>
          <UtcDay at={end} locale={locale} />
        </Sentence>
      </p>
      {scheduled.ends_at === null && (
        <form method="post" action="/billing/change-plan/withdraw">
          <button class="plain" type="submit">
            {t("keep_plan", locale)}
          </button>
        </form>
      )}
    </div>
  )
}

/** The way to cancel, and to withdraw a cancellation. A card subscription is cancelled in the provider's portal. */
function Cancellation({ subscription, locale }: { subscription: BilledSubscription; locale: Locale }) {
  if (isBilledByCard(subscription) || subscription.status === "cancelled") return null
  if (subscription.cancelAt) {
    return (
      <form method="post" action="/billing/cancel/withdraw" class="row">
        <button type="submit">{t("keep_plan", locale)}</button>
      </form>
    )
  }
  return (
    <p class="row">
      <a href="/billing/cancel">{t("cancel_plan", locale)}</a>
    </p>
  )
}

/** Asks the owner to confirm a cancellation, with what it does and when. */
export function CancelView({ billing, settings, locale, now }: Omit<Props, "tax" | "error" | "notice" | "choice">) {
  const { subscription } = billing.facts
  if (subscription && isBilledByCard(subscription)) return <CardCancelView billing={billing} locale={locale} />
  const at = subscription && getRemainingEnd(subscription, now)
  const days = settings.TENANCY_RETENTION_DAYS
  return (
    <Column title={t("cancel_plan", locale)}>
      <p>
        {at ? (
          <Sentence of={(date) => t("cancel_at_end_body", locale, { date, days })}>
            <UtcDay at={at} locale={locale} />
          </Sentence>
        ) : (
          t("cancel_now_body", locale, { days })
        )}
      </p>
      <form method="post" action="/billing/cancel" class="row">
        <button type="submit">{t("cancel_plan", locale)}</button>
        <a href="/billing">{t("back", locale)}</a>
      </form>
    </Column>
  )
}

/** Leads to the payment provider, where a card subscription is cancelled. */
const CardCancelView = ({ billing, locale }: SectionProps) => (
  <Column title={t("cancel_plan", locale)}>
    <p>{t("cancel_card_body", locale)}</p>
    {billing.card.enabled && <PortalForm locale={locale} />}
    <p>
      <a href="/billing">{t("back", locale)}</a>
    </p>
  </Column>
)

function Usage({ billing, locale }: SectionProps) {
  const usage = usageResource(billing.facts)
  const limits = billing.facts.subscription?.plan?.limits
  const storageMegabytes = usage.storage_bytes / MEGABYTE
  const resources = [
    { label: t("products", locale), used: usage.products, limit: limits?.products ?? 0, format: formatLimit },
    { label: t("orders_this_month", locale), used: usage.orders, limit: limits?.orders ?? 0, format: formatLimit },
    { label: t("storage", locale), used: storageMegabytes, limit: limits?.storage_mb ?? 0, format: formatStorageLimit },
    { label: t("staff", locale), used: usage.staff_users, limit: limits?.staff_users ?? 0, format: formatLimit },
  ]
  const rows = resources.map(({ label, used, limit, format }) => {
    // To the formatters 0 means unlimited.
    const usedText = used === 0 ? 0 : format(used, locale)
    const value = (
      <>
        {t("used_of_limit", locale, { used: usedText, limit: format(limit, locale) })}
        {limit > 0 && <meter aria-label={label} min={0} max={limit} high={limit * 0.9} value={Math.min(used, limit)} />}
      </>
    )
    return [label, value] as const
  })
  return (
    <section>
      <h2>{t("usage", locale)}</h2>
      <DescriptionList rows={rows} />
    </section>
  )
}

function Payments({ billing, locale }: SectionProps) {
  const entries = [
    ...billing.payments.map(({ paidAt: at, number, amountCents: cents, currency }) => ({
      at,
      number,
      cents,
      currency,
    })),
    ...billing.creditNotes.map(({ issuedAt: at, number, grossCents, currency }) => ({
      ...{ at, number, currency },
      cents: -grossCents,
    })),
  ].sort((a, b) => b.at.getTime() - a.at.getTime())
  const rows = entries.map(({ at, number, cents, currency }) => [
    <UtcDay at={at} locale={locale} />,
    number ? <a href={`/billing/invoices/${encodeURIComponent(number)}`}>{number}</a> : t("card", locale),
    money(cents, currency, locale),
  ])
  return (
    <section>
      <h2>{t("payments", locale)}</h2>
      {rows.length === 0 ? (
        <p class="soft">{t("no_payments", locale)}</p>
      ) : (
        <Table head={[tInvoice("date", locale), tInvoice("invoice", locale), t("amount", locale)]} rows={rows} />
      )}
    </section>
  )
}

function Details({ billing, locale, form }: SectionProps & { form?: FormState }) {
  const details = billing.details
  const stored = {
    name: details?.name ?? "",
    address: details?.address ?? "",
    country: details?.country ?? "",
    tax_number: details?.taxNumber ?? "",
  }
  const field = { locale, form: { values: { ...stored, ...form?.values }, errors: form?.errors ?? {} } }
  return (
    <section>
      <h2>{t("details", locale)}</h2>
      <p class="soft">{t("details_body", locale)}</p>
      <Form action="/billing/details" submitLabel={t("save", locale)}>
        <Field {...field} name="name" label={t("company", locale)} autocomplete="organization" />
        <TextArea
          {...field}
          name="address"
          label={t("address", locale)}
          rows={3}
          autocomplete="street-address"
          maxlength={500}
        />
        <Field {...field} name="country" label={t("country", locale)} autocomplete="country" />
        <Field {...field} name="tax_number" label={tInvoice("tax_number", locale)} autocomplete="off" isOptional />
      </Form>
    </section>
  )
}

function Orders({ billing, locale }: SectionProps) {
  if (billing.orders.length === 0) return null
  const head = [t("reference", locale), tInvoice("date", locale), t("status", locale), t("amount", locale)]
  const rows = billing.orders.map(({ reference, createdAt, status, reason, amountCents, currency }) => [
    reference,
    <UtcDay at={createdAt} locale={locale} />,
    <>
      {t(status, locale)}
      {reason && <span class="hint">{reason === PAID_BY_CARD ? t("paid_by_card", locale) : reason}</span>}
    </>,
    money(amountCents, currency, locale),
  ])
  return (
    <section>
      <h2>{t("orders", locale)}</h2>
      <Table head={head} rows={rows} />
    </section>
  )
}
