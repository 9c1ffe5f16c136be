// Logging in and out.
import { and, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { attemptLogin } from "../../core/auth/login-attempts"
import { hashNetwork } from "../../core/http/client-network"
import { assertNotRefused, type Limit, spend } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { batch } from "../../db/client"
import { userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { insertSelect, remove } from "../../db/write"
import { randomBase62, sha256 } from "../../lib/hash"
import { DAY, later } from "../../lib/time"
import { leaveSupport } from "../billing/support"
import { loginLimits } from "../rate-limits"
import type { SiteCtx } from "../site"
import { asUser, type User, type UserCtx } from "../user"
import { isStale, recordNetwork, selectNetwork } from "./networks"
import { selectByEmail } from "./queries"
import { fullName, type LogIn, type Session } from "./schemas"

/** How long a login lasts. */
const TOKEN_TTL = 365 * DAY

/** Logins that a user may have; a new one ends the oldest. Those of support access do not count. */
const MAX_TOKENS = 50

/** Successful logins a minute of one user. */
const LOGINS_PER_MINUTE = 60

/**
 * Logs a user in, and counts the attempt.
 * @param ttl milliseconds for which the token works
 * @returns the user and a token, `<id>|<48 characters>`, that is shown this once
 * @throws Refusal `rate_limited`, `wrong_credentials` for an unknown address and a wrong password alike, then `email_unverified`
 */
export async function logIn(
  ctx: SiteCtx,
  input: z.output<typeof LogIn>,
  ttl = TOKEN_TTL,
): Promise<z.input<typeof Session>> {
  const network = await hashNetwork(ctx)
  return attemptLogin(
    ctx,
    await loginLimits(ctx, input.email),
    () => findAccount(ctx, input.email, network),
    async ({ user, lastSeenAt }, hasher) => {
      const matches = await hasher.verify(input.password, user?.passwordHash)
      if (!user || !matches) throw new Refusal("wrong_credentials")
      if (ctx.site.api.emailVerification && !user.emailVerifiedAt) throw new Refusal("email_unverified")
      const token = await openLogin(ctx, user, { ttl, network: isStale(ctx, lastSeenAt) ? network : null })
      return { token, user: { id: user.id, name: fullName(user), email: user.email } }
    },
  )
}

/** The user of an address, and whether they have logged in from the network before. */
async function findAccount(ctx: SiteCtx, email: string, network: string) {
  const [[user], [known]] = await batch(ctx.site.db, [selectByEmail(ctx, email), selectNetwork(ctx, email, network)])
  return { user, lastSeenAt: known?.lastSeenAt, isKnownNetwork: known !== undefined }
}

/**
 * Stores a login and ends the user's oldest ones. It is counted in the commit's round trip: of the logins beyond the limit, the first
 * that an isolate refuses leaves a token that nobody holds.
 * @param given `network`: to record as the user's; null for one that is recorded already
 */
async function openLogin(
  ctx: SiteCtx,
  user: User,
  { ttl, network }: { ttl: number; network: string | null },
): Promise<string> {
  const siteId = ctx.site.id
  const successes: Limit = { name: `login-success:${siteId}:${user.id}`, limit: LOGINS_PER_MINUTE }
  assertNotRefused(ctx.env, [successes])
  const secret = randomBase62(48)
  const row = {
    siteId,
    userId: sql`${users.id}`,
    hash: await sha256(secret),
    createdAt: ctx.now,
    expiresAt: later(ctx.now, ttl),
  }
  // Only while the password is still the one that was checked: a change of it ends logins, those on their way included.
  const unchanged = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash))
  const own = and(eq(userTokens.siteId, siteId), eq(userTokens.userId, user.id), isNull(userTokens.support))
  const isLive = or(isNull(userTokens.expiresAt), gt(userTokens.expiresAt, ctx.now))
  const newest = sql`select ${userTokens.id} from ${userTokens} where ${and(own, isLive)} order by ${userTokens.id} desc limit ${MAX_TOKENS}`
  const [[[token]]] = await Promise.all([
    commitSite(ctx, ctx.site, {
      writes: [
        insertSelect(userTokens, row, sql`from ${users} where ${unchanged}`).returning({ id: userTokens.id }),
        remove(userTokens).where(and(own, sql`${userTokens.id} not in (${newest})`)),
        ...(network === null ? [] : recordNetwork(ctx, user.id, network, unchanged)),
      ],
      trail: [],
    }),
    spend(ctx.env, ctx.log, [successes]),
  ])
  if (!token) throw new Refusal("wrong_credentials")
  return `${token.id}|${secret}`
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

/**
 * Ends this login and no other one; with a support login, its support access.
 * @throws Refusal `unauthenticated`; `store_unavailable` while the store is being moved
 */
export async function endLogin(ctx: UserCtx): Promise<void> {
  if (await leaveSupport(ctx)) return
  const isPresented = and(
    eq(userTokens.siteId, ctx.site.id),
    eq(userTokens.id, ctx.caller.token?.id ?? 0),
    eq(userTokens.hash, ctx.caller.token?.hash ?? ""),
  )
  await asUser(ctx, () => [remove(userTokens).where(isPresented)], { unverified: true })
}
