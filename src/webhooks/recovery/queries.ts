// Which events a recovery is about: those of a span whose delivery to an endpoint failed, or was never opened.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deliveryId } from "../../core/write/event-log"
import { eventsOf } from "../../core/write/event-types"
import type { Recovery } from "../../db/schema/central/webhooks"
import { ulidFloor } from "../../lib/ulid"
import type { Endpoint } from "../receiving-condition"

/** An event that is to be sent, with the delivery it has, if it has one. */
export interface Candidate {
  seq: number
  event: string
  delivery: number | null
}

type Span = Pick<Recovery, "mode" | "since" | "until" | "events">

/**
 * A recovery of what a span has, from its start and `most` events at most, as SQL: it is counted where it is written. The ids of
 * events, which begin with their moments, lead there: their numbers may stand in another order, since the billing clock can be run
 * for any moment.
 */
export function newRecovery(endpoint: Endpoint, span: Span, most: number): SQL {
  const place = sql`event.id >= ${ulidFloor(span.since)} and event.id < ${ulidFloor(span.until + 1)}`
  return sql`(select json_set(${JSON.stringify({ ...span, done: 0, failed: 0 })}, '$.queued', count(*),
      '$.after', coalesce(min(found.seq), 1) - 1, '$.last', coalesce(max(found.seq), 0))
    from (${candidates(endpoint, span, place, most)}) as found)`
}

/** The next ones of a recovery, in the order of the events. */
export const nextCandidates = (ctx: Ctx, endpoint: Endpoint, recovery: Recovery, limit: number) =>
  ctx.db
    .select({
      seq: sql<number>`found.seq`,
      event: sql<string>`found.id`,
      delivery: sql<number | null>`found.delivery`,
    })
    .from(
      sql`(${candidates(endpoint, recovery, sql`event.seq > ${recovery.after} and event.seq <= ${recovery.last}`, limit)}) as found`,
    )

/** How many of the events that a recovery went through its endpoint has not got by now, as SQL; no delivery that arrived is read. */
export const countUndelivered = ({ id }: Endpoint, { since, until, events, last }: Recovery): SQL<number> =>
  sql`(select count(*) from webhook_deliveries as delivery
    join webhook_events as event on event.id = delivery.event_id
    where delivery.endpoint_id = ${id} and delivery.status in ('pending', 'failed', 'exhausted')
      and event.seq <= ${last} and event.is_test = 0 and event.created_at between ${since} and ${until} and ${isOneOf(events)})`

function candidates(endpoint: Endpoint, { mode, since, until, events }: Span, place: SQL, limit: number): SQL {
  const failed = sql`(delivery.id is not null and delivery.status in ('failed', 'exhausted') and ${isOneOf(events)})`
  const missed = sql`(delivery.id is null and ${isOneOf(events)} and ${isOneOf(eventsOf(endpoint.events))} and ${concerns(endpoint)})`
  const wanted = { failed, missed, all: sql`(${failed} or ${missed})` }[mode]
  return sql`select event.seq, event.id, delivery.id as delivery from webhook_events as event
    left join webhook_deliveries as delivery on delivery.id = ${deliveryId(sql`event.seq`, endpoint.id)}
    where ${place} and event.is_test = 0 and event.created_at between ${since} and ${until} and ${wanted}
    order by event.seq limit ${limit}`
}

/** @param types event names; null for all */
const isOneOf = (types: string[] | null): SQL =>
  types === null ? sql`true` : sql`event.type in (select value from json_each(${JSON.stringify(types)}))`

/** Whether an event is about a store that the filter means; the entry it was committed with says which incarnation it is about. */
const concerns = ({ stores, storeSeqs }: Endpoint): SQL =>
  stores === null
    ? sql`true`
    : sql`(select entry.store_seq from audit_entries as entry where entry.id = event.entry_id)
        in (select value from json_each(${JSON.stringify(storeSeqs)}))`
