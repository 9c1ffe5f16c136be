// Sessions of a store's staff in a browser (/admin): login tokens that end after two hours without a request, and after
// twelve hours in all. A new password and leaving the staff end them, as they end every login.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { verifyFirstSignIn } from "../../core/auth/first-sign-in"
import { hashNetwork } from "../../core/http/client-network"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited } from "../../core/write/commit"
import { userNetworks, userTokens } from "../../db/schema/sites/tokens"
import { inSite } from "../../db/site-scope"
import { addMs, HOUR, MINUTE } from "../../lib/time"
import { type Shop, selectShopSettings, toShop } from "../shop/settings"
import type { SiteCtx } from "../site"
import { hasRole, staffRole } from "../staff/rules"
import { withActor } from "../staff/write"
import { authenticate, createUserCtx, type User, type UserCtx } from "../user"
import { selectByEmail } from "./queries"
import type { LogIn } from "./schemas"
import { createSession, logIn, revokeSession } from "./sessions"

/** A session ends after this long without a request, and after this long in all. */
const IDLE_TIMEOUT = 2 * HOUR
const MAX_AGE = 12 * HOUR

/** A session is renewed at most this often. */
const RENEWAL_INTERVAL = MINUTE

/** A member of the staff who is signed in, and the shop. */
export interface StaffSession {
  /** Acts as the member. */
  ctx: UserCtx
  user: User
  shop: Shop
}

/**
 * Signs a member of the staff in. Counted like a login of the API.
 * @returns the session's token, which is not stored in plain text
 * @throws Refusal as `logIn`; `forbidden` for a customer
 */
export async function openStaffSession(ctx: SiteCtx, input: z.output<typeof LogIn>): Promise<string> {
  const { token, user } = await logIn(ctx, input, IDLE_TIMEOUT)
  if (user.role) return token
  await revokeSession(await createUserCtx(ctx, `Bearer ${token}`))
  throw new Refusal("forbidden")
}

/**
 * Signs the owner of a new store in, once, with the token of the sign-up.
 * @returns the session's token; null for a token that is forged or expired, or when the owner has signed in before
 */
export async function openFirstSession(ctx: SiteCtx, firstSignIn: string): Promise<string | null> {
  const { now, settings, site } = ctx
  const email = await verifyFirstSignIn(settings, site.id, firstSignIn, now)
  if (!email) return null
  const [user] = await selectByEmail(ctx, email)
  if (!user || !hasRole(user, "owner")) return null
  const hasNever = (table: typeof userTokens | typeof userNetworks) =>
    sql`not exists (select 1 from ${table} where ${and(eq(table.siteId, site.id), eq(table.userId, user.id))})`
  const condition = sql`${hasNever(userTokens)} and ${hasNever(userNetworks)}`
  try {
    return await createSession(ctx, user, { ttl: IDLE_TIMEOUT, network: await hashNetwork(ctx), condition })
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.code === "wrong_credentials") return null
    throw thrown
  }
}

/**
 * Finds the session of a token, in one round trip, and renews it in the background.
 * @returns null for a session that has ended, for a customer, and for any other kind of login
 */
export async function findStaffSession(ctx: SiteCtx, token: string): Promise<StaffSession | null> {
  try {
    const caller = await createUserCtx(ctx, `Bearer ${token}`)
    const { user, support, results } = await authenticate(
      caller,
      () => [selectTimes(caller), selectShopSettings({ site: ctx.site.id })] as const,
      { role: "viewer" },
    )
    const [[times], [settings]] = results
    if (!times || support || !isSession(times, ctx.now)) return null
    renew(caller, times)
    return { ctx: withActor(caller, user), user, shop: toShop(ctx.site, settings) }
  } catch (thrown) {
    if (thrown instanceof Refusal && ENDED.has(thrown.code)) return null
    throw thrown
  }
}

/** What an ended session is refused with, and that of a user who has left the staff. */
const ENDED: ReadonlySet<Refusal["code"]> = new Set(["unauthenticated", "forbidden", "email_unverified"])

interface SessionTimes {
  createdAt: Date
  expiresAt: Date | null
}

const isOwn = ({ caller }: UserCtx) =>
  and(eq(userTokens.id, caller.token?.id ?? 0), eq(userTokens.hash, caller.token?.hash ?? ""))

const selectTimes = (ctx: UserCtx) =>
  ctx.site.db
    .select({ createdAt: userTokens.createdAt, expiresAt: userTokens.expiresAt })
    .from(userTokens)
    .where(isOwn(ctx))

/** Whether a valid token is that of a session: logins of the API last longer. */
const isSession = ({ createdAt, expiresAt }: SessionTimes, now: Date): boolean =>
  expiresAt !== null && createdAt > addMs(now, -MAX_AGE) && expiresAt <= addMs(now, IDLE_TIMEOUT)

/** Postpones the end of a session that is used. */
function renew(ctx: UserCtx, { createdAt, expiresAt }: SessionTimes): void {
  const { now, site } = ctx
  const end = new Date(Math.min(addMs(createdAt, MAX_AGE).getTime(), addMs(now, IDLE_TIMEOUT).getTime()))
  if (expiresAt && end.getTime() - expiresAt.getTime() < RENEWAL_INTERVAL) return
  const renewed = inSite(site.id).update(userTokens).set({ expiresAt: end }).where(isOwn(ctx))
  ctx.inBackground(writeUnaudited({ db: site.db }, "last_used", [renewed]))
}

/** Returns the role of a member of the staff. */
export const roleOf = ({ user }: StaffSession) => staffRole(user) ?? "viewer"
