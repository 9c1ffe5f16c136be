// Builds the change that commits a transition: the new states of store and subscription, audit log entries, events and
// mails.
import type { SQL } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { AuditRecord, Change } from "../../core/write/commit"
import { type Subscription, subscriptions } from "../../db/schema/central/subscriptions"
import { insert } from "../../db/write"
import { assertNever } from "../../lib/assert-never"
import { mapNonEmpty, type NonEmpty } from "../../lib/non-empty"
import { formatTimestamp } from "../../lib/time"
import { buildMailWrite } from "../../mails/outbox"
import { type NewStoreDetails, type StoreDetails, storeResource } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { buildTransitionMail } from "./mail"
import { subscriptionResource } from "./schemas"
import { daysUntil, type SubscribedStore, type Transition } from "./transition"

type TransitionChange = Change & Required<Pick<Change, "writes">> & { auditLog: NonEmpty<AuditRecord> }

/**
 * Builds the change of one transition, including the mail to the owner. Callers append further writes and audit entries
 * to its lists, such as those of a paid order.
 * @param facts the store that the transition was decided on
 * @param condition a further condition of the guard
 */
export function buildTransitionChange(
  ctx: Ctx,
  facts: StoreDetails,
  transition: Transition,
  condition?: SQL,
): { change: TransitionChange; result: SubscribedStore } {
  return {
    change: buildTransitionsChange(ctx, facts, [transition], condition),
    result: applyTransition(ctx, facts, transition),
  }
}

/**
 * Builds the change of several transitions. Each gets its own audit entry, events and mail; the last one's
 * state is stored.
 */
export function buildTransitionsChange(
  ctx: Ctx,
  facts: StoreDetails,
  transitions: NonEmpty<Transition>,
  condition?: SQL,
): TransitionChange {
  const last = transitions.at(-1) ?? transitions[0]
  const values = getStoreValues(ctx, facts, last)
  const states = mapNonEmpty(transitions, (transition) => ({
    transition,
    next: applyTransition(ctx, facts, transition),
  }))
  return {
    guard: guardedUpdate(facts, values, condition),
    writes: [
      insert(subscriptions)
        .values(last.subscription)
        .onConflictDoUpdate({ target: subscriptions.storeId, set: last.subscription }),
      ...states.flatMap(({ transition, next }) => {
        const mail =
          transition.notify === false
            ? null
            : buildTransitionMail(ctx.settings, next, transition, ctx.now, isByOwner(ctx))
        return mail ? [buildMailWrite(ctx, mail)] : []
      }),
    ],
    auditLog: [
      ...mapNonEmpty(states, ({ transition, next }) => buildAuditRecord(ctx, next, transition)),
      ...buildWithdrawalRecord(facts, last),
    ],
  }
}

/** Whether the owner, the clock or the card provider makes the change, and not an operator or an API key. */
const isByOwner = ({ actor }: Ctx): boolean => actor.type === "customer" || actor.type === "system"

/** Audits that an extension or a payment withdraws a scheduled cancellation, besides its own entry. */
function buildWithdrawalRecord(
  { store, subscription }: StoreDetails,
  { subscription: next, audit }: Transition,
): AuditRecord[] {
  const { cancelAt, status } = subscription ?? {}
  const isWithdrawn = cancelAt && !next.cancelAt && next.status !== "cancelled" && audit.type !== "cancel_withdrawn"
  if (!isWithdrawn) return []
  const data = { until: formatTimestamp(cancelAt) }
  return [{ audit: { storeId: store.id, type: "cancel_withdrawn", from: status, to: next.status, data } }]
}

/** Returns the store after a transition. */
const applyTransition = (ctx: Ctx, facts: StoreDetails, transition: Transition): SubscribedStore => ({
  ...facts,
  subscription: transition.subscription as Subscription,
  store: { ...facts.store, ...getStoreValues(ctx, facts, transition) },
})

/** The store's resource contains its subscription, so a change of either is an update of the store. */
function getStoreValues(ctx: Ctx, facts: StoreDetails, { store, subscription }: Transition) {
  if (store !== facts.store.status) {
    // An operator's suspension outlasts every change that leaves the store closed, such as a cancellation.
    const isClosed = store === "suspended" || store === "cancelled"
    const opened = isClosed ? {} : { operatorSuspendedAt: null, suspensionReason: null }
    return { status: store, ...opened, updatedAt: ctx.now }
  }
  const isNoticeOnly = subscription.updatedAt.getTime() === facts.subscription?.updatedAt.getTime()
  return isNoticeOnly ? {} : { updatedAt: ctx.now }
}

/** The events of transitions that have their own. */
const TRANSITION_EVENTS = {
  assigned: "subscription.assigned",
  plan_changed: "subscription.plan_changed",
  extended: "subscription.extended",
  reactivated: "subscription.reactivated",
  activated: "subscription.activated",
  past_due: "subscription.past_due",
  suspended: "subscription.suspended",
} as const

/** Builds the audit entry and the events of the transition that led to `facts`. */
export function buildAuditRecord(
  ctx: Ctx,
  facts: NewStoreDetails & Pick<Transition, "subscription">,
  { audit }: Transition,
): AuditRecord {
  const store = storeResource(ctx.settings, facts)
  const subscription = subscriptionResource(facts.subscription)
  const data = { store, subscription }
  switch (audit.type) {
    case "payment_reminded":
    case "purge_announced":
    case "billing_updated":
    case "cancel_scheduled":
    case "cancel_withdrawn":
    case "plan_change_scheduled":
    case "plan_change_withdrawn":
      return { audit }
    case "trial_ending": {
      const { trialEndsAt } = facts.subscription
      const days_left = trialEndsAt ? daysUntil(trialEndsAt, ctx.now) : 0
      const trial = { ends_at: formatTimestamp(trialEndsAt), days_left }
      return { audit, events: [{ type: "subscription.trial_ending", data: { ...data, trial } }] }
    }
    case "cancelled": {
      // Cancelling the subscription cancels the store; the store's event comes first.
      const retention_days = ctx.settings.TENANCY_RETENTION_DAYS
      return {
        audit,
        events: [
          { type: "store.cancelled", data: { ...data, retention_days } },
          { type: "subscription.cancelled", data, withLog: true },
        ],
      }
    }
    case "assigned":
    case "plan_changed":
    case "extended":
    case "reactivated":
    case "activated":
    case "past_due":
    case "suspended":
      return { audit, events: [{ type: TRANSITION_EVENTS[audit.type], data, withLog: true }] }
    default:
      return assertNever(audit)
  }
}
