// Reading a store's trail.
import { asc, desc, eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { counted, type Page, type PageRequest, pageFrom, pageStatements } from "../../core/page"
import { Refusal } from "../../core/refusal"
import { batch } from "../../db/client"
import { auditEntries } from "../../db/schema/central/audit"
import { stores } from "../../db/schema/central/stores"

export type AuditEntry = typeof auditEntries.$inferSelect

/**
 * A page of what happened to a store, the newest first; nothing of an earlier store of its name.
 * @throws Refusal `not_found`
 */
export async function listEntries(ctx: Ctx, storeId: string, page: PageRequest): Promise<Page<AuditEntry>> {
  const seq = sql`(select ${stores.seq} from ${stores} where ${eq(stores.id, storeId)})`
  const [known, ...answers] = await batch(ctx.db, [
    ctx.db.select({ id: stores.id }).from(stores).where(eq(stores.id, storeId)),
    ...pageStatements(ctx.db, page, counted(sql`'audit:' || ${seq}`), ({ limit, offset }, direction) =>
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
