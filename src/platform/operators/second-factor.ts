// The second factor: codes of an authenticator (RFC 6238, 30 s, 6 digits, SHA-1 as the applications have it), and ten codes for
// the day the telephone is gone.
import { and, eq, isNull, lt, or } from "drizzle-orm"
import { Secret, TOTP } from "otpauth"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited, commit } from "../../core/write/commit"
import { operatorRecoveryCodes, operators } from "../../db/schema/central/operators"
import { insert, remove, update } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"
import { randomBase62, sha256 } from "../../lib/hash"
import { attemptInSession } from "./attempts"
import type { Operator } from "./schemas"
import type { Session } from "./sessions"

const PERIOD = 30
const RECOVERY_CODES = 10

const authenticator = (ctx: Ctx, operator: Operator, secret: string) =>
  new TOTP({
    issuer: ctx.settings.APP_NAME,
    label: operator.email,
    secret: Secret.fromBase32(secret),
    algorithm: "SHA1",
    digits: 6,
    period: PERIOD,
  })

/** A secret for an operator who has none that was proved; what was begun is begun anew. */
export async function beginTotp(ctx: Ctx, operator: Operator): Promise<void> {
  const sealed = await encrypt(ctx.settings.APP_KEY, new Secret({ size: 20 }).base32)
  await commit(ctx, {
    writes: [
      update(operators)
        .set({ totpSecret: sealed, totpStep: null })
        .where(and(eq(operators.id, operator.id), isNull(operators.totpEnabledAt))),
    ],
    trail: [{ audit: { subject: "operator", deed: "changed", id: operator.id, after: { two_factor: "begun" } } }],
  })
}

/** The secret that waits to be proved, as text and as the URI behind the QR code; null where none waits. */
export async function pendingTotp(ctx: Ctx, operator: Operator): Promise<{ secret: string; uri: string } | null> {
  if (!operator.totpSecret || operator.totpEnabledAt) return null
  const secret = await decrypt(ctx.settings.APP_KEY, operator.totpSecret)
  return secret ? { secret, uri: authenticator(ctx, operator, secret).toString() } : null
}

/** The time step that a code belongs to, within one step of now; null for a wrong one. */
async function stepOf(ctx: Ctx, operator: Operator, code: string): Promise<number | null> {
  if (!operator.totpSecret || !/^\d{6}$/.test(code)) return null
  const secret = await decrypt(ctx.settings.APP_KEY, operator.totpSecret)
  if (!secret) return null
  const timestamp = ctx.now.getTime()
  const delta = authenticator(ctx, operator, secret).validate({ token: code, timestamp, window: 1 })
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD) + delta
}

/** That a step was not used before. */
const isFresh = (operator: Operator, step: number) =>
  and(eq(operators.id, operator.id), or(isNull(operators.totpStep), lt(operators.totpStep, step)))

/**
 * Switches the second factor on with a first code.
 * @returns the recovery codes, which are shown this once
 * @throws Refusal `rate_limited`, `code_wrong`
 */
export const enableTotp = (ctx: Ctx, session: Session, code: string): Promise<string[]> =>
  attemptInSession(ctx, session, () => proveTotp(ctx, session.operator, code))

async function proveTotp(ctx: Ctx, operator: Operator, code: string): Promise<string[]> {
  const step = await stepOf(ctx, operator, code.replaceAll(/\s/g, ""))
  if (step === null || operator.totpEnabledAt) throw new Refusal("code_wrong")
  const codes = Array.from({ length: RECOVERY_CODES }, () => `${randomBase62(5)}-${randomBase62(5)}`.toLowerCase())
  const hashes = await Promise.all(codes.map((recovery) => recoveryHash(operator, recovery)))
  await commit(ctx, {
    guard: update(operators).set({ totpEnabledAt: ctx.now, totpStep: step }).where(isFresh(operator, step)),
    writes: [
      remove(operatorRecoveryCodes).where(eq(operatorRecoveryCodes.operatorId, operator.id)),
      insert(operatorRecoveryCodes).values(hashes.map((hash) => ({ hash, operatorId: operator.id }))),
    ],
    trail: [{ audit: { subject: "operator", deed: "changed", id: operator.id, after: { two_factor: true } } }],
  })
  return codes
}

/** Switches the second factor off, with its recovery codes. */
export async function disableTotp(ctx: Ctx, operator: Operator): Promise<void> {
  await commit(ctx, {
    writes: [
      update(operators)
        .set({ totpSecret: null, totpEnabledAt: null, totpStep: null })
        .where(eq(operators.id, operator.id)),
      remove(operatorRecoveryCodes).where(eq(operatorRecoveryCodes.operatorId, operator.id)),
    ],
    trail: [{ audit: { subject: "operator", deed: "changed", id: operator.id, after: { two_factor: false } } }],
  })
}

const recoveryHash = (operator: Operator, code: string) => sha256(`${operator.id}:${code}`)

/**
 * Takes a code of the authenticator or a recovery code; each counts once, whoever else sends it in the same moment.
 * @throws Refusal `code_wrong`
 */
export async function spendCode(ctx: Ctx, operator: Operator, given: string): Promise<void> {
  const code = given.replaceAll(/\s/g, "").toLowerCase()
  const step = await stepOf(ctx, operator, code)
  if (step !== null) {
    const [used] = await writeUnaudited(ctx, "a code counts once", [
      update(operators).set({ totpStep: step }).where(isFresh(operator, step)).returning({ id: operators.id }),
    ])
    if (used.length) return
  }
  const hash = await recoveryHash(operator, code)
  const [spent] = await writeUnaudited(ctx, "a recovery code counts once", [
    update(operatorRecoveryCodes)
      .set({ usedAt: ctx.now })
      .where(and(eq(operatorRecoveryCodes.hash, hash), isNull(operatorRecoveryCodes.usedAt)))
      .returning({ hash: operatorRecoveryCodes.hash }),
  ])
  if (!spent.length) throw new Refusal("code_wrong")
}
