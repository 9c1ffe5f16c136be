// All that stands around a store, for the one page that shows it: in one round trip.
import { asc, desc, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { isOfEvent } from "../../core/write/event-log"
import { batch } from "../../db/client"
import { auditEntries, isOfIncarnation } from "../../db/schema/central/audit"
import { domains } from "../../db/schema/central/domains"
import { storeNotes } from "../../db/schema/central/notes"
import { plans } from "../../db/schema/central/plans"
import { stores } from "../../db/schema/central/stores"
import { webhookDeliveries, webhookEvents } from "../../db/schema/central/webhooks"
import { selectSupport } from "../support/service"
import { oneStore, selectStore } from "./queries"

const ENTRIES = 12
const NOTES = 20

/** Events of the store that are looked at for those of its latest entries. */
const EVENTS = 50

/**
 * A store with its domains, the plans it could have, its latest trail with the events each entry caused, its notes, and who
 * of support was there.
 * @throws Refusal `not_found`
 */
export async function aroundStore(ctx: Ctx, id: string) {
  const seq = sql`(select ${stores.seq} from ${stores} where ${eq(stores.id, id)})`
  const latest = sql`select id from ${auditEntries} where ${isOfIncarnation(seq)} order by ${auditEntries.id} desc limit ${ENTRIES}`
  const countOf = (also: string) =>
    sql<number>`(select count(*) from ${webhookDeliveries} where ${isOfEvent(sql`${webhookDeliveries.id}`, sql`${webhookEvents.seq}`)}${sql.raw(also)})`
  const latestEvents = sql`select seq from ${webhookEvents} where ${webhookEvents.storeId} = ${id} order by seq desc limit ${EVENTS}`
  const [found, attached, sold, entries, notes, support, events] = await batch(ctx.db, [
    selectStore(ctx.db, id),
    ctx.db.select().from(domains).where(eq(domains.storeId, id)).orderBy(desc(domains.isFallback), asc(domains.id)),
    ctx.db.select().from(plans).orderBy(asc(plans.sortOrder), asc(plans.id)),
    ctx.db.select().from(auditEntries).where(isOfIncarnation(seq)).orderBy(desc(auditEntries.id)).limit(ENTRIES),
    ctx.db
      .select()
      .from(storeNotes)
      .where(sql`${storeNotes.storeSeq} = ${seq}`)
      .orderBy(desc(storeNotes.id))
      .limit(NOTES),
    selectSupport(ctx, seq),
    ctx.db
      .select({
        id: webhookEvents.id,
        type: webhookEvents.type,
        createdAt: webhookEvents.createdAt,
        deliveries: countOf("").as("deliveries"),
        delivered: countOf(" and status = 'delivered'").as("delivered"),
      })
      .from(webhookEvents)
      .where(sql`${webhookEvents.seq} in (${latestEvents}) and ${webhookEvents.entryId} in (${latest})`)
      .orderBy(asc(webhookEvents.seq)),
  ])
  return { facts: oneStore(ctx, found), domains: attached, plans: sold, entries, notes, support, events }
}

/** A store as an operator looks at it, with all that stands around it. */
export type Around = Awaited<ReturnType<typeof aroundStore>>
