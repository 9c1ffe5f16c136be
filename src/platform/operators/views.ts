// Saved views of the console's lists: a filter, a sort order and columns under a name, for one operator or for all.
import { and, asc, eq, or, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid, Refusal } from "../../core/http/refusal"
import { text } from "../../core/http/validation"
import { commit, WriteConflict } from "../../core/write/commit"
import { operatorSessions, operators, operatorViews } from "../../db/schema/central/operators"
import { insertSelect, remove } from "../../db/write"
import type { Session } from "./sessions"

/** An operator's own views, over all lists. */
const MAX_OWN_VIEWS = 100

/** Views of all operators that a list shows. */
const MAX_SHARED_VIEWS = 50

/** Parameters of a list's URL that are not part of a view. */
const TRANSIENT_PARAMETERS: ReadonlySet<string> = new Set(["page", "done", "subject"])

/** Returns a query string without the page, notices and empty filters, so that equal views have equal queries. */
export function normalizeViewQuery(query: string): string {
  const filters = [...new URLSearchParams(query)].filter(([name, value]) => value && !TRANSIENT_PARAMETERS.has(name))
  return new URLSearchParams(filters.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))).toString()
}

export const SaveView = z.object({
  list: z
    .string()
    .max(60)
    .regex(/^\/console\/[a-z-]+$/),
  name: text({ max: 60 }),
  query: z.string().max(1000).default("").transform(normalizeViewQuery),
  is_shared: z.boolean().default(false),
})

export type SavedView = Pick<typeof operatorViews.$inferSelect, "id" | "name" | "query" | "isShared"> & {
  isOwn: boolean
}

/**
 * Selects the views of a list that a session's operator has: their own, then those that others share.
 * @param hash of the session
 */
export function selectViews(ctx: Pick<Ctx, "db">, hash: string, list: string) {
  const operator = sql`(select ${operatorSessions.operatorId} from ${operatorSessions} where ${operatorSessions.hash} = ${hash})`
  const own = sql`(select ${operatorViews.id} from ${operatorViews} where ${operatorViews.operatorId} = ${operator} and ${operatorViews.list} = ${list} limit ${MAX_OWN_VIEWS})`
  const shared = sql`(select ${operatorViews.id} from ${operatorViews} where ${operatorViews.list} = ${list} and is_shared = 1 order by ${operatorViews.id} limit ${MAX_SHARED_VIEWS})`
  return ctx.db
    .select({
      id: operatorViews.id,
      name: operatorViews.name,
      query: operatorViews.query,
      isShared: operatorViews.isShared,
      isOwn: sql`${operatorViews.operatorId} = ${operator}`.mapWith(Boolean),
    })
    .from(operatorViews)
    .where(or(inIds(own), inIds(shared)))
    .orderBy(asc(operatorViews.name), asc(operatorViews.id))
}

const inIds = (ids: SQL): SQL => sql`${operatorViews.id} in ${ids}`

/**
 * Saves a view of a list.
 * @throws Refusal `forbidden` for a viewer that shares one; `validation_failed` about `name` when the operator has one
 *   of that name for the list, or too many views
 */
export async function saveView(
  ctx: Ctx,
  { operator }: Session,
  { list, name, query, is_shared: isShared }: z.output<typeof SaveView>,
): Promise<void> {
  if (isShared && operator.role === "viewer") throw new Refusal("forbidden")
  const hasRoom = sql`(select count(*) from (select 1 from ${operatorViews} where ${operatorViews.operatorId} = ${operator.id} limit ${MAX_OWN_VIEWS})) < ${MAX_OWN_VIEWS}`
  const isActive = sql`exists (select 1 from ${operators} where ${operators.id} = ${operator.id} and ${operators.disabledAt} is null)`
  const values = { operatorId: operator.id, list, name, query, isShared, createdAt: ctx.now }
  await commit(ctx, {
    guard: insertSelect(operatorViews, values, sql`where ${and(hasRoom, isActive)}`),
    auditLog: [
      {
        audit: {
          subject: "view",
          action: "created",
          id: sql`(select max(${operatorViews.id}) from ${operatorViews})`,
          after: { list, name, query, is_shared: isShared },
        },
      },
    ],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? invalid("name", "taken") : cause
  })
}

/**
 * Deletes a view: one of the operator's own, or for an admin a shared one.
 * @throws Refusal `not_found`
 */
export async function deleteView(ctx: Ctx, { operator }: Session, id: number): Promise<{ list: string }> {
  const isTheirs =
    operator.role === "admin" ? or(ofOperator(operator.id), eq(operatorViews.isShared, true)) : ofOperator(operator.id)
  const [view] = await ctx.db
    .select()
    .from(operatorViews)
    .where(and(eq(operatorViews.id, id), isTheirs))
  if (!view) throw new Refusal("not_found")
  const { list, name } = view
  await commit(ctx, {
    guard: remove(operatorViews).where(eq(operatorViews.id, id)),
    auditLog: [{ audit: { subject: "view", action: "deleted", id, before: { list, name } } }],
  }).catch((cause) => {
    throw cause instanceof WriteConflict ? new Refusal("not_found") : cause
  })
  return { list }
}

const ofOperator = (id: number): SQL => eq(operatorViews.operatorId, id)

/** Deletes the views of an operator who is deleted. Those that they shared stay. */
export const removeViewsOf = (operatorId: number) =>
  remove(operatorViews).where(and(ofOperator(operatorId), eq(operatorViews.isShared, false)))

/** Lists the operator's own views of all lists. */
export const listOwnViews = (ctx: Pick<Ctx, "db">, { operator }: Session) =>
  ctx.db
    .select()
    .from(operatorViews)
    .where(ofOperator(operator.id))
    .orderBy(asc(operatorViews.list), asc(operatorViews.name))
    .limit(MAX_OWN_VIEWS)
