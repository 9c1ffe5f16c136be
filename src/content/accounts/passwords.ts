// Sets new passwords: with a mailed reset token, or with the current password.
import { and, eq, exists, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import { hashNetwork } from "../../core/http/client-network"
import { afterRateLimit } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { WriteConflict } from "../../core/write/commit"
import { commitSite } from "../../core/write/site-commit"
import { resetTokens, userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { buildAccountMailWrite, enqueueAccountMails } from "../mails/outbox"
import { countMailRequest, countRequestedMail } from "../rate-limits"
import type { SiteCtx } from "../site"
import { authenticate, type UserCtx, writeAsUser } from "../user"
import { buildAttachWrites } from "./app-writes"
import { createMailedToken, deleteResetTokens, isValidToken, storeResetToken } from "./mailed-tokens"
import { resetNetworks } from "./networks"
import { hasEmail, normalizeEmail, selectByEmail } from "./queries"
import type { ResetPassword, UpdatePassword } from "./schemas"

/**
 * Mails a reset link and token if the address has an account. Neither the response nor its time reveals whether it has.
 * A mail beyond the mailbox's limit stores no token, because that would evict one that was mailed.
 * @throws Refusal `rate_limited`
 */
export async function forgotPassword(ctx: SiteCtx, input: { email: string }): Promise<void> {
  const [user] = await afterRateLimit(countMailRequest(ctx, "forgot"), selectByEmail(ctx, input.email))
  const mail = { purpose: "reset" as const, to: input.email, isConfirmed: Boolean(user?.emailVerifiedAt) }
  const isMailed = await countRequestedMail(ctx, mail, user !== undefined)
  const token = await createMailedToken(ctx, "reset")
  const from = sql`from ${users} where ${and(hasEmail(ctx, input.email), sql`${isMailed}`)}`
  const draft = { ...mail, to: sql`${users.email}`, isCounted: true, token }
  await commitSite(ctx, ctx.site, {
    writes: [...storeResetToken(ctx, token, sql`${users.id}`, from), buildAccountMailWrite(ctx, draft, from)],
    auditLog: { auditSkipped: "site_user" },
  })
  if (isMailed) enqueueAccountMails(ctx)
}

/**
 * Sets a new password with a mailed token, deletes all of the user's reset tokens, and ends every session. Reading the
 * mail also verifies the address, and this network is recorded as the user's, so failed logins elsewhere do not block
 * it.
 * @param hashing the permit for one hash
 * @throws Refusal as `hashing` does, `reset_token_invalid` for a token that is wrong, used, expired or of another
 *   address
 */
export async function resetPassword(
  ctx: SiteCtx,
  input: z.output<typeof ResetPassword>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { db, id: siteId } = ctx.site
  const { isValid, userId } = await afterRateLimit(hashing, findResetTokenUser(ctx, input))
  if (userId === undefined) throw new Refusal("reset_token_invalid")
  const passwordHash = await (await hashing).hash(input.password)
  const email = normalizeEmail(input.email)
  const attachment = await buildAttachWrites(siteId, { userId: sql<number>`${userId}`, email, now: ctx.now })
  const isUnused = exists(db.select({ one: sql`1` }).from(resetTokens).where(isValid))
  try {
    await commitSite(ctx, ctx.site, {
      guard: setPassword(ctx, userId, { passwordHash, emailVerifiedAt: coalesceVerifiedAt(ctx) }, isUnused),
      writes: [
        deleteTokens(siteId, userId),
        deleteResetTokens(siteId, userId),
        ...resetNetworks(ctx, userId, await hashNetwork(ctx)),
        ...attachment,
      ],
      auditLog: { auditSkipped: "site_user" },
    })
  } catch (cause) {
    // A concurrent request has used the token.
    if (cause instanceof WriteConflict) throw new Refusal("reset_token_invalid")
    throw cause
  }
}

/** Finds the user of a valid reset token, and returns the condition that it is valid. */
async function findResetTokenUser(ctx: SiteCtx, { token, email }: { token: string; email: string }) {
  const isValid = isValidToken(ctx, resetTokens, await sha256(token))
  const [tokenRow] = await ctx.site.db
    .select({ userId: resetTokens.userId })
    .from(resetTokens)
    .innerJoin(users, and(eq(users.id, resetTokens.userId), hasEmail(ctx, email)))
    .where(isValid)
  return { isValid, userId: tokenRow?.userId }
}

/**
 * Changes the password, given the current one, and ends every session.
 * @param hashing the permit for two hashes
 * @throws Refusal as `hashing` does, `unauthenticated`, `email_unverified`, `wrong_password`
 */
export async function updatePassword(
  ctx: UserCtx,
  input: z.output<typeof UpdatePassword>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { id: siteId } = ctx.site
  const { user } = await afterRateLimit(hashing, authenticate(ctx))
  const hasher = await hashing
  const current = input.old_password || input.current_password || ""
  if (!(await hasher.verify(current, user.passwordHash))) throw new Refusal("wrong_password")
  const passwordHash = await hasher.hash(input.password)
  const isUnchanged = eq(users.passwordHash, user.passwordHash)
  const network = await hashNetwork(ctx)
  try {
    await writeAsUser(ctx, () => [
      setPassword(ctx, user.id, { passwordHash }, isUnchanged),
      abortUnlessTouched,
      deleteTokens(siteId, user.id),
      deleteResetTokens(siteId, user.id),
      ...resetNetworks(ctx, user.id, network),
    ])
  } catch (cause) {
    if (cause instanceof WriteConflict) throw new Refusal("wrong_password")
    throw cause
  }
}

/** Sets the verification time to now, unless the address was verified before. */
const coalesceVerifiedAt = (ctx: SiteCtx): SQL => sql`coalesce(${users.emailVerifiedAt}, ${ctx.now.getTime()})`

/**
 * Sets the password of a user.
 * @param condition what must still be true when it is set
 */
const setPassword = (
  ctx: SiteCtx,
  userId: number,
  values: { passwordHash: string; emailVerifiedAt?: SQL },
  condition: SQL,
) =>
  inSite(ctx.site.id)
    .update(users)
    .set({ ...values, updatedAt: ctx.now })
    .where(and(eq(users.id, userId), condition))

const deleteTokens = (siteId: string, userId: number) =>
  inSite(siteId).remove(userTokens).where(eq(userTokens.userId, userId))
