// Reading a store's trail.
import { and, asc, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { compiledPages, counted, listOf, type Page, type PageRequest, pageFrom } from "../../core/list/page"
import { batch } from "../../db/client"
import { compiled, given } from "../../db/prepared"
import { AUDIT_DEEDS, auditEntries, isOfIncarnation, STORE_AUDIT_TYPES } from "../../db/schema/central/audit"
import { stores } from "../../db/schema/central/stores"
import type { SearchTrail } from "./schemas"

export type AuditEntry = typeof auditEntries.$inferSelect

/**
 * A page of what happened to a store, the newest first; nothing of an earlier store of its name.
 * @throws Refusal `not_found`
 */
export async function listEntries(ctx: Ctx, storeId: string, page: PageRequest): Promise<Page<AuditEntry>> {
  const [known, ...answers] = await batch(ctx.db, [
    storeOfId({ store: storeId }),
    ...entriesOf(page, { store: storeId }),
  ])
  if (!known.length) throw new Refusal("not_found")
  return pageFrom(answers)
}

const storeOfId = compiled<{ id: string }, { store: string }>((db) =>
  db
    .select({ id: stores.id })
    .from(stores)
    .where(eq(stores.id, given("store"))),
)

const seqOfStore = sql`(select ${stores.seq} from ${stores} where ${eq(stores.id, given("store"))})`

const entriesOf = compiledPages<AuditEntry, { store: string }>(
  counted(listOf("audit", seqOfStore)),
  (db, { limit, offset }, direction) =>
    db
      .select()
      .from(auditEntries)
      .where(isOfIncarnation(seqOfStore))
      .orderBy(direction === "forward" ? desc(auditEntries.id) : asc(auditEntries.id))
      .limit(limit)
      .offset(offset),
)

/** Every type of entry there is, by what it is about. */
export const ENTRY_TYPES: { subject: string; types: string[] }[] = [
  { subject: "store", types: [...STORE_AUDIT_TYPES] },
  ...Object.entries(AUDIT_DEEDS).map(([subject, deeds]) => ({
    subject,
    types: deeds.map((deed) => `${subject}_${deed}`),
  })),
]

/** Entries of the trail that one look shows. */
export const TRAIL_PAGE = 50

/** Entries that a search looks at: the newest of those that an index leads to. */
export const ENTRIES_LOOKED_AT = 5_000

/**
 * A page of the whole trail, the newest first: about stores and about everything else. It is looked for among the newest 5 000 of the
 * store, of the actor, of the span, or of all; nobody counts how many match.
 * @returns the entries, and whether older ones follow
 */
export async function searchTrail(
  ctx: Ctx,
  input: z.output<typeof SearchTrail>,
): Promise<{ rows: AuditEntry[]; more: boolean }> {
  const { actor, interface: through, type, store, q, since, until, page } = input
  const { id, actorName, storeId, createdAt } = auditEntries
  const rows = await ctx.db
    .select()
    .from(auditEntries)
    .where(
      and(
        sql`${id} in (${newest(input)})`,
        actor ? eq(actorName, actor) : undefined,
        through ? eq(auditEntries.interface, through) : undefined,
        type ? eq(auditEntries.type, type) : undefined,
        store ? eq(storeId, store) : undefined,
        q ? sql`${id} in (${named(q)})` : undefined,
        since ? gte(createdAt, since) : undefined,
        until ? lt(createdAt, until) : undefined,
      ),
    )
    .orderBy(desc(id))
    .limit(TRAIL_PAGE + 1)
    .offset((page - 1) * TRAIL_PAGE)
  return { rows: rows.slice(0, TRAIL_PAGE), more: rows.length > TRAIL_PAGE }
}

/** The entries that are looked at; each condition is written as its index has it. */
function newest({ actor, interface: through, type, store, q, since, until, page }: z.output<typeof SearchTrail>): SQL {
  if (q) return named(q)
  // Where an index leads to just the entries that are wanted, no more are looked at than the page shows.
  const isSifted = [through, type, since, until].some(Boolean) || (store && actor)
  const most = isSifted ? ENTRIES_LOOKED_AT : page * TRAIL_PAGE + 1
  if (store) return newestWhere(sql`looked.store_id <> '' and looked.store_id = ${store}`, most)
  if (actor) return newestWhere(sql`looked.actor_name = ${actor}`, most)
  if (since || until)
    return sql`select looked.id from audit_entries as looked
      where looked.created_at >= ${since?.getTime() ?? 0} and looked.created_at < ${until?.getTime() ?? Number.MAX_SAFE_INTEGER}
      order by looked.created_at desc limit ${ENTRIES_LOOKED_AT}`
  return newestWhere(sql`true`, most)
}

/** The entries that name a text: what they are about, the request, the store, the actor. */
const named = (q: string): SQL =>
  sql.join(
    [
      sql`looked.subject_id is not null and looked.subject_id = ${q}`,
      sql`looked.request_id is not null and looked.request_id = ${q}`,
      sql`looked.store_id <> '' and looked.store_id = ${q}`,
      sql`looked.actor_name = ${q}`,
    ].map((which) => sql`select id from (${newestWhere(which, ENTRIES_LOOKED_AT)})`),
    sql` union all `,
  )

const newestWhere = (which: SQL, most: number): SQL =>
  sql`select looked.id from audit_entries as looked where ${which} order by looked.id desc limit ${most}`
