// Distributed locks: one row per lock, with an expiry in case its holder dies.

import { and, eq, lte, or, type SQL, sql } from "drizzle-orm"
import { locks } from "../../db/schema/central/locks"
import { insert, remove, update } from "../../db/write"
import { currentTime } from "../../lib/clock"
import { addMs } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import type { Ctx } from "../context"
import { writeUnaudited } from "../write/commit"
import { retryTransient } from "../write/retry"
import type { Job } from "./messages"

/** The holder of a lock, and how often its job has failed since it last succeeded. */
export interface Lease {
  token: string
  attempts: number
}

/** Failures belong to a kind of job: another kind that gets the lock starts without any. */
const keepFor = (kind: string | null, column: typeof locks.attempts | typeof locks.lastError, otherwise: SQL): SQL =>
  sql`iif(${locks.job} ->> '$.job' is ${kind}, ${column}, ${otherwise})`

/**
 * Upserts a lock where a condition holds; null if it does not.
 * @param buildCondition receives the number of the attempt: after the first, the response of an earlier one was lost
 * @param mustExist whether to update only, so that a released lock is not taken again
 */
async function upsertLock(
  ctx: Ctx,
  name: string,
  values: { holder: string; expiresAt: Date; job: Job | null },
  set: Partial<typeof values>,
  buildCondition: (round: number) => SQL | undefined,
  mustExist = false,
): Promise<Lease | null> {
  const kind = values.job?.job ?? null
  const failures = {
    attempts: keepFor(kind, locks.attempts, sql`0`),
    lastError: keepFor(kind, locks.lastError, sql`null`),
  }
  const returned = { token: locks.holder, attempts: locks.attempts }
  const changes = { ...set, ...failures }
  const [[taken]] = await retryTransient((round) =>
    writeUnaudited(ctx, "coordination", [
      mustExist
        ? update(locks)
            .set(changes)
            .where(and(eq(locks.name, name), buildCondition(round)))
            .returning(returned)
        : insert(locks)
            .values({ name, ...values, attempts: 0 })
            .onConflictDoUpdate({ target: locks.name, set: changes, setWhere: buildCondition(round) })
            .returning(returned),
    ]),
  )
  return taken ?? null
}

/**
 * Acquires a lock.
 * @param name the lock's name
 * @param ms milliseconds until the lock expires
 * @param options `token`: the token of the current holder, when it hands the lock over; `job`: the step to resume when
 *   the lock expires; `mustExist`: whether a lock that was released stays so
 * @returns the lease with its new token; null when the lock is taken
 */
export function acquireLock(
  ctx: Ctx,
  name: string,
  ms: number,
  { token, job = null, mustExist }: { token?: string; job?: Job | null; mustExist?: boolean } = {},
): Promise<Lease | null> {
  const now = currentTime()
  const values = { holder: ulid(now), expiresAt: addMs(now, ms), job }
  // This call may have taken the lock and lost the response. The lock would then block all others until it expires.
  const isOwn = eq(locks.holder, values.holder)
  const isHandedOver = token === undefined ? undefined : eq(locks.holder, token)
  return upsertLock(ctx, name, values, values, () => or(lte(locks.expiresAt, now), isOwn, isHandedOver), mustExist)
}

/**
 * Acquires an expired lock with its last token, which stays valid.
 * @param name the lock's name
 * @param ms milliseconds until the lock expires
 * @param job the step to resume when the lock expires
 * @returns the last holder's token, or a new one when the lock never existed; null while the lock is taken
 */
export async function renewExpiredLock(ctx: Ctx, name: string, ms: number, job: Job): Promise<string | null> {
  const now = currentTime()
  const values = { holder: ulid(now), expiresAt: addMs(now, ms), job }
  const { holder: _, ...changes } = values
  // After a lost response, the lock has this end. Another run of the same millisecond would only send a duplicate.
  const isOwn = eq(locks.expiresAt, values.expiresAt)
  const lease = await upsertLock(ctx, name, values, changes, (round) =>
    or(lte(locks.expiresAt, now), round === 1 ? undefined : isOwn),
  )
  return lease?.token ?? null
}

/** Whether a lock is still the token's. */
const isLockedBy = (name: string, token: string) => and(eq(locks.name, name), eq(locks.holder, token))

/**
 * Hands a lock to another token until a time, with the failures of its job.
 * @param token the current holder
 * @param values `holder`: the next token
 */
export async function handOverLock(
  ctx: Ctx,
  name: string,
  token: string,
  values: Partial<Pick<typeof locks.$inferInsert, "holder" | "expiresAt" | "attempts" | "lastError">>,
): Promise<void> {
  await retryTransient(() =>
    writeUnaudited(ctx, "coordination", [update(locks).set(values).where(isLockedBy(name, token))]),
  )
}

/** Releases a lock if the token still owns it. */
export async function releaseLock(ctx: Ctx, name: string, token: string): Promise<void> {
  await retryTransient(() => writeUnaudited(ctx, "coordination", [remove(locks).where(isLockedBy(name, token))]))
}

/** Condition that a lock is free; `name` is an expression over the row's columns. */
export const isUnlocked = (name: SQL, now: Date): SQL =>
  sql`not exists (select 1 from ${locks} where ${locks.name} = ${name} and ${locks.expiresAt} > ${now.getTime()})`

/**
 * Runs work under a lock.
 * @param name the lock's name
 * @param ms milliseconds until the lock expires, even if the work is still running
 * @returns the work's result; null when the lock is taken
 */
export async function withLock<Result>(
  ctx: Ctx,
  name: string,
  ms: number,
  work: () => Promise<Result>,
): Promise<Result | null> {
  const lease = await acquireLock(ctx, name, ms)
  if (lease === null) return null
  try {
    return await work()
  } finally {
    await releaseLock(ctx, name, lease.token)
  }
}
