// The owner's page: the plan with what is used of it, plans to choose from, orders and payments.

import type { Billing } from "../../content/billing/owner"
import type { Locale } from "../../core/i18n/locale"
import type { Settings } from "../../env"
import { longDate, money } from "../../lib/intl"
import { MEGABYTE } from "../../lib/megabyte"
import { DAY, later } from "../../lib/time"
import type { Plan } from "../../platform/plans/schemas"
import { usageBlock } from "../../platform/usage/schemas"
import { bound, Contents, megabytes, Price } from "../platform/plans"
import { word } from "./strings"

interface Props {
  billing: Billing
  settings: Settings
  locale: Locale
  /** What is said above everything: a fault, or thanks. */
  notice?: { text: string; bad: boolean }
}

export function BillingView({ billing, settings, locale, notice }: Props) {
  const { facts } = billing
  return (
    <div class="shell page">
      <h1>{word("billing", locale)}</h1>
      {notice && (
        <div class={notice.bad ? "notice bad" : "notice"} role={notice.bad ? "alert" : "status"}>
          <p>{notice.text}</p>
        </div>
      )}
      <OpenOrder billing={billing} locale={locale} />
      <Standing billing={billing} settings={settings} locale={locale} />
      {facts.usage && <Usage billing={billing} locale={locale} />}
      <Plans billing={billing} locale={locale} />
      <Payments billing={billing} locale={locale} />
      <Orders billing={billing} locale={locale} />
    </div>
  )
}

type Part = { billing: Billing; locale: Locale }

function OpenOrder({ billing, locale }: Part) {
  const open = billing.orders.find(({ status }) => status === "pending")
  if (!open) return null
  const { reference } = open
  return (
    <div class="notice">
      <h2>{word("open_order", locale, { reference })}</h2>
      <p>{word("open_order_body", locale, { amount: money(open.amountCents, open.currency, locale), reference })}</p>
      {billing.offline.instructions && <pre>{billing.offline.instructions}</pre>}
      <form method="post" action={`/billing/orders/${encodeURIComponent(reference)}/withdraw`}>
        <button class="plain" type="submit">
          {word("withdraw", locale)}
        </button>
      </form>
    </div>
  )
}

function Standing({ billing, settings, locale }: Part & { settings: Settings }) {
  const { subscription } = billing.facts
  if (!subscription) return <p class="lede">{word("no_plan", locale)}</p>
  const { status, plan, provider } = subscription
  const dates = [
    status === "trialing" && ([word("trial_until", locale), subscription.trialEndsAt] as const),
    status === "active" && ([word("paid_until", locale), subscription.currentPeriodEndsAt] as const),
    status === "past_due" &&
      ([
        word("offline_on", locale),
        subscription.pastDueSince && later(subscription.pastDueSince, settings.TENANCY_BILLING_GRACE_DAYS * DAY),
      ] as const),
    status === "cancelled" &&
      ([
        word("kept_until", locale),
        subscription.cancelledAt && later(subscription.cancelledAt, settings.TENANCY_RETENTION_DAYS * DAY),
      ] as const),
  ].filter((row) => row !== false)
  return (
    <dl class="facts">
      <div>
        <dt>{word("plan", locale)}</dt>
        <dd>{plan?.name ?? "–"}</dd>
      </div>
      <div>
        <dt>{word("status", locale)}</dt>
        <dd>{word(status, locale)}</dd>
      </div>
      {dates.map(
        ([label, day]) =>
          day && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <time datetime={day.toISOString()}>{longDate(day, locale)}</time>
              </dd>
            </div>
          ),
      )}
      {provider === "stripe" && (
        <div>
          <dt>{word("paid_by", locale)}</dt>
          <dd>{word("card", locale)}</dd>
        </div>
      )}
    </dl>
  )
}

function Usage({ billing, locale }: Part) {
  const { subscription } = billing.facts
  const usage = usageBlock(billing.facts)
  const limits = subscription?.plan?.limits
  const rows = [
    { label: word("products", locale), used: usage.products, limit: limits?.products ?? 0, show: bound },
    { label: word("orders_month", locale), used: usage.orders, limit: limits?.orders ?? 0, show: bound },
    {
      label: word("storage", locale),
      used: Math.ceil(usage.storage_bytes / MEGABYTE),
      limit: limits?.storage_mb ?? 0,
      show: megabytes,
    },
    { label: word("staff", locale), used: usage.staff_users, limit: limits?.staff_users ?? 0, show: bound },
  ]
  return (
    <section>
      <h2>{word("usage", locale)}</h2>
      <dl class="facts">
        {rows.map(({ label, used, limit, show }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {word("of_bound", locale, { used: used === 0 ? 0 : show(used, locale), bound: show(limit, locale) })}
              {limit > 0 && (
                <meter aria-label={label} min={0} max={limit} high={limit * 0.9} value={Math.min(used, limit)} />
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Plans({ billing, locale }: Part) {
  const { subscription } = billing.facts
  const isCarded = subscription?.provider === "stripe"
  const current = subscription && subscription.status !== "cancelled" ? subscription.plan?.slug : undefined
  const canOrder = !isCarded && billing.offline.enabled && !billing.orders.some(({ status }) => status === "pending")
  return (
    <section>
      <h2>{word("plans", locale)}</h2>
      {isCarded && billing.card.enabled && (
        <form method="post" action="/billing/portal" class="row">
          <button class="quiet" type="submit">
            {word("portal", locale)}
          </button>
        </form>
      )}
      <ul class="cards">
        {billing.plans.map((plan) => (
          <li class={plan.slug === current ? "card now" : "card"} key={plan.slug}>
            <h3>{plan.name}</h3>
            <Price plan={plan} locale={locale} />
            <p class="soft">{plan.description}</p>
            <Contents plan={plan} locale={locale} />
            {plan.slug === current && <p class="small soft">{word("now", locale)}</p>}
            <Buy
              plan={plan}
              locale={locale}
              byCard={!isCarded && billing.card.enabled}
              transfer={canOrder ? billing.offline.label : null}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Buy({
  plan,
  locale,
  byCard,
  transfer,
}: {
  plan: Plan
  locale: Locale
  byCard: boolean
  transfer: string | null
}) {
  if (plan.priceCents === 0) return null
  return (
    <form method="post" class="row">
      <input type="hidden" name="plan" value={plan.slug} />
      {byCard && plan.stripePrice && (
        <button type="submit" formaction="/billing/checkout">
          {word("by_card", locale)}
        </button>
      )}
      {transfer !== null && (
        <button class="quiet" type="submit" formaction="/billing/orders">
          {word("by_transfer", locale, { label: transfer })}
        </button>
      )}
    </form>
  )
}

function Payments({ billing, locale }: Part) {
  return (
    <section>
      <h2>{word("payments", locale)}</h2>
      {billing.payments.length === 0 ? (
        <p class="soft">{word("nothing_paid", locale)}</p>
      ) : (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{word("date", locale)}</th>
                <th scope="col">{word("number", locale)}</th>
                <th scope="col" class="num">
                  {word("amount", locale)}
                </th>
              </tr>
            </thead>
            <tbody>
              {billing.payments.map(({ id, paidAt, number, amountCents, currency }) => (
                <tr key={id}>
                  <td>{longDate(paidAt, locale)}</td>
                  <td>
                    {number ? (
                      <a href={`/billing/receipts/${encodeURIComponent(number)}`}>{number}</a>
                    ) : (
                      word("card", locale)
                    )}
                  </td>
                  <td class="num">{money(amountCents, currency, locale)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Orders({ billing, locale }: Part) {
  if (billing.orders.length === 0) return null
  return (
    <section>
      <h2>{word("orders", locale)}</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{word("reference", locale)}</th>
              <th scope="col">{word("date", locale)}</th>
              <th scope="col">{word("status", locale)}</th>
              <th scope="col" class="num">
                {word("amount", locale)}
              </th>
            </tr>
          </thead>
          <tbody>
            {billing.orders.map(({ reference, createdAt, status, reason, amountCents, currency }) => (
              <tr key={reference}>
                <td>{reference}</td>
                <td>{longDate(createdAt, locale)}</td>
                <td>
                  {word(status, locale)}
                  {reason && <span class="hint">{reason}</span>}
                </td>
                <td class="num">{money(amountCents, currency, locale)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
