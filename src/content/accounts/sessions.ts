// Logging in and out.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../core/refusal"
import { commitSite } from "../../core/site-commit"
import { userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { insertSelect, remove } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { verifyPassword } from "../../lib/password"
import { heardAfter } from "../attempts"
import { leaveSupport } from "../billing/support"
import type { SiteCtx } from "../site"
import { asUser, type UserCtx } from "../user"
import { selectByEmail } from "./queries"
import { fullName, type LogIn, type Session } from "./schemas"

/** The stored form of a password nobody knows: an unknown address costs the same time as a wrong password. */
const NOBODYS_PASSWORD = `scrypt$14$8$5$${btoa("no such account!")}$${btoa("and no password matches this one")}`

/**
 * Logs a user in.
 * @param counted the attempt's count
 * @returns the user and a token, `<id>|<48 characters>`, that is shown this once
 * @throws Refusal as `counted` does, `wrong_credentials` for an unknown address and a wrong password alike, then `email_unverified`
 */
export async function logIn(
  ctx: SiteCtx,
  input: z.output<typeof LogIn>,
  counted: Promise<void>,
): Promise<z.input<typeof Session>> {
  const [user] = await heardAfter(counted, selectByEmail(ctx, input.email))
  const matches = await verifyPassword(input.password, user?.passwordHash ?? NOBODYS_PASSWORD)
  if (!user || !matches) throw new Refusal("wrong_credentials")
  if (ctx.site.api.emailVerification && !user.emailVerifiedAt) throw new Refusal("email_unverified")
  const secret = randomBase62(48)
  const hash = await sha256(secret)
  // Only while the password is still the one that was checked: a change of it ends logins, those on their way included.
  const unchanged = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash))
  const [[token]] = await commitSite(ctx, ctx.site, {
    writes: [
      insertSelect(
        userTokens,
        { siteId: ctx.site.id, userId: sql`${users.id}`, hash, createdAt: ctx.now },
        sql`from ${users} where ${unchanged}`,
      ).returning({ id: userTokens.id }),
    ],
    trail: [],
  })
  if (!token) throw new Refusal("wrong_credentials")
  return { token: `${token.id}|${secret}`, user: { id: user.id, name: fullName(user), email: user.email } }
}

/**
 * Revokes every token of the user; with a support login, only that login.
 * @throws Refusal `unauthenticated`
 */
export async function logOut(ctx: UserCtx): Promise<void> {
  const { id } = ctx.site
  const revoke = (userId: SQL<number>) => [
    remove(userTokens).where(and(eq(userTokens.siteId, id), eq(userTokens.userId, userId))),
  ]
  try {
    await asUser(ctx, revoke, { unverified: true })
  } catch (cause) {
    const isSupport = cause instanceof Refusal && cause.code === "forbidden"
    if (!isSupport || !(await leaveSupport(ctx))) throw cause
  }
}
