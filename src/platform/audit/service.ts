// Reads and searches audit logs.
import { and, asc, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { selectArchiveProgress } from "../../core/archive/write"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { type Page, type PageRequest, pageFrom, preparePages, rowList, selectCounter } from "../../core/list/page"
import { streamRows } from "../../core/list/stream"
import { batch } from "../../db/client"
import { param, prepareRead } from "../../db/prepared"
import { AUDIT_ACTIONS, auditEntries, isOfIncarnation, STORE_AUDIT_TYPES } from "../../db/schema/central/audit"
import { stores } from "../../db/schema/central/stores"
import { readStoreArchive } from "./archive-read"
import type { AuditEntry } from "./archived-entry"
import type { SearchAuditLog } from "./schemas"

/**
 * Lists a store's audit entries, newest first, without those of an earlier store of its subdomain. Pages after the
 * entries in the database are read from the archive.
 * @throws Refusal `not_found`; `temporarily_unavailable` when the archive cannot be read
 */
export async function listEntries(ctx: Ctx, storeId: string, page: PageRequest): Promise<Page<AuditEntry>> {
  const [[store], ...pageRows] = await batch(ctx.db, [
    selectStore({ store: storeId }),
    ...prepareEntries(page, { store: storeId }),
  ])
  if (!store) throw new Refusal("not_found")
  const { rows, total: inDatabase } = pageFrom(pageRows)
  const total = inDatabase + store.archived
  const start = (page.page - 1) * page.per_page
  const missing = Math.min(start + page.per_page, total) - Math.max(start, inDatabase)
  if (missing <= 0) return { rows, total }
  const newest = store.archived - Math.max(0, start - inDatabase)
  return { rows: [...rows, ...(await readStoreArchive(ctx, { id: storeId, seq: store.seq }, newest, missing))], total }
}

/** How many of a store's entries are archived. */
const archivedOf = (seq: SQL): SQL<number> =>
  sql<number>`coalesce((select last.start + last.entries from audit_archive_parts as last
    where last.store_seq = ${seq} order by last.start desc limit 1), 0)`

const selectStore = prepareRead<{ seq: number; archived: number }, { store: string }>((db) =>
  db
    .select({ seq: stores.seq, archived: archivedOf(sql`${stores.seq}`).as("archived") })
    .from(stores)
    .where(eq(stores.id, param("store"))),
)

const seqOfStore = sql`(select ${stores.seq} from ${stores} where ${eq(stores.id, param("store"))})`

/** Matches the entries that are not archived. Rows of archived ones may still exist. */
const isNotArchived = sql`${auditEntries.id} > coalesce((select last_id from archives where log = 'audit'), 0)`

const prepareEntries = preparePages<AuditEntry, { store: string }>(
  sql`(${selectCounter(rowList("audit", seqOfStore))} - ${archivedOf(seqOfStore)})`,
  (db, { limit, offset }, direction) =>
    db
      .select()
      .from(auditEntries)
      .where(and(isOfIncarnation(seqOfStore), isNotArchived))
      .orderBy(direction === "forward" ? desc(auditEntries.id) : asc(auditEntries.id))
      .limit(limit)
      .offset(offset),
)

/** All entry types, by subject. */
export const ENTRY_TYPES: { subject: string; types: string[] }[] = [
  { subject: "store", types: [...STORE_AUDIT_TYPES] },
  ...Object.entries(AUDIT_ACTIONS).map(([subject, actions]) => ({
    subject,
    types: actions.map((action) => `${subject}_${action}`),
  })),
]

/** Entries per page of a search. */
export const AUDIT_PAGE_SIZE = 50

/** Entries scanned per search: the newest ones of the leading index. */
export const MAX_SCANNED_ENTRIES = 5_000

/**
 * Searches the audit log of stores and everything else, newest first. It scans the newest 5,000 entries of the store,
 * the actor, the period, or all, and does not count the matches.
 * @returns the entries, whether older ones follow, and the time before which entries are in the archive
 */
export async function searchAuditLog(
  ctx: Ctx,
  input: z.output<typeof SearchAuditLog>,
): Promise<{ rows: AuditEntry[]; more: boolean; archivedBefore: Date | null }> {
  const { actor, interface: viaInterface, type, store, q, since, until, page } = input
  const { id, actorName, storeId, createdAt } = auditEntries
  const select = ctx.db
    .select()
    .from(auditEntries)
    .where(
      and(
        isNotArchived,
        sql`${id} in (${selectCandidates(input)})`,
        actor ? eq(actorName, actor) : undefined,
        viaInterface ? eq(auditEntries.interface, viaInterface) : undefined,
        type ? eq(auditEntries.type, type) : undefined,
        store ? eq(storeId, store) : undefined,
        q ? sql`${id} in (${selectByName(q)})` : undefined,
        since ? gte(createdAt, since) : undefined,
        until ? lt(createdAt, until) : undefined,
      ),
    )
    .orderBy(desc(id))
    .limit(AUDIT_PAGE_SIZE + 1)
    .offset((page - 1) * AUDIT_PAGE_SIZE)
  const [rows, [progress]] = await batch(ctx.db, [select, selectArchiveProgress(ctx.db, "audit")])
  return {
    rows: rows.slice(0, AUDIT_PAGE_SIZE),
    more: rows.length > AUDIT_PAGE_SIZE,
    archivedBefore: progress?.lastAt ?? null,
  }
}

/** Streams all matching entries that are in the database, newest first; those in the archive are not included. */
export function streamAuditLog(
  ctx: Ctx,
  { actor, interface: viaInterface, type, store, q, since, until }: z.output<typeof SearchAuditLog>,
): AsyncGenerator<AuditEntry[]> {
  const { id, actorName, storeId, createdAt } = auditEntries
  return streamRows(ctx.db, auditEntries, id, {
    lead: and(
      // Ids are in the order of time, so older entries need not be scanned.
      since &&
        sql`${id} >= (select candidate.id from audit_entries as candidate
          where candidate.created_at >= ${since.getTime()} order by candidate.created_at, candidate.id limit 1)`,
      store ? and(sql`${storeId} <> ''`, eq(storeId, store)) : undefined,
      actor && !store ? eq(actorName, actor) : undefined,
    ),
    also: and(
      isNotArchived,
      actor ? eq(actorName, actor) : undefined,
      viaInterface ? eq(auditEntries.interface, viaInterface) : undefined,
      type ? eq(auditEntries.type, type) : undefined,
      q ? sql`${id} in (${selectByName(q)})` : undefined,
      since ? gte(createdAt, since) : undefined,
      until ? lt(createdAt, until) : undefined,
    ),
  })
}

/** Selects the entries to scan; each condition is written as its index expects it. */
function selectCandidates({
  actor,
  interface: viaInterface,
  type,
  store,
  q,
  since,
  until,
  page,
}: z.output<typeof SearchAuditLog>): SQL {
  if (q) return selectByName(q)
  // If the index selects exactly the matching entries, no more are scanned than the page shows.
  const isFiltered = [viaInterface, type, since, until].some(Boolean) || (store && actor)
  const limit = isFiltered ? MAX_SCANNED_ENTRIES : page * AUDIT_PAGE_SIZE + 1
  if (store) return selectNewestWhere(sql`candidate.store_id <> '' and candidate.store_id = ${store}`, limit)
  if (actor) return selectNewestWhere(sql`candidate.actor_name = ${actor}`, limit)
  if (since || until)
    return sql`select candidate.id from audit_entries as candidate
      where candidate.created_at >= ${since?.getTime() ?? 0} and candidate.created_at < ${until?.getTime() ?? Number.MAX_SAFE_INTEGER}
      order by candidate.created_at desc limit ${MAX_SCANNED_ENTRIES}`
  return selectNewestWhere(sql`true`, limit)
}

/** Selects the entries that name a text as their subject, request, store or actor. */
const selectByName = (q: string): SQL =>
  sql.join(
    [
      sql`candidate.subject_id is not null and candidate.subject_id = ${q}`,
      sql`candidate.request_id is not null and candidate.request_id = ${q}`,
      sql`candidate.store_id <> '' and candidate.store_id = ${q}`,
      sql`candidate.actor_name = ${q}`,
    ].map((condition) => sql`select id from (${selectNewestWhere(condition, MAX_SCANNED_ENTRIES)})`),
    sql` union all `,
  )

const selectNewestWhere = (condition: SQL, limit: number): SQL =>
  sql`select candidate.id from audit_entries as candidate where ${condition} order by candidate.id desc limit ${limit}`
