// Writes the audit log. Every change adds its entry in its own transaction, or states why it adds none.
import { SQL, sql } from "drizzle-orm"
import { type AuditAction, type AuditSubject, auditEntries, type StoreAuditType } from "../../db/schema/central/audit"
import { insert, type Write } from "../../db/write"
import { formatTimestamp } from "../../lib/time"
import type { Ctx } from "../context"
import type { Actor } from "./actor"

/** The keys of `data` that the API shows. */
const PUBLIC_KEYS = [
  "plan",
  "from_plan",
  "trial_days",
  "manual",
  "extended_days",
  "field",
  "until",
  "from",
  "to",
  "reason",
  "order",
  "number",
] as const

interface BaseAuditDraft {
  from?: string | null
  to?: string | null
  /** A value that only the batch knows, such as a number that it counts, is an SQL expression. */
  data?: Record<string, unknown>
  /** The changed fields before and after; never a secret. */
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
}

/** An entry about a store; `GET /stores/{id}/events` lists these. */
interface StoreAudit extends BaseAuditDraft {
  storeId: string
  type: StoreAuditType
}

/** An entry about a subject that belongs to a site; the writer adds the site's id. */
export type SiteAudit<Subject extends AuditSubject = AuditSubject> = BaseAuditDraft & {
  /** The subject's id; an SQL expression when only the batch knows it. */
  id: string | number | SQL
} & { [Of in Subject]: { subject: Of; action: AuditAction<Of> } }[Subject]

/** An entry about any subject other than a store. */
export type PlatformAudit<Subject extends AuditSubject = AuditSubject> = SiteAudit<Subject> & {
  /** The site that the subject belongs to, if any; an SQL expression, empty for none, when only the batch knows it. */
  siteId?: string | SQL<string>
}

export type AuditDraft = StoreAudit | PlatformAudit

/** Builds the write that adds an entry. The store's row must exist when it runs: before a delete, after an insert. */
export const auditWrite = (ctx: Ctx, draft: AuditDraft): Write =>
  insert(auditEntries).values({ ...auditColumns(ctx, draft), createdAt: ctx.now })

/** The columns of an entry, except `createdAt`. */
export const auditColumns = (ctx: Ctx, draft: AuditDraft) => ({
  ...subjectColumns(draft),
  actorType: ctx.actor.type,
  actorId: ctx.actor.id,
  actorName: ctx.actor.name,
  interface: ctx.interface,
  requestId: ctx.requestId,
  address: ctx.address,
  fromStatus: draft.from ?? null,
  toStatus: draft.to ?? null,
  data: dataExpression({
    ...draft.data,
    ...(ctx.reason !== undefined && { reason: ctx.reason }),
    ...(ctx.supportAccess !== undefined && { support_access: ctx.supportAccess }),
  }),
  before: draft.before ?? null,
  after: draft.after ?? null,
})

/** Returns plain data, or an expression that lets the database insert the values only the batch knows. */
function dataExpression(data: Record<string, unknown>): Record<string, unknown> | SQL<Record<string, unknown>> {
  const late = Object.entries(data).filter(([, value]) => value instanceof SQL)
  if (!late.length) return data
  const known = JSON.stringify(Object.fromEntries(Object.entries(data).filter(([, value]) => !(value instanceof SQL))))
  const paths = late.map(([key, value]) => sql`, ${`$.${key}`}, ${value as SQL}`)
  return sql`json_set(${known}${sql.join(paths)})`
}

const subjectColumns = (draft: AuditDraft) =>
  "storeId" in draft
    ? {
        storeId: draft.storeId,
        storeSeq: sql<number>`(select seq from stores where id = ${draft.storeId})`,
        type: draft.type,
        subjectType: null,
        subjectId: null,
      }
    : {
        storeId: draft.siteId ?? "",
        storeSeq: 0,
        type: `${draft.subject}_${draft.action}`,
        subjectType: draft.subject,
        subjectId: typeof draft.id === "number" ? String(draft.id) : draft.id,
      }

type AuditRow = typeof auditEntries.$inferSelect

/** A stored entry about a store, as the API shows it. */
export const auditResource = (row: AuditRow) => ({
  id: row.id,
  ...resource(
    { type: row.type, from: row.fromStatus, to: row.toStatus, data: row.data },
    { type: row.actorType, id: row.actorId, name: row.actorName },
    row.createdAt,
  ),
})

/** An entry that is about to be written, as the API will show it, without its id. */
export const draftResource = (ctx: Ctx, draft: AuditDraft) =>
  resource({ ...draft, type: subjectColumns(draft).type }, ctx.actor, ctx.now)

function resource(
  entry: BaseAuditDraft & { type: string },
  actor: Actor | { type: string; id: number | null; name: string },
  at: Date,
) {
  const data = entry.data ?? {}
  return {
    type: entry.type,
    from_status: entry.from ?? null,
    to_status: entry.to ?? null,
    data: Object.fromEntries(PUBLIC_KEYS.filter((key) => key in data).map((key) => [key, data[key]])),
    actor: { type: actor.type, id: actor.id, name: actor.name },
    created_at: formatTimestamp(at),
  }
}
