// What a life at the provider makes of a store: the moves from where its subscription stands to where the life says. Pure.

import { timestamp } from "../../lib/time"
import type { Plan } from "../plans/schemas"
import { planTerms } from "../plans/schemas"
import type { StoreFacts } from "../stores/schemas"
import { cancelled, firstOf, newSubscription } from "../subscriptions/actions"
import { periodEnd } from "../subscriptions/periods"
import type { Subscription } from "../subscriptions/schemas"
import { type Move, moved, type Subscribed } from "../subscriptions/transition"
import type { Life } from "./projection"

/** The clock's settings that a move shows. */
export interface FollowSettings {
  graceDays: number
  retentionDays: number
}

/**
 * The moves, in order; none when nothing changes.
 * @param subscriptionId the provider's
 * @param plans by slug; the life's plan is among them
 * @param supersedes whether another card subscription of the store is superseded by this one: then terms and dates are this one's alone,
 *   whichever of the two was applied first
 */
export function follow(
  { store, subscription }: StoreFacts,
  subscriptionId: string,
  life: Life,
  plans: ReadonlyMap<string, Plan>,
  settings: FollowSettings,
  now: Date,
  supersedes: boolean,
): Move[] {
  const plan = life.plan ? plans.get(life.plan.slug) : undefined
  const isTied = subscription?.stripeSubscription === subscriptionId
  // Without a plan there is nothing to bill; a later message may name one.
  if (!isTied && (!plan || !life.checkout)) return []
  const isOver = !subscription || subscription.status === "suspended" || subscription.status === "cancelled"
  const moves: Move[] = []
  let facts: Subscribed
  if (plan && !isTied && isOver) {
    const move = begin(store, subscription, subscriptionId, life, plan, now)
    moves.push(move)
    facts = after(store, move)
  } else if (subscription) facts = { store, subscription }
  else return []

  const own = supersedes && plan ? firstTerms(life, plan, now) : null
  const { plan: current, status } = facts.subscription
  if (plan && plan.slug !== current?.slug && !(life.endedAt && status === "cancelled")) {
    const { status: _, pastDueSince: __, ...dates } = standing(life, "active")
    const move = moved(facts, now, {
      type: "plan_changed",
      values: { ...tie(subscriptionId, life), ...own, ...dates, plan: planTerms(plan, takenAt(life, now)) },
      data: { plan: plan.slug, from_plan: current?.slug },
    })
    moves.push(move)
    facts = after(facts.store, move)
  }
  const next = stateMove(facts, subscriptionId, life, plan, settings, now, own)
  return next ? [...moves, next] : moves
}

/** The store as a move leaves it. */
const after = (store: Subscribed["store"], move: Move): Subscribed => ({
  store: { ...store, status: move.store },
  subscription: { ...(move.subscription as Subscription) },
})

const tie = (stripeSubscription: string, life: Life) => ({
  provider: "stripe" as const,
  stripeSubscription,
  stripeCustomer: life.customer,
})

/** Terms and dates that a subscription begins with, as far as its messages say no other. */
function firstTerms(life: Life, plan: Plan, now: Date) {
  const started = life.checkout?.at ?? now
  return {
    plan: planTerms(plan, takenAt(life, now)),
    trialEndsAt: null,
    currentPeriodEndsAt: periodEnd(plan.interval, started),
  }
}

const takenAt = (life: Life, now: Date): Date => life.plan?.since ?? life.checkout?.at ?? now

/** The first subscription of a store that had none, or only an ended one. */
function begin(
  store: Subscribed["store"],
  previous: Subscription | null,
  subscriptionId: string,
  life: Life,
  plan: Plan,
  now: Date,
): Move {
  const started = life.checkout?.at ?? now
  const next = {
    ...newSubscription(store.id, plan, 0, started),
    ...tie(subscriptionId, life),
    ...firstTerms(life, plan, now),
    ...standing(life, "active"),
    updatedAt: now,
  }
  const opened = store.provisionedAt ? "ready" : store.status === "cancelled" ? "pending" : store.status
  return firstOf(store.id, previous ? opened : store.status, next, previous)
}

/** Status and dates as a life has them, for a subscription that is not over. */
const standing = (life: Life, open: "trialing" | "active") => ({
  status: life.status === "open" || life.status === null ? open : life.status,
  ...(life.trialEnd && { trialEndsAt: life.trialEnd }),
  ...(life.periodEnd && { currentPeriodEndsAt: life.periodEnd }),
  pastDueSince: life.status === "past_due" ? life.pastDueSince : null,
})

/** The move of status and dates; null when all is as the life has it. */
function stateMove(
  facts: Subscribed,
  subscriptionId: string,
  life: Life,
  plan: Plan | undefined,
  settings: FollowSettings,
  now: Date,
  own: Partial<Subscription> | null,
): Move | null {
  const { store, subscription } = facts
  // Plan and dates count for one that is over, too, so that it ends the same whatever came last.
  const dates = standing(life, subscription.status === "trialing" && !own ? "trialing" : "active")
  const terms = plan && isOutdated(subscription, plan, life) ? { plan: planTerms(plan, takenAt(life, now)) } : {}
  if (life.endedAt) {
    const { status: _, ...endDates } = dates
    const values = {
      ...tie(subscriptionId, life),
      ...own,
      ...endDates,
      ...terms,
      ...{ provider: "local" as const, pastDueSince: null },
    }
    if (subscription.status !== "cancelled") {
      return cancelled(facts, life.endedAt, settings.retentionDays, now, values)
    }
    return quiet(facts, { ...values, cancelledAt: life.endedAt }, now)
  }
  // Whom the grace has run out on stays offline until a payment clears, whatever older failures come to light.
  const isOffline = subscription.status === "suspended" && dates.status === "past_due"
  const values = {
    ...tie(subscriptionId, life),
    ...own,
    ...dates,
    ...terms,
    ...(isOffline && { status: "suspended" as const }),
  }
  if (values.status === subscription.status) return quiet(facts, values, now)
  if (values.status === "past_due") {
    const until = new Date((values.pastDueSince ?? now).getTime() + settings.graceDays * 86_400_000)
    return moved(facts, now, { type: "past_due", values, data: { until: timestamp(until) } })
  }
  const reopened = subscription.status === "suspended" && store.status === "suspended" ? "ready" : store.status
  if (values.status !== "active") return quiet(facts, { ...values, suspendedAt: null }, now, reopened)
  return moved(facts, now, {
    type: "activated",
    values: { ...values, suspendedAt: null },
    store: reopened,
    data: values.currentPeriodEndsAt ? { until: timestamp(values.currentPeriodEndsAt) } : {},
  })
}

/** Whether the terms are those of another plan, or of the same one at another time than the life has it. */
const isOutdated = ({ plan: current }: Subscription, plan: Plan, life: Life): boolean =>
  current?.slug !== plan.slug || (life.plan?.since != null && current.taken_at !== timestamp(life.plan.since))

/** New dates or another biller, and no new status: an entry in the trail, and nothing that listeners know a name for. */
function quiet(facts: Subscribed, values: Partial<Subscription>, now: Date, store = facts.store.status): Move | null {
  const current = facts.subscription
  const differs = (Object.keys(values) as (keyof Subscription)[]).some(
    (name) => JSON.stringify(current[name]) !== JSON.stringify(values[name]),
  )
  if (!differs) return null
  const until = values.currentPeriodEndsAt ?? current.currentPeriodEndsAt
  return moved(facts, now, { type: "billing_updated", values, store, data: until ? { until: timestamp(until) } : {} })
}
