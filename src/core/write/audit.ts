// The audit trail: a change leaves an entry in its own transaction, whoever made it and through whatever interface, or says why none.
import { SQL, sql } from "drizzle-orm"
import { type AuditDeed, type AuditSubject, auditEntries, type StoreAuditType } from "../../db/schema/central/audit"
import { insert, type Write } from "../../db/write"
import { timestamp } from "../../lib/time"
import type { Ctx } from "../context"
import type { Actor } from "./actor"

/** The only keys of `data` that anyone outside may see (spec "Store audit entry"). */
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

interface Draft {
  from?: string | null
  to?: string | null
  /** A value that exists only inside the batch, such as a number that is counted there, is an expression. */
  data?: Record<string, unknown>
  /** The fields that change, as they were and as they are; never a secret. */
  before?: Record<string, unknown> | null
  after?: Record<string, unknown> | null
}

/** An entry about a store itself: those that `GET /stores/{id}/events` lists. */
interface StoreAudit extends Draft {
  storeId: string
  type: StoreAuditType
}

/** An entry about something of a site, to which the site's id is added. */
export type SiteAudit<Subject extends AuditSubject = AuditSubject> = Draft & {
  /** The subject's id; an expression where only the batch knows it. */
  id: string | number | SQL
} & { [Of in Subject]: { subject: Of; deed: AuditDeed<Of> } }[Subject]

/** An entry about anything but a store itself. */
export type PlatformAudit<Subject extends AuditSubject = AuditSubject> = SiteAudit<Subject> & {
  /** The site it belongs to, if it belongs to one. */
  siteId?: string
}

export type AuditDraft = StoreAudit | PlatformAudit

/** The write that adds an entry. The store's row must exist when it runs: before a delete, after an insert. */
export const auditWrite = (ctx: Ctx, draft: AuditDraft): Write =>
  insert(auditEntries).values({ ...auditColumns(ctx, draft), createdAt: ctx.now })

/** An entry's columns but for its moment. */
export const auditColumns = (ctx: Ctx, draft: AuditDraft) => ({
  ...about(draft),
  actorType: ctx.actor.type,
  actorId: ctx.actor.id,
  actorName: ctx.actor.name,
  interface: ctx.interface,
  requestId: ctx.requestId,
  address: ctx.address,
  fromStatus: draft.from ?? null,
  toStatus: draft.to ?? null,
  data: inBatch({ ...draft.data, ...(ctx.supportAccess !== undefined && { support_access: ctx.supportAccess }) }),
  before: draft.before ?? null,
  after: draft.after ?? null,
})

/** Data of which some values exist only inside the batch: those the database itself puts into the text. */
function inBatch(data: Record<string, unknown>): Record<string, unknown> | SQL<Record<string, unknown>> {
  const late = Object.entries(data).filter(([, value]) => value instanceof SQL)
  if (!late.length) return data
  const known = JSON.stringify(Object.fromEntries(Object.entries(data).filter(([, value]) => !(value instanceof SQL))))
  const paths = late.map(([key, value]) => sql`, ${`$.${key}`}, ${value as SQL}`)
  return sql`json_set(${known}${sql.join(paths)})`
}

const about = (draft: AuditDraft) =>
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
        type: `${draft.subject}_${draft.deed}`,
        subjectType: draft.subject,
        subjectId: typeof draft.id === "number" ? String(draft.id) : draft.id,
      }

type AuditRow = typeof auditEntries.$inferSelect

/** A stored entry about a store as the API shows it. */
export const auditResource = (row: AuditRow) => ({
  id: row.id,
  ...resource(
    { type: row.type, from: row.fromStatus, to: row.toStatus, data: row.data },
    { type: row.actorType, id: row.actorId, name: row.actorName },
    row.createdAt,
  ),
})

/** An entry about to be written, as the API will show it, without the id it has not got yet. */
export const draftResource = (ctx: Ctx, draft: AuditDraft) =>
  resource({ ...draft, type: about(draft).type }, ctx.actor, ctx.now)

function resource(
  entry: Draft & { type: string },
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
    created_at: timestamp(at),
  }
}
