// Lets an operator help a member of a store's staff who has lost the second factor.
import { eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { userTokens } from "../../db/schema/sites/tokens"
import { inSite } from "../../db/site-scope"
import { selectByEmail } from "../accounts/queries"
import { buildFactorRemoval } from "../accounts/second-factor"
import { authenticate, createOperatorCtx } from "../user"
import { writeAsStaff } from "./write"

/**
 * Removes the second factor, recovery codes and passkeys of a member, and ends the member's logins. The password stays.
 * @param siteId of a store, or `central`
 * @throws Refusal `validation_failed` about `email` when no member of the site's staff has the address
 */
export async function resetSecondFactor(ctx: Ctx, siteId: string, email: string): Promise<{ id: number }> {
  const own = await createOperatorCtx(ctx, siteId, "admin")
  const { user, results } = await authenticate(own, () => [selectByEmail(own, email)], { role: "viewer" })
  const [[member]] = results
  if (!member?.isStaff) throw invalid("email", "selected")
  await writeAsStaff(own, user, {
    role: "admin",
    writes: [
      ...buildFactorRemoval(own, member.id),
      inSite(own.site.id).remove(userTokens).where(eq(userTokens.userId, member.id)),
    ],
    auditLog: [{ subject: "staff", action: "changed", id: member.id, after: { two_factor: false } }],
  })
  return { id: member.id }
}
