// The log of events, the newest first, for those who look something up.
import { and, count, desc, eq, gte, lt, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryMoment, queryNumber, queryText } from "../../core/validation"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"

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

/** A page of events with how many deliveries each has, and whether older ones follow. */
export async function searchEvents(
  ctx: Ctx,
  input: z.output<typeof SearchEvents>,
): Promise<{ rows: ListedEvent[]; more: boolean }> {
  const { id, seq, type, storeId, createdAt } = webhookEvents
  const deliveries = ctx.db.select({ total: count() }).from(webhookDeliveries).where(eq(webhookDeliveries.eventId, id))
  const rows = await ctx.db
    .select({ id, type, storeId, createdAt, deliveries: sql<number>`${deliveries}` })
    .from(webhookEvents)
    .where(
      and(
        sql`${seq} is not null`,
        input.type ? eq(type, input.type) : undefined,
        input.store ? and(sql`${storeId} is not null`, eq(storeId, input.store)) : undefined,
        input.since ? gte(createdAt, input.since) : undefined,
        input.until ? lt(createdAt, input.until) : undefined,
      ),
    )
    .orderBy(desc(seq))
    .limit(EVENTS_PAGE + 1)
    .offset((input.page - 1) * EVENTS_PAGE)
  return { rows: rows.slice(0, EVENTS_PAGE), more: rows.length > EVENTS_PAGE }
}
