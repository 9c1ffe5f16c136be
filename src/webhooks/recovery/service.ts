// Recovery: what an endpoint has not got is sent in the order of the events, one after another, behind the answer.
import { and, eq, isNull, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { enqueueJob, runJob } from "../../core/queue/leased-jobs"
import { writeUnaudited, commit, WriteConflict } from "../../core/write/commit"
import { eventsOf } from "../../core/write/event-types"
import { type Recovery, webhookEndpoints } from "../../db/schema/central/webhooks"
import { update, type Write } from "../../db/write"
import { SECOND } from "../../lib/time"
import { carryOut } from "../attempt"
import { type Endpoint, endpointIsOn, isReceiving } from "../receiving-condition"
import { reserveAgain, reserveMissed } from "../reserve"
import { type Candidate, countUndelivered, newRecovery, nextCandidates } from "./queries"
import type { RecoverEndpoint } from "./schemas"

/** Events that one call queues at most. */
const MOST = 100_000

/** Events that are looked up at a time. */
const STEP = 20

/** Milliseconds after which a message hands on to the next. */
const SHIFT = 20 * SECOND

/** Whether a recovery has events before it. */
const isRunning = (recovery: Recovery | null): recovery is Recovery =>
  recovery !== null && recovery.after < recovery.last

const runs = sql`coalesce(json_extract(${webhookEndpoints.recovery}, '$.after') < json_extract(${webhookEndpoints.recovery}, '$.last'), 0)`

/**
 * Begins to send an endpoint what failed, or what it missed.
 * @returns how many events were queued; what exceeds 100 000 is for another call
 * @throws Refusal `not_found`; `recovery_running` while another one is under way
 */
export async function recoverEndpoint(ctx: Ctx, id: number, input: z.output<typeof RecoverEndpoint>): Promise<number> {
  const endpoint = await find(ctx, id)
  if (!endpoint) throw new Refusal("not_found")
  if (isRunning(endpoint.recovery)) throw new Refusal("recovery_running")
  const span = {
    mode: input.mode,
    since: input.since.getTime(),
    until: (input.until ?? ctx.now).getTime(),
    events: input.events ? eventsOf(input.events) : null,
  }
  const queued = sql<number>`(select ${field("queued")} from ${webhookEndpoints} where ${eq(webhookEndpoints.id, id)})`
  const told = { mode: span.mode, since: new Date(span.since), until: new Date(span.until), queued }
  let begun: number
  try {
    const [[counted]] = await commit(ctx, {
      guard: update(webhookEndpoints)
        .set({ recovery: newRecovery(endpoint, span, MOST) })
        .where(sql`${webhookEndpoints.id} = ${id} and not ${runs}`),
      writes: [ctx.db.select({ queued: queued.as("queued") }).from(sql`(select 1)`)],
      trail: [{ audit: { subject: "endpoint", deed: "recovered", id, data: told } }],
    })
    begun = counted?.queued ?? 0
  } catch (cause) {
    if (!(cause instanceof WriteConflict)) throw cause
    throw new Refusal((await find(ctx, id)) ? "recovery_running" : "not_found")
  }
  if (begun) ctx.after(ctx.env.JOB_QUEUE.send({ job: "recovery", endpoint: id }))
  return begun
}

/**
 * Goes on with an endpoint's recovery for a while, and enqueues the rest. One that does not receive waits until it does. Does nothing while
 * another run is at it.
 * @param lease the token of the job's lease
 */
export const continueRecovery = (ctx: Ctx, id: number, lease?: string): Promise<void> =>
  runJob(ctx, { job: "recovery", endpoint: id, lease }, async () => {
    const end = Date.now() + SHIFT
    for (let goesOn = true; goesOn; ) {
      if (Date.now() >= end) return { job: "recovery", endpoint: id }
      goesOn = await step(ctx, id, end)
    }
    return null
  })

/** Takes up the recoveries whose message was lost, and those whose endpoint receives again. */
export async function resumeRecoveries(ctx: Ctx): Promise<void> {
  const waiting = await ctx.db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(sql`${webhookEndpoints.recovery} is not null and ${runs} and ${endpointIsOn}`)
  for (const { id } of waiting) await enqueueJob(ctx, { job: "recovery", endpoint: id })
}

/** @returns whether there is a next step to be made now */
async function step(ctx: Ctx, id: number, end: number): Promise<boolean> {
  const endpoint = await find(ctx, id)
  const running = endpoint?.recovery ?? null
  if (!endpoint || !isRunning(running) || !isReceiving(endpoint)) return false
  const found = await nextCandidates(ctx, endpoint, running, STEP)
  if (!found.length) {
    await writeUnaudited(ctx, "the end of a recovery", [skipRest(id), settle(endpoint, running)])
    return false
  }
  for (const candidate of found) {
    if (Date.now() >= end) return true
    const sent = await ctx.outbound.with(() => send(ctx, endpoint, running, candidate))
    // One that could not be tried ends the work; the cron takes it up again.
    if (sent === "stop") return false
    // Whether it still receives is looked up before more is sent.
    if (sent === "failed") return true
  }
  return true
}

/** Sends one event, and counts it in the same batch that settles its delivery. */
async function send(
  ctx: Ctx,
  endpoint: Endpoint,
  running: Recovery,
  { seq, event, delivery }: Candidate,
): Promise<"sent" | "failed" | "stop"> {
  const counted = (what: "$.done" | "$.failed") => [
    count(endpoint.id, seq, what),
    ...(seq === running.last ? [settle(endpoint, running)] : []),
  ]
  const reserved = delivery === null ? await reserveMissed(ctx, endpoint.id, event) : await reserveAgain(ctx, delivery)
  if (!reserved) {
    await writeUnaudited(ctx, "an event that somebody else took", counted("$.done"))
    return "sent"
  }
  let sent: "sent" | "failed" | "stop" = "stop"
  await carryOut(ctx, reserved, delivery === null ? "first" : "manual", (delivered) => {
    sent = delivered ? "sent" : "failed"
    return counted(delivered ? "$.done" : "$.failed")
  })
  return sent
}

const { recovery } = webhookEndpoints
const field = (name: "after" | "last" | "queued" | "done" | "failed") => sql`json_extract(${recovery}, ${`$.${name}`})`

/** Moves a recovery behind an event. */
const count = (id: number, seq: number, what: "$.done" | "$.failed"): Write =>
  update(webhookEndpoints)
    .set({ recovery: sql`json_set(${recovery}, '$.after', ${seq}, ${what}, json_extract(${recovery}, ${what}) + 1)` })
    .where(sql`${webhookEndpoints.id} = ${id} and ${field("after")} < ${seq}`)

/** Nothing is left of it. */
const skipRest = (id: number): Write =>
  update(webhookEndpoints)
    .set({ recovery: sql`json_set(${recovery}, '$.after', ${field("last")})` })
    .where(eq(webhookEndpoints.id, id))

/**
 * Once it is done, what it did not count was another's: a person's, the schedule's, or an attempt's whose worker died. It has failed
 * where it is not delivered by now.
 */
const settle = (endpoint: Endpoint, running: Recovery): Write =>
  update(webhookEndpoints)
    .set({
      recovery: sql`(select json_set(${recovery}, '$.failed', rest.failed, '$.done', ${field("queued")} - rest.failed)
        from (select max(0, min(${field("queued")} - ${field("done")}, ${countUndelivered(endpoint, running)})) as failed) as rest)`,
    })
    .where(
      sql`${webhookEndpoints.id} = ${endpoint.id} and ${field("after")} >= ${field("last")}
        and ${field("done")} + ${field("failed")} <> ${field("queued")}`,
    )

async function find(ctx: Ctx, id: number): Promise<Endpoint | null> {
  const [endpoint] = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.deletedAt)))
  return endpoint ?? null
}
