// Runs long background jobs step by step over the job queue. Every subject has one lease, and the next step's message
// carries its token, so a duplicate message has an outdated token and does nothing.

import { assertNever } from "../../lib/assert-never"
import { MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { acquireLock, releaseLock, renewExpiredLock } from "./lock"
import type { JobMessage } from "./messages"
import { sendMessage } from "./send"

/** A message that is processed under a lease. Provisioning has its lease in the store's row instead. */
type LeasedMessage = Exclude<JobMessage, { job: "provision" }>

/** How long a message may wait in the queue and run its step before the cron sends another. */
export const JOB_LEASE_MS = 5 * MINUTE

/** Site migrations, backups and restores block writes to their store, so the cron resumes them sooner after a crash. */
const MIGRATION_LEASE_MS = 2 * MINUTE

const leaseOf = ({ job }: LeasedMessage): number =>
  job === "move" || job === "backup" || job === "restore" ? MIGRATION_LEASE_MS : JOB_LEASE_MS

/** The lease's name. Messages of one subject are processed one at a time. */
function subjectOf(message: LeasedMessage): string {
  switch (message.job) {
    case "purge":
    case "move":
    case "backup":
    case "restore":
    case "backup-prune":
      // A purge deletes rows that a migration, backup or restore of the same store copies, so they exclude each other.
      return `site:${message.store}`
    case "endpoint":
    case "recovery":
      return `${message.job}:${message.endpoint}`
    case "media":
      return `media:${message.database}`
    case "notify":
      return `notify:${message.database}:${message.notification}`
    case "mails":
    case "billing":
    case "usage":
    case "backups":
      return message.job
    default:
      return assertNever(message)
  }
}

/**
 * Enqueues a job under a lease, unless a message of its subject is in flight. If a message outlived its lease in the
 * queue, the new one has the same token and the first to arrive runs the step, so a long queue delays a job but does
 * not starve it.
 * @throws whatever the database or the queue throws; the lease then expires
 */
export async function enqueueJob(ctx: Ctx, message: LeasedMessage): Promise<void> {
  const lease = await renewExpiredLock(ctx, subjectOf(message), leaseOf(message))
  if (lease !== null) await sendMessage(ctx, { ...message, lease })
}

/**
 * Runs one step of a job and enqueues the next. Does nothing while another message of the subject is in flight.
 * @param message the step's message; without a `lease` when a request or the cron starts the job
 * @param step returns the next step's message, or null when the job is done
 * @throws whatever the step throws, after the lease has been returned to the message, so that the queue's retry can
 *   take it
 */
export async function runJob(
  ctx: Ctx,
  message: LeasedMessage,
  step: () => Promise<LeasedMessage | null>,
): Promise<void> {
  const subject = subjectOf(message)
  const lease = await acquireLock(ctx, subject, leaseOf(message), message.lease)
  if (lease === null) return
  try {
    const next = await step()
    if (next) await sendMessage(ctx, { ...next, lease })
    else await releaseLock(ctx, subject, lease)
  } catch (cause) {
    await releaseLock(ctx, subject, lease, message.lease).catch((fault) =>
      ctx.log.error("releasing a lease failed", fault, { subject }),
    )
    throw cause
  }
}

/**
 * Runs one step of a job whose runs may overlap because its rows have their own leases: a message without a token
 * always runs, but only one follow-up message is in flight.
 * @param message as for `runJob`
 * @param step as for `runJob`
 * @throws whatever the step throws
 */
export async function runOverlappingJob(
  ctx: Ctx,
  message: LeasedMessage,
  step: () => Promise<LeasedMessage | null>,
): Promise<void> {
  if (message.lease !== undefined) return runJob(ctx, message, step)
  const next = await step()
  if (next) await enqueueJob(ctx, next)
}
