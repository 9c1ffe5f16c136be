// A lane: what one endpoint has due, in one queue message, so in an invocation with connections of its own. It begins with a single
// attempt; only an endpoint that answered gets more at a time, and one that hangs keeps its own lane and nobody else's.
import type { Ctx } from "../../core/context"
import type { Lane } from "../../core/queue/messages"
import { SECOND } from "../../lib/time"
import { attempt } from "../attempt"
import type { Delivery } from "../reserve"
import { TIMEOUT } from "../send"
import { endLane, prolong } from "./due"

/** Attempts that an endpoint gets at a time once it has answered. */
const WIDTH = 3

/** Deliveries that one invocation attempts: within the queries and subrequests that it may make. */
const DELIVERIES_AN_INVOCATION = 50

/** Milliseconds after which an invocation waits for a receiver behind its end, so that a queue goes on to the next lane. */
const PATIENCE = SECOND

/**
 * Attempts the deliveries of a lane, as many as an invocation may, and hands the rest on. Where the endpoint is slow nothing more is
 * begun, and the rest waits for its answer. One that it did not answer in time ends the work: what is left comes due again when its
 * lease is over, and until then the lane holds its endpoint.
 */
export async function runLane(ctx: Ctx, lane: Lane): Promise<void> {
  const lease = new Date(lane.lease)
  const waiting = lane.deliveries.slice(0, DELIVERIES_AN_INVOCATION)
  const rest = lane.deliveries.slice(DELIVERIES_AN_INVOCATION)
  const slow: Promise<Delivery | null>[] = []
  let hangs = false
  const next = async (): Promise<boolean> => {
    const id = hangs || slow.length ? undefined : waiting.shift()
    if (id === undefined) return false
    const made = tryAttempt(ctx, id, lease)
    const ended = await Promise.race([made, scheduler.wait(PATIENCE).then(() => "slow" as const)])
    if (ended === "slow") slow.push(made)
    else if (ended?.error === TIMEOUT) hangs = true
    return true
  }
  const work = async () => {
    while (await next());
  }
  await next()
  await Promise.all(Array.from({ length: WIDTH }, work))
  const handOn = async () => {
    const ended = await Promise.all(slow)
    const deliveries = [...waiting, ...rest]
    if (hangs || ended.some((made) => made?.error === TIMEOUT)) return
    const next = deliveries.length ? await prolong(ctx, { ...lane, deliveries }) : await endLane(ctx, lane)
    if (next) await ctx.env.RETRY_QUEUE.send({ lane: next })
  }
  if (slow.length) ctx.after(handOn())
  else await handOn()
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
