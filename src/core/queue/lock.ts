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

/**
 * Acquires a lock.
 * @param name the lock's name
 * @param ms milliseconds until the lock expires
 * @param options `token`: the token of the present holder, when it hands the lock over; `job`: the step to resume when
 *   the lock expires
 * @returns the new token; null when the lock is taken
 */
export async function acquireLock(
  ctx: Ctx,
  name: string,
  ms: number,
  { token, job = null }: { token?: string; job?: Job | null } = {},
): Promise<string | null> {
  const now = currentTime()
  const values = { holder: ulid(now), expiresAt: addMs(now, ms), job }
  // A lock of its own, whose response was lost, would keep everyone out until it expires.
  const isOwn = eq(locks.holder, values.holder)
  const [[taken]] = await retryTransient(() =>
    writeUnaudited(ctx, "coordination", [
      insert(locks)
        .values({ name, ...values })
        .onConflictDoUpdate({
          target: locks.name,
          set: values,
          setWhere: or(lte(locks.expiresAt, now), isOwn, token === undefined ? undefined : eq(locks.holder, token)),
        })
        .returning({ holder: locks.holder }),
    ]),
  )
  return taken?.holder ?? null
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
  const values = { expiresAt: addMs(now, ms), job }
  const holder = ulid(now)
  const [[taken]] = await retryTransient((round) => {
    // After a lost response, the lock has this end. Another run of the same millisecond would only send a duplicate.
    const isOwn = round === 1 ? undefined : eq(locks.expiresAt, values.expiresAt)
    return writeUnaudited(ctx, "coordination", [
      insert(locks)
        .values({ name, holder, ...values })
        .onConflictDoUpdate({ target: locks.name, set: values, setWhere: or(lte(locks.expiresAt, now), isOwn) })
        .returning({ holder: locks.holder }),
    ])
  })
  return taken?.holder ?? null
}

/**
 * Releases a lock if the token still owns it.
 * @param next the token that takes the lock over until it expires; the lock is free when absent
 */
export async function releaseLock(ctx: Ctx, name: string, token: string, next?: string): Promise<void> {
  const isHeldByToken = and(eq(locks.name, name), eq(locks.holder, token))
  await retryTransient(() =>
    writeUnaudited(ctx, "coordination", [
      next === undefined
        ? remove(locks).where(isHeldByToken)
        : update(locks).set({ holder: next }).where(isHeldByToken),
    ]),
  )
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
  const token = await acquireLock(ctx, name, ms)
  if (token === null) return null
  try {
    return await work()
  } finally {
    await releaseLock(ctx, name, token)
  }
}
