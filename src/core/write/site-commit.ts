// The writer of the site databases: guard, writes and trail in one batch, as `commit` has it for the central database. The trail
// itself is kept centrally, so an entry waits beside its change until it is brought there: behind the answer, or by the cron.
import { asc, inArray, sql } from "drizzle-orm"
import { type Answers, execute, type SiteDatabase, type Statement, siteDatabase } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { siteAuditOutbox } from "../../db/schema/sites/audit-outbox"
import { siteIncarnations } from "../../db/schema/sites/incarnations"
import { abortUnlessTouched, insert, remove, type Write, writeSql } from "../../db/write"
import { ulid } from "../../lib/ulid"
import type { Ctx } from "../context"
import { forEachItem } from "../queue/for-each-item"
import { auditColumns, type PlatformAudit, type SiteAudit } from "./audit"
import { writeUnaudited, toWriteConflict } from "./commit"

/** A site and where its rows are. */
export interface WrittenSite {
  /** The store's id, or `central`. */
  readonly id: string
  readonly db: SiteDatabase
  /** The store that the name stood for when it was resolved; null for the central site, and for work that begins with a stored row. */
  readonly store: { readonly seq: number } | null
}

/** A decision about a site's rows, ready to be committed; see `Change`. */
export interface SiteChange<Writes extends readonly Statement[] = readonly Statement[]> {
  guard?: Write
  writes?: Writes
  /** An entry for each thing that was done; none for what a site's own users do with what is theirs. */
  auditLog: readonly SiteAudit[]
  last?: readonly Write[]
}

/**
 * Commits a decision in one round trip.
 * @returns the answers of `writes`, in order
 * @throws WriteConflict when the guard touched no row, or a row that must be unique was there already; Refusal `not_found` when the store
 *   was deleted meanwhile
 */
export async function commitSite<const Writes extends readonly Statement[] = []>(
  ctx: Ctx,
  site: WrittenSite,
  change: SiteChange<Writes>,
): Promise<Answers<Writes>> {
  const guard = [...abortIfReplaced(site), ...(change.guard ? [change.guard, abortUnlessTouched] : [])]
  const writes: readonly Statement[] = change.writes ?? []
  const entries = change.auditLog.map((draft) => outboxWrite(ctx, site.id, { ...draft, siteId: site.id }))
  const answers = await toWriteConflict(execute(site.db, [...guard, ...writes, ...entries, ...(change.last ?? [])]))
  if (entries.length) ctx.after(forwardAuditOutbox(ctx, site.db))
  return answers.slice(guard.length, guard.length + writes.length) as Answers<Writes>
}

/** Aborts the batch where the store of a slow request was deleted meanwhile, whether or not a later store has its name. */
const abortIfReplaced = ({ id, store }: WrittenSite): Write[] =>
  store
    ? [
        writeSql(
          sql`insert into abort_replaced select 'seq' from ${siteIncarnations}
            where ${siteIncarnations.siteId} = ${id} and ${siteIncarnations.storeSeq} is not ${store.seq}`,
        ),
      ]
    : []

function outboxWrite(ctx: Ctx, siteId: string, draft: PlatformAudit): Write {
  const { subjectId, ...entry } = auditColumns(ctx, draft)
  return insert(siteAuditOutbox).values({
    id: ulid(ctx.now),
    siteId,
    entry: sql`json_set(${JSON.stringify(entry)}, '$.subjectId', cast(${subjectId} as text))`,
    createdAt: ctx.now,
  })
}

/** What `outboxWrite` wrote. */
type OutboxEntry = Omit<typeof auditEntries.$inferInsert, "origin" | "createdAt">

/** Entries brought over at a time. */
const BATCH_SIZE = 50

/**
 * Brings a site database's entries to the central one. Done twice, or by two at once, it adds each of them once.
 * @returns how many there were
 */
export async function forwardAuditOutbox(ctx: Ctx, db: SiteDatabase): Promise<number> {
  const waiting = await db.select().from(siteAuditOutbox).orderBy(asc(siteAuditOutbox.id)).limit(BATCH_SIZE)
  if (!waiting.length) return 0
  await writeUnaudited(
    ctx,
    "an entry that was committed with its change",
    waiting.map(({ id, entry, createdAt }) =>
      insert(auditEntries)
        .values({ ...(entry as OutboxEntry), createdAt, origin: id })
        .onConflictDoNothing(),
    ),
  )
  const ids = JSON.stringify(waiting.map(({ id }) => id))
  const brought = inArray(siteAuditOutbox.id, sql`(select value from json_each(${ids}))`)
  await writeUnaudited({ db }, "an entry that is in the central database", [remove(siteAuditOutbox).where(brought)])
  return waiting.length
}

/** Brings over what waits in every site database: entries whose Worker died behind its answer. */
export async function forwardAuditOutboxes(ctx: Ctx): Promise<void> {
  await forEachItem(ctx, "trails of sites", ctx.settings.SITE_DATABASES, async (database) => {
    while ((await forwardAuditOutbox(ctx, siteDatabase(ctx.env, database))) === BATCH_SIZE);
  })
}
