// A new password: for who forgot the old one by a mailed token, for who knows it by the old one.
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
import { abortUnlessTouched, remove, update } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { sendCountedMail } from "../mails/account"
import { countMailRequest, countMailTo } from "../rate-limits"
import type { SiteCtx } from "../site"
import { asUser, authed, type UserCtx } from "../user"
import { endResetTokens, isGoodToken, newMailedToken, storeResetToken } from "./mailed-tokens"
import { resetNetworks } from "./networks"
import { hasEmail, selectByEmail } from "./queries"
import type { ResetPassword, UpdatePassword } from "./schemas"

/**
 * Mails a link and a token to the address, if somebody has an account under it; neither the response nor its time tells whether. A mail
 * beyond what the mailbox may get stores no token, which would end one that was mailed.
 * @throws Refusal `rate_limited`
 */
export async function forgotPassword(ctx: SiteCtx, input: { email: string }): Promise<void> {
  const [user] = await afterRateLimit(countMailRequest(ctx, "forgot"), selectByEmail(ctx, input.email))
  const mail = { purpose: "reset" as const, to: input.email, isConfirmed: Boolean(user?.emailVerifiedAt) }
  const isMailed = await countMailTo(ctx, mail, user !== undefined)
  const token = await newMailedToken("reset")
  const from = sql`from ${users} where ${and(hasEmail(ctx, input.email), sql`${isMailed}`)}`
  await commitSite(ctx, ctx.site, { writes: storeResetToken(ctx, token, sql`${users.id}`, from), trail: [] })
  if (user && isMailed) sendCountedMail(ctx, "reset", user.email, token)
}

/**
 * Sets a new password by a mailed token, which is used up with all others of the user, and ends every login. Who has read the
 * mail has also proved the address, and may log in from this network while others guess at the password.
 * @param hashing the permit for one hash
 * @throws Refusal as `hashing` does, `reset_token_invalid` for a token that is wrong, used, too old, or another address's
 */
export async function resetPassword(
  ctx: SiteCtx,
  input: z.output<typeof ResetPassword>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { db, id: siteId } = ctx.site
  const { good, userId } = await afterRateLimit(hashing, userOfResetToken(ctx, input))
  if (userId === undefined) throw new Refusal("reset_token_invalid")
  const passwordHash = await (await hashing).hash(input.password)
  const unused = exists(db.select({ one: sql`1` }).from(resetTokens).where(good))
  try {
    await commitSite(ctx, ctx.site, {
      guard: setPassword(ctx, userId, { passwordHash, emailVerifiedAt: proved(ctx) }, unused),
      writes: [
        endLogins(siteId, userId),
        endResetTokens(siteId, userId),
        ...resetNetworks(ctx, userId, await hashNetwork(ctx)),
      ],
      trail: [],
    })
  } catch (cause) {
    // Of two requests with the same token one finds it used.
    if (cause instanceof WriteConflict) throw new Refusal("reset_token_invalid")
    throw cause
  }
}

/** Whose token it is, if it is good, and the condition under which it is. */
async function userOfResetToken(ctx: SiteCtx, { token, email }: { token: string; email: string }) {
  const good = isGoodToken(ctx, resetTokens, await sha256(token))
  const [known] = await ctx.site.db
    .select({ userId: resetTokens.userId })
    .from(resetTokens)
    .innerJoin(users, and(eq(users.id, resetTokens.userId), hasEmail(ctx, email)))
    .where(good)
  return { good, userId: known?.userId }
}

/**
 * Changes the password of who knows the old one, and ends every login.
 * @param hashing the permit for two hashes
 * @throws Refusal as `hashing` does, `unauthenticated`, `email_unverified`, `wrong_password`
 */
export async function updatePassword(
  ctx: UserCtx,
  input: z.output<typeof UpdatePassword>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { id: siteId } = ctx.site
  const { user } = await afterRateLimit(hashing, authed(ctx))
  const hasher = await hashing
  const current = input.old_password || input.current_password || ""
  if (!(await hasher.verify(current, user.passwordHash))) throw new Refusal("wrong_password")
  const passwordHash = await hasher.hash(input.password)
  const unchanged = eq(users.passwordHash, user.passwordHash)
  const network = await hashNetwork(ctx)
  try {
    await asUser(ctx, () => [
      setPassword(ctx, user.id, { passwordHash }, unchanged),
      abortUnlessTouched,
      endLogins(siteId, user.id),
      endResetTokens(siteId, user.id),
      ...resetNetworks(ctx, user.id, network),
    ])
  } catch (cause) {
    if (cause instanceof WriteConflict) throw new Refusal("wrong_password")
    throw cause
  }
}

/** When the address was proved: now, unless it was before. */
const proved = (ctx: SiteCtx): SQL => sql`coalesce(${users.emailVerifiedAt}, ${ctx.now.getTime()})`

/** @param condition what must still hold when it is set */
const setPassword = (
  ctx: SiteCtx,
  userId: number,
  values: { passwordHash: string; emailVerifiedAt?: SQL },
  condition: SQL,
) =>
  update(users)
    .set({ ...values, updatedAt: ctx.now })
    .where(and(eq(users.siteId, ctx.site.id), eq(users.id, userId), condition))

const endLogins = (siteId: string, userId: number) =>
  remove(userTokens).where(and(eq(userTokens.siteId, siteId), eq(userTokens.userId, userId)))
