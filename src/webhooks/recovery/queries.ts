// Queries that find the events of a recovery: those of a period whose delivery to an endpoint failed or does not exist.
import { type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { DeliveryDatabase } from "../../core/write/delivery-databases"
import { deliveryId, deliveryIdOf, endpointIdIn, incarnationOf } from "../../core/write/event-log"
import { DELIVERY_EVENTS, expandSubscriptions } from "../../core/write/event-types"
import { type Recovery, webhookDeliveries } from "../../db/schema/central/webhooks"
import { ulidFloor } from "../../lib/ulid"
import type { Endpoint } from "../receiving-condition"

/** An event to send, with its existing delivery if there is one. */
export interface Candidate {
  seq: number
  delivery: number | null
}

/** The selection of events to send. */
export type Span = Pick<Recovery, "since" | "until" | "events"> & { mode: Exclude<Recovery["mode"], "gap"> }

/**
 * Builds a new recovery. Its events are counted in the statement that writes it, unless their deliveries are in a
 * separate delivery database. The period is found by event ids, which start with their time; sequence numbers may be in
 * another order, since the billing clock can be run for any date.
 * @param limit maximum number of events, from the start of the period
 */
export async function buildRecovery(
  ctx: Ctx,
  home: DeliveryDatabase,
  endpoint: Endpoint,
  span: Span,
  limit: number,
): Promise<SQL> {
  const isInSpan = sql`event.id >= ${ulidFloor(span.since)} and event.id < ${ulidFloor(span.until + 1)}`
  if (!home.isCentral) {
    const found = await findCandidates(ctx, home, endpoint, span, isInSpan, 0, limit)
    const range = { after: (found[0]?.seq ?? 1) - 1, last: found.at(-1)?.seq ?? 0 }
    return sql`${JSON.stringify({ ...span, done: 0, failed: 0, queued: found.length, ...range })}`
  }
  return sql`(select json_set(${JSON.stringify({ ...span, done: 0, failed: 0 })}, '$.queued', count(*),
      '$.after', coalesce(min(candidate.seq), 1) - 1, '$.last', coalesce(max(candidate.seq), 0))
    from (${selectCandidates(endpoint, span, isInSpan, limit)}) as candidate)`
}

/** Finds the next events of a recovery, in commit order. */
export function findNextCandidates(
  ctx: Ctx,
  home: DeliveryDatabase,
  endpoint: Endpoint,
  recovery: Span & Pick<Recovery, "after" | "last">,
  limit: number,
): Promise<Candidate[]> {
  if (!home.isCentral)
    return findCandidates(ctx, home, endpoint, recovery, sql`event.seq <= ${recovery.last}`, recovery.after, limit)
  const range = sql`event.seq > ${recovery.after} and event.seq <= ${recovery.last}`
  return ctx.db
    .select({ seq: sql<number>`candidate.seq`, delivery: sql<number | null>`candidate.delivery` })
    .from(sql`(${selectCandidates(endpoint, recovery, range, limit)}) as candidate`)
    .then((rows) => rows)
}

/** Events whose deliveries are looked up at a time in a separate database. */
const PAGE_SIZE = 2_000

/**
 * Finds candidates whose deliveries are in a separate database: the events first, then their deliveries.
 * @param range condition on the events
 * @param after the `seq` after which the search starts
 */
async function findCandidates(
  ctx: Ctx,
  home: DeliveryDatabase,
  endpoint: Endpoint,
  { mode, since, until, events }: Span,
  range: SQL,
  after: number,
  limit: number,
): Promise<Candidate[]> {
  const found: Candidate[] = []
  const isReceived = sql`(${isOneOf(expandSubscriptions(endpoint.events))} and ${matchesStoreFilter(endpoint)} and ${isAboutAnother(endpoint)})`
  for (let from = after; ; ) {
    const page = await ctx.db
      .select({ seq: sql<number>`event.seq`, isReceived: sql<number>`${isReceived}` })
      .from(sql`webhook_events as event`)
      .where(
        sql`${range} and event.seq > ${from} and event.is_test = 0 and event.created_at between ${since} and ${until}
          and ${isOneOf(events)}`,
      )
      .orderBy(sql`event.seq`)
      .limit(PAGE_SIZE)
    const ids = page.map(({ seq }) => deliveryIdOf(seq, endpoint.id))
    const deliveries = await home.db
      .select({ id: webhookDeliveries.id, status: webhookDeliveries.status })
      .from(webhookDeliveries)
      .where(sql`${webhookDeliveries.id} in (select value from json_each(${JSON.stringify(ids)}))`)
    const statuses = new Map(deliveries.map(({ id, status }) => [id, status]))
    for (const { seq, isReceived } of page) {
      const id = deliveryIdOf(seq, endpoint.id)
      const status = statuses.get(id)
      const isFailed = mode !== "missed" && (status === "failed" || status === "exhausted")
      const isMissed = mode !== "failed" && status === undefined && Boolean(isReceived)
      if (isFailed || isMissed) found.push({ seq, delivery: isFailed ? id : null })
      if (found.length === limit) return found
    }
    const last = page.at(-1)
    if (!last || page.length < PAGE_SIZE) return found
    from = last.seq
  }
}

/**
 * Counts the processed events of a recovery that are still not delivered; delivered rows are not read.
 * @returns an expression, or a number if the deliveries are in a separate database
 */
export async function countUndelivered(
  home: DeliveryDatabase,
  { id }: Endpoint,
  { since, until, events, last }: Recovery,
): Promise<SQL<number> | number> {
  if (home.isCentral)
    return sql`(select count(*) from webhook_deliveries as delivery
      join webhook_events as event on event.id = delivery.event_id
      where delivery.endpoint_id = ${id} and delivery.status in ('pending', 'failed', 'exhausted')
        and event.seq <= ${last} and event.is_test = 0 and event.created_at between ${since} and ${until} and ${isOneOf(events)})`
  const ofTypes = events === null ? sql`true` : sql`event in (select value from json_each(${JSON.stringify(events)}))`
  const [row] = await home.db
    .select({ total: sql<number>`count(*)` })
    .from(webhookDeliveries)
    .where(
      sql`endpoint_id = ${id} and status in ('pending', 'failed', 'exhausted') and id <= ${deliveryIdOf(last, id)}
        and event_id >= ${ulidFloor(since)} and event_id < ${ulidFloor(until + 1)} and ${ofTypes}`,
    )
  return row?.total ?? 0
}

function selectCandidates(endpoint: Endpoint, { mode, since, until, events }: Span, range: SQL, limit: number): SQL {
  const failed = sql`(delivery.id is not null and delivery.status in ('failed', 'exhausted') and ${isOneOf(events)})`
  const missed = sql`(delivery.id is null and ${isOneOf(events)} and ${isOneOf(expandSubscriptions(endpoint.events))} and ${matchesStoreFilter(endpoint)} and ${isAboutAnother(endpoint)})`
  const matchesMode = { failed, missed, all: sql`(${failed} or ${missed})` }[mode]
  return sql`select event.seq, delivery.id as delivery from webhook_events as event
    left join webhook_deliveries as delivery on delivery.id = ${deliveryId(sql`event.seq`, endpoint.id)}
    where ${range} and event.is_test = 0 and event.created_at between ${since} and ${until} and ${matchesMode}
    order by event.seq limit ${limit}`
}

/** @param types event types; null for all */
const isOneOf = (types: string[] | null): SQL =>
  types === null ? sql`true` : sql`event.type in (select value from json_each(${JSON.stringify(types)}))`

/** Matches events of the filter's stores, by their incarnations. */
const matchesStoreFilter = ({ stores, storeSeqs }: Endpoint): SQL =>
  stores === null
    ? sql`true`
    : sql`${incarnationOf(sql`event`)}
        in (select value from json_each(${JSON.stringify(storeSeqs)}))`

/** Matches events that are not about the endpoint itself. */
const isAboutAnother = ({ id }: Endpoint): SQL =>
  sql`(event.type not in (select value from json_each(${JSON.stringify(DELIVERY_EVENTS)}))
    or (select ${endpointIdIn(sql`entry.subject_id`)} from audit_entries as entry where entry.id = event.entry_id) is not ${id})`
