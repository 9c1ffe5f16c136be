// Sends the mails of an outbox. Delivery is at least once: the mail service has no idempotency key, so a mail whose
// result was not recorded is sent again, but only a few times.
import { eq, lte, or, type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"
import { currentMs } from "../../lib/clock"
import { DeadlineExceeded } from "../../lib/deadline"
import { identifiableEnd } from "../../lib/random"
import { addMs, MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import type { LogFields } from "../log"
import { retryTransient } from "../write/retry"
import { type Mail, sendMail } from "./send"

/** Attempts per mail. */
const MAX_ATTEMPTS = 6

/** Attempts per mail whose result was not recorded. Each may have sent it, so these are the copies that may arrive. */
const MAX_UNCONFIRMED = 3

/** Lease of a mail: longer than any invocation lives. */
const LEASE_MS = 15 * MINUTE

/** The columns of an outbox that count attempts. */
interface AttemptColumns {
  dueAt: SQLiteColumn
  attempts: SQLiteColumn
  unconfirmed: SQLiteColumn
}

/** The attempts of a leased mail, including the one that the lease starts. */
export interface MailAttempts {
  attempts: number
  /** Attempts without a recorded result. */
  unconfirmed: number
}

/**
 * Leases a mail, so that no other run sends it. After a transient error it is repeated, and recognizes its own lease by
 * its end.
 * @param table the outbox
 * @param write updates the mail with `values` if `isLeasable`
 * @returns the result of `write`
 */
export function leaseMail<Result>(
  ctx: Pick<Ctx, "now">,
  { dueAt, attempts, unconfirmed }: AttemptColumns,
  write: (values: { dueAt: Date; attempts: SQL; unconfirmed: SQL }, isLeasable: SQL | undefined) => Promise<Result>,
): Promise<Result> {
  const until = identifiableEnd(addMs(new Date(Math.max(ctx.now.getTime(), currentMs())), LEASE_MS))
  const isNew = sql`(${dueAt} is not ${until.getTime()})`
  const values = { dueAt: until, attempts: sql`${attempts} + ${isNew}`, unconfirmed: sql`${unconfirmed} + ${isNew}` }
  const isDue = lte(dueAt, ctx.now)
  return retryTransient((round) => write(values, round === 1 ? isDue : or(isDue, eq(dueAt, until))))
}

/**
 * Whether a leased mail must no longer be sent: every attempt failed, or several may have sent it. In the latter
 * case, its Workers died or could not write, so the mail itself may be the cause.
 */
export const isExhausted = ({ attempts, unconfirmed }: MailAttempts): boolean =>
  attempts > MAX_ATTEMPTS || unconfirmed > MAX_UNCONFIRMED

/**
 * Sends a leased mail and records the result. When the result is unknown or cannot be recorded, the lease expires and
 * the mail is sent again.
 * @param build renders the mail
 * @param record `sent`: the mail service accepted it; `failed`: it is due again at `retryAt`, or given up if null
 * @param facts fields for the log
 */
export async function sendLeasedMail(
  ctx: Ctx,
  mail: MailAttempts,
  build: () => Promise<Mail>,
  record: { sent: () => Promise<unknown>; failed: (retryAt: Date | null) => Promise<unknown> },
  facts: LogFields,
): Promise<void> {
  try {
    await sendMail(ctx, await build())
  } catch (cause) {
    ctx.log.error("sending a mail failed", cause, { ...facts, attempt: mail.attempts })
    if (cause instanceof DeadlineExceeded) return
    const retryAt = mail.attempts < MAX_ATTEMPTS ? addMs(ctx.now, 2 ** mail.attempts * MINUTE) : null
    return recordResult(ctx, () => record.failed(retryAt), facts)
  }
  await recordResult(ctx, record.sent, facts)
}

async function recordResult(ctx: Ctx, write: () => Promise<unknown>, facts: LogFields): Promise<void> {
  try {
    await retryTransient(write)
  } catch (cause) {
    ctx.log.error("recording the result of a mail failed", cause, facts)
  }
}
