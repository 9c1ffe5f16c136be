// Which events a recovery is about: those of a span whose delivery to an endpoint failed, or was never opened.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { Recovery } from "../../db/schema/central/webhooks"
import { MINUTE } from "../../lib/time"
import { eventsOf } from "../catalogue"
import type { Endpoint } from "../receiving"

/** By so much the moments of two events may be the other way round than their commits. */
const SKEW = MINUTE

/** An event that is to be sent, with the delivery it has, if it has one. */
export interface Candidate {
  seq: number
  event: string
  delivery: number | null
}

type Span = Pick<Recovery, "mode" | "since" | "until" | "events">

/** How many there are from the start of the span, `most` at most, and the number of the last of them. */
export const countCandidates = (ctx: Ctx, endpoint: Endpoint, span: Span, most: number) =>
  ctx.db
    .select({ queued: sql<number>`count(*)`, last: sql<number>`coalesce(max(found.seq), 0)` })
    .from(sql`(${candidates(endpoint, span, sql`event.seq >= ${firstOf(span)}`, most)}) as found`)

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

/** The number with which a span begins; its index finds it without a look at the events before. */
const firstOf = ({ since }: Span): SQL => sql`coalesce((
  select oldest.seq from webhook_events as oldest
  where oldest.created_at >= ${since - SKEW} and oldest.seq is not null order by oldest.created_at limit 1), 0)`

function candidates(endpoint: Endpoint, { mode, since, until, events }: Span, place: SQL, limit: number): SQL {
  const failed = sql`(delivery.id is not null and delivery.status in ('failed', 'exhausted') and ${isOneOf(events)})`
  const missed = sql`(delivery.id is null and ${isOneOf(events)} and ${isOneOf(eventsOf(endpoint.events))} and ${concerns(endpoint)})`
  const wanted = { failed, missed, all: sql`(${failed} or ${missed})` }[mode]
  return sql`select event.seq, event.id, delivery.id as delivery from webhook_events as event
    left join webhook_deliveries as delivery on delivery.event_id = event.id and delivery.endpoint_id = ${endpoint.id}
    where ${place} and event.created_at between ${since} and ${until} and ${wanted}
    order by event.seq limit ${limit}`
}

/** @param types event names; null for all */
const isOneOf = (types: string[] | null): SQL =>
  types === null ? sql`true` : sql`event.type in (select value from json_each(${JSON.stringify(types)}))`

const concerns = ({ stores }: Endpoint): SQL =>
  stores === null ? sql`true` : sql`event.store_id in (select value from json_each(${JSON.stringify(stores)}))`
