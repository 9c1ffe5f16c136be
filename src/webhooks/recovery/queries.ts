// Queries that find the events of a recovery: those of a period whose delivery to an endpoint failed or does not exist.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { deliveryId } from "../../core/write/event-log"
import { expandSubscriptions } from "../../core/write/event-types"
import type { Recovery } from "../../db/schema/central/webhooks"
import { ulidFloor } from "../../lib/ulid"
import type { Endpoint } from "../receiving-condition"

/** An event to send, with its existing delivery if there is one. */
export interface Candidate {
  seq: number
  event: string
  delivery: number | null
}

type Span = Pick<Recovery, "mode" | "since" | "until" | "events">

/**
 * Builds a new recovery as SQL, so that its events are counted in the statement that writes it. The period is found by
 * event ids, which start with their time; sequence numbers may be in another order, since the billing clock can be run
 * for any date.
 * @param limit maximum number of events, from the start of the period
 */
export function buildRecovery(endpoint: Endpoint, span: Span, limit: number): SQL {
  const isInSpan = sql`event.id >= ${ulidFloor(span.since)} and event.id < ${ulidFloor(span.until + 1)}`
  return sql`(select json_set(${JSON.stringify({ ...span, done: 0, failed: 0 })}, '$.queued', count(*),
      '$.after', coalesce(min(candidate.seq), 1) - 1, '$.last', coalesce(max(candidate.seq), 0))
    from (${selectCandidates(endpoint, span, isInSpan, limit)}) as candidate)`
}

/** Selects the next events of a recovery, in commit order. */
export const selectNextCandidates = (ctx: Ctx, endpoint: Endpoint, recovery: Recovery, limit: number) =>
  ctx.db
    .select({
      seq: sql<number>`candidate.seq`,
      event: sql<string>`candidate.id`,
      delivery: sql<number | null>`candidate.delivery`,
    })
    .from(
      sql`(${selectCandidates(endpoint, recovery, sql`event.seq > ${recovery.after} and event.seq <= ${recovery.last}`, limit)}) as candidate`,
    )

/** Counts the processed events of a recovery that are still not delivered, as SQL; delivered rows are not read. */
export const countUndelivered = ({ id }: Endpoint, { since, until, events, last }: Recovery): SQL<number> =>
  sql`(select count(*) from webhook_deliveries as delivery
    join webhook_events as event on event.id = delivery.event_id
    where delivery.endpoint_id = ${id} and delivery.status in ('pending', 'failed', 'exhausted')
      and event.seq <= ${last} and event.is_test = 0 and event.created_at between ${since} and ${until} and ${isOneOf(events)})`

function selectCandidates(endpoint: Endpoint, { mode, since, until, events }: Span, range: SQL, limit: number): SQL {
  const failed = sql`(delivery.id is not null and delivery.status in ('failed', 'exhausted') and ${isOneOf(events)})`
  const missed = sql`(delivery.id is null and ${isOneOf(events)} and ${isOneOf(expandSubscriptions(endpoint.events))} and ${matchesStoreFilter(endpoint)})`
  const matchesMode = { failed, missed, all: sql`(${failed} or ${missed})` }[mode]
  return sql`select event.seq, event.id, delivery.id as delivery from webhook_events as event
    left join webhook_deliveries as delivery on delivery.id = ${deliveryId(sql`event.seq`, endpoint.id)}
    where ${range} and event.is_test = 0 and event.created_at between ${since} and ${until} and ${matchesMode}
    order by event.seq limit ${limit}`
}

/** @param types event types; null for all */
const isOneOf = (types: string[] | null): SQL =>
  types === null ? sql`true` : sql`event.type in (select value from json_each(${JSON.stringify(types)}))`

/** Matches events of the filter's stores, by the incarnation in the audit entry that each event was committed with. */
const matchesStoreFilter = ({ stores, storeSeqs }: Endpoint): SQL =>
  stores === null
    ? sql`true`
    : sql`(select entry.store_seq from audit_entries as entry where entry.id = event.entry_id)
        in (select value from json_each(${JSON.stringify(storeSeqs)}))`
