// A sweep spreads its lanes over invocations of this very Worker, since each of them may have six connections open: so many
// hung receivers fill their own invocations and no others.
import { exports } from "cloudflare:workers"
import type { Ctx } from "../../core/context"
import type { Lane } from "./due"
import type { WebhookLanes } from "./entrypoint"
import { LANES_A_CALL, type Tally } from "./lane"

/** Cloudflare allows 32 calls from Worker to Worker behind one request; two are left to others. */
const MAX_CALLS = 30

/** The Worker itself, as a binding that needs no configuration. */
const loopback = () => (exports as unknown as { WebhookLanes: Pick<WebhookLanes, "run"> }).WebhookLanes

/**
 * Runs lanes, each apart from the others as far as the calls reach.
 * @param lanes those beyond MAX_CALLS × LANES_A_CALL are left for the next run
 * @param startBefore milliseconds since 1970; no attempt starts later
 */
export async function fanOut(ctx: Ctx, lanes: Lane[], startBefore: number): Promise<Tally> {
  const taken = lanes.slice(0, MAX_CALLS * LANES_A_CALL)
  const calls = Array.from({ length: Math.min(taken.length, MAX_CALLS) }, (_, call) =>
    taken.filter((_, index) => index % MAX_CALLS === call),
  )
  const tallies = await Promise.all(calls.map((call) => runApart(ctx, call, startBefore)))
  return [...tallies, nothing(lanes.slice(taken.length))].reduce(add)
}

async function runApart(ctx: Ctx, lanes: Lane[], startBefore: number): Promise<Tally> {
  try {
    return await loopback().run(lanes, startBefore)
  } catch (cause) {
    ctx.log.error("lanes of a sweep were lost", cause, { lanes: lanes.length })
    return nothing(lanes)
  }
}

/** The tally of lanes that were not run. */
const nothing = (lanes: Lane[]): Tally => ({ delivered: 0, failed: 0, exhausted: 0, left: lanes.flat().length })

const add = (a: Tally, b: Tally): Tally => ({
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
  exhausted: a.exhausted + b.exhausted,
  left: a.left + b.left,
})
