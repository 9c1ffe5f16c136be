// A move of a subscription and its store: the next state, and its line in the trail. Pure.
import type { AuditDraft } from "../../core/write/audit"
import type { StoreStatus } from "../../db/schema/central/stores"
import { DAY } from "../../lib/time"
import type { StoreFacts } from "../stores/schemas"
import type { Subscription } from "./schemas"

/** What happened, as the trail names it; the event is `subscription.<type>`. */
type MoveType =
  | "assigned"
  | "plan_changed"
  | "extended"
  | "cancelled"
  | "reactivated"
  | "activated"
  | "past_due"
  | "suspended"
  | "trial_ending"
  | NoticeType

/** What listeners have no name for: an entry in the trail, and no event. */
type NoticeType = "payment_reminded" | "purge_announced" | "billing_updated"

const NOTICES: ReadonlySet<string> = new Set<NoticeType>(["payment_reminded", "purge_announced", "billing_updated"])

/** Whether a move is of no interest to listeners. */
export const isNotice = (type: string): boolean => NOTICES.has(type)

/** The next state, and its line in the trail. */
export interface Move {
  /** A subscription that was only just made has no id yet. */
  subscription: Omit<Subscription, "id">
  store: StoreStatus
  audit: AuditDraft & { type: MoveType }
  /** What the event says beside store and subscription. */
  extra?: Record<string, unknown>
}

/** A store that has a subscription. */
export interface Subscribed {
  store: StoreFacts["store"]
  subscription: Subscription
}

/** The subscription with new values, its store in its new status or the old one, and the trail's line about both. */
export function moved(
  { store, subscription }: Subscribed,
  now: Date,
  move: {
    type: MoveType
    values: Partial<Subscription>
    store?: StoreStatus
    data: Record<string, unknown>
  },
): Move {
  const left = move.values.status !== undefined && move.values.status !== subscription.status
  // What the owner was told of a status says nothing of the next one.
  const told = left ? { dunningDay: null, retentionWarnedAt: null } : {}
  const next = { ...subscription, ...told, ...move.values, updatedAt: now }
  return {
    subscription: next,
    store: move.store ?? store.status,
    audit: { storeId: store.id, type: move.type, from: subscription.status, to: next.status, data: move.data },
  }
}

/** Days until a moment, begun ones counted whole; 0 once it is past. */
export const daysUntil = (moment: Date, now: Date): number =>
  Math.max(0, Math.ceil((moment.getTime() - now.getTime()) / DAY))
