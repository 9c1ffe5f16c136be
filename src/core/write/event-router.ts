// Creates the deliveries of committed events. A commit writes its event only, and the event log is the outbox: the
// router reads the events after its position, finds their endpoints, and creates the deliveries in the transaction that
// advances the position. It may run twice at once, or die anywhere: a delivery's id follows from its event and its
// endpoint, so none is created twice, and none is lost.
import { asc, eq, gt, type SQL, sql } from "drizzle-orm"
import { batch } from "../../db/client"
import { literal } from "../../db/literal"
import { auditEntries } from "../../db/schema/central/audit"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
import { insertSelect } from "../../db/write"
import type { Bindings } from "../../env"
import { currentMs, currentTime } from "../../lib/clock"
import { isolateState } from "../../lib/isolate-state"
import { addMs, SECOND } from "../../lib/time"
import type { Ctx } from "../context"
import { enqueueJob, startJob } from "../queue/leased-jobs"
import type { DeliveryMessage, Job } from "../queue/messages"
import { sendMessages } from "../queue/send"
import { writeUnaudited } from "./commit"
import { advanceRouted, deliveryIdOf, routed } from "./event-log"
import { QUEUE_GRACE_MS } from "./events"
import { retryTransient } from "./retry"
import { forgetSubscribers, loadSubscribers, type RoutedEvent, receiversOf, subscribersVersion } from "./subscribers"

/** Events read at a time. */
const EVENTS_PER_PASS = 100

/** Deliveries created in one transaction. */
const DELIVERIES_PER_TRANSACTION = 1_000

/** Deliveries after which an invocation leaves the rest to the next one. */
const DELIVERIES_PER_RUN = 5_000

/** Time after which a run leaves the events of other requests to a job, because its invocation must end. */
const RUN_MS = 10 * SECOND

/** Time without progress after which a run is considered dead. */
const RUN_TIMEOUT_MS = 5 * SECOND

/** The run of this isolate, and whether events were committed since it last read the log. */
interface Run {
  until: number
  hasMore: boolean
}

const runs = isolateState(() => new WeakMap<Bindings, Run>())

/** An event that waits for its deliveries. */
interface WaitingEvent extends RoutedEvent {
  id: string
  isTest: boolean
  createdAt: Date
}

/**
 * Creates the deliveries of new events, in the background of the request that committed them. Requests of one isolate
 * share a run, so a busy one routes many events at a time. If it fails, a job takes over.
 */
export function routeInBackground(ctx: Ctx): void {
  const running = runs.current.get(ctx.env)
  if (running && currentMs() < running.until) {
    running.hasMore = true
    return
  }
  const run = { until: 0, hasMore: true }
  runs.current.set(ctx.env, run)
  ctx.inBackground(routeWhileBusy(ctx, run))
}

async function routeWhileBusy(ctx: Ctx, run: Run): Promise<void> {
  const end = currentMs() + RUN_MS
  try {
    while (run.hasMore) {
      if (currentMs() >= end) return startJob(ctx, ROUTE)
      run.until = currentMs() + RUN_TIMEOUT_MS
      run.hasMore = false
      if (await routeEvents(ctx)) return startJob(ctx, ROUTE)
    }
  } catch (cause) {
    startJob(ctx, ROUTE)
    throw cause
  } finally {
    run.until = 0
  }
}

const ROUTE: Job = { job: "route" }

/**
 * Creates the deliveries of waiting events, as many as one invocation may, and enqueues their first attempts.
 * @returns the next step; null when no event waits
 * @throws the database's error when no retry succeeds; another run then finds the same events
 */
export async function routeEvents(ctx: Ctx): Promise<Job | null> {
  let created = 0
  for (;;) {
    const { events, version } = await readWaiting(ctx)
    const last = events.at(-1)
    if (!last) return null
    const subscribers = await loadSubscribers(ctx, version)
    const deliveries = events.flatMap((event) =>
      event.isTest ? [] : receiversOf(subscribers, event).map((endpoint) => ({ event, endpoint })),
    )
    created += deliveries.length
    await createDeliveries(ctx, deliveries, last.seq)
    if (events.length < EVENTS_PER_PASS) return null
    if (created >= DELIVERIES_PER_RUN || ctx.run.isOutOfTime()) return ROUTE
  }
}

async function readWaiting(ctx: Ctx): Promise<{ events: WaitingEvent[]; version: number }> {
  const [events, [endpoints]] = await batch(ctx.db, [
    ctx.db
      .select({
        seq: webhookEvents.seq,
        id: webhookEvents.id,
        type: webhookEvents.type,
        storeId: webhookEvents.storeId,
        storeSeq: auditEntries.storeSeq,
        isTest: webhookEvents.isTest,
        createdAt: webhookEvents.createdAt,
      })
      .from(webhookEvents)
      .leftJoin(auditEntries, eq(auditEntries.id, webhookEvents.entryId))
      .where(gt(webhookEvents.seq, routed))
      .orderBy(asc(webhookEvents.seq))
      .limit(EVENTS_PER_PASS),
    ctx.db.select({ version: subscribersVersion }).from(sql`(select 1)`),
  ])
  return { events, version: endpoints?.version ?? 0 }
}

interface NewDelivery {
  event: WaitingEvent
  endpoint: number
}

/**
 * Creates deliveries and advances the position to an event with the last of them. A run that dies before creates the
 * same ones again.
 */
async function createDeliveries(ctx: Ctx, deliveries: readonly NewDelivery[], seq: number): Promise<void> {
  for (let start = 0; ; start += DELIVERIES_PER_TRANSACTION) {
    const chunk = deliveries.slice(start, start + DELIVERIES_PER_TRANSACTION)
    const isLast = start + DELIVERIES_PER_TRANSACTION >= deliveries.length
    const [rows] = await retryTransient(() =>
      writeUnaudited(ctx, "audited_elsewhere", [buildInsert(chunk), ...(isLast ? [advanceRouted(seq)] : [])]),
    ).catch((cause) => {
      // An endpoint was deleted since it was read.
      forgetSubscribers(ctx)
      throw cause
    })
    const messages = rows.map(({ id, endpoint }): DeliveryMessage => ({ delivery: id, endpoint }))
    // The sweep picks up whatever the queue does not accept.
    if (messages.length) ctx.inBackground(sendMessages(ctx, messages))
    if (isLast) return
  }
}

function buildInsert(deliveries: readonly NewDelivery[]) {
  const rows = deliveries.map(({ event, endpoint }) => [
    deliveryIdOf(event.seq, endpoint),
    endpoint,
    event.id,
    event.type,
    event.storeId,
    event.createdAt.getTime(),
  ])
  const value = (index: number) => sql`json_extract(value, ${literal(`$[${index}]`)})`
  const now = currentTime()
  return insertSelect(
    webhookDeliveries,
    {
      id: value(0),
      endpointId: value(1),
      eventId: value(2),
      event: value(3),
      storeId: value(4),
      attempt: 0,
      status: "pending",
      nextAttemptAt: addMs(now, QUEUE_GRACE_MS),
      createdAt: value(5),
      updatedAt: now,
      attempts: [],
    },
    sql`from json_each(${JSON.stringify(rows)}) where true`,
  )
    .onConflictDoNothing()
    .returning({ id: webhookDeliveries.id, endpoint: webhookDeliveries.endpointId })
}

/** Selects when the oldest event was committed that waits for its deliveries; null when none waits. */
export const oldestWaiting: SQL<number | null> = sql`(select waiting.created_at from webhook_events as waiting
  where waiting.seq > ${routed} order by waiting.seq limit 1)`

/** The results of `readOldestWaiting` by the time of the cron run, whose jobs share them. */
const oldest = isolateState(() => new WeakMap<Date, Promise<Date | null>>())

/** Returns when the oldest event was committed that waits for its deliveries; null if none waits. */
export function readOldestWaiting(ctx: Pick<Ctx, "db" | "now">): Promise<Date | null> {
  const read = async () => {
    const [log] = await ctx.db.select({ at: oldestWaiting }).from(sql`(select 1)`)
    return log?.at ? new Date(log.at) : null
  }
  const known = oldest.current.get(ctx.now) ?? read()
  oldest.current.set(ctx.now, known)
  return known
}

/** Starts the router if events wait for it, because the message of a run was lost. */
export async function resumeRouting(ctx: Ctx): Promise<void> {
  if (await readOldestWaiting(ctx)) await enqueueJob(ctx, ROUTE)
}
