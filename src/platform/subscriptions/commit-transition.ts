// A move of a subscription as one commit: the store and the subscription in their next states, the trail and the events.
import type { SQL } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Change, AuditRecord } from "../../core/write/commit"
import type { EventDraft } from "../../core/write/events"
import { subscriptions } from "../../db/schema/central/subscriptions"
import { insert } from "../../db/write"
import { mailWrite } from "../../mails/outbox"
import { type StoreFacts, storeResource } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { moveMail } from "./mail"
import { type Subscription, subscriptionResource } from "./schemas"
import { isNotice, type Move } from "./transition"

/** A store that has a subscription, with all that its resource is made of. */
export interface SubscribedFacts extends StoreFacts {
  subscription: Subscription
}

type Committed = Change & Required<Pick<Change, "writes">> & { trail: readonly AuditRecord[] }

/**
 * The commit of a move, with the mail that tells its owner. What else belongs to it, such as an order that was paid, is added to
 * its lists.
 * @param facts the store the move was decided on
 * @param also what else has to hold when it is committed
 */
export function subscriptionChange(
  ctx: Ctx,
  facts: StoreFacts,
  move: Move,
  also?: SQL,
): { change: Committed; answer: SubscribedFacts } {
  return { change: movesChange(ctx, facts, [move], also), answer: movedFacts(ctx, facts, move) }
}

/**
 * The commit of several moves at once, each told by itself; the last one's state is what is stored.
 * @param moves at least one
 */
export function movesChange(ctx: Ctx, facts: StoreFacts, moves: readonly Move[], also?: SQL): Committed {
  const last = moves.at(-1)
  if (!last) throw new Error("There is no move to commit")
  const values = last.store === facts.store.status ? {} : { status: last.store, updatedAt: ctx.now }
  const states = moves.map((move) => ({ move, next: movedFacts(ctx, facts, move) }))
  return {
    guard: guardedUpdate(facts, values, also),
    writes: [
      insert(subscriptions)
        .values(last.subscription)
        .onConflictDoUpdate({ target: subscriptions.storeId, set: last.subscription }),
      ...states.flatMap(({ move, next }) => {
        const mail = moveMail(ctx.settings, next, move, ctx.now)
        return mail ? [mailWrite(ctx, mail)] : []
      }),
    ],
    trail: states.map(({ move, next }) => recordOf(ctx, next, move)),
  }
}

/** The store as a move leaves it. */
const movedFacts = (ctx: Ctx, facts: StoreFacts, move: Move): SubscribedFacts => ({
  ...facts,
  subscription: move.subscription as Subscription,
  store: move.store === facts.store.status ? facts.store : { ...facts.store, status: move.store, updatedAt: ctx.now },
})

/** How the trail and the listeners learn of the move that led to `facts`. */
export function recordOf(ctx: Ctx, facts: SubscribedFacts, { audit, extra }: Move): AuditRecord {
  if (isNotice(audit.type)) return { audit }
  const store = storeResource(ctx.settings, facts)
  const subscription = subscriptionResource(facts.subscription)
  const event: EventDraft = {
    type: `subscription.${audit.type}`,
    store,
    data: { subscription, ...extra },
    withLog: audit.type !== "trial_ending",
  }
  if (audit.type !== "cancelled") return { audit, events: [event] }
  // With its subscription the store itself has come to its end; it is told first.
  const retention_days = ctx.settings.TENANCY_RETENTION_DAYS
  return { audit, events: [{ type: "store.cancelled", store, data: { subscription, retention_days } }, event] }
}
