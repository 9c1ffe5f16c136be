// Sessions of a store's staff in a browser (/admin): login tokens that end after two hours without a request, and after
// twelve hours in all. A new password and leaving the staff end them, as they end every login.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { verifyFirstSignIn } from "../../core/auth/first-sign-in"
import type { PasskeyAssertion } from "../../core/auth/passkeys"
import { hashNetwork } from "../../core/http/client-network"
import { countFailures } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited } from "../../core/write/commit"
import { userNetworks, userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { equalSecrets, hmacSha256 } from "../../lib/hash"
import { addMs, HOUR, MINUTE } from "../../lib/time"
import { buildAdminLimits } from "../rate-limits"
import { type Shop, selectShopSettings, toShop } from "../shop/settings"
import type { SiteCtx } from "../site"
import { hasRole, staffRole } from "../staff/rules"
import { withActor } from "../staff/write"
import { authenticate, createUserCtx, type User, type UserCtx } from "../user"
import { isStale, selectNetwork } from "./networks"
import { authenticateByPasskey } from "./passkeys"
import { selectByEmail } from "./queries"
import type { LogIn } from "./schemas"
import { enterCode, hasTotp } from "./second-factor"
import { assertMayLogIn, checkPassword, createSession } from "./sessions"

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

/** A token of a session, or of a sign-in that still needs a code. */
export type SignIn = { token: string } | { awaitingCode: string }

/**
 * Signs a member of the staff in. Counted like a login of the API.
 * @returns the session's token, which is not stored in plain text; without a code, a token for `openSessionByCode`
 * @throws Refusal as `checkPassword`; `forbidden` for a customer
 */
export async function openStaffSession(ctx: SiteCtx, input: z.output<typeof LogIn>): Promise<SignIn> {
  const signIn = await checkPassword(ctx, input, async (user, { network }): Promise<SignIn | null> => {
    if (!staffRole(user)) return null
    if (await hasTotp(ctx, user.id)) return { awaitingCode: await createPendingSignIn(ctx, user) }
    return { token: await createStaffSession(ctx, user, network) }
  })
  if (!signIn) throw new Refusal("forbidden")
  return signIn
}

const createStaffSession = (ctx: SiteCtx, user: User, network: string | null, condition?: SQL): Promise<string> =>
  createSession(ctx, user, { ttl: IDLE_TIMEOUT, network, isAdminSession: true, ...(condition && { condition }) })

/** Time to enter the code. */
const CODE_TTL = 10 * MINUTE

/** The proof ends with a new password, and with the store. */
const signPending = async (key: Uint8Array<ArrayBuffer>, { site }: SiteCtx, user: User, until: number) =>
  (await hmacSha256(key, `admin-code:${site.id}:${site.store?.seq}:${user.id}:${until}:${user.passwordHash}`)).toHex()

async function createPendingSignIn(ctx: SiteCtx, user: User): Promise<string> {
  const until = addMs(ctx.now, CODE_TTL).getTime()
  return `${user.id}.${until}.${await signPending(ctx.settings.APP_KEY.current, ctx, user, until)}`
}

/** Finds the member whose password was verified. */
async function findPending(ctx: SiteCtx, pending: string): Promise<User | null> {
  const [, id, until, proof] = /^(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})$/.exec(pending) ?? []
  if (!id || !proof || Number(until) <= ctx.now.getTime()) return null
  const [user] = await ctx.site.db
    .select()
    .from(users)
    .where(and(eq(users.siteId, ctx.site.id), eq(users.id, Number(id))))
  if (!user || !staffRole(user)) return null
  const { current, previous } = ctx.settings.APP_KEY
  const keys = previous ? [current, previous] : [current]
  const proofs = await Promise.all(keys.map((key) => signPending(key, ctx, user, Number(until))))
  return proofs.map((expected) => equalSecrets(proof, expected)).some(Boolean) ? user : null
}

/** Whether a token of `openStaffSession` awaits a code. */
export const isAwaitingCode = async (ctx: SiteCtx, pending: string): Promise<boolean> =>
  (await findPending(ctx, pending)) !== null

/**
 * Completes a sign-in by a code of an authenticator app, or by a recovery code.
 * @param pending of `openStaffSession`
 * @throws Refusal `unauthenticated` for a token that is forged or expired; `rate_limited`, `code_wrong`
 */
export async function openSessionByCode(ctx: SiteCtx, pending: string, code: string): Promise<string> {
  const user = await findPending(ctx, pending)
  if (!user) throw new Refusal("unauthenticated")
  assertMayLogIn(ctx, user)
  const network = await hashNetwork(ctx)
  const [known] = await selectNetwork(ctx, user.email, network)
  await enterCode(ctx, user.id, code, known ? network : null)
  return createStaffSession(ctx, user, isStale(ctx, known?.lastSeenAt) ? network : null)
}

/**
 * Signs a member of the staff in by a passkey. The authenticator verified the user, so no other factor is needed.
 * @throws Refusal `rate_limited`, `passkey_refused`, `account_disabled`, `email_unverified`
 */
export async function openSessionByPasskey(ctx: SiteCtx, input: z.output<typeof PasskeyAssertion>): Promise<string> {
  const user = await countFailures(ctx, buildAdminLimits(ctx), () => authenticateByPasskey(ctx, input))
  assertMayLogIn(ctx, user)
  return createStaffSession(ctx, user, await hashNetwork(ctx))
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
    return await createStaffSession(ctx, user, await hashNetwork(ctx), condition)
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

/** The refusal of an ended session, and of a session of a user who has left the staff. */
const ENDED: ReadonlySet<Refusal["code"]> = new Set(["unauthenticated", "forbidden", "email_unverified"])

interface SessionTimes {
  isAdminSession: boolean | null
  createdAt: Date
  expiresAt: Date | null
}

const isOwn = ({ caller }: UserCtx) =>
  and(eq(userTokens.id, caller.token?.id ?? 0), eq(userTokens.hash, caller.token?.hash ?? ""))

const selectTimes = (ctx: UserCtx) =>
  ctx.site.db
    .select({
      createdAt: userTokens.createdAt,
      expiresAt: userTokens.expiresAt,
      isAdminSession: userTokens.isAdminSession,
    })
    .from(userTokens)
    .where(isOwn(ctx))

/** Whether a valid token is that of a session, and not of another login. */
const isSession = ({ createdAt, expiresAt, isAdminSession }: SessionTimes, now: Date): boolean =>
  isAdminSession === true &&
  expiresAt !== null &&
  createdAt > addMs(now, -MAX_AGE) &&
  expiresAt <= addMs(now, IDLE_TIMEOUT)

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
