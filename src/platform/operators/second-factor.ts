// Manages the second factor of operators: TOTP codes, and recovery codes for a lost device.
import { and, eq, isNull, lt, or } from "drizzle-orm"
import { createRecoveryCodes, normalizeCode } from "../../core/auth/recovery-codes"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { operatorRecoveryCodes, operators } from "../../db/schema/central/operators"
import { insert, remove, update } from "../../db/write"
import { decrypt, encrypt } from "../../lib/cipher"
import { sha256 } from "../../lib/hash"
import { findTotpStep, formatTotpUri, generateTotpSecret } from "../../lib/totp"
import { attemptInSession } from "./limits"
import type { Operator } from "./schemas"
import type { Session } from "./sessions"

/** Stores a new secret for an operator without an enabled second factor. Starting again replaces the secret. */
export async function startTotpSetup(ctx: Ctx, operator: Operator): Promise<void> {
  const encrypted = await encrypt(ctx.settings.APP_KEY, generateTotpSecret())
  await commit(ctx, {
    writes: [
      update(operators)
        .set({ totpSecret: encrypted, totpStep: null })
        .where(and(eq(operators.id, operator.id), isNull(operators.totpEnabledAt))),
    ],
    auditLog: [{ audit: { subject: "operator", action: "changed", id: operator.id, after: { two_factor: "begun" } } }],
  })
}

/** Returns the secret that is not confirmed yet, as text and as the URI of the QR code; null when there is none. */
export async function readPendingTotp(ctx: Ctx, operator: Operator): Promise<{ secret: string; uri: string } | null> {
  if (!operator.totpSecret || operator.totpEnabledAt) return null
  const secret = await decrypt(ctx.settings.APP_KEY, operator.totpSecret)
  return secret
    ? { secret, uri: formatTotpUri({ issuer: ctx.settings.APP_NAME, account: operator.email, secret }) }
    : null
}

/** Returns the time step of a code, within one step of now; null for a wrong code. */
async function findStep(ctx: Ctx, operator: Operator, code: string): Promise<number | null> {
  if (!operator.totpSecret || !/^\d{6}$/.test(code)) return null
  const secret = await decrypt(ctx.settings.APP_KEY, operator.totpSecret)
  return secret ? findTotpStep(secret, code, ctx.now) : null
}

/** Matches the operator while no code of this or a later step was used. */
const isUnusedStep = (operator: Operator, step: number) =>
  and(eq(operators.id, operator.id), or(isNull(operators.totpStep), lt(operators.totpStep, step)))

/**
 * Enables the second factor with a first code.
 * @returns the recovery codes, which cannot be read again
 * @throws Refusal `rate_limited`, `code_wrong`
 */
export const enableTotp = (ctx: Ctx, session: Session, code: string): Promise<string[]> =>
  attemptInSession(ctx, session, () => confirmTotp(ctx, session.operator, code))

async function confirmTotp(ctx: Ctx, operator: Operator, code: string): Promise<string[]> {
  const step = await findStep(ctx, operator, normalizeCode(code))
  if (step === null || operator.totpEnabledAt) throw new Refusal("code_wrong")
  const codes = createRecoveryCodes()
  const hashes = await Promise.all(codes.map((recovery) => hashRecoveryCode(operator, recovery)))
  await commit(ctx, {
    guard: update(operators)
      .set({ totpEnabledAt: ctx.now, totpStep: step })
      .where(and(isUnusedStep(operator, step), eq(operators.totpSecret, operator.totpSecret ?? ""))),
    writes: [
      remove(operatorRecoveryCodes).where(eq(operatorRecoveryCodes.operatorId, operator.id)),
      insert(operatorRecoveryCodes).values(hashes.map((hash) => ({ hash, operatorId: operator.id }))),
    ],
    auditLog: [{ audit: { subject: "operator", action: "changed", id: operator.id, after: { two_factor: true } } }],
  }).catch((cause) => {
    // Another request has used the code, or started the setup again with another secret.
    throw cause instanceof WriteConflict ? new Refusal("code_wrong") : cause
  })
  return codes
}

/** Disables the second factor and deletes its recovery codes. */
export async function disableTotp(ctx: Ctx, operator: Operator): Promise<void> {
  await commit(ctx, {
    writes: [
      update(operators)
        .set({ totpSecret: null, totpEnabledAt: null, totpStep: null })
        .where(eq(operators.id, operator.id)),
      remove(operatorRecoveryCodes).where(eq(operatorRecoveryCodes.operatorId, operator.id)),
    ],
    auditLog: [{ audit: { subject: "operator", action: "changed", id: operator.id, after: { two_factor: false } } }],
  })
}

const hashRecoveryCode = (operator: Operator, code: string) => sha256(`${operator.id}:${code}`)

/**
 * Consumes an authenticator or recovery code. Each is single-use, even under concurrent requests.
 * @throws Refusal `code_wrong`
 */
export async function consumeCode(ctx: Ctx, operator: Operator, input: string): Promise<void> {
  const code = normalizeCode(input)
  const step = await findStep(ctx, operator, code)
  if (step !== null) {
    const [updated] = await writeUnaudited(ctx, "authentication", [
      update(operators).set({ totpStep: step }).where(isUnusedStep(operator, step)).returning({ id: operators.id }),
    ])
    if (updated.length) return
  }
  const hash = await hashRecoveryCode(operator, code)
  const [updatedCodes] = await writeUnaudited(ctx, "authentication", [
    update(operatorRecoveryCodes)
      .set({ usedAt: ctx.now })
      .where(and(eq(operatorRecoveryCodes.hash, hash), isNull(operatorRecoveryCodes.usedAt)))
      .returning({ hash: operatorRecoveryCodes.hash }),
  ])
  if (!updatedCodes.length) throw new Refusal("code_wrong")
}
