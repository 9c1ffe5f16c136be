// Commits changes to site databases: guard, writes, audit entries and events in one batch, like `commit` for the
// central database. The audit log and the event log are central, so entries and events go to outboxes in the same batch
// and are forwarded in the background, or by the cron (transactional outbox).
import { and, asc, eq, inArray, isNotNull, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { batch, primaryOf, type Results, type SiteDatabase, type Statement, siteDatabase } from "../../db/client"
import { execute } from "../../db/execute"
import { isAnyInserted } from "../../db/reread"
import { auditEntries } from "../../db/schema/central/audit"
import { webhookEvents } from "../../db/schema/central/webhooks"
import { siteAuditOutbox } from "../../db/schema/sites/audit-outbox"
import { siteEvents } from "../../db/schema/sites/event-outbox"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { type AcrossSites, acrossSites, inSite, type SiteScope } from "../../db/site-scope"
import { abortUnlessTouched, insert, type Write, writeSql } from "../../db/write"
import { ulid } from "../../lib/ulid"
import { recordSiteWrite } from "../cache/site-writes"
import type { Ctx } from "../context"
import { forEachDatabase } from "../queue/for-each-database"
import { enqueueJob } from "../queue/leased-jobs"
import type { Job } from "../queue/messages"
import { auditColumns, type PlatformAudit, type SiteAudit } from "./audit"
import { type AuditLog, auditEntriesOf, toWriteConflict, writeUnaudited } from "./commit"
import { commitOnce, readLostResults } from "./lost-response"
import { forwardedEventWrite, type ShopEventDraft, shopEventWrites } from "./site-events"

/** A site and the database with its rows. */
export interface WrittenSite {
  /** The store's id, or `central`. */
  readonly id: string
  readonly db: SiteDatabase
  /** The store that the request resolved; null for the central site, and for jobs that start from a stored row. */
  readonly store: { readonly seq: number } | null
}

/** A change to a site's rows; see `Change`. */
export interface SiteChange<Writes extends readonly Statement[] = readonly Statement[]> {
  guard?: Write
  writes?: Writes
  auditLog: AuditLog<SiteAudit>
  /** What happened in the shop. The central site raises no events. */
  events?: readonly ShopEventDraft[] | undefined
  last?: readonly Write[]
}

/**
 * Commits a change in one round trip.
 * @returns the results of `writes`, in order; see `commit` for a lost response
 * @throws WriteConflict when the guard touched no row, or a unique row already existed; Refusal `not_found` when the
 *   store was deleted in the meantime
 */
export async function commitSite<const Writes extends readonly Statement[] = []>(
  ctx: Ctx,
  site: WrittenSite,
  change: SiteChange<Writes>,
): Promise<Results<Writes>> {
  const guard = [...abortIfReplaced(site), ...(change.guard ? [change.guard, abortUnlessTouched] : [])]
  const writes: readonly Statement[] = change.writes ?? []
  const entries = auditEntriesOf(change.auditLog).map((draft) => ({
    id: ulid(ctx.now),
    draft: { ...draft, siteId: site.id },
  }))
  const [first] = entries
  const outbox = entries.map(({ id, draft }) => outboxWrite(ctx, site.id, id, draft))
  const events = shopEventWrites(ctx, site, change.events)
  const statements = [...guard, ...writes, ...outbox, ...events.map(({ write }) => write), ...(change.last ?? [])]
  const send = () => toWriteConflict(execute(site.db, statements)).finally(() => recordSiteWrite(site.id))
  const primary = () => primaryOf(site.db, site.id)
  const isCommitted = () => {
    if (first) return isForwardedOrWaiting(ctx, primary(), first.id)
    return events[0] ? isEventStored(ctx, primary(), events[0].id) : isAnyInserted(primary(), writes)
  }
  const results = await commitOnce(send, isCommitted)
  if (entries.length || events.length) ctx.inBackground(forwardOutboxes(ctx, site.db, inSite(site.id)))
  if (!results) return readLostResults(primary(), writes) as Promise<Results<Writes>>
  return results.slice(guard.length, guard.length + writes.length) as Results<Writes>
}

/** Aborts the batch when the request's store was deleted in the meantime, even if a later store has its name. */
const abortIfReplaced = ({ id, store }: WrittenSite): Write[] =>
  store
    ? [
        writeSql(
          sql`insert into abort_replaced select 'seq' from ${siteIncarnations}
            where ${siteIncarnations.siteId} = ${id} and ${siteIncarnations.storeSeq} is not ${store.seq}`,
        ),
      ]
    : []

/** Whether an entry is in the outbox, or has been forwarded since. */
async function isForwardedOrWaiting(ctx: Ctx, db: SiteDatabase, id: string): Promise<boolean> {
  const waiting = await db.select({ id: siteAuditOutbox.id }).from(siteAuditOutbox).where(eq(siteAuditOutbox.id, id))
  if (waiting.length) return true
  const forwarded = await ctx.db
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .where(and(eq(auditEntries.origin, id), isNotNull(auditEntries.origin)))
  return forwarded.length > 0
}

/** Whether an event is in the outbox, or has been forwarded since. */
async function isEventStored(ctx: Ctx, db: SiteDatabase, id: string): Promise<boolean> {
  const waiting = await db.select({ id: siteEvents.id }).from(siteEvents).where(eq(siteEvents.eventId, id))
  if (waiting.length) return true
  return (
    (await ctx.db.select({ seq: webhookEvents.seq }).from(webhookEvents).where(eq(webhookEvents.id, id))).length > 0
  )
}

function outboxWrite(ctx: Ctx, siteId: string, id: string, draft: PlatformAudit): Write {
  const { subjectId, ...entry } = auditColumns(ctx, draft)
  return inSite(siteId)
    .insert(siteAuditOutbox)
    .values({
      id,
      entry: sql`json_set(${JSON.stringify(entry)}, '$.subjectId', cast(${subjectId} as text))`,
      createdAt: ctx.now,
    })
}

/** An entry as `outboxWrite` stores it. */
type OutboxEntry = Omit<typeof auditEntries.$inferInsert, "origin" | "createdAt">

/** Entries forwarded at a time, and events, whose payloads are longer. */
const ENTRIES_PER_BATCH = 50
const EVENTS_PER_BATCH = 20

/**
 * Forwards audit entries and events from a site database's outboxes to the central database. Events of one site are
 * forwarded in commit order. Safe to repeat and to run concurrently: both have unique ids.
 * @param scope the scope of the handle: the site, or all sites
 * @returns whether more may wait
 */
export async function forwardOutboxes(ctx: Ctx, db: SiteDatabase, scope: SiteScope | AcrossSites): Promise<boolean> {
  const [entries, events] = await batch(db, [
    db.select().from(siteAuditOutbox).orderBy(asc(siteAuditOutbox.id)).limit(ENTRIES_PER_BATCH),
    db.select().from(siteEvents).orderBy(asc(siteEvents.id)).limit(EVENTS_PER_BATCH),
  ])
  if (!entries.length && !events.length) return false
  await writeUnaudited(ctx, "audited_elsewhere", [
    ...entries.map(({ id, entry, createdAt }) =>
      insert(auditEntries)
        .values({ ...(entry as OutboxEntry), createdAt, origin: id })
        .onConflictDoNothing(),
    ),
    ...events.map(forwardedEventWrite),
  ])
  if (events.length) ctx.routeEvents()
  const isAmong = (column: SQLiteColumn, ids: readonly string[]) =>
    inArray(column, sql`(select value from json_each(${JSON.stringify(ids)}))`)
  await writeUnaudited({ db }, "cleanup", [
    ...(entries.length
      ? [
          scope.remove(siteAuditOutbox).where(
            isAmong(
              siteAuditOutbox.id,
              entries.map(({ id }) => id),
            ),
          ),
        ]
      : []),
    // By the ids of the events, because another run may have deleted these rows, and their row ids are used again.
    ...(events.length
      ? [
          scope.remove(siteEvents).where(
            isAmong(
              siteEvents.eventId,
              events.map(({ eventId }) => eventId),
            ),
          ),
        ]
      : []),
  ])
  return entries.length === ENTRIES_PER_BATCH || events.length === EVENTS_PER_BATCH
}

/** Batches per step. */
const BATCHES_PER_STEP = 20

/** Enqueues the outboxes of every site database: what is left there because a Worker died after the response. */
export async function enqueueAuditOutboxes(ctx: Ctx): Promise<void> {
  await forEachDatabase(ctx, "audit-forwarding", (database) => enqueueJob(ctx, { job: "audit_outbox", database }))
}

/**
 * Forwards the outboxes of a site database, in a bounded number of batches.
 * @param database binding of a site database
 * @returns the next step; null when the outboxes are empty
 */
export async function forwardDatabaseOutbox(ctx: Ctx, database: string): Promise<Job | null> {
  const scope = acrossSites("audit_outbox")
  const db = siteDatabase(ctx.env, database, scope)
  for (let step = 0; step < BATCHES_PER_STEP; step++) {
    if (!(await forwardOutboxes(ctx, db, scope))) return null
    if (ctx.run.isOutOfTime()) break
  }
  return { job: "audit_outbox", database }
}
