// Decides what follows from the cursor that a receiver reported.
import { HOUR, MINUTE } from "../../lib/time"
import { type Endpoint, isReceiving } from "../receiving-condition"
import { isRunning } from "../recovery/state"

/** A receiver is behind if it lacks an event that was delivered longer ago than this. */
export const MAX_CURSOR_LAG_MS = 10 * MINUTE

/** Time between two automatic recoveries of an endpoint, and between two announcements that it is behind. */
export const RECONCILE_INTERVAL_MS = HOUR

/**
 * Returns the `seq` up to which the receiver has everything. The lowest reported one counts until it is announced, and
 * until its gap was sent again if that happens automatically; otherwise the last one.
 */
export const getReceiverSeq = ({ reconcile, behindSince, gapSeq, receiverSeq }: Endpoint): number | null =>
  reconcile || behindSince === null ? (gapSeq ?? receiverSeq) : receiverSeq

/** The action for an endpoint whose receiver reported a cursor. */
export interface GapDecision {
  /** The receiver has what was delivered to it, or is receiving it now. */
  isClosed: boolean
  /** Whether to set `behindSince`, and whether to raise an event too. */
  isNewlyBehind: boolean
  announces: boolean
  /** Whether to send the gap again. */
  reconciles: boolean
}

/** @param isBehind whether the receiver lacks events after `getReceiverSeq` that were delivered long ago */
export function decideGap(endpoint: Endpoint, isBehind: boolean, now: Date): GapDecision {
  const { recovery, gapSeq, behindSince } = endpoint
  const isBeingSent =
    recovery?.mode === "gap" && isRunning(recovery) && (gapSeq === null || gapSeq >= (recovery.from ?? 0))
  const isClosed = !isBehind || isBeingSent
  const isElapsed = (since: Date | null) => since === null || now.getTime() - since.getTime() >= RECONCILE_INTERVAL_MS
  const isNewlyBehind = !isClosed && behindSince === null
  return {
    isClosed,
    isNewlyBehind,
    announces: isNewlyBehind && isElapsed(endpoint.behindNoticedAt),
    reconciles:
      !isClosed &&
      endpoint.reconcile &&
      isReceiving(endpoint) &&
      !isRunning(recovery) &&
      isElapsed(endpoint.reconciledAt),
  }
}
