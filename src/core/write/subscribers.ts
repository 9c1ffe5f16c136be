// Keeps the endpoints that receive events in the isolate. Triggers count the changes of endpoints, and the
// router reads that version with its events, so it loads the endpoints again only after a change.
import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import { batch } from "../../db/client"
import { counters } from "../../db/schema/central/counters"
import { webhookEndpoints } from "../../db/schema/central/webhooks"
import type { Bindings } from "../../env"
import { isolateState } from "../../lib/isolate-state"
import type { Ctx } from "../context"
import { type EventMatcher, prepareFilter } from "./event-filter"
import { listPatterns } from "./event-types"
import { isBeingCopied } from "./rehoming"

/** An endpoint that receives events. */
export interface Subscriber {
  id: number
  /** The database of its deliveries. */
  database: string
  /** The incarnations (`stores.seq`) that its filter names; null for every event. */
  storeSeqs: number[] | null
  /** The highest `seq` when it was created. It receives only later events. */
  createdAtSeq: number
  /** Its rate limit, in attempts per second. */
  maxPerSecond: number | null
  /** Whether the events of each store are delivered one after another. */
  ordered: boolean
  /** Whether its filter includes a payload; null without a filter. */
  matches: EventMatcher | null
}

/** The endpoints that receive events, by the patterns that they subscribe to. */
export interface Subscribers {
  version: number
  byPattern: Map<string, Subscriber[]>
}

/** The fields that decide which endpoints receive an event. */
export interface RoutedEvent {
  seq: number
  type: string
  storeId: string | null
  /** The incarnation of its store when it was committed. */
  storeSeq: number | null
  /** The endpoint that it is about, which does not receive it; null for other events. */
  aboutEndpoint: number | null
}

const snapshots = isolateState(() => new WeakMap<Bindings, Subscribers>())

/** Selects the number of changes to endpoints so far. */
export const subscribersVersion: SQL<number> = sql<number>`coalesce((select ${counters.total} from ${counters}
  where ${counters.list} = 'webhook_events' and ${counters.filter} = 'endpoint_changes'), 0)`

/**
 * Returns the endpoints that receive events.
 * @param version the current version; the endpoints of an older one are read again
 */
export async function loadSubscribers({ env, db }: Pick<Ctx, "env" | "db">, version: number): Promise<Subscribers> {
  const known = snapshots.current.get(env)
  if (known?.version === version) return known
  const [[current], rows] = await batch(db, [
    db.select({ version: subscribersVersion }).from(sql`(select 1)`),
    db
      .select({
        id: webhookEndpoints.id,
        database: webhookEndpoints.database,
        events: webhookEndpoints.events,
        stores: webhookEndpoints.stores,
        storeSeqs: webhookEndpoints.storeSeqs,
        filter: webhookEndpoints.filter,
        maxPerSecond: webhookEndpoints.maxPerSecond,
        ordered: webhookEndpoints.ordered,
        createdAtSeq: webhookEndpoints.createdAtSeq,
      })
      .from(webhookEndpoints)
      .where(
        and(
          eq(webhookEndpoints.isActive, true),
          isNull(webhookEndpoints.disabledAt),
          isNull(webhookEndpoints.deletedAt),
          sql`not ${isBeingCopied(sql`${webhookEndpoints.id}`)}`,
        ),
      ),
  ])
  const byPattern = new Map<string, Subscriber[]>()
  for (const { events, stores, storeSeqs, filter, ...row } of rows) {
    const matches = filter && prepareFilter(filter)
    const subscriber = { ...row, storeSeqs: stores && (storeSeqs ?? []), matches }
    for (const pattern of new Set(events)) {
      const same = byPattern.get(pattern)
      if (same) same.push(subscriber)
      else byPattern.set(pattern, [subscriber])
    }
  }
  const loaded = { version: current?.version ?? 0, byPattern }
  snapshots.current.set(env, loaded)
  return loaded
}

/** Removes the cached endpoints, because one of them may have been deleted. */
export function invalidateSubscribers({ env }: Pick<Ctx, "env">): void {
  snapshots.current.delete(env)
}

/**
 * Returns the endpoints that subscribe to an event, by their id. Their filters are yet to be applied.
 * @param home the database of their deliveries
 */
export function subscribersOf(
  { byPattern }: Subscribers,
  { seq, type, storeId, storeSeq, aboutEndpoint }: RoutedEvent,
  home: string,
): Subscriber[] {
  const receives = ({ id, database, createdAtSeq, storeSeqs }: Subscriber) =>
    database === home &&
    id !== aboutEndpoint &&
    seq > createdAtSeq &&
    // Events without a store match only endpoints without a store filter.
    (storeSeqs === null || (storeId !== null && storeSeq !== null && storeSeqs.includes(storeSeq)))
  const receiving = listPatterns(type).flatMap((pattern) => (byPattern.get(pattern) ?? []).filter(receives))
  return [...new Set(receiving)].sort((a, b) => a.id - b.id)
}
