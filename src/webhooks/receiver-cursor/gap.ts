// Finds the deliveries after a receiver's cursor. All queries read the endpoint's deliveries in the order of their ids,
// which contain `seq`, and look up their events where those are.
import { sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { DeliveryDatabase } from "../../core/write/delivery-databases"
import { deliveryIdOf, seqOf } from "../../core/write/event-log"
import { PING } from "../../core/write/event-types"
import { type Recovery, webhookDeliveries } from "../../db/schema/central/webhooks"
import { addMs } from "../../lib/time"
import type { Candidate } from "../recovery/queries"
import { MAX_CURSOR_LAG_MS } from "./decide"

/** Events that are sent again at a time; another gap is left for the rest. */
const MAX_EVENTS = 100_000

/** Deliveries after the cursor that are read to find an old one. */
const MAX_READ = 100

/** A `seq` that no event reaches. */
const LOG_END = 2 ** 32

/** SQL condition: the deliveries of an endpoint whose events are after a `seq`, up to another. */
const isBetween = (
  endpointId: number,
  after: number,
  last: number,
) => sql`${webhookDeliveries.endpointId} = ${endpointId}
  and ${webhookDeliveries.id} >= ${deliveryIdOf(after + 1, 0)} and ${webhookDeliveries.id} < ${deliveryIdOf(last + 1, 0)}`

/** SQL condition: a delivery that is sent again. The schedule sends pending ones. */
const isSentAgain = sql`${webhookDeliveries.status} in ('delivered', 'failed', 'exhausted')
  and ${webhookDeliveries.event} <> ${PING}`

/** Returns which of the events exist and are not tests. */
async function listReal(ctx: Pick<Ctx, "db">, seqs: readonly number[]): Promise<Set<number>> {
  if (!seqs.length) return new Set()
  const rows = await ctx.db
    .select({ seq: sql<number>`seq` })
    .from(sql`webhook_events`)
    .where(sql`seq in (select value from json_each(${JSON.stringify(seqs)})) and is_test = 0`)
  return new Set(rows.map(({ seq }) => seq))
}

/** Whether an event after the cursor was delivered long ago, so that the receiver should have it. */
export async function isReceiverBehind(
  ctx: Pick<Ctx, "db" | "now">,
  home: DeliveryDatabase,
  endpointId: number,
  cursor: number,
): Promise<boolean> {
  const rows = await home.db
    .select({ id: sql<number>`id` })
    .from(
      sql`(select id, status, event, delivered_at from ${webhookDeliveries}
        where ${isBetween(endpointId, cursor, LOG_END)} order by id limit ${MAX_READ})`,
    )
    .where(
      sql`status = 'delivered' and event <> ${PING} and delivered_at <= ${addMs(ctx.now, -MAX_CURSOR_LAG_MS).getTime()}`,
    )
  return (
    (
      await listReal(
        ctx,
        rows.map(({ id }) => seqOf(id)),
      )
    ).size > 0
  )
}

/**
 * Builds the recovery that sends an endpoint everything after a cursor again.
 * @returns null if there is nothing to send
 */
export async function buildGapRecovery(
  ctx: Pick<Ctx, "now">,
  home: DeliveryDatabase,
  endpointId: number,
  cursor: number,
): Promise<Recovery | null> {
  const [found] = await home.db
    .select({
      queued: sql<number>`count(*)`,
      last: sql<number | null>`max(id)`,
      since: sql<number | null>`min(created_at)`,
    })
    .from(
      sql`(select id, created_at from ${webhookDeliveries}
        where ${isBetween(endpointId, cursor, LOG_END)} and ${isSentAgain}
        order by id limit ${MAX_EVENTS})`,
    )
  if (!found?.last) return null
  return {
    mode: "gap",
    since: found.since ?? ctx.now.getTime(),
    until: ctx.now.getTime(),
    events: null,
    queued: found.queued,
    done: 0,
    failed: 0,
    after: cursor,
    last: seqOf(found.last),
    from: cursor,
  }
}

/** Finds the next events of a gap, in commit order. */
export async function findGapCandidates(
  ctx: Pick<Ctx, "db">,
  home: DeliveryDatabase,
  endpointId: number,
  { after, last }: Recovery,
  limit: number,
): Promise<Candidate[]> {
  for (let from = after; ; ) {
    const page = await home.db
      .select({ id: webhookDeliveries.id })
      .from(webhookDeliveries)
      .where(sql`${isBetween(endpointId, from, last)} and ${isSentAgain}`)
      .orderBy(webhookDeliveries.id)
      .limit(limit)
    const real = await listReal(
      ctx,
      page.map(({ id }) => seqOf(id)),
    )
    const found = page.flatMap(({ id }) => (real.has(seqOf(id)) ? [{ seq: seqOf(id), delivery: id }] : []))
    const end = page.at(-1)
    if (found.length || !end) return found
    from = seqOf(end.id)
  }
}

/** Counts the deliveries of a gap that are not delivered. */
export async function countUndeliveredInGap(
  home: DeliveryDatabase,
  endpointId: number,
  { from = 0, last }: Recovery,
): Promise<number> {
  const [row] = await home.db
    .select({ total: sql<number>`count(*)` })
    .from(webhookDeliveries)
    .where(
      sql`${isBetween(endpointId, from, last)} and ${webhookDeliveries.status} in ('pending', 'failed', 'exhausted')`,
    )
  return row?.total ?? 0
}
