// Runs background jobs step by step over the queues. Every subject of a job has one lease, and the next step's message
// carries its token, so a duplicate message has an outdated token and does nothing. The lease's row contains the step,
// so the cron resumes a job whose message was lost or whose Worker died.

import { and, asc, desc, gt, isNotNull, lte } from "drizzle-orm"
import { isTransient } from "../../db/errors"
import { locks } from "../../db/schema/central/locks"
import { assertNever } from "../../lib/assert-never"
import { currentMs, currentTime } from "../../lib/clock"
import { addMs, HOUR, MINUTE, SECOND } from "../../lib/time"
import type { Ctx } from "../context"
import { Refusal } from "../http/refusal"
import { JobRun } from "../job-run"
import type { LogFields } from "../log"
import { describeError } from "../log"
import { forEachItem } from "./for-each-item"
import { acquireLock, handOverLock, type Lease, releaseLock, renewExpiredLock } from "./lock"
import { type Job, type JobKind, JobMessage } from "./messages"
import { sendJobMessage, sendJobMessages } from "./send"

interface LeasePolicy {
  /** Time for which a message may wait in its queue and run its step before the cron sends another, in milliseconds. */
  leaseMs: number
  /** The longest time between two messages of a job that keeps failing, in milliseconds. */
  maxBackoffMs: number
  /** The time budget of a step in milliseconds. The next step continues. */
  stepMs: number
  /**
   * Whether a message without a token runs while the lease is taken: its rows have their own leases, and work of a
   * request must not wait for the job in flight. Still, only one follow-up message is in flight.
   */
  overlaps: boolean
}

/** Longer than any step runs. */
export const JOB_LEASE_MS = 5 * MINUTE

const EXCLUSIVE: LeasePolicy = {
  leaseMs: JOB_LEASE_MS,
  maxBackoffMs: HOUR,
  stepMs: 20 * SECOND,
  overlaps: false,
}
const OVERLAPPING: LeasePolicy = { ...EXCLUSIVE, overlaps: true }
/** Blocks writes to its store, so the cron resumes it sooner. */
const BLOCKING: LeasePolicy = { ...EXCLUSIVE, leaseMs: 2 * MINUTE, maxBackoffMs: 10 * MINUTE }

const POLICIES: Record<JobKind, LeasePolicy> = {
  /** A person waits for the store. */
  provision: { ...OVERLAPPING, leaseMs: 90 * SECOND },
  purge: { ...EXCLUSIVE, stepMs: 30 * SECOND },
  move: { ...BLOCKING, stepMs: 30 * SECOND },
  endpoint: EXCLUSIVE,
  // Routers may run at the same time, and events must not wait for the lease of one that died.
  route: { ...OVERLAPPING, leaseMs: 30 * SECOND, maxBackoffMs: MINUTE },
  mails: OVERLAPPING,
  account_mails: OVERLAPPING,
  billing: EXCLUSIVE,
  usage: EXCLUSIVE,
  media: OVERLAPPING,
  recovery: EXCLUSIVE,
  /** Its endpoint is paused. */
  rehome: BLOCKING,
  notify: OVERLAPPING,
  due_notifications: EXCLUSIVE,
  audit_outbox: EXCLUSIVE,
  app_hourly: EXCLUSIVE,
  backup: BLOCKING,
  /** A person waits for the archive. */
  export: { ...EXCLUSIVE, maxBackoffMs: 10 * MINUTE },
  restore: BLOCKING,
  backups: EXCLUSIVE,
  archive: EXCLUSIVE,
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
    case "export":
      return `${job.job}:${job.store}`
    case "endpoint":
    case "recovery":
    case "rehome":
      return `${job.job}:${job.endpoint}`
    case "media":
    case "due_notifications":
    case "audit_outbox":
    case "account_mails":
      return `${job.job}:${job.database}`
    case "archive":
      return `archive:${job.log}`
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
export function startJob(ctx: Ctx, job: Job): void {
  if (!ctx.isDryRun) ctx.inBackground(sendJobMessage(ctx, job))
}

/**
 * Starts many jobs of one kind, like `startJob`.
 * @throws errors of the queue
 */
export const startJobs = (ctx: Ctx, jobs: readonly Job[]): Promise<void> => sendJobMessages(ctx, jobs)

/**
 * Enqueues a job under its lease, unless a message of its subject is in flight. If a message outlived its lease in the
 * queue, the new one has the same token and the first to arrive runs the step, so a long queue delays a job but does
 * not starve it.
 * @throws errors of the database or the queue; the lease then expires
 */
export async function enqueueJob(ctx: Ctx, job: Job): Promise<void> {
  const lease = await renewExpiredLock(ctx, subjectOf(job), POLICIES[job.job].leaseMs, job)
  if (lease !== null) await sendJobMessage(ctx, { ...job, lease })
}

/** The token of a message without one. */
const NO_TOKEN = ""

/**
 * Runs one step of a job within its time budget and enqueues the next. Does nothing while another message of the
 * subject is in flight.
 * @param message the step's message
 * @param step returns the next step, or null when the job is done
 * @throws errors of the step, after the lease has been returned to the message, so that the queue's retry can
 *   take it
 */
export async function runJob(ctx: Ctx, message: JobMessage, step: (ctx: Ctx) => Promise<Job | null>): Promise<void> {
  const { lease: token, ...job } = message
  const { leaseMs, overlaps } = POLICIES[job.job]
  if (overlaps && token === undefined) {
    const next = await runTimed(ctx, job, step)
    return next ? enqueueJob(ctx, next) : undefined
  }
  const subject = subjectOf(job)
  // The last step releases the lease. A late copy of an earlier message must not begin another chain.
  const mustExist = token !== undefined
  const lease = await acquireLock(ctx, subject, leaseMs, { token: token ?? NO_TOKEN, job, mustExist })
  if (lease === null) return
  try {
    const next = await runTimed(ctx, job, step)
    if (next === null) return await releaseLock(ctx, subject, lease.token)
    if (lease.attempts) await handOverLock(ctx, subject, lease.token, { attempts: 0, lastError: null })
    await sendJobMessage(ctx, { ...next, lease: lease.token })
  } catch (cause) {
    await returnLease(ctx, job, lease, token ?? NO_TOKEN, cause).catch((error) =>
      ctx.log.error("returning a lease failed", error, { subject }),
    )
    throw cause
  }
}

/** Runs a step with its time budget, and logs when that was used up. */
async function runTimed(ctx: Ctx, job: Job, step: (ctx: Ctx) => Promise<Job | null>): Promise<Job | null> {
  const { stepMs } = POLICIES[job.job]
  const started = currentMs()
  const next = await step({ ...ctx, run: new JobRun(stepMs) })
  const durationMs = currentMs() - started
  const facts: LogFields = { ...job, budget_ms: stepMs, duration_ms: durationMs }
  if (durationMs >= 2 * stepMs) ctx.log.warn("a step of a job exceeded its time budget", facts)
  else if (durationMs >= stepMs) ctx.log.info("a step of a job ran out of time", { ...facts, continues: !!next })
  return next
}

/**
 * Attempts that the queue makes with one message, in less than two minutes: `max_retries` of the consumers in
 * wrangler.toml, and the first.
 */
const ATTEMPTS_PER_MESSAGE = 4

/**
 * Computes how long the cron waits before it sends another message of a job that failed. It doubles with every message.
 * @param attempts failed attempts since the last success
 * @returns milliseconds
 */
export function getBackoff(kind: JobKind, attempts: number): number {
  const { leaseMs, maxBackoffMs } = POLICIES[kind]
  const messages = Math.ceil(attempts / ATTEMPTS_PER_MESSAGE)
  return Math.min(leaseMs * 2 ** (messages - 1), maxBackoffMs)
}

/**
 * Whether a step failed only because its store is being migrated, backed up or restored: of all unavailable stores,
 * only those have a `retryAfter`. Nothing is wrong with the job then.
 */
export const isStoreLocked = (cause: unknown): boolean =>
  cause instanceof Refusal && cause.code === "store_unavailable" && cause.facts.retryAfter !== undefined

/**
 * Returns the lease of a failed step to its message. The lease lasts until the cron may send another message, and
 * contains the number of failures and the class of the error.
 */
async function returnLease(ctx: Ctx, job: Job, lease: Lease, token: string, cause: unknown): Promise<void> {
  const subject = subjectOf(job)
  if (isStoreLocked(cause))
    return token === NO_TOKEN
      ? releaseLock(ctx, subject, lease.token)
      : handOverLock(ctx, subject, lease.token, { holder: token })
  const attempts = lease.attempts + 1
  await handOverLock(ctx, subject, lease.token, {
    holder: token,
    attempts,
    lastError: classOf(cause),
    expiresAt: addMs(currentTime(), getBackoff(job.job, attempts)),
  })
}

/** The class of an error, without its message, which may contain personal data. */
function classOf(cause: unknown): string {
  if (cause instanceof Refusal) return `Refusal: ${cause.code}`
  return isTransient(cause) ? "transient database error" : describeError(cause).class
}

/** A job that failed since its last successful step. */
export interface FailingJob {
  /** The lease, which names the kind of job and its subject. */
  subject: string
  kind: string
  attempts: number
  lastError: string | null
  /** When the cron sends another message. */
  nextAt: Date
}

/** Failing jobs on a page. */
const MAX_LISTED = 50

/** Selects the failing jobs, the most failed first, for `toFailingJobs`. */
export const selectFailingJobs = (ctx: Pick<Ctx, "db">) =>
  ctx.db
    .select()
    .from(locks)
    .where(and(isNotNull(locks.job), gt(locks.attempts, 0)))
    .orderBy(desc(locks.attempts))
    .limit(MAX_LISTED)

/** Converts the selected rows. */
export const toFailingJobs = (rows: readonly (typeof locks.$inferSelect)[]): FailingJob[] =>
  rows.map(({ name, job, attempts, lastError, expiresAt }) => ({
    subject: name,
    kind: String(job?.job),
    attempts,
    lastError,
    nextAt: expiresAt,
  }))

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
