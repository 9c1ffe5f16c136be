// Logs users in and out.
import { and, eq, gt, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { attemptLogin } from "../../core/auth/login-attempts"
import { hashNetwork } from "../../core/http/client-network"
import { assertNotRefused, type Limit, takeTokens } from "../../core/http/rate-limit"
import { invalid, Refusal } from "../../core/http/refusal"
import { commitSite } from "../../core/write/site-commit"
import { batch } from "../../db/client"
import { userTokens } from "../../db/schema/sites/tokens"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { fullName } from "../../lib/full-name"
import { randomBase62, sha256 } from "../../lib/hash"
import { addMs, DAY } from "../../lib/time"
import { endSupportLogin } from "../billing/support"
import { buildLoginLimits } from "../rate-limits"
import type { SiteCtx } from "../site"
import { staffRole } from "../staff/rules"
import { type User, type UserCtx, writeAsUser } from "../user"
import { buildAttachWrites } from "./app-writes"
import { isStale, recordFirstNetwork, recordNetwork, selectNetwork } from "./networks"
import { hasEmail, selectByEmail } from "./queries"
import { LogIn, type Session } from "./schemas"
import { enterCode, hasTotp } from "./second-factor"

const TOKEN_TTL = 365 * DAY

/** Tokens per user. A new login deletes the oldest ones. Tokens of support logins do not count. */
const MAX_TOKENS = 50

/** Successful logins per user. */
const LOGINS_PER_MINUTE = 60

/**
 * Parses the fields of a sign-in form.
 * @throws Refusal `validation_failed` on `code` when it is too long; `wrong_credentials` for any other invalid field,
 *   because no account has such an address or password
 */
export function parseLogIn(fields: unknown): z.output<typeof LogIn> {
  const { data, error } = LogIn.safeParse(fields)
  if (data) return data
  const isCode = error.issues.every(({ path: [field] }) => field === "code")
  throw isCode ? invalid("code", "selected") : new Refusal("wrong_credentials")
}

/**
 * Logs a user in, and counts the attempt. The token of a member of the staff may change the shop, so members with
 * two-factor authentication need a code, as they do in the admin. A login without one does not count as failed: the
 * password was correct, and no code was guessed.
 * @param ttl the token's lifetime in milliseconds
 * @returns the user and a token, `<id>|<48 characters>`, which is not stored in plain text
 * @throws Refusal as `checkPassword`; then `validation_failed` on `code` when it is missing or wrong, `rate_limited`
 */
export async function logIn(
  ctx: SiteCtx,
  input: z.output<typeof LogIn>,
  ttl = TOKEN_TTL,
): Promise<z.input<typeof Session>> {
  const session = await checkPassword(ctx, input, async (user, { network, knownNetwork }) => {
    if (staffRole(user) && (await hasTotp(ctx, user.id))) {
      if (!input.code) return null
      await checkCode(ctx, user, input.code, knownNetwork)
    }
    const token = await createSession(ctx, user, { ttl, network, writes: await buildSignInWrites(ctx, user) })
    return { token, user: { id: user.id, name: fullName(user), email: user.email, role: staffRole(user) } }
  })
  if (!session) throw invalid("code", "required")
  return session
}

async function checkCode(ctx: SiteCtx, { id }: User, code: string, knownNetwork: string | null) {
  try {
    await enterCode(ctx, id, code, knownNetwork)
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.code === "code_wrong") throw invalid("code", "selected")
    throw thrown
  }
}

/** The client's network, as a hash. */
interface LoginNetwork {
  /** The network to record; null when it is recorded already. */
  network: string | null
  /** The network, if the user has logged in from it before; null for any other. */
  knownNetwork: string | null
}

/**
 * Verifies an email address and a password, and counts the attempt.
 * @param work completes the login
 * @throws Refusal `rate_limited`, `wrong_credentials` for an unknown address and a wrong password alike, then
 *   `account_disabled`, `email_unverified`
 */
export async function checkPassword<Result>(
  ctx: SiteCtx,
  input: z.output<typeof LogIn>,
  work: (user: User, network: LoginNetwork) => Promise<Result>,
): Promise<Result> {
  const network = await hashNetwork(ctx)
  return attemptLogin(
    ctx,
    await buildLoginLimits(ctx, input.email),
    () => findAccount(ctx, input.email, network),
    async ({ user, lastSeenAt, isKnownNetwork }, hasher) => {
      const matches = await hasher.verify(input.password, user?.passwordHash)
      if (!user || !matches) throw new Refusal("wrong_credentials")
      assertMayLogIn(ctx, user)
      return work(user, {
        network: isStale(ctx, lastSeenAt) ? network : null,
        knownNetwork: isKnownNetwork ? network : null,
      })
    },
  )
}

/** @throws Refusal `account_disabled`, `email_unverified` */
export function assertMayLogIn(ctx: SiteCtx, user: User): void {
  if (user.disabledAt) throw new Refusal("account_disabled")
  if (ctx.site.api.emailVerification && !user.emailVerifiedAt) throw new Refusal("email_unverified")
}

/** Builds the writes that attach what a customer did as a guest since the address was confirmed. */
const buildSignInWrites = async ({ site, now }: SiteCtx, { id, emailKey, emailVerifiedAt, isStaff }: User) =>
  emailVerifiedAt && !isStaff ? buildAttachWrites(site.id, { userId: sql<number>`${id}`, email: emailKey, now }) : []

/** Finds the user of an email address, and whether they have logged in from the network before. */
async function findAccount(ctx: SiteCtx, email: string, network: string) {
  const [[user], [networkRow]] = await batch(ctx.site.db, [
    selectByEmail(ctx, email),
    selectNetwork(ctx, email, network),
  ])
  return { user, lastSeenAt: networkRow?.lastSeenAt, isKnownNetwork: networkRow !== undefined }
}

/**
 * Stores a token and deletes the user's oldest ones. The success is counted in parallel with the commit, so a login
 * that is refused leaves an unused token behind.
 * @param options `network`: the network to record; null when it is recorded already; `condition`: on the user's row;
 *   `writes`: further ones of the commit; `isAdminSession`: whether the store's admin accepts the token
 * @throws Refusal `wrong_credentials` when the user has changed since, or does not meet the condition
 */
export async function createSession(
  ctx: SiteCtx,
  user: User,
  {
    ttl,
    network,
    condition,
    writes = [],
    isAdminSession = null,
  }: {
    ttl: number
    network: string | null
    condition?: SQL
    writes?: readonly Write[]
    isAdminSession?: true | null
  },
): Promise<string> {
  const siteId = ctx.site.id
  const successes: Limit = { name: `login-success:${siteId}:${user.id}`, limit: LOGINS_PER_MINUTE }
  assertNotRefused(ctx.env, [successes])
  const { secret, row } = await generateToken(ctx, { ttl, isAdminSession })
  // Only while the password is the one that was checked: a password change, and disabling, also end logins in flight.
  const isUnchanged = and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash), isNull(users.disabledAt))
  // The token that the batch has inserted by then may end the condition.
  const isLoggedIn = sql`exists (select 1 from ${userTokens} where ${and(eq(userTokens.siteId, siteId), eq(userTokens.hash, row.hash))})`
  const own = and(eq(userTokens.userId, user.id), isNull(userTokens.support))
  const isLive = or(isNull(userTokens.expiresAt), gt(userTokens.expiresAt, ctx.now))
  // Recently expired tokens stay, so that a form that they send late is saved (form-drafts.ts).
  const isLongExpired = lte(userTokens.expiresAt, addMs(ctx.now, -DAY))
  const newest = sql`select ${userTokens.id} from ${userTokens} where ${and(eq(userTokens.siteId, siteId), own, isLive)} order by ${userTokens.id} desc limit ${MAX_TOKENS}`
  const [[[token]]] = await Promise.all([
    commitSite(ctx, ctx.site, {
      writes: [
        insertToken(ctx, row, and(isUnchanged, condition)),
        inSite(siteId)
          .remove(userTokens)
          .where(and(own, sql`${userTokens.id} not in (${newest})`, or(isLive, isLongExpired))),
        ...(network === null ? [] : recordNetwork(ctx, user.id, network, condition ? isLoggedIn : isUnchanged)),
        ...writes,
      ],
      auditLog: { auditSkipped: "site_user" },
    }),
    takeTokens(ctx.env, ctx.log, [successes]),
  ])
  if (!token) throw new Refusal("wrong_credentials")
  return `${token.id}|${secret}`
}

/** Generates a token without storing it. */
async function generateToken(ctx: SiteCtx, { ttl, isAdminSession }: { ttl: number; isAdminSession: true | null }) {
  const secret = randomBase62(48)
  const hash = await sha256(secret)
  return { secret, row: { hash, createdAt: ctx.now, expiresAt: addMs(ctx.now, ttl), isAdminSession } }
}

type TokenRow = Awaited<ReturnType<typeof generateToken>>["row"]

/** Inserts a token of the user who meets the condition, and returns its id. */
const insertToken = ({ site }: SiteCtx, row: TokenRow, condition: SQL | undefined) =>
  inSite(site.id)
    .insertSelect(
      userTokens,
      { userId: sql`${users.id}`, ...row },
      sql`from ${users} where ${and(eq(users.siteId, site.id), condition)}`,
    )
    .returning({ id: userTokens.id })

/**
 * Prepares the first session of a user who is inserted by the same commit.
 * @param ttl the token's lifetime in milliseconds
 * @returns the writes, and a function that builds the token from the result of the first one
 */
export async function prepareFirstSession(ctx: SiteCtx, email: string, ttl: number) {
  const { secret, row } = await generateToken(ctx, { ttl, isAdminSession: null })
  return {
    writes: [
      insertToken(ctx, row, hasEmail(ctx, email)),
      recordFirstNetwork(ctx, email, await hashNetwork(ctx)),
    ] as const,
    toToken: (rows: readonly { id: number }[]): string | null => (rows[0] ? `${rows[0].id}|${secret}` : null),
  }
}

/**
 * Revokes every token of the user; with a support login, only its own.
 * @throws Refusal `unauthenticated`
 */
export async function logOut(ctx: UserCtx): Promise<void> {
  const { id } = ctx.site
  const deleteAll = (userId: SQL<number>) => [inSite(id).remove(userTokens).where(eq(userTokens.userId, userId))]
  try {
    await writeAsUser(ctx, deleteAll, { allowUnverified: true })
  } catch (cause) {
    const isSupport = cause instanceof Refusal && cause.code === "forbidden"
    if (!isSupport || !(await endSupportLogin(ctx))) throw cause
  }
}

/**
 * Revokes only the presented token; with a support login, its support access.
 * @throws Refusal `unauthenticated`; `store_unavailable` while the store is being migrated
 */
export async function revokeSession(ctx: UserCtx): Promise<void> {
  if (await endSupportLogin(ctx)) return
  const isPresented = and(
    eq(userTokens.id, ctx.caller.token?.id ?? 0),
    eq(userTokens.hash, ctx.caller.token?.hash ?? ""),
  )
  await writeAsUser(ctx, () => [inSite(ctx.site.id).remove(userTokens).where(isPresented)], { allowUnverified: true })
}
