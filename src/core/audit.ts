// The audit trail: one entry a write, whoever made it, in the same transaction as the write.
import { sql } from "drizzle-orm"
import type { Statement } from "../db/client"
import { auditEntries } from "../db/schema/central/audit"
import { timestamp } from "../lib/time"
import type { Actor } from "./actor"
import type { Ctx } from "./context"

/** The entry types; event names without the resource's dot. */
export type AuditType =
  | "store_created"
  | "store_ready"
  | "provisioning_failed"
  | "provisioning_retried"
  | "store_updated"
  | "store_deleted"
  | "theme_changed"
  | "suspended"
  | "resumed"
  | "cancelled"
  | "reactivated"
  | "assigned"
  | "plan_changed"
  | "extended"
  | "activated"
  | "past_due"
  | "trial_ending"
  | "payment_reminded"
  | "purge_announced"
  | "domain_added"
  | "domain_verified"
  | "primary_changed"
  | "domain_removed"
  | "app_enabled"
  | "app_disabled"
  | "order_requested"
  | "order_paid"
  | "order_rejected"

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

export interface AuditDraft {
  storeId: string
  type: AuditType
  from?: string | null
  to?: string | null
  data?: Record<string, unknown>
}

/** The statement that writes an entry. The store's row must exist when it runs: before a delete, after an insert. */
export function auditStatement(ctx: Ctx, draft: AuditDraft): Statement {
  return ctx.db.insert(auditEntries).values({
    storeId: draft.storeId,
    storeSeq: sql`(select seq from stores where id = ${draft.storeId})`,
    type: draft.type,
    fromStatus: draft.from ?? null,
    toStatus: draft.to ?? null,
    data: draft.data ?? {},
    actorType: ctx.actor.type,
    actorId: ctx.actor.id,
    actorName: ctx.actor.name,
    createdAt: ctx.now,
  })
}

type AuditRow = typeof auditEntries.$inferSelect

/** A stored entry as the API shows it. */
export const auditResource = (row: AuditRow) => ({
  id: row.id,
  ...describe(
    { storeId: row.storeId, type: row.type as AuditType, from: row.fromStatus, to: row.toStatus, data: row.data },
    { type: row.actorType, id: row.actorId, name: row.actorName },
    row.createdAt,
  ),
})

/** An entry about to be written, as the API will show it, without the id it has not got yet. */
export const draftResource = (ctx: Ctx, draft: AuditDraft) => describe(draft, ctx.actor, ctx.now)

function describe(draft: AuditDraft, actor: Actor | { type: string; id: number | null; name: string }, at: Date) {
  const data = draft.data ?? {}
  return {
    type: draft.type,
    from_status: draft.from ?? null,
    to_status: draft.to ?? null,
    data: Object.fromEntries(PUBLIC_KEYS.filter((key) => key in data).map((key) => [key, data[key]])),
    actor: { type: actor.type, id: actor.id, name: actor.name },
    created_at: timestamp(at),
  }
}
