// Searches the event log, newest first, for the console and the command line.
import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryNumber, queryText, queryTimestamp } from "../../core/http/validation"
import { countDeliveries } from "../../core/write/delivery-databases"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { ulidFloor } from "../../lib/ulid"

export const EVENTS_PAGE_SIZE = 50

export const SearchEvents = z.object({
  type: queryText,
  store: queryText,
  since: queryTimestamp,
  until: queryTimestamp,
  page: queryNumber(100_000).default(1),
})

interface ListedEvent {
  id: string
  type: string
  storeId: string | null
  createdAt: Date
  deliveries: number
}

/** Events that a search scans: the newest before `until`, of a store or of all. */
export const EVENTS_SCAN_LIMIT = 5_000

/**
 * Searches a page of events, newest first, with the number of deliveries of each. The log is scanned from its newest
 * entry, in commit order. If the billing clock was run for a later date, commit order and time differ, and an `until`
 * before that date does not find events that were committed after it.
 * @returns the page, and whether older events follow
 */
export async function searchEvents(
  ctx: Ctx,
  input: z.output<typeof SearchEvents>,
): Promise<{ rows: ListedEvent[]; hasMore: boolean; unavailable: string[] }> {
  const { id, seq, type, storeId, createdAt } = webhookEvents
  const found = await ctx.db
    .select({ seq, id, type, storeId, createdAt })
    .from(webhookEvents)
    .where(
      and(
        sql`${seq} in (${selectCandidateSeqs(input)})`,
        input.type ? eq(type, input.type) : undefined,
        input.since ? gte(createdAt, input.since) : undefined,
        input.until ? lt(createdAt, input.until) : undefined,
      ),
    )
    .orderBy(desc(seq))
    .limit(EVENTS_PAGE_SIZE + 1)
    .offset((input.page - 1) * EVENTS_PAGE_SIZE)
  const rows = found.slice(0, EVENTS_PAGE_SIZE)
  const { counts, unavailable } = await countDeliveries(
    ctx,
    rows.map((event) => event.seq),
  )
  return {
    rows: rows.map(({ seq, ...event }) => ({ ...event, deliveries: counts.get(seq)?.total ?? 0 })),
    hasMore: found.length > EVENTS_PAGE_SIZE,
    unavailable,
  }
}

/** Selects the sequence numbers of the events to scan. */
function selectCandidateSeqs({ type, store, since, until, page }: z.output<typeof SearchEvents>): SQL {
  // Without a filter, the scan ends with the page.
  const limit = type || since || until ? EVENTS_SCAN_LIMIT : page * EVENTS_PAGE_SIZE + 1
  const before = until
    ? sql`and candidate.seq < coalesce((select event.seq from webhook_events as event
        where event.id >= ${ulidFloor(until.getTime())} order by event.id limit 1), ${Number.MAX_SAFE_INTEGER})`
    : sql``
  const condition = store ? sql`candidate.store_id = ${store}` : sql`true`
  return sql`select candidate.seq from webhook_events as candidate where candidate.is_test = 0 and ${condition} ${before} order by candidate.seq desc limit ${limit}`
}
