// Manages the second factor of a store's staff: TOTP codes for every sign-in with a password, and recovery codes for a
// lost device. The secret of a setup that is not confirmed yet is in the form, encrypted, and not stored.
import { and, count, desc, eq, gt, isNull, lt, or, type sql } from "drizzle-orm"
import * as z from "zod"
import type { PasswordHasher } from "../../core/auth/password-hashing"
import { createRecoveryCodes, normalizeCode } from "../../core/auth/recovery-codes"
import { afterRateLimit, countFailures } from "../../core/http/rate-limit"
import { invalid, Refusal } from "../../core/http/refusal"
import { WriteConflict, writeUnaudited } from "../../core/write/commit"
import { userPasskeys, userRecoveryCodes, userTotps } from "../../db/schema/sites/second-factors"
import { userTokens } from "../../db/schema/sites/tokens"
import { inSite } from "../../db/site-scope"
import type { Write } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"
import { sha256 } from "../../lib/hash"
import { tryParseJson } from "../../lib/json"
import { addMs, HOUR } from "../../lib/time"
import { findTotpStep, formatTotpUri, generateTotpSecret } from "../../lib/totp"
import { buildAdminLimits, buildCodeLimit } from "../rate-limits"
import type { SiteCtx } from "../site"
import { writeAsStaff } from "../staff/write"
import { authenticate, type User, type UserCtx, writeAsUser } from "../user"

/** Validity of the form of a setup. */
const SETUP_TTL = HOUR

export const ConfirmPassword = z.object({ current_password: z.string().min(1).max(250) })
export const EnableTotp = z.object({ code: z.string().min(1).max(64), setup: z.string().max(1_000) })
export const EnterCode = z.object({ code: z.string().min(1).max(64) })

/** A secret that is not confirmed yet. */
export interface TotpSetup {
  secret: string
  /** The URI of the QR code. */
  uri: string
  /** The hidden field of the form that confirms it. */
  setup: string
}

/**
 * Authenticates a member of the staff again, by password.
 * @throws Refusal as `hashing` does, `unauthenticated`; `validation_failed` on `current_password`
 */
async function confirmMember(
  ctx: UserCtx,
  password: string,
  hashing: Promise<PasswordHasher>,
): Promise<{ user: User }> {
  const { user } = await afterRateLimit(hashing, authenticate(ctx, undefined, { role: "viewer" }))
  if (!(await (await hashing).verify(password, user.passwordHash)))
    throw invalid("current_password", "current_password")
  return { user }
}

/**
 * Creates a secret for an authenticator app.
 * @throws Refusal as `confirmMember`
 */
export async function startTotpSetup(
  ctx: UserCtx,
  input: z.output<typeof ConfirmPassword>,
  hashing: Promise<PasswordHasher>,
): Promise<TotpSetup> {
  const { user } = await confirmMember(ctx, input.current_password, hashing)
  const secret = generateTotpSecret()
  const until = addMs(ctx.now, SETUP_TTL).getTime()
  const setup = await encrypt(ctx.settings.APP_KEY, JSON.stringify({ ...subjectOf(ctx, user), secret, until }))
  return buildSetup(ctx, user, secret, setup)
}

const buildSetup = (ctx: SiteCtx, user: Pick<User, "email">, secret: string, setup: string): TotpSetup => ({
  secret,
  setup,
  uri: formatTotpUri({ issuer: ctx.site.store?.name ?? ctx.settings.APP_NAME, account: user.email, secret }),
})

const subjectOf = ({ site }: SiteCtx, { id }: Pick<User, "id">) => ({
  purpose: "totp-setup" as const,
  site: site.id,
  seq: site.store?.seq ?? 0,
  user: id,
})

const Setup = z.object({
  purpose: z.literal("totp-setup"),
  site: z.string(),
  seq: z.number(),
  user: z.number(),
  secret: z.string(),
  until: z.number(),
})

/** Reads the hidden field of a setup; null when it is forged, expired or another user's. */
export async function readTotpSetup(
  ctx: SiteCtx,
  user: Pick<User, "id" | "email">,
  setup: string,
): Promise<TotpSetup | null> {
  const text = await decrypt(ctx.settings.APP_KEY, setup)
  // The text may be another ciphertext of the platform, which is not JSON.
  const { data } = Setup.safeParse(text === null ? null : tryParseJson(text))
  const { site, seq, user: id } = subjectOf(ctx, user)
  if (!data || data.site !== site || data.seq !== seq || data.user !== id || data.until <= ctx.now.getTime())
    return null
  return buildSetup(ctx, user, data.secret, setup)
}

/**
 * Turns on the second factor with a first code.
 * @returns the recovery codes, which cannot be read again
 * @throws Refusal `unauthenticated`, `forbidden`; `code_wrong`, also when it is on already
 */
export async function enableTotp(ctx: UserCtx, { code, setup }: z.output<typeof EnableTotp>): Promise<string[]> {
  const { user } = await authenticate(ctx, undefined, { role: "viewer" })
  const found = await readTotpSetup(ctx, user, setup)
  const step = found && (await findTotpStep(found.secret, normalizeCode(code), ctx.now))
  if (!found || step === null) throw new Refusal("code_wrong")
  const codes = createRecoveryCodes()
  const hashes = await Promise.all(codes.map(sha256))
  const site = inSite(ctx.site.id)
  const secret = await encrypt(ctx.settings.APP_KEY, found.secret)
  try {
    await writeAsStaff(ctx, user, {
      role: "viewer",
      writes: [
        site.insert(userTotps).values({ userId: user.id, secret, step: step ?? 0, createdAt: ctx.now }),
        site.remove(userRecoveryCodes).where(eq(userRecoveryCodes.userId, user.id)),
        site.insert(userRecoveryCodes).values(hashes.map((hash) => ({ userId: user.id, hash }))),
      ],
      auditLog: [{ subject: "staff", action: "changed", id: user.id, after: { two_factor: true } }],
    })
  } catch (cause) {
    if (cause instanceof WriteConflict) throw new Refusal("code_wrong")
    throw cause
  }
  return codes
}

/**
 * Turns off the second factor, and deletes its recovery codes.
 * @throws Refusal as `confirmMember`
 */
export async function disableTotp(
  ctx: UserCtx,
  input: z.output<typeof ConfirmPassword>,
  hashing: Promise<PasswordHasher>,
): Promise<void> {
  const { user } = await confirmMember(ctx, input.current_password, hashing)
  const site = inSite(ctx.site.id)
  await writeAsStaff(ctx, user, {
    role: "viewer",
    writes: [
      site.remove(userTotps).where(eq(userTotps.userId, user.id)),
      site.remove(userRecoveryCodes).where(eq(userRecoveryCodes.userId, user.id)),
    ],
    auditLog: [{ subject: "staff", action: "changed", id: user.id, after: { two_factor: false } }],
  })
}

/** Builds the deletes of a user's second factors. */
export const buildFactorRemoval = (ctx: SiteCtx, userId: number): Write[] => {
  const site = inSite(ctx.site.id)
  return [userTotps, userRecoveryCodes, userPasskeys].map((table) => site.remove(table).where(eq(table.userId, userId)))
}

const selectTotp = ({ site }: SiteCtx, userId: number) =>
  site.db
    .select()
    .from(userTotps)
    .where(and(eq(userTotps.siteId, site.id), eq(userTotps.userId, userId)))

/** Whether a user has to enter a code to sign in. */
export const hasTotp = async (ctx: SiteCtx, userId: number): Promise<boolean> =>
  (await selectTotp(ctx, userId)).length > 0

/**
 * Consumes a code of an authenticator app, or a recovery code. Each is single-use, even under concurrent requests.
 * @throws Refusal `code_wrong`
 */
async function consumeCode(ctx: SiteCtx, userId: number, input: string): Promise<void> {
  const code = normalizeCode(input)
  const site = inSite(ctx.site.id)
  const [totp] = await selectTotp(ctx, userId)
  const secret = totp && (await decrypt(ctx.settings.APP_KEY, totp.secret))
  const step = secret ? await findTotpStep(secret, code, ctx.now) : null
  const hash = await sha256(code)
  const consumed =
    step === null
      ? site
          .update(userRecoveryCodes)
          .set({ usedAt: ctx.now })
          .where(
            and(
              eq(userRecoveryCodes.userId, userId),
              eq(userRecoveryCodes.hash, hash),
              isNull(userRecoveryCodes.usedAt),
            ),
          )
          .returning({ userId: userRecoveryCodes.userId })
      : site
          .update(userTotps)
          .set({ step })
          .where(and(eq(userTotps.userId, userId), lt(userTotps.step, step)))
          .returning({ userId: userTotps.userId })
  const [rows] = await writeUnaudited({ db: ctx.site.db }, "authentication", [consumed])
  if (!rows.length) throw new Refusal("code_wrong")
}

/**
 * Consumes a code of a member who signs in, and counts wrong ones.
 * @param knownNetwork the hash of a network from which the member has logged in; null for any other
 * @throws Refusal `rate_limited`, `code_wrong`
 */
export const enterCode = (ctx: SiteCtx, userId: number, code: string, knownNetwork: string | null): Promise<void> =>
  countFailures(ctx, [...buildAdminLimits(ctx), buildCodeLimit(ctx, userId, knownNetwork)], () =>
    consumeCode(ctx, userId, code),
  )

/** Logins that the page lists. */
const MAX_SESSIONS = 50

/** Reads a member's second factor, passkeys and logins, in one round trip. */
export async function readSecurity(ctx: UserCtx) {
  const { db, id: siteId } = ctx.site
  const { results } = await authenticate(
    ctx,
    (userId) => [
      db
        .select({ createdAt: userTotps.createdAt })
        .from(userTotps)
        .where(and(eq(userTotps.siteId, siteId), eq(userTotps.userId, userId))),
      db
        .select({ left: count() })
        .from(userRecoveryCodes)
        .where(
          and(
            eq(userRecoveryCodes.siteId, siteId),
            eq(userRecoveryCodes.userId, userId),
            isNull(userRecoveryCodes.usedAt),
          ),
        ),
      db
        .select()
        .from(userPasskeys)
        .where(and(eq(userPasskeys.siteId, siteId), eq(userPasskeys.userId, userId))),
      db
        .select({
          id: userTokens.id,
          createdAt: userTokens.createdAt,
          expiresAt: userTokens.expiresAt,
          isAdminSession: userTokens.isAdminSession,
        })
        .from(userTokens)
        .where(
          and(
            eq(userTokens.siteId, siteId),
            eq(userTokens.userId, userId),
            isNull(userTokens.support),
            or(isNull(userTokens.expiresAt), gt(userTokens.expiresAt, ctx.now)),
          ),
        )
        .orderBy(desc(userTokens.id))
        .limit(MAX_SESSIONS),
    ],
    { role: "viewer" },
  )
  const [[totp], [codes], passkeys, sessions] = results
  return { hasTotp: totp !== undefined, recoveryCodes: codes?.left ?? 0, passkeys, sessions }
}

/**
 * Ends one login of the user.
 * @param id of the login; one of another user is ignored
 */
export async function endSession(ctx: UserCtx, id: number): Promise<void> {
  const own = (userId: ReturnType<typeof sql<number>>) =>
    and(eq(userTokens.id, id), eq(userTokens.userId, userId), isNull(userTokens.support))
  await writeAsUser(ctx, (userId) => [inSite(ctx.site.id).remove(userTokens).where(own(userId))], { role: "viewer" })
}
