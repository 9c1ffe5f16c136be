// Commits changes to site databases: guard, writes and audit entries in one batch, like `commit` for the central
// database. The audit log is central, so entries go to an outbox in the same batch and are forwarded in the background,
// or by the cron (transactional outbox).
import { and, asc, eq, inArray, isNotNull, sql } from "drizzle-orm"
import { primaryOf, type Results, type SiteDatabase, type Statement, siteDatabase } from "../../db/client"
import { execute } from "../../db/execute"
import { isAnyInserted } from "../../db/reread"
import { auditEntries } from "../../db/schema/central/audit"
import { siteAuditOutbox } from "../../db/schema/sites/audit-outbox"
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
  const statements = [...guard, ...writes, ...outbox, ...(change.last ?? [])]
  const send = () => toWriteConflict(execute(site.db, statements)).finally(() => recordSiteWrite(site.id))
  const primary = () => primaryOf(site.db, site.id)
  const isCommitted = () => (first ? isForwardedOrWaiting(ctx, primary(), first.id) : isAnyInserted(primary(), writes))
  const results = await commitOnce(send, isCommitted)
  if (entries.length) ctx.inBackground(forwardAuditOutbox(ctx, site.db, inSite(site.id)))
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

/** Entries forwarded at a time. */
const BATCH_SIZE = 50

/**
 * Forwards audit entries from a site database's outbox to the central audit log. Safe to repeat and to run
 * concurrently.
 * @param scope the scope of the handle: the site, or all sites
 * @returns the number of entries
 */
export async function forwardAuditOutbox(ctx: Ctx, db: SiteDatabase, scope: SiteScope | AcrossSites): Promise<number> {
  const waiting = await db.select().from(siteAuditOutbox).orderBy(asc(siteAuditOutbox.id)).limit(BATCH_SIZE)
  if (!waiting.length) return 0
  await writeUnaudited(
    ctx,
    "audited_elsewhere",
    waiting.map(({ id, entry, createdAt }) =>
      insert(auditEntries)
        .values({ ...(entry as OutboxEntry), createdAt, origin: id })
        .onConflictDoNothing(),
    ),
  )
  const ids = JSON.stringify(waiting.map(({ id }) => id))
  const brought = inArray(siteAuditOutbox.id, sql`(select value from json_each(${ids}))`)
  await writeUnaudited({ db }, "cleanup", [scope.remove(siteAuditOutbox).where(brought)])
  return waiting.length
}

/** Batches per step. */
const BATCHES_PER_STEP = 20

/** Enqueues the outbox of every site database: entries whose Worker died after the response. */
export async function enqueueAuditOutboxes(ctx: Ctx): Promise<void> {
  await forEachDatabase(ctx, "audit-forwarding", (database) => enqueueJob(ctx, { job: "audit_outbox", database }))
}

/**
 * Forwards the outbox of a site database, in a bounded number of batches.
 * @param database binding of a site database
 * @returns the next step; null when the outbox is empty
 */
export async function forwardDatabaseOutbox(ctx: Ctx, database: string): Promise<Job | null> {
  const scope = acrossSites("audit_outbox")
  const db = siteDatabase(ctx.env, database, scope)
  for (let batch = 0; batch < BATCHES_PER_STEP; batch++) {
    if ((await forwardAuditOutbox(ctx, db, scope)) < BATCH_SIZE) return null
    if (ctx.run.isOutOfTime()) break
  }
  return { job: "audit_outbox", database }
}
