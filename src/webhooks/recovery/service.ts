// Recovers an endpoint: sends its failed and missed events one after another, in commit order, in the background.

import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { forEachItem } from "../../core/queue/for-each-item"
import { enqueueJob, startJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import type { Job } from "../../core/queue/messages"
import { commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { type DeliveryDatabase, findHome } from "../../core/write/delivery-databases"
import { expandSubscriptions } from "../../core/write/event-types"
import { assertNotRehoming, isRehoming } from "../../core/write/rehoming"
import { type Recovery, webhookEndpoints } from "../../db/schema/central/webhooks"
import { update, type Write } from "../../db/write"
import { SECOND } from "../../lib/time"
import { sendAttempt } from "../attempt"
import { takeFromRateLimit } from "../failure-counter"
import { isEventWaiting } from "../ordering"
import { countUndeliveredInGap, findGapCandidates } from "../receiver-cursor/gap"
import { checkReceiver, hasOpenGap } from "../receiver-cursor/reconcile"
import { type Endpoint, endpointIsReceiving, isReceiving, toAuditSite } from "../receiving-condition"
import { createForRecovery, reserveForRecovery } from "../reserve"
import { buildRecovery, type Candidate, countUndelivered, findNextCandidates } from "./queries"
import type { RecoverEndpoint } from "./schemas"
import { isRecovering, isRunning } from "./state"

/** Events per recovery. */
const MAX_EVENTS = 100_000

/** Events looked up at a time. */
const BATCH_SIZE = 20

/**
 * Starts to send an endpoint its failed or missed events.
 * @returns the number of queued events, at most 100,000; a further call recovers the rest
 * @throws Refusal `not_found`; `recovery_running` while another recovery is in progress; `temporarily_unavailable`
 *   while the endpoint's deliveries move to another database
 */
export async function recoverEndpoint(ctx: Ctx, id: number, input: z.output<typeof RecoverEndpoint>): Promise<number> {
  const endpoint = await findEndpoint(ctx, id)
  if (!endpoint) throw new Refusal("not_found")
  if (isRunning(endpoint.recovery)) throw new Refusal("recovery_running")
  const span = {
    mode: input.mode,
    since: input.since.getTime(),
    until: (input.until ?? ctx.now).getTime(),
    events: input.events ? expandSubscriptions(input.events) : null,
  }
  const queued = sql<number>`(select ${field("queued")} from ${webhookEndpoints} where ${eq(webhookEndpoints.id, id)})`
  const audited = { mode: span.mode, since: new Date(span.since), until: new Date(span.until), queued }
  const home = await findHome(ctx, id)
  const started = await buildRecovery(ctx, home, endpoint, span, MAX_EVENTS)
  let count: number
  try {
    const [[stored]] = await commit(ctx, {
      guard: update(webhookEndpoints)
        .set({ recovery: started })
        .where(sql`${webhookEndpoints.id} = ${id} and not ${isRecovering} and not ${isRehoming(sql`${id}`)}`),
      writes: [ctx.db.select({ queued: queued.as("queued") }).from(sql`(select 1)`)],
      auditLog: [{ audit: { subject: "endpoint", action: "recovered", id, ...toAuditSite(endpoint), data: audited } }],
    })
    count = stored?.queued ?? 0
  } catch (cause) {
    if (!(cause instanceof WriteConflict)) throw cause
    await assertNotRehoming(ctx, id)
    throw new Refusal((await findEndpoint(ctx, id)) ? "recovery_running" : "not_found")
  }
  if (count) startJob(ctx, { job: "recovery", endpoint: id })
  return count
}

/**
 * Continues an endpoint's recovery until the run is out of time. The recovery pauses while the endpoint does not
 * receive.
 * @returns the next step; null when the recovery is complete or pauses
 */
export async function continueRecovery(ctx: Ctx, id: number): Promise<Job | null> {
  for (let hasNext = true; hasNext; ) {
    if (ctx.run.isOutOfTime()) return { job: "recovery", endpoint: id }
    hasNext = await runStep(ctx, id)
  }
  return null
}

/** Recoveries that one run of the cron resumes. */
const RESUMED_PER_RUN = 100

/**
 * Resumes the recoveries whose message was lost or whose endpoint receives again, and checks the reported cursors whose
 * worker died, or whose gap may be sent again by now.
 */
export async function resumeRecoveries(ctx: Ctx): Promise<void> {
  const isPaused = sql`(${isRecovering} and ${isUnlocked(sql`'recovery:' || ${webhookEndpoints.id}`, ctx.now)})`
  const hasGap = hasOpenGap(ctx.now)
  const found = await ctx.db
    .select({ id: webhookEndpoints.id, isPaused: sql<number>`${isPaused}` })
    .from(webhookEndpoints)
    .where(
      sql`(${webhookEndpoints.recovery} is not null or ${webhookEndpoints.gapSeq} is not null)
        and ${endpointIsReceiving} and (${isPaused} or ${hasGap})`,
    )
    .limit(RESUMED_PER_RUN)
  await forEachItem(
    ctx,
    "webhook-recoveries",
    found,
    ({ id, isPaused }) => (isPaused ? enqueueJob(ctx, { job: "recovery", endpoint: id }) : checkReceiver(ctx, id)),
    ({ id }) => id,
  )
}

/** @returns whether the next step can run now */
async function runStep(ctx: Ctx, id: number): Promise<boolean> {
  const endpoint = await findEndpoint(ctx, id)
  const running = endpoint?.recovery ?? null
  if (endpoint && running?.mode === "gap" && !isRunning(running)) await checkReceiver(ctx, id)
  if (!endpoint || !isRunning(running) || !isReceiving(endpoint)) return false
  const home = await findHome(ctx, id)
  const candidates = await findNext(ctx, home, endpoint, running)
  if (!candidates.length) {
    const undelivered = await countOpen(home, endpoint, running)
    await writeUnaudited(ctx, "progress", [buildSkipWrite(id), buildReconcileWrite(endpoint, undelivered)])
    // After a gap, the next step checks whether the receiver has caught up.
    return running.mode === "gap"
  }
  // lint: each delivery is sent before the next, in order
  for (const candidate of candidates) {
    if (!(await waitForRateLimit(ctx, endpoint))) return true
    const outcome = await ctx.outbound.with(() => sendCandidate(ctx, home, endpoint, running, candidate))
    // An event that could not be attempted pauses the recovery; the cron resumes it.
    if (outcome === "stopped") return false
    // The failure may have disabled the endpoint, so it is read again before more is sent.
    if (outcome === "failed") return true
  }
  return true
}

/** Finds the next events to send. */
const findNext = (ctx: Ctx, home: DeliveryDatabase, endpoint: Endpoint, running: Recovery): Promise<Candidate[]> =>
  running.mode === "gap"
    ? findGapCandidates(ctx, home, endpoint.id, running, BATCH_SIZE)
    : findNextCandidates(ctx, home, endpoint, { ...running, mode: running.mode }, BATCH_SIZE)

/** Counts the processed events that are still not delivered. */
const countOpen = (home: DeliveryDatabase, endpoint: Endpoint, running: Recovery): Promise<SQL<number> | number> =>
  running.mode === "gap" ? countUndeliveredInGap(home, endpoint.id, running) : countUndelivered(home, endpoint, running)

/**
 * Waits until the endpoint's rate limit allows another attempt.
 * @returns false if the run is out of time
 */
async function waitForRateLimit(ctx: Ctx, { id, maxPerSecond }: Endpoint): Promise<boolean> {
  while (!ctx.run.isOutOfTime()) {
    if (maxPerSecond === null || (await takeFromRateLimit(ctx, id, 1, maxPerSecond))) return true
    await scheduler.wait(Math.ceil(SECOND / maxPerSecond))
  }
  return false
}

/** Sends one event and counts it in the batch that settles its delivery. */
async function sendCandidate(
  ctx: Ctx,
  home: DeliveryDatabase,
  endpoint: Endpoint,
  running: Recovery,
  { seq, delivery }: Candidate,
): Promise<"sent" | "failed" | "stopped"> {
  if (endpoint.ordered && (await isEventWaiting(ctx, home, endpoint.id, seq))) {
    // Those before this one are no longer deferred (isDeferred), because one of them is what it waits for.
    await writeUnaudited(ctx, "progress", [buildAdvanceWrite(endpoint.id, seq - 1)])
    return "stopped"
  }
  const isLast = seq === running.last
  const undelivered = isLast && home.isCentral ? await countOpen(home, endpoint, running) : null
  const buildCountWrites = (counter: "$.done" | "$.failed") => [
    buildProgressWrite(endpoint.id, seq, counter),
    ...(undelivered === null ? [] : [buildReconcileWrite(endpoint, undelivered)]),
  ]
  const reserved =
    delivery === null
      ? await createForRecovery(ctx, endpoint.id, seq)
      : await reserveForRecovery(ctx, delivery, { isRepeated: running.mode === "gap" })
  if (!reserved) {
    await writeUnaudited(ctx, "progress", buildCountWrites("$.done"))
    return "sent"
  }
  let outcome: "sent" | "failed" | "stopped" = "stopped"
  await sendAttempt(ctx, reserved, delivery === null ? "first" : "manual", (delivered) => {
    outcome = delivered ? "sent" : "failed"
    return buildCountWrites(delivered ? "$.done" : "$.failed")
  })
  if (isLast && !home.isCentral)
    await writeUnaudited(ctx, "progress", [buildReconcileWrite(endpoint, await countOpen(home, endpoint, running))])
  return outcome
}

const { recovery } = webhookEndpoints
const field = (name: "after" | "last" | "queued" | "done" | "failed") => sql`json_extract(${recovery}, ${`$.${name}`})`

/** Builds the write that counts an event and advances the recovery to it. */
const buildProgressWrite = (id: number, seq: number, counter: "$.done" | "$.failed"): Write =>
  update(webhookEndpoints)
    .set({
      recovery: sql`json_set(${recovery}, '$.after', ${seq}, ${counter}, json_extract(${recovery}, ${counter}) + 1)`,
    })
    .where(sql`${webhookEndpoints.id} = ${id} and ${field("after")} < ${seq}`)

/** Builds the write that advances a recovery without counting an event. */
const buildAdvanceWrite = (id: number, seq: number): Write =>
  update(webhookEndpoints)
    .set({ recovery: sql`json_set(${recovery}, '$.after', ${seq})` })
    .where(sql`${webhookEndpoints.id} = ${id} and ${field("after")} < ${seq}`)

/** Builds the write that ends a recovery without further events. */
const buildSkipWrite = (id: number): Write =>
  update(webhookEndpoints)
    .set({ recovery: sql`json_set(${recovery}, '$.after', ${field("last")})` })
    .where(eq(webhookEndpoints.id, id))

/**
 * Builds the write that reconciles the counts of a finished recovery. Events that it did not count were attempted
 * otherwise: manually, by the schedule, or by a worker that died. They count as failed unless they are delivered by
 * now.
 */
const buildReconcileWrite = (endpoint: Endpoint, undelivered: SQL<number> | number): Write =>
  update(webhookEndpoints)
    .set({
      recovery: sql`(select json_set(${recovery}, '$.failed', rest.failed, '$.done', ${field("queued")} - rest.failed)
        from (select max(0, min(${field("queued")} - ${field("done")}, ${undelivered})) as failed) as rest)`,
    })
    .where(
      sql`${webhookEndpoints.id} = ${endpoint.id} and ${field("after")} >= ${field("last")}
        and ${field("done")} + ${field("failed")} <> ${field("queued")}`,
    )

async function findEndpoint(ctx: Ctx, id: number): Promise<Endpoint | null> {
  const [endpoint] = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.deletedAt)))
  return endpoint ?? null
}
