// Locks between Workers: one row a lock, which frees itself when its holder dies.
import { and, eq, lte } from "drizzle-orm"
import { locks } from "../db/schema/central/locks"
import { insert, remove } from "../db/write"
import { later } from "../lib/time"
import { ulid } from "../lib/ulid"
import { bookkeep } from "./commit"
import type { Ctx } from "./context"

/**
 * Does some work while nobody else does it.
 * @param name what is locked
 * @param ms after this long the lock is free, whatever became of its holder
 * @returns what the work answers; null when somebody else is at it
 */
export async function withLock<Answer>(
  ctx: Ctx,
  name: string,
  ms: number,
  work: () => Promise<Answer>,
): Promise<Answer | null> {
  const holder = ulid(ctx.now)
  const now = new Date()
  const lease = { holder, expiresAt: later(now, ms) }
  const [taken] = await bookkeep(ctx, "a lock", [
    insert(locks)
      .values({ name, ...lease })
      .onConflictDoUpdate({ target: locks.name, set: lease, setWhere: lte(locks.expiresAt, now) })
      .returning({ holder: locks.holder }),
  ])
  if (!taken.length) return null
  try {
    return await work()
  } finally {
    const held = and(eq(locks.name, name), eq(locks.holder, holder))
    await bookkeep(ctx, "a lock given back", [remove(locks).where(held)])
  }
}
