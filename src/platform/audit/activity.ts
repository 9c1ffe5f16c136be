// Lists what happened in a store, for its owner and staff: entries about the store and about its content, newest first.
import { and, desc, eq, getTableColumns, gte, inArray, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import {
  type AuditSubject,
  auditEntries,
  isAboutStore,
  isAboutSubject,
  STORE_AUDIT_TYPES,
  type StoreAuditType,
} from "../../db/schema/central/audit"
import { plans } from "../../db/schema/central/plans"
import { stores } from "../../db/schema/central/stores"
import type { AuditEntry } from "./archived-entry"

/** Whether an entry is about the store itself, not about a part of its content. */
export const isStoreType = (type: string): type is StoreAuditType =>
  (STORE_AUDIT_TYPES as readonly string[]).includes(type)

/** Entries per page. */
export const ACTIVITY_PAGE_SIZE = 50

/** The newest entries that the pages list. Older ones are in the operators' audit log. */
export const MAX_ACTIVITY_ENTRIES = 5_000

/**
 * The current name of the plan whose slug an entry's data has; null without one, and for a plan that does not exist.
 */
const selectPlanName = (path: "$.plan" | "$.from_plan") =>
  sql<
    string | null
  >`(select ${plans.name} from ${plans} where ${eq(plans.slug, sql`json_extract(${auditEntries.data}, ${path})`)})`

/**
 * Lists a page of a store's activity, without that of an earlier store with its subdomain. The plans in the entries'
 * data have their current names instead of their slugs, where they still exist.
 * @param store its id and incarnation
 */
export async function listActivity(
  ctx: Ctx,
  store: { id: string; seq: number },
  page: number,
): Promise<{ rows: AuditEntry[]; hasMore: boolean }> {
  const since = sql`(select ${stores.createdAt} from ${stores} where ${eq(stores.seq, store.seq)})`
  const offset = (page - 1) * ACTIVITY_PAGE_SIZE
  const limit = Math.min(ACTIVITY_PAGE_SIZE + 1, MAX_ACTIVITY_ENTRIES - offset)
  if (limit <= 0) return { rows: [], hasMore: false }
  const found = await ctx.db
    .select({
      ...getTableColumns(auditEntries),
      plan: selectPlanName("$.plan").as("plan_name"),
      fromPlan: selectPlanName("$.from_plan").as("from_plan_name"),
    })
    .from(auditEntries)
    .where(
      and(isAboutStore(store.id), inArray(auditEntries.storeSeq, [0, store.seq]), gte(auditEntries.createdAt, since)),
    )
    .orderBy(desc(auditEntries.id))
    .limit(limit)
    .offset(offset)
  const rows = found.slice(0, ACTIVITY_PAGE_SIZE).map(({ plan, fromPlan, ...entry }) => ({
    ...entry,
    data: { ...entry.data, ...(plan !== null && { plan }), ...(fromPlan !== null && { from_plan: fromPlan }) },
  }))
  return { rows, hasMore: found.length > ACTIVITY_PAGE_SIZE }
}

/** The newest entries that the page of a subject lists. */
const MAX_SUBJECT_ENTRIES = 50

/**
 * Lists the latest entries about a part of a store's content, newest first.
 * @param store its id and incarnation
 */
export function listSubjectActivity(
  ctx: Ctx,
  store: { id: string; seq: number },
  subject: { type: AuditSubject; id: string },
): Promise<AuditEntry[]> {
  const since = sql`(select ${stores.createdAt} from ${stores} where ${eq(stores.seq, store.seq)})`
  return ctx.db
    .select()
    .from(auditEntries)
    .where(
      and(
        isAboutSubject(subject.id),
        eq(auditEntries.subjectType, subject.type),
        // With the unary plus, the index of the store is not used: few entries have the subject's id, in all stores.
        sql`+${auditEntries.storeId} = ${store.id}`,
        gte(auditEntries.createdAt, since),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(MAX_SUBJECT_ENTRIES)
}
