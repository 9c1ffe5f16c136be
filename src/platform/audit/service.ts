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
import {
  AUDIT_ACTIONS,
  auditEntries,
  isAboutStore,
  isAboutSubject,
  isOfIncarnation,
  STORE_AUDIT_TYPES,
} from "../../db/schema/central/audit"
import { stores } from "../../db/schema/central/stores"
import { isUlid, ulidTime } from "../../lib/ulid"
import { readStoreArchive } from "./archive-read"
import type { AuditEntry } from "./archived-entry"
import { MAX_SCANNED_ENTRIES, mayBeBefore, mayBeSince } from "./first-id"
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

/** Number of a store's archived entries. */
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

/**
 * Searches the audit log of stores and everything else, newest first. It scans the newest 5,000 entries of the store,
 * or of all until a time, and does not count the matches.
 * @returns the entries, whether older ones follow, and the time before which entries are in the archive
 */
export async function searchAuditLog(
  ctx: Ctx,
  input: z.output<typeof SearchAuditLog>,
): Promise<{ rows: AuditEntry[]; more: boolean; archivedBefore: Date | null }> {
  const { id } = auditEntries
  const select = ctx.db
    .select()
    .from(auditEntries)
    .where(and(isNotArchived, sql`${id} in (${selectCandidates(input)})`, matchFilters(input)))
    .orderBy(desc(id))
    .limit(AUDIT_PAGE_SIZE + 1)
    .offset((input.page - 1) * AUDIT_PAGE_SIZE)
  const [rows, [progress]] = await batch(ctx.db, [select, selectArchiveProgress(ctx.db, "audit")])
  return {
    rows: rows.slice(0, AUDIT_PAGE_SIZE),
    more: rows.length > AUDIT_PAGE_SIZE,
    archivedBefore: progress?.lastAt ?? null,
  }
}

/**
 * Streams all matching entries that are in the database, newest first; those in the archive are not included. A text is
 * searched as in `searchAuditLog`.
 */
export function streamAuditLog(ctx: Ctx, input: z.output<typeof SearchAuditLog>): AsyncGenerator<AuditEntry[]> {
  const { store, q, since, until } = input
  return streamRows(ctx.db, auditEntries, auditEntries.id, {
    indexed: and(since && mayBeSince(sql`${auditEntries.id}`, since), store ? isAboutStore(store) : undefined),
    filter: and(
      isNotArchived,
      matchFilters(input),
      q ? sql`${auditEntries.id} in (${selectByName(q, until)})` : undefined,
    ),
  })
}

function matchFilters({ actor, interface: source, type, store, since, until }: z.output<typeof SearchAuditLog>) {
  const entry = auditEntries
  return and(
    actor ? eq(entry.actorName, actor) : undefined,
    source ? eq(entry.interface, source) : undefined,
    type ? eq(entry.type, type) : undefined,
    store ? eq(entry.storeId, store) : undefined,
    since ? gte(entry.createdAt, since) : undefined,
    until ? lt(entry.createdAt, until) : undefined,
  )
}

/** Selects the entries to scan. */
function selectCandidates(input: z.output<typeof SearchAuditLog>): SQL {
  const { q, store, until, page } = input
  if (q) return selectByName(q, until)
  // If every entry of the store or of the log matches, no more are scanned than the page shows.
  const isFiltered = [input.interface, input.type, input.actor, input.since, until].some(Boolean)
  const limit = isFiltered ? MAX_SCANNED_ENTRIES : page * AUDIT_PAGE_SIZE + 1
  return selectNewestWhere(store ? isAboutStore(store) : isBefore(until), limit)
}

/** Selects the entries that name a text as their subject, store, actor or request. */
function selectByName(q: string, until?: Date): SQL {
  // A request's id contains its time.
  const latest = until ?? (isUlid(q) ? new Date(ulidTime(q)) : undefined)
  const newest = selectNewestWhere(isBefore(latest), MAX_SCANNED_ENTRIES)
  return sql`select id from (${selectNewestWhere(isAboutSubject(q), MAX_SCANNED_ENTRIES)})
    union all select id from (${selectNewestWhere(isAboutStore(q), MAX_SCANNED_ENTRIES)})
    union all select id from audit_entries where id in (${newest}) and (request_id = ${q} or actor_name = ${q})`
}

/**
 * Selects entries of a request, whose time is in its id.
 * @param requestId a ULID; there are no entries of another text
 */
export function selectByRequest(ctx: Ctx, requestId: string, limit: number) {
  const { id, type } = auditEntries
  // lint: both statements below add a condition
  const select = ctx.db.select({ id, type }).from(auditEntries)
  if (!isUlid(requestId)) return select.where(sql`false`)
  const time = new Date(ulidTime(requestId))
  const candidates = selectNewestWhere(sql`${mayBeSince(sql`${id}`, time)} and ${isBefore(time)}`, MAX_SCANNED_ENTRIES)
  return select.where(and(sql`${id} in (${candidates})`, eq(auditEntries.requestId, requestId))).limit(limit)
}

const isBefore = (time: Date | undefined): SQL => (time ? mayBeBefore(sql`${auditEntries.id}`, time) : sql`true`)

const selectNewestWhere = (condition: SQL, limit: number): SQL =>
  sql`select ${auditEntries.id} from ${auditEntries} where ${condition} order by ${auditEntries.id} desc limit ${limit}`
