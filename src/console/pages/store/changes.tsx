// Describes a store and its subscription as values, for the confirmation of a change: those that differ are shown.
import type { Child } from "hono/jsx"
import { accessState } from "../../../core/http/store-access"
import { formatTimestamp } from "../../../lib/time"
import { Badge, type BadgeStatus, formatMoney, Time } from "../../../page-kit/parts"
import type { StoreDetails } from "../../../platform/stores/schemas"
import type { ShownChange } from "../../confirmation/confirmed"
import { W } from "../../strings"
import { formatFeature, formatLimit, getTermLabel } from "./plan-terms"

type Described = Pick<StoreDetails, "store" | "subscription">

interface Value {
  label: string
  /** The value as JSON, for the comparison. */
  raw: unknown
  shown: Child
}

const badge = (label: string, status: BadgeStatus | null): Value => ({
  label,
  raw: status,
  shown: status ? <Badge status={status} /> : W.common.none,
})

const moment = (label: string, at: Date | null | undefined): Value => ({
  label,
  raw: formatTimestamp(at ?? null),
  shown: <Time at={at} none={W.common.none} isExact />,
})

const plain = (label: string, value: unknown): Value => ({
  label,
  raw: value ?? null,
  shown:
    value === undefined || value === null ? W.common.none : Array.isArray(value) ? value.join(", ") : String(value),
})

function listValues({ store, subscription }: Described): Value[] {
  const plan = subscription?.plan
  return [
    badge(W.stores.status, store.status),
    badge(W.store.storefront, accessState(store.status)),
    badge(W.store.subscription, subscription?.status ?? null),
    plain(W.stores.plan, plan?.name),
    plain(W.plans.price, plan && `${formatMoney(plan.price_cents, plan.currency)} / ${plan.interval}`),
    moment(W.store.trial_ends, subscription?.trialEndsAt),
    moment(W.store.period_ends, subscription?.currentPeriodEndsAt),
    moment(W.store.cancel_at, subscription?.cancelAt),
    plain(W.store.scheduled_plan, subscription?.scheduledPlan?.terms.name),
    plain(W.store.billed_by, subscription && W.subscriptions.providers[subscription.provider]),
    ...Object.entries({ ...plan?.limits }).map(([term, limit]) => plain(getTermLabel(term), formatLimit(limit))),
    ...Object.entries(plan ? { webhooks: null, ...plan.features } : {}).map(([term, value]) =>
      plain(getTermLabel(term), value === null ? W.plans.webhooks_default : formatFeature(value)),
    ),
    plain(W.store.apps, store.apps),
  ]
}

/** The values of a store that a confirmation is bound to, with its incarnation. */
export const describeState = (details: Described): unknown => [
  details.store.seq,
  listValues(details).map(({ label, raw }) => [label, raw]),
]

/** The values that a change makes different. */
export function listChanges(before: Described, after: Described): ShownChange[] {
  const previous = new Map(listValues(before).map((value) => [value.label, value]))
  return listValues(after).flatMap(({ label, raw, shown }) => {
    const old = previous.get(label)
    if (JSON.stringify(old?.raw ?? null) === JSON.stringify(raw)) return []
    return [{ label, before: old?.shown ?? W.common.none, after: shown }]
  })
}

/** When the subscription's trial or paid period ends. */
export function getPaidUntil(subscription: Described["subscription"]): string | null {
  const end = subscription?.status === "trialing" ? subscription.trialEndsAt : subscription?.currentPeriodEndsAt
  return formatTimestamp(end)
}
