// Support logins: what an operator does at a store as its staff is attributed to the operator, and signing out ends only that login.
import type { SupportToken } from "../../db/schema/sites/tokens"
import { endSupport } from "../../platform/support/service"
import { authed, type UserCtx } from "../user"

/** The context of an operator at a store: audit entries have the operator as actor, and name the support access. */
export const asOperator = <C extends UserCtx>(ctx: C, support: SupportToken): C => ({
  ...ctx,
  actor: { type: "admin", id: support.operatorId, name: support.operatorName },
  interface: "console",
  supportAccess: support.access,
})

/**
 * Ends the support access of a login, and no other login.
 * @returns false, with nothing done, for a login of the site's own
 * @throws Refusal `unauthenticated`; `store_unavailable` while the store is being moved
 */
export async function leaveSupport(ctx: UserCtx): Promise<boolean> {
  const { store } = ctx.site
  const { support } = await authed(ctx, undefined, { unverified: true })
  if (!store || !support) return false
  const access = { id: support.access, storeId: store.id, storeSeq: store.seq }
  await endSupport(asOperator(ctx, support), access, "signed_out")
  return true
}
