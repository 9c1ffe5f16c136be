// Where an operator is signed in. The cookie is 32 random bytes; its hash is what is kept.
import { and, desc, eq, gt, isNull, lte, ne, or, sql } from "drizzle-orm"
import { permitHashing } from "../../core/auth/password-hashing"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited, commit, WriteConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { named } from "../../db/join-columns"
import { operatorSessions, operators } from "../../db/schema/central/operators"
import { insertSelect, remove, update } from "../../db/write"
import { sha256 } from "../../lib/hash"
import { HOUR, later, MINUTE } from "../../lib/time"
import { attemptInSession } from "./attempts"
import { rememberNetwork } from "./networks"
import type { Operator } from "./schemas"

/** A session ends after so long without a request, and after so long in all. */
const IDLE = 2 * HOUR
const LONGEST = 12 * HOUR

/** How long one who gave the right password has to give the code. */
const CODE_PATIENCE = 5 * MINUTE

/** How long a password or a passkey counts for what asks for it again. */
const CONFIRMED = 10 * MINUTE

export interface Session {
  session: typeof operatorSessions.$inferSelect
  operator: Operator
}

/**
 * Opens a session, as long as the password is still the one that was checked.
 * @param given `awaitsCode` where the second factor is still to come
 * @returns the cookie's value, which is nowhere else
 * @throws Refusal `sign_in_failed` when the operator was changed meanwhile
 */
export async function openSession(
  ctx: Ctx,
  operator: Operator,
  given: { awaitsCode: boolean; agent: string | null },
): Promise<string> {
  const token = crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true })
  const row = {
    hash: await sha256(token),
    operatorId: operator.id,
    awaitsCode: given.awaitsCode,
    confirmedAt: ctx.now,
    lastSeenAt: ctx.now,
    address: ctx.address,
    agent: given.agent?.slice(0, 255) ?? null,
    createdAt: ctx.now,
  }
  const still = sql`from ${operators} where ${and(eq(operators.id, operator.id), eq(operators.passwordHash, operator.passwordHash), isNull(operators.disabledAt))}`
  const opened = insertSelect(operatorSessions, row, still)
  const old = or(
    lte(operatorSessions.lastSeenAt, later(ctx.now, -IDLE)),
    lte(operatorSessions.createdAt, later(ctx.now, -LONGEST)),
  )
  const over = remove(operatorSessions).where(and(eq(operatorSessions.operatorId, operator.id), old))
  if (given.awaitsCode) await writeUnaudited(ctx, "a password was right, and a code is asked for", [over, opened])
  else
    await commit(as(ctx, operator), {
      guard: opened,
      last: [over, ...(await rememberNetwork(ctx, operator.id))],
      trail: [{ audit: { subject: "session", deed: "signed_in", id: operator.id } }],
    }).catch(refuseChanged)
  return token
}

/** The context in which an operator acts. */
export const as = (ctx: Ctx, { id, name }: Pick<Operator, "id" | "name">): Ctx => ({
  ...ctx,
  actor: { type: "admin", id, name },
})

/**
 * The session behind a cookie, in one round trip.
 * @returns null for one that is unknown, over, or of an operator who was shut out
 */
export async function readSession(ctx: Ctx, token: string): Promise<Session | null> {
  return /^[\w-]{43}$/.test(token) ? findSession(ctx, await sha256(token)) : null
}

/**
 * The session behind a hash, in one round trip: for a response that goes on after its request was let in.
 * @param hash of the cookie's value
 * @returns null as soon as the session has expired or was revoked, or its operator was disabled
 */
export async function findSession(ctx: Ctx, hash: string): Promise<Session | null> {
  const [row] = await ctx.db
    .select({ session: named(operatorSessions), operator: named(operators) })
    .from(operatorSessions)
    .innerJoin(operators, eq(operators.id, operatorSessions.operatorId))
    .where(
      and(
        eq(operatorSessions.hash, hash),
        isNull(operators.disabledAt),
        gt(operatorSessions.lastSeenAt, later(ctx.now, -IDLE)),
        gt(operatorSessions.createdAt, later(ctx.now, -LONGEST)),
      ),
    )
  if (!row) return null
  const patience = row.session.awaitsCode && row.session.createdAt <= later(ctx.now, -CODE_PATIENCE)
  return patience ? null : row
}

/** Notes that a session was used: behind the answer, once a minute. */
export function touchSession(ctx: Ctx, { session }: Session): void {
  if (ctx.now.getTime() - session.lastSeenAt.getTime() < MINUTE) return
  const seen = update(operatorSessions).set({ lastSeenAt: ctx.now }).where(eq(operatorSessions.id, session.id))
  ctx.after(writeUnaudited(ctx, "when the session was last seen", [seen]))
}

/** Whether a password or a passkey was shown within ten minutes. */
export const isConfirmed = ({ session }: Session, now: Date): boolean => session.confirmedAt > later(now, -CONFIRMED)

/**
 * Confirms a session by the operator's password once more.
 * @throws Refusal `rate_limited`, `sign_in_failed`
 */
export const confirmByPassword = (ctx: Ctx, session: Session, password: string): Promise<void> =>
  attemptInSession(ctx, session, async () => {
    const hasher = await permitHashing(ctx)
    if (!(await hasher.verify(password, session.operator.passwordHash))) throw new Refusal("sign_in_failed")
    await confirmSession(ctx, session)
  })

/** Notes that a password or a passkey was shown again. */
export async function confirmSession(ctx: Ctx, { session }: Session): Promise<void> {
  const confirmed = update(operatorSessions).set({ confirmedAt: ctx.now }).where(eq(operatorSessions.id, session.id))
  await writeUnaudited(ctx, "a password or a passkey was shown again", [confirmed])
}

/** The operator or the session was changed meanwhile. */
function refuseChanged(cause: unknown): never {
  throw cause instanceof WriteConflict ? new Refusal("sign_in_failed") : cause
}

/**
 * The code was right too: the session counts.
 * @throws Refusal `sign_in_failed` when it has ended meanwhile
 */
export async function completeSession(ctx: Ctx, { session, operator }: Session): Promise<void> {
  await commit(as(ctx, operator), {
    guard: update(operatorSessions)
      .set({ awaitsCode: false, confirmedAt: ctx.now, lastSeenAt: ctx.now })
      .where(eq(operatorSessions.id, session.id)),
    last: await rememberNetwork(ctx, operator.id),
    trail: [{ audit: { subject: "session", deed: "signed_in", id: operator.id } }],
  }).catch(refuseChanged)
}

/** Ends a session by signing out of it. */
export async function closeSession(ctx: Ctx, { session, operator }: Session): Promise<void> {
  await commit(ctx, {
    writes: [remove(operatorSessions).where(eq(operatorSessions.id, session.id))],
    trail: [{ audit: { subject: "session", deed: "signed_out", id: operator.id } }],
  })
}

/** Sessions of one operator that a list shows. */
const SESSIONS_SHOWN = 50

/** Where an operator is signed in, the latest first. */
export const selectSessions = (ctx: Ctx, operatorId: number) =>
  ctx.db
    .select()
    .from(operatorSessions)
    .where(
      and(
        eq(operatorSessions.operatorId, operatorId),
        eq(operatorSessions.awaitsCode, false),
        gt(operatorSessions.lastSeenAt, later(ctx.now, -IDLE)),
        gt(operatorSessions.createdAt, later(ctx.now, -LONGEST)),
      ),
    )
    .orderBy(desc(operatorSessions.id))
    .limit(SESSIONS_SHOWN)

/**
 * Ends one of an operator's sessions, or all but one.
 * @param which a session's id, or the one that stays
 * @throws Refusal `not_found` for a session that is not the operator's
 */
export async function revokeSessions(
  ctx: Ctx,
  operatorId: number,
  which: { id: number } | { except: number },
): Promise<void> {
  const own = eq(operatorSessions.operatorId, operatorId)
  const those =
    "id" in which ? and(own, eq(operatorSessions.id, which.id)) : and(own, ne(operatorSessions.id, which.except))
  const [known] = await batch(ctx.db, [ctx.db.select({ id: operatorSessions.id }).from(operatorSessions).where(those)])
  if (!known.length) {
    if ("id" in which) throw new Refusal("not_found")
    return
  }
  await commit(ctx, {
    writes: [remove(operatorSessions).where(those)],
    trail: [{ audit: { subject: "session", deed: "revoked", id: operatorId, before: { sessions: known.length } } }],
  })
}
