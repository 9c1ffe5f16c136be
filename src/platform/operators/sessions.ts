// Manages operators' console sessions. The cookie is 32 random bytes; only its hash is stored.

import { and, desc, eq, gt, isNull, lte, ne, sql } from "drizzle-orm"
import { permitHashing } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { batch } from "../../db/client"
import { aliasedColumns } from "../../db/join-columns"
import { operatorSessions, operators } from "../../db/schema/central/operators"
import { insertSelect, remove, update } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { randomBytes } from "../../lib/random"
import { addMs, DAY, HOUR, MINUTE } from "../../lib/time"
import { attemptInSession } from "./limits"
import { recordNetwork } from "./networks"
import type { Operator } from "./schemas"
import { type SavedView, selectViews } from "./views"

/** A session ends after this long without a request, and after this long in total. */
const SESSION_IDLE_TIMEOUT = 2 * HOUR
const MAX_SESSION_AGE = 12 * HOUR

/** Time for which an expired session is stored, so that a form that it sends late is saved (form-drafts.ts). */
const EXPIRED_RETENTION = DAY

/** Time to enter the code after the password. */
const CODE_TTL = 5 * MINUTE

/** Validity of a confirmation by password or passkey for sensitive actions. */
const CONFIRMATION_TTL = 10 * MINUTE

export interface Session {
  session: typeof operatorSessions.$inferSelect
  operator: Operator
  /** The saved views of the list that was requested. */
  views?: readonly SavedView[]
}

/**
 * Opens a session, provided that the operator's password has not changed since it was checked.
 * @param options `awaitsCode`: the second factor is still pending
 * @returns the cookie's value, which is not stored anywhere
 * @throws Refusal `sign_in_failed` when the operator was changed in the meantime
 */
export async function openSession(
  ctx: Ctx,
  operator: Operator,
  options: { awaitsCode: boolean; agent: string | null },
): Promise<string> {
  const token = randomBytes(32).toBase64({ alphabet: "base64url", omitPadding: true })
  const row = {
    hash: await sha256(token),
    operatorId: operator.id,
    awaitsCode: options.awaitsCode,
    confirmedAt: ctx.now,
    lastSeenAt: ctx.now,
    address: ctx.address,
    agent: options.agent?.slice(0, 255) ?? null,
    createdAt: ctx.now,
  }
  const isUnchanged = sql`from ${operators} where ${and(eq(operators.id, operator.id), eq(operators.passwordHash, operator.passwordHash), isNull(operators.disabledAt))}`
  const inserted = insertSelect(operatorSessions, row, isUnchanged)
  const isExpired = lte(operatorSessions.createdAt, addMs(ctx.now, -(MAX_SESSION_AGE + EXPIRED_RETENTION)))
  const deleteExpired = remove(operatorSessions).where(and(eq(operatorSessions.operatorId, operator.id), isExpired))
  if (options.awaitsCode) await writeUnaudited(ctx, "authentication", [deleteExpired, inserted])
  else
    await commit(asOperator(ctx, operator), {
      guard: inserted,
      last: [deleteExpired, ...(await recordNetwork(ctx, operator.id))],
      auditLog: [{ audit: { subject: "session", action: "signed_in", id: operator.id } }],
    }).catch(refuseOnConflict)
  return token
}

/** Returns the context with the operator as its actor. */
export const asOperator = (ctx: Ctx, { id, name }: Pick<Operator, "id" | "name">): Ctx => ({
  ...ctx,
  actor: { type: "admin", id, name },
})

/**
 * Finds the session of a cookie, in one round trip.
 * @param list the requested list, whose saved views are read as well
 * @returns null for a session that is unknown or expired, or whose operator is disabled
 */
export async function findSessionByToken(ctx: Ctx, token: string, list?: string): Promise<Session | null> {
  if (!/^[\w-]{43}$/.test(token)) return null
  const hash = await sha256(token)
  if (list === undefined) return findSessionByHash(ctx, hash)
  const [rows, views] = await batch(ctx.db, [selectSession(ctx, hash), selectViews(ctx, hash, list)])
  const session = getValidSession(ctx, rows)
  return session && { ...session, views }
}

/**
 * Finds a session by its hash, in one round trip; used by long-lived responses to re-check their session.
 * @param hash of the cookie's value
 * @returns null once the session has expired or was revoked, or its operator was disabled
 */
export async function findSessionByHash(ctx: Ctx, hash: string): Promise<Session | null> {
  return getValidSession(ctx, await selectSession(ctx, hash))
}

const selectSession = (ctx: Ctx, hash: string) =>
  ctx.db
    .select({ session: aliasedColumns(operatorSessions), operator: aliasedColumns(operators) })
    .from(operatorSessions)
    .innerJoin(operators, eq(operators.id, operatorSessions.operatorId))
    .where(
      and(
        eq(operatorSessions.hash, hash),
        isNull(operators.disabledAt),
        gt(operatorSessions.lastSeenAt, addMs(ctx.now, -SESSION_IDLE_TIMEOUT)),
        gt(operatorSessions.createdAt, addMs(ctx.now, -MAX_SESSION_AGE)),
      ),
    )

function getValidSession(ctx: Ctx, [row]: Session[]): Session | null {
  if (!row) return null
  const isCodeOverdue = row.session.awaitsCode && row.session.createdAt <= addMs(ctx.now, -CODE_TTL)
  return isCodeOverdue ? null : row
}

/**
 * Finds the operator of a session that expired within the last day. A session that was signed out or revoked is
 * unknown.
 * @param token the cookie's value, which `findSessionByToken` did not accept
 */
export async function findOperatorOfExpired(ctx: Ctx, token: string): Promise<Pick<Operator, "id"> | null> {
  const [operator] = await ctx.db
    .select({ id: operators.id })
    .from(operatorSessions)
    .innerJoin(operators, eq(operators.id, operatorSessions.operatorId))
    .where(
      and(
        eq(operatorSessions.hash, await sha256(token)),
        eq(operatorSessions.awaitsCode, false),
        gt(operatorSessions.createdAt, addMs(ctx.now, -(MAX_SESSION_AGE + EXPIRED_RETENTION))),
        isNull(operators.disabledAt),
      ),
    )
  return operator ?? null
}

/** Records a session's last use, in the background and at most once a minute. */
export function touchSession(ctx: Ctx, { session }: Session): void {
  if (ctx.now.getTime() - session.lastSeenAt.getTime() < MINUTE) return
  const touched = update(operatorSessions).set({ lastSeenAt: ctx.now }).where(eq(operatorSessions.id, session.id))
  ctx.inBackground(writeUnaudited(ctx, "last_used", [touched]))
}

/** Whether the session was confirmed by password or passkey within the last ten minutes. */
export const isConfirmed = ({ session }: Session, now: Date): boolean =>
  session.confirmedAt > addMs(now, -CONFIRMATION_TTL)

/**
 * Confirms a session by the operator's password.
 * @throws Refusal `rate_limited`, `sign_in_failed`
 */
export const confirmByPassword = (ctx: Ctx, session: Session, password: string): Promise<void> =>
  attemptInSession(ctx, session, async () => {
    const hasher = await permitHashing(ctx)
    if (!(await hasher.verify(password, session.operator.passwordHash))) throw new Refusal("sign_in_failed")
    await confirmSession(ctx, session)
  })

/** Records that the session was confirmed by password or passkey. */
export async function confirmSession(ctx: Ctx, { session }: Session): Promise<void> {
  const confirmed = update(operatorSessions).set({ confirmedAt: ctx.now }).where(eq(operatorSessions.id, session.id))
  await writeUnaudited(ctx, "authentication", [confirmed])
}

/** Turns a conflicting change of the operator or session into a refusal. */
function refuseOnConflict(cause: unknown): never {
  throw cause instanceof WriteConflict ? new Refusal("sign_in_failed") : cause
}

/**
 * Completes a session whose second factor was verified.
 * @throws Refusal `sign_in_failed` when it has ended in the meantime
 */
export async function completeSession(ctx: Ctx, { session, operator }: Session): Promise<void> {
  await commit(asOperator(ctx, operator), {
    guard: update(operatorSessions)
      .set({ awaitsCode: false, confirmedAt: ctx.now, lastSeenAt: ctx.now })
      .where(eq(operatorSessions.id, session.id)),
    last: await recordNetwork(ctx, operator.id),
    auditLog: [{ audit: { subject: "session", action: "signed_in", id: operator.id } }],
  }).catch(refuseOnConflict)
}

/** Signs out of a session. */
export async function closeSession(ctx: Ctx, { session, operator }: Session): Promise<void> {
  await commit(ctx, {
    writes: [remove(operatorSessions).where(eq(operatorSessions.id, session.id))],
    auditLog: [{ audit: { subject: "session", action: "signed_out", id: operator.id } }],
  })
}

/** Sessions listed per operator. */
const MAX_LISTED_SESSIONS = 50

/** Selects an operator's sessions, newest first. */
export const selectSessions = (ctx: Ctx, operatorId: number) =>
  ctx.db
    .select()
    .from(operatorSessions)
    .where(
      and(
        eq(operatorSessions.operatorId, operatorId),
        eq(operatorSessions.awaitsCode, false),
        gt(operatorSessions.lastSeenAt, addMs(ctx.now, -SESSION_IDLE_TIMEOUT)),
        gt(operatorSessions.createdAt, addMs(ctx.now, -MAX_SESSION_AGE)),
      ),
    )
    .orderBy(desc(operatorSessions.id))
    .limit(MAX_LISTED_SESSIONS)

/**
 * Ends one of an operator's sessions, or all but one.
 * @param target the id of the session to end, or of the one to spare
 * @throws Refusal `not_found` for a session that is not the operator's
 */
export async function revokeSessions(
  ctx: Ctx,
  operatorId: number,
  target: { id: number } | { except: number },
): Promise<void> {
  const own = eq(operatorSessions.operatorId, operatorId)
  const selected =
    "id" in target ? and(own, eq(operatorSessions.id, target.id)) : and(own, ne(operatorSessions.id, target.except))
  const [matching] = await batch(ctx.db, [
    ctx.db.select({ id: operatorSessions.id }).from(operatorSessions).where(selected),
  ])
  if (!matching.length) {
    if ("id" in target) throw new Refusal("not_found")
    return
  }
  await commit(ctx, {
    writes: [remove(operatorSessions).where(selected)],
    auditLog: [
      { audit: { subject: "session", action: "revoked", id: operatorId, before: { sessions: matching.length } } },
    ],
  })
}
