// Runs long background jobs step by step over the job queue. Each subject has one lease, and the message of the next step carries its token:
// a message that comes twice carries an old one and does nothing.

import { assertNever } from "../../lib/assert-never"
import { MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { acquireLock, releaseLock, renewExpiredLock } from "./lock"
import type { JobMessage } from "./messages"

/** A message that is processed under a lease; provisioning has its lease in the store's row. */
type LeasedMessage = Exclude<JobMessage, { job: "provision" }>

/** Milliseconds that a message has to wait in the queue and take its step, before the cron sends another. */
export const JOB_LEASE = 5 * MINUTE

/** A job that moves a store keeps the store from being written, so that the cron goes on sooner where a Worker died. */
const MOVE_LEASE = 2 * MINUTE

const leaseOf = ({ job }: LeasedMessage): number => (job === "move" ? MOVE_LEASE : JOB_LEASE)

/** The lease's name: of the messages of one subject, one at a time is processed. */
function subjectOf(message: LeasedMessage): string {
  switch (message.job) {
    case "purge":
    case "move":
      // The purge of a store removes what a move of it copies.
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
      return message.job
    default:
      return assertNever(message)
  }
}

/**
 * Enqueues a job under a lease, unless a message of its subject is in flight. A message that only waited longer than its lease has the
 * same token: whichever of the two comes first takes the step, so that a long queue delays a job and does not starve it.
 * @throws what the database or the queue throws; the lease then runs out
 */
export async function enqueueJob(ctx: Ctx, message: LeasedMessage): Promise<void> {
  const lease = await renewExpiredLock(ctx, subjectOf(message), leaseOf(message))
  if (lease !== null) await ctx.env.JOB_QUEUE.send({ ...message, lease })
}

/**
 * Takes one step of a job, and enqueues the next step. Does nothing while another message of the subject is in flight.
 * @param message the step's message; its `lease` is absent for a first step that a request or the cron asks for
 * @param step answers the message of the next step, or null when nothing is left to do
 * @throws what the step throws, once its lease has been handed back to the message: the queue's retry takes it again
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
    if (next) await ctx.env.JOB_QUEUE.send({ ...next, lease })
    else await releaseLock(ctx, subject, lease)
  } catch (cause) {
    await releaseLock(ctx, subject, lease, message.lease).catch((fault) =>
      ctx.log.error("a lease was not handed back", fault, { subject }),
    )
    throw cause
  }
}

/**
 * Takes one step of a job whose runs may overlap, because its rows have leases of their own: a message without a token always runs, and
 * of those that go on from there one is in flight.
 * @param message as for `runJob`
 * @param step as for `runJob`
 * @throws what the step throws
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
