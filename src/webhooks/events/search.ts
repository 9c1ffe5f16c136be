// The log of events, the newest first, for those who look something up.
import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryMoment, queryNumber, queryText } from "../../core/http/validation"
import { isOfEvent } from "../../core/write/event-log"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
import { ulidFloor } from "../../lib/ulid"

export const EVENTS_PAGE = 50

export const SearchEvents = z.object({
  type: queryText,
  store: queryText,
  since: queryMoment,
  until: queryMoment,
  page: queryNumber(100_000).default(1),
})

interface ListedEvent {
  id: string
  type: string
  storeId: string | null
  createdAt: Date
  deliveries: number
}

/** Events that a search looks at: the newest before `until`, of a store or of all. */
export const EVENTS_LOOKED_AT = 5_000

/**
 * A page of events with how many deliveries each has, and whether older ones follow. The log is looked at from its newest entry, so
 * after a run of the billing clock for a later moment, what was written behind such an entry is not found by an `until` at or before
 * that moment: the log's order and time's are then not the same.
 */
export async function searchEvents(
  ctx: Ctx,
  input: z.output<typeof SearchEvents>,
): Promise<{ rows: ListedEvent[]; more: boolean }> {
  const { id, seq, type, storeId, createdAt } = webhookEvents
  const deliveries = sql<number>`(select count(*) from ${webhookDeliveries} where ${isOfEvent(sql`${webhookDeliveries.id}`, sql`${seq}`)})`
  const rows = await ctx.db
    .select({ id, type, storeId, createdAt, deliveries })
    .from(webhookEvents)
    .where(
      and(
        sql`${seq} in (${newest(input)})`,
        input.type ? eq(type, input.type) : undefined,
        input.since ? gte(createdAt, input.since) : undefined,
        input.until ? lt(createdAt, input.until) : undefined,
      ),
    )
    .orderBy(desc(seq))
    .limit(EVENTS_PAGE + 1)
    .offset((input.page - 1) * EVENTS_PAGE)
  return { rows: rows.slice(0, EVENTS_PAGE), more: rows.length > EVENTS_PAGE }
}

/** The numbers of the events that are looked at. */
function newest({ type, store, since, until, page }: z.output<typeof SearchEvents>): SQL {
  // What nobody sifts is looked at no further than the page shows it.
  const most = type || since || until ? EVENTS_LOOKED_AT : page * EVENTS_PAGE + 1
  const before = until
    ? sql`and looked.seq < coalesce((select event.seq from webhook_events as event
        where event.id >= ${ulidFloor(until.getTime())} order by event.id limit 1), ${Number.MAX_SAFE_INTEGER})`
    : sql``
  const which = store ? sql`looked.store_id = ${store}` : sql`true`
  return sql`select looked.seq from webhook_events as looked where looked.is_test = 0 and ${which} ${before} order by looked.seq desc limit ${most}`
}
