// Stores queue messages that failed permanently, so that operators can see them and send them again.

import { desc, eq, lt, sql } from "drizzle-orm"
import { deadLetters } from "../../db/schema/central/dead-letters"
import { insert, remove, update } from "../../db/write"
import { addMs, DAY, formatTimestamp } from "../../lib/time"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"
import { commit, writeUnaudited } from "../write/commit"
import { resendMessage } from "./send"

export type DeadLetter = typeof deadLetters.$inferSelect

const PAGE_SIZE = 100
const RETENTION_MS = 90 * DAY

/** Stores a message that failed permanently, also one with an invalid body. */
export const storeDeadLetter = (ctx: Ctx, message: { id: string; body: unknown }): Promise<unknown> =>
  writeUnaudited(ctx, "progress", [
    insert(deadLetters)
      // Stored as text: a null body is valid JSON, and the column is not nullable.
      .values({ messageId: message.id, body: sql`${JSON.stringify(message.body ?? null)}`, createdAt: ctx.now })
      .onConflictDoNothing(),
  ])

/** Selects the latest dead letters. */
export const selectDeadLetters = (ctx: Pick<Ctx, "db">) =>
  ctx.db.select().from(deadLetters).orderBy(desc(deadLetters.id)).limit(PAGE_SIZE)

/** Lists the latest dead letters. */
export const listDeadLetters = (ctx: Ctx): Promise<DeadLetter[]> => selectDeadLetters(ctx)

/**
 * Sends a dead letter to its queue again. It is sent before the row is updated: a duplicate message is harmless, and a
 * letter marked as rerun really was.
 * @throws Refusal `not_found`
 */
export async function rerunDeadLetter(ctx: Ctx, id: number): Promise<DeadLetter> {
  const [letter] = await ctx.db.select().from(deadLetters).where(eq(deadLetters.id, id))
  if (!letter) throw new Refusal("not_found")
  await resendMessage(ctx, letter.body)
  await commit(ctx, {
    writes: [update(deadLetters).set({ rerunAt: ctx.now }).where(eq(deadLetters.id, id))],
    auditLog: [{ audit: { subject: "message", action: "retried", id } }],
  })
  return { ...letter, rerunAt: ctx.now }
}

/** Deletes expired dead letters. */
export const deleteExpiredDeadLetters = (ctx: Ctx): Promise<unknown> =>
  writeUnaudited(ctx, "cleanup", [remove(deadLetters).where(lt(deadLetters.createdAt, addMs(ctx.now, -RETENTION_MS)))])

/** A dead letter as commands show it. */
export const deadLetterResource = ({ id, body, createdAt, rerunAt }: DeadLetter) => ({
  id,
  message: body,
  created_at: formatTimestamp(createdAt),
  rerun_at: rerunAt && formatTimestamp(rerunAt),
})
