// A sweep's lanes: one an endpoint, side by side in one invocation. Each begins with a single attempt; only an endpoint that
// answered gets the others at once, and one that hangs keeps its lane and nobody else's.
import type { Ctx } from "../../core/context"
import { attempt } from "../attempt"
import { TIMEOUT } from "../send"
import type { Lane } from "./due"

/** Lanes an invocation takes: one fewer than the six connections it may have open, for the look-up before each send. */
export const LANES_A_CALL = 5

/** What became of the deliveries of some lanes. */
export interface Tally {
  delivered: number
  failed: number
  exhausted: number
  /** Still due: their endpoint hung or was too slow, or something of ours failed. The next run takes them. */
  left: number
}

/**
 * Attempts the deliveries of some lanes.
 * @param lanes at most LANES_A_CALL
 * @param startBefore milliseconds since 1970; no attempt starts later, so that the run ends a timeout after it
 */
export async function runLanes(ctx: Ctx, lanes: Lane[], startBefore: number): Promise<Tally> {
  const tally: Tally = { delivered: 0, failed: 0, exhausted: 0, left: 0 }
  const width = Math.max(1, Math.floor(LANES_A_CALL / lanes.length))
  await Promise.all(lanes.map((lane) => runLane(ctx, lane, { width, startBefore, tally })))
  return tally
}

async function runLane(
  ctx: Ctx,
  lane: Lane,
  { width, startBefore, tally }: { width: number; startBefore: number; tally: Tally },
): Promise<void> {
  const waiting = [...lane]
  let hangs = false
  const next = async () => {
    const id = hangs || Date.now() >= startBefore ? undefined : waiting.shift()
    if (id === undefined) return false
    const made = await tryAttempt(ctx, id)
    if (made?.error === TIMEOUT) hangs = true
    tally[made === null || made.status === "pending" ? "left" : made.status] += 1
    return true
  }
  const work = async () => {
    while (await next());
  }
  await next()
  await Promise.all(Array.from({ length: width }, work))
  tally.left += waiting.length
}

/** A fault of ours ends its attempt, not the lane: the lease brings the delivery back. */
async function tryAttempt(ctx: Ctx, id: number) {
  try {
    return await attempt(ctx, id, "due")
  } catch (cause) {
    ctx.log.error("an attempt was not brought to its end", cause, { delivery: id })
    return null
  }
}
