// Locks between Workers: one row per lock, which frees itself when its holder dies.
import { and, eq, lte, or, type SQL, sql } from "drizzle-orm"
import { locks } from "../../db/schema/central/locks"
import { insert, remove, update } from "../../db/write"
import { later } from "../../lib/time"
import { ulid } from "../../lib/ulid"
import type { Ctx } from "../context"
import { writeUnaudited } from "../write/commit"

/**
 * Takes a lock.
 * @param name what is locked
 * @param ms milliseconds after which the lock is free, whatever became of its holder
 * @param token of the holder that passes the lock on, if any
 * @returns the new holder's token; null when somebody else holds the lock
 */
export async function acquireLock(ctx: Ctx, name: string, ms: number, token?: string): Promise<string | null> {
  const now = new Date()
  const values = { holder: ulid(now), expiresAt: later(now, ms) }
  const [[taken]] = await writeUnaudited(ctx, "a lock", [
    insert(locks)
      .values({ name, ...values })
      .onConflictDoUpdate({
        target: locks.name,
        set: values,
        setWhere: or(lte(locks.expiresAt, now), token === undefined ? undefined : eq(locks.holder, token)),
      })
      .returning({ holder: locks.holder }),
  ])
  return taken?.holder ?? null
}

/**
 * Takes a lock in the name of its last holder, whose token stays good.
 * @param name what is locked
 * @param ms milliseconds after which the lock is free again
 * @returns the last holder's token, or a new one where there was none; null while the lock is held
 */
export async function renewExpiredLock(ctx: Ctx, name: string, ms: number): Promise<string | null> {
  const now = new Date()
  const expiresAt = later(now, ms)
  const [[taken]] = await writeUnaudited(ctx, "a lock", [
    insert(locks)
      .values({ name, holder: ulid(now), expiresAt })
      .onConflictDoUpdate({ target: locks.name, set: { expiresAt }, setWhere: lte(locks.expiresAt, now) })
      .returning({ holder: locks.holder }),
  ])
  return taken?.holder ?? null
}

/**
 * Frees a lock while the token still holds it.
 * @param next the token that holds it from now on, for as long as it would have been held; it is free when absent
 */
export async function releaseLock(ctx: Ctx, name: string, token: string, next?: string): Promise<void> {
  const isSiteLocked = and(eq(locks.name, name), eq(locks.holder, token))
  await writeUnaudited(ctx, "a lock released", [
    next === undefined ? remove(locks).where(isSiteLocked) : update(locks).set({ holder: next }).where(isSiteLocked),
  ])
}

/** Whether the lock of that name is free, as a condition on the rows that the name is made of. */
export const isUnlocked = (name: SQL, now: Date): SQL =>
  sql`not exists (select 1 from ${locks} where ${locks.name} = ${name} and ${locks.expiresAt} > ${now.getTime()})`

/**
 * Does some work while nobody else does it.
 * @param name what is locked
 * @param ms milliseconds after which the lock is free, whatever became of its holder
 * @returns what the work answers; null when somebody else is at it
 */
export async function withLock<Answer>(
  ctx: Ctx,
  name: string,
  ms: number,
  work: () => Promise<Answer>,
): Promise<Answer | null> {
  const token = await acquireLock(ctx, name, ms)
  if (token === null) return null
  try {
    return await work()
  } finally {
    await releaseLock(ctx, name, token)
  }
}
