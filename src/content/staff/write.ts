// Writes on behalf of a member of the staff, with an entry in the audit log.
import type { SiteAudit } from "../../core/write/audit"
import type { ShopEventDraft } from "../../core/write/site-events"
import type { Results, Statement } from "../../db/client"
import type { StaffRole } from "../../db/schema/sites/users"
import { fullName } from "../../lib/full-name"
import type { NonEmpty } from "../../lib/non-empty"
import { type User, type UserCtx, writeAsUser } from "../user"

interface StaffChange<Writes extends readonly Statement[]> {
  writes: Writes
  auditLog: NonEmpty<SiteAudit>
  events?: readonly ShopEventDraft[]
  /** The lowest role that suffices; the transaction fails if the user has lost it since. `editor` by default. */
  role?: StaffRole
}

/**
 * Commits a change that a member of the staff makes.
 * @returns the result of each write
 * @throws Refusal as `writeAsUser`
 */
export const writeAsStaff = <const Writes extends readonly Statement[]>(
  ctx: UserCtx,
  user: User,
  { writes, auditLog, events = [], role = "editor" }: StaffChange<Writes>,
): Promise<Results<Writes>> => writeAsUser(withActor(ctx, user), () => writes, { role, auditLog, events })

/** Sets the caller as the actor of the audit log. An operator is the actor already. */
export const withActor = (ctx: UserCtx, user: User): UserCtx =>
  ctx.caller.operatorRole ? ctx : { ...ctx, actor: { type: "customer", id: user.id, name: fullName(user) } }
