// Reading a store's trail.
import { and, asc, desc, eq, gte, lt, or, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { counted, listOf, type Page, type PageRequest, pageFrom, pageStatements } from "../../core/page"
import { Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { stores } from "../../db/schema/central/stores"
import type { SearchTrail } from "./schemas"

export type AuditEntry = typeof auditEntries.$inferSelect

/**
 * A page of what happened to a store, the newest first; nothing of an earlier store of its name.
 * @throws Refusal `not_found`
 */
export async function listEntries(ctx: Ctx, storeId: string, page: PageRequest): Promise<Page<AuditEntry>> {
  const seq = sql`(select ${stores.seq} from ${stores} where ${eq(stores.id, storeId)})`
  const [known, ...answers] = await batch(ctx.db, [
    ctx.db.select({ id: stores.id }).from(stores).where(eq(stores.id, storeId)),
    ...pageStatements(ctx.db, page, counted(listOf("audit", seq)), ({ limit, offset }, direction) =>
      ctx.db
        .select()
        .from(auditEntries)
        .where(sql`${auditEntries.storeSeq} = ${seq}`)
        .orderBy(direction === "forward" ? desc(auditEntries.id) : asc(auditEntries.id))
        .limit(limit)
        .offset(offset),
    ),
  ])
  if (!known.length) throw new Refusal("not_found")
  return pageFrom(answers)
}

/** Entries of the trail that one look shows. */
export const TRAIL_PAGE = 50

/**
 * A page of the whole trail, the newest first: about stores and about everything else. Nobody counts how many match.
 * @returns the entries, and whether older ones follow
 */
export async function searchTrail(
  ctx: Ctx,
  input: z.output<typeof SearchTrail>,
): Promise<{ rows: AuditEntry[]; more: boolean }> {
  const { actor, interface: through, type, store, q, since, until, page } = input
  const { id, actorName, storeId, subjectId, requestId, createdAt } = auditEntries
  const rows = await ctx.db
    .select()
    .from(auditEntries)
    .where(
      and(
        actor ? eq(actorName, actor) : undefined,
        through ? eq(auditEntries.interface, through) : undefined,
        type ? eq(auditEntries.type, type) : undefined,
        store ? eq(storeId, store) : undefined,
        q
          ? or(eq(subjectId, q), eq(requestId, q), eq(storeId, q), eq(actorName, q), eq(auditEntries.type, q))
          : undefined,
        since ? gte(createdAt, since) : undefined,
        until ? lt(createdAt, until) : undefined,
      ),
    )
    // Within a span the moments lead to the rows; else the newest rows come first, and few are read.
    .orderBy(...(since || until ? [desc(createdAt), desc(id)] : [desc(id)]))
    .limit(TRAIL_PAGE + 1)
    .offset((page - 1) * TRAIL_PAGE)
  return { rows: rows.slice(0, TRAIL_PAGE), more: rows.length > TRAIL_PAGE }
}
