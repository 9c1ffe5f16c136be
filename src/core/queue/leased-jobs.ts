// Runs background jobs step by step over the queues. Every subject of a job has one lease, and the next step's message
// carries its token, so a duplicate message has an outdated token and does nothing. The lease's row contains the step,
// so the cron resumes a job whose message was lost or whose Worker died.

import { and, asc, isNotNull, lte } from "drizzle-orm"
import { locks } from "../../db/schema/central/locks"
import { assertNever } from "../../lib/assert-never"
import { MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { forEachItem } from "./for-each-item"
import { acquireLock, releaseLock, renewExpiredLock } from "./lock"
import { type Job, type JobKind, JobMessage } from "./messages"
import { sendJobMessage, sendJobMessages } from "./send"

interface LeasePolicy {
  /** How long a message may wait in its queue and run its step before the cron sends another, in milliseconds. */
  leaseMs: number
  /**
   * Whether a message without a token runs while the lease is taken: its rows have leases of their own, and work of a
   * request must not wait for the job in flight. Still, only one follow-up message is in flight.
   */
  overlaps: boolean
}

/** Longer than any step runs. */
export const JOB_LEASE_MS = 5 * MINUTE

const EXCLUSIVE: LeasePolicy = { leaseMs: JOB_LEASE_MS, overlaps: false }
const OVERLAPPING: LeasePolicy = { leaseMs: JOB_LEASE_MS, overlaps: true }
/** Blocks writes to its store, so the cron resumes it sooner. */
const BLOCKING: LeasePolicy = { leaseMs: 2 * MINUTE, overlaps: false }

const POLICIES: Record<JobKind, LeasePolicy> = {
  provision: OVERLAPPING,
  purge: EXCLUSIVE,
  move: BLOCKING,
  endpoint: EXCLUSIVE,
  route: EXCLUSIVE,
  mails: OVERLAPPING,
  account_mails: OVERLAPPING,
  billing: EXCLUSIVE,
  usage: EXCLUSIVE,
  media: OVERLAPPING,
  recovery: EXCLUSIVE,
  notify: OVERLAPPING,
  due_notifications: EXCLUSIVE,
  audit_outbox: EXCLUSIVE,
  app_hourly: EXCLUSIVE,
  backup: BLOCKING,
  restore: BLOCKING,
  backups: EXCLUSIVE,
  "backup-prune": EXCLUSIVE,
}

/** The lease's name. Messages of one subject are processed one at a time. */
function subjectOf(job: Job): string {
  switch (job.job) {
    case "purge":
    case "move":
    case "backup":
    case "restore":
    case "backup-prune":
      // A purge deletes rows that a migration, backup or restore of the same store copies, so they exclude each other.
      return `site:${job.store}`
    case "provision":
      return `provision:${job.store}`
    case "endpoint":
    case "recovery":
      return `${job.job}:${job.endpoint}`
    case "media":
    case "due_notifications":
    case "audit_outbox":
    case "account_mails":
      return `${job.job}:${job.database}`
    case "app_hourly":
      return `app_hourly:${job.app}:${job.database}`
    case "notify":
      return `notify:${job.database}:${job.notification}`
    case "route":
    case "mails":
    case "billing":
    case "usage":
    case "backups":
      return job.job
    default:
      return assertNever(job)
  }
}

/**
 * Starts a job in the background of a request. Its first message has no token: it takes the lease when it is processed,
 * which saves the request a write. If the message is lost, the cron finds the work in its rows.
 */
export const startJob = (ctx: Ctx, job: Job): void => ctx.inBackground(sendJobMessage(ctx, job))

/**
 * Starts many jobs of one kind, like `startJob`.
 * @throws whatever the queue throws
 */
export const startJobs = (ctx: Ctx, jobs: readonly Job[]): Promise<void> => sendJobMessages(ctx, jobs)

/**
 * Enqueues a job under its lease, unless a message of its subject is in flight. If a message outlived its lease in the
 * queue, the new one has the same token and the first to arrive runs the step, so a long queue delays a job but does
 * not starve it.
 * @throws whatever the database or the queue throws; the lease then expires
 */
export async function enqueueJob(ctx: Ctx, job: Job): Promise<void> {
  const lease = await renewExpiredLock(ctx, subjectOf(job), POLICIES[job.job].leaseMs, job)
  if (lease !== null) await sendJobMessage(ctx, { ...job, lease })
}

/**
 * Runs one step of a job and enqueues the next. Does nothing while another message of the subject is in flight.
 * @param message the step's message
 * @param step returns the next step, or null when the job is done
 * @throws whatever the step throws, after the lease has been returned to the message, so that the queue's retry can
 *   take it
 */
export async function runJob(ctx: Ctx, message: JobMessage, step: () => Promise<Job | null>): Promise<void> {
  const { lease: token, ...job } = message
  const { leaseMs, overlaps } = POLICIES[job.job]
  if (overlaps && token === undefined) {
    const next = await step()
    return next ? enqueueJob(ctx, next) : undefined
  }
  const subject = subjectOf(job)
  const lease = await acquireLock(ctx, subject, leaseMs, { token, job })
  if (lease === null) return
  try {
    const next = await step()
    if (next) await sendJobMessage(ctx, { ...next, lease })
    else await releaseLock(ctx, subject, lease)
  } catch (cause) {
    await releaseLock(ctx, subject, lease, token).catch((fault) =>
      ctx.log.error("releasing a lease failed", fault, { subject }),
    )
    throw cause
  }
}

/** Jobs that one run of the cron resumes. */
const BATCH_SIZE = 100

/**
 * Resumes the jobs whose lease expired: the message was lost or failed permanently, or its Worker died. The step that
 * the lease names runs again; every step is idempotent.
 */
export async function resumeStalledJobs(ctx: Ctx): Promise<void> {
  const stalled = await ctx.db
    .select({ name: locks.name, job: locks.job })
    .from(locks)
    .where(and(isNotNull(locks.job), lte(locks.expiresAt, ctx.now)))
    .orderBy(asc(locks.expiresAt))
    .limit(BATCH_SIZE)
  await forEachItem(
    ctx,
    "stalled-jobs",
    stalled,
    async ({ job }) => {
      // A newer version may have stored a kind that this one does not know; that version resumes it.
      const { data } = JobMessage.safeParse(job)
      if (data) await enqueueJob(ctx, data)
    },
    ({ name }) => name,
  )
}
