// A new password: for who forgot the old one by a mailed token, for who knows it by the old one.
import { and, eq, exists, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../core/refusal"
import { batch, type Statement } from "../../db/client"
import { mailedTokens, userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { sha256 } from "../../lib/hash"
import { hashPassword, verifyPassword } from "../../lib/password"
import { sendAccountMail } from "../mails/account"
import type { SiteCtx } from "../site"
import { authed, type UserCtx } from "../user"
import { isGoodToken, mailedLink, newMailedToken, storeMailedToken } from "./mailed-tokens"
import { hasEmail, selectByEmail } from "./queries"
import type { ResetPassword, UpdatePassword } from "./schemas"

/** Mails a link and a token to the address, if somebody has an account under it; nothing tells the caller whether. */
export async function forgotPassword(ctx: SiteCtx, input: { email: string }): Promise<void> {
  const token = await newMailedToken("reset")
  const [, found] = await ctx.site.db.batch([
    storeMailedToken(ctx, token, sql`${users.id}`, sql`from ${users} where ${hasEmail(ctx, input.email)}`),
    selectByEmail(ctx, input.email),
  ])
  const [user] = found
  if (user) sendAccountMail(ctx, "reset", user.email, { token: token.token, url: mailedLink(ctx, token, user.email) })
}

/**
 * Sets a new password by a mailed token, which is used up, and ends every login. Who has read the mail has also proved the
 * address.
 * @throws Refusal `reset_token_invalid` for a token that is wrong, used, too old, or another address's
 */
export async function resetPassword(ctx: SiteCtx, input: z.output<typeof ResetPassword>): Promise<void> {
  const { db, id: siteId } = ctx.site
  const good = isGoodToken(ctx, "reset", await sha256(input.token))
  const holder = db
    .select({ userId: mailedTokens.userId })
    .from(mailedTokens)
    .innerJoin(users, and(eq(users.id, mailedTokens.userId), hasEmail(ctx, input.email)))
    .where(good)
  const [known] = await holder
  if (!known) throw new Refusal("reset_token_invalid")
  const passwordHash = await hashPassword(input.password)
  // The token is asked for again by every statement: of two requests with the same token one finds it gone.
  const unused = exists(db.select({ one: sql`1` }).from(mailedTokens).where(good))
  const statements: Statement[] = [
    db
      .update(users)
      .set({
        passwordHash,
        emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${ctx.now.getTime()})`,
        updatedAt: ctx.now,
      })
      .where(and(eq(users.siteId, siteId), eq(users.id, known.userId), unused)),
    db.delete(userTokens).where(and(eq(userTokens.siteId, siteId), eq(userTokens.userId, known.userId), unused)),
    db.delete(mailedTokens).where(good).returning({ id: mailedTokens.id }),
  ]
  const used = (await batch(db, statements)).at(-1) as unknown[]
  if (!used.length) throw new Refusal("reset_token_invalid")
}

/**
 * Changes the password of who knows the old one, and ends every login.
 * @throws Refusal `unauthenticated`, `wrong_password`
 */
export async function updatePassword(ctx: UserCtx, input: z.output<typeof UpdatePassword>): Promise<void> {
  const { db, id: siteId } = ctx.site
  const { user } = await authed(ctx)
  const current = input.old_password || input.current_password || ""
  if (!(await verifyPassword(current, user.passwordHash))) throw new Refusal("wrong_password")
  const passwordHash = await hashPassword(input.password)
  const own = and(eq(userTokens.siteId, siteId), eq(userTokens.userId, user.id))
  const [changed] = await db.batch([
    db
      .update(users)
      .set({ passwordHash, updatedAt: ctx.now })
      .where(and(eq(users.siteId, siteId), eq(users.id, user.id), eq(users.passwordHash, user.passwordHash)))
      .returning({ id: users.id }),
    db.delete(userTokens).where(own),
    db
      .delete(mailedTokens)
      .where(and(eq(mailedTokens.siteId, siteId), eq(mailedTokens.userId, user.id), eq(mailedTokens.purpose, "reset"))),
  ])
  if (!changed.length) throw new Refusal("wrong_password")
}
