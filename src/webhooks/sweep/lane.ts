// A lane: what one endpoint has due, in one queue message, so in an invocation with connections of its own. It begins with a single
// attempt; only an endpoint that answered gets more at a time, and one that hangs keeps its own lane and nobody else's.
import type { Ctx } from "../../core/context"
import type { LaneMessage } from "../../jobs/messages"
import { attempt } from "../attempt"
import { TIMEOUT } from "../send"

/** Attempts that an endpoint gets at a time once it has answered. */
const WIDTH = 3

/** Deliveries that one invocation attempts: within the queries and subrequests that it may make. */
const DELIVERIES_AN_INVOCATION = 50

/**
 * Attempts the deliveries of a lane, as many as an invocation may, and hands the rest on. One that the endpoint did not answer in time
 * ends the lane: what is left of it comes due again when its lease is over.
 */
export async function runLane(ctx: Ctx, lane: LaneMessage["lane"]): Promise<void> {
  const lease = new Date(lane.lease)
  const waiting = lane.deliveries.slice(0, DELIVERIES_AN_INVOCATION)
  const rest = lane.deliveries.slice(DELIVERIES_AN_INVOCATION)
  let hangs = false
  const next = async (): Promise<boolean> => {
    const id = hangs ? undefined : waiting.shift()
    if (id === undefined) return false
    const made = await tryAttempt(ctx, id, lease)
    if (made?.error === TIMEOUT) hangs = true
    return true
  }
  const work = async () => {
    while (await next());
  }
  await next()
  await Promise.all(Array.from({ length: WIDTH }, work))
  if (rest.length && !hangs) await ctx.env.RETRY_QUEUE.send({ lane: { ...lane, deliveries: rest } })
}

/** A fault of ours ends its attempt, not the lane: the lease brings the delivery back. */
async function tryAttempt(ctx: Ctx, id: number, lease: Date) {
  try {
    return await attempt(ctx, id, lease)
  } catch (cause) {
    ctx.log.error("an attempt was not brought to its end", cause, { delivery: id })
    return null
  }
}
