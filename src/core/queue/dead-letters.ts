// Messages that were given up: kept where an operator sees them, and sent once more when the cause is mended.
import { desc, eq, lt, sql } from "drizzle-orm"
import { deadLetters } from "../../db/schema/central/dead-letters"
import { insert, remove, update } from "../../db/write"
import { bindingOf } from "../../env"
import { DAY, later, timestamp } from "../../lib/time"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"
import { writeUnaudited, commit } from "../write/commit"

export type DeadLetter = typeof deadLetters.$inferSelect

/** Letters that a list shows. */
const SHOWN = 100

/** How long a letter is kept. */
const KEPT = 90 * DAY

/** Keeps a message that was given up, whatever it is. */
export const keepDeadLetter = (ctx: Ctx, message: { id: string; body: unknown }): Promise<unknown> =>
  writeUnaudited(ctx, "a message that was given up", [
    insert(deadLetters)
      // Written as text: a body of null is JSON too, and the column takes no SQL null.
      .values({ messageId: message.id, body: sql`${JSON.stringify(message.body ?? null)}`, createdAt: ctx.now })
      .onConflictDoNothing(),
  ])

/** The latest letters. */
export const listDeadLetters = (ctx: Ctx): Promise<DeadLetter[]> =>
  ctx.db.select().from(deadLetters).orderBy(desc(deadLetters.id)).limit(SHOWN)

/**
 * Sends a letter once more to the queue it came from. It is sent before that is written down: a message that comes twice does no harm,
 * and a letter that says it was run was.
 * @throws Refusal `not_found`
 */
export async function rerunDeadLetter(ctx: Ctx, id: number): Promise<DeadLetter> {
  const [letter] = await ctx.db.select().from(deadLetters).where(eq(deadLetters.id, id))
  if (!letter) throw new Refusal("not_found")
  await queueOf(ctx, letter.body).send(letter.body)
  await commit(ctx, {
    writes: [update(deadLetters).set({ rerunAt: ctx.now }).where(eq(deadLetters.id, id))],
    auditLog: [{ audit: { subject: "message", action: "retried", id } }],
  })
  return { ...letter, rerunAt: ctx.now }
}

/** The queue that carries messages of this form; the job queue for any that are unknown, since all have one consumer. */
function queueOf({ env, settings }: Ctx, body: unknown): Queue {
  if (typeof body !== "object" || body === null) return env.JOB_QUEUE
  if ("delivery" in body) return bindingOf(env, settings.TENANCY_WEBHOOK_QUEUE) as Queue
  if ("push" in body) return env.PUSH_QUEUE
  return "lane" in body ? env.RETRY_QUEUE : env.JOB_QUEUE
}

/** Forgets letters past their time. */
export const forgetDeadLetters = (ctx: Ctx): Promise<unknown> =>
  writeUnaudited(ctx, "letters past their time", [
    remove(deadLetters).where(lt(deadLetters.createdAt, later(ctx.now, -KEPT))),
  ])

/** A letter as commands show it. */
export const deadLetterResource = ({ id, body, createdAt, rerunAt }: DeadLetter) => ({
  id,
  message: body,
  created_at: timestamp(createdAt),
  rerun_at: rerunAt && timestamp(rerunAt),
})
