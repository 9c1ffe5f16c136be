// Handles support logins: actions of an operator at a store are attributed to the operator, and logging out ends only
// that login.
import type { SupportToken } from "../../db/schema/sites/tokens"
import { endSupportAccess } from "../../platform/support/service"
import { authenticate, type UserCtx } from "../user"

/** Switches a context to the operator of a support login: audit entries name the operator and the support access. */
export const actAsOperator = <C extends UserCtx>(ctx: C, support: SupportToken): C => ({
  ...ctx,
  actor: { type: "admin", id: support.operatorId, name: support.operatorName },
  interface: "console",
  supportAccess: support.access,
})

/**
 * Ends the support access of the presented login.
 * @returns false, without any change, for a user's own login
 * @throws Refusal `unauthenticated`; `store_unavailable` while the store is being migrated
 */
export async function endSupportLogin(ctx: UserCtx): Promise<boolean> {
  const { store } = ctx.site
  const { support } = await authenticate(ctx, undefined, { allowUnverified: true })
  if (!store || !support) return false
  const access = { id: support.access, storeId: store.id, storeSeq: store.seq }
  await endSupportAccess(actAsOperator(ctx, support), access, "signed_out")
  return true
}
