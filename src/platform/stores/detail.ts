// Reads everything that the console's store page shows, in one round trip.
import { asc, desc, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { countDeliveries } from "../../core/write/delivery-databases"
import { batch } from "../../db/client"
import { auditEntries, isOfIncarnation } from "../../db/schema/central/audit"
import { domains } from "../../db/schema/central/domains"
import { storeNotes } from "../../db/schema/central/notes"
import { plans } from "../../db/schema/central/plans"
import { stores } from "../../db/schema/central/stores"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { selectSupportAccesses } from "../support/service"
import { requireStore, selectStore } from "./queries"

const MAX_ENTRIES = 12
const MAX_NOTES = 20

/** Latest entries read to find the one that explains the store's status. */
const MAX_CAUSE_ENTRIES = 50

/** Events read to find those caused by the latest audit entries. */
const MAX_EVENTS = 50

/** Condition for the entries of changes of a store's status. A subscription changes it when it opens a closed store. */
const changesStatus = sql`(${auditEntries.type} in ('store_created', 'store_ready', 'provisioning_failed', 'provisioning_retried', 'suspended', 'resumed', 'cancelled', 'reactivated')
  or (${auditEntries.type} in ('activated', 'assigned') and ${auditEntries.fromStatus} in ('suspended', 'cancelled')))`

/**
 * Returns a store with its domains, all plans, its latest audit entries with the events they caused, its notes and its
 * support accesses and the reason for its status.
 * @throws Refusal `not_found`
 */
export async function getStoreDetail(ctx: Ctx, id: string) {
  const seq = sql`(select ${stores.seq} from ${stores} where ${eq(stores.id, id)})`
  const latestEntries = sql`select id from ${auditEntries} where ${isOfIncarnation(seq)} order by ${auditEntries.id} desc limit ${MAX_ENTRIES}`
  const latestEvents = sql`select seq from ${webhookEvents} where ${webhookEvents.storeId} = ${id} order by seq desc limit ${MAX_EVENTS}`
  const [storeRows, attached, allPlans, entries, notes, support, events, [cause]] = await batch(ctx.db, [
    selectStore(ctx.db, id),
    ctx.db.select().from(domains).where(eq(domains.storeId, id)).orderBy(desc(domains.isFallback), asc(domains.id)),
    ctx.db.select().from(plans).orderBy(asc(plans.sortOrder), asc(plans.id)),
    ctx.db.select().from(auditEntries).where(isOfIncarnation(seq)).orderBy(desc(auditEntries.id)).limit(MAX_ENTRIES),
    ctx.db
      .select()
      .from(storeNotes)
      .where(sql`${storeNotes.storeSeq} = ${seq}`)
      .orderBy(desc(storeNotes.id))
      .limit(MAX_NOTES),
    selectSupportAccesses(ctx, seq),
    ctx.db
      .select({
        seq: webhookEvents.seq,
        id: webhookEvents.id,
        type: webhookEvents.type,
        createdAt: webhookEvents.createdAt,
      })
      .from(webhookEvents)
      .where(sql`${webhookEvents.seq} in (${latestEvents}) and ${webhookEvents.entryId} in (${latestEntries})`)
      .orderBy(asc(webhookEvents.seq)),
    ctx.db
      .select()
      .from(auditEntries)
      .where(
        sql`${auditEntries.id} in (select id from ${auditEntries} where ${isOfIncarnation(seq)} order by id desc limit ${MAX_CAUSE_ENTRIES}) and ${changesStatus}`,
      )
      .orderBy(desc(auditEntries.id))
      .limit(1),
  ])
  const facts = requireStore(ctx, storeRows)
  const { counts } = await countDeliveries(
    ctx,
    events.map(({ seq }) => seq),
  )
  const counted = events.map((event) => {
    const { total = 0, delivered = 0 } = counts.get(event.seq) ?? {}
    return { ...event, deliveries: total, delivered }
  })
  return {
    facts,
    domains: attached,
    plans: allPlans,
    entries,
    notes,
    support,
    events: counted,
    /** The entry of the change that led to the store's status; null if it is not among the latest. */
    cause: cause ?? null,
  }
}

/** A store with everything that its console page shows. */
export type StoreDetail = Awaited<ReturnType<typeof getStoreDetail>>
