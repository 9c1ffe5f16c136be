// Consumes the queues and passes each message to its service. The queue retries the platform's own errors; failed
// webhook requests follow the delivery schedule instead.

import { findApp } from "../apps/registry"
import { sendDueAccountMails } from "../content/mails/outbox"
import { sweepMedia } from "../content/media/sweep"
import { continueNotification, deliverDueNotifications } from "../content/notifications/deliver"
import { runPushBatch } from "../content/push/batch"
import { recordWriteToAnySite } from "../core/cache/site-writes"
import type { Ctx } from "../core/context"
import { createContext, createOutboundSemaphore } from "../core/context"
import type { LogFields } from "../core/log"
import { countIfTransient, flushTransientErrors } from "../core/metrics/transient-errors"
import { storeDeadLetter } from "../core/queue/dead-letters"
import { isStoreLocked, runJob } from "../core/queue/leased-jobs"
import { type DeliveryMessage, type Job, kindOf, type MessageKind, QueueMessage } from "../core/queue/messages"
import { routeEvents } from "../core/write/event-router"
import { forwardDatabaseOutbox } from "../core/write/site-commit"
import type { Bindings } from "../env"
import { assertNever } from "../lib/assert-never"
import { sendDueMails } from "../mails/outbox"
import { archiveAuditEntries } from "../platform/audit/archive"
import { backUpNextStores } from "../platform/backups/nightly"
import { pruneBackups } from "../platform/backups/prune"
import { runRestore } from "../platform/backups/restore-steps"
import { runBackup } from "../platform/backups/service"
import { runExport } from "../platform/exports/run"
import { runSiteMigration } from "../platform/site-migration/service"
import { provisionStore } from "../platform/stores/provision"
import { purgeStore } from "../platform/stores/remove"
import { continueBillingRun } from "../platform/subscriptions/clock"
import { refreshNextStores } from "../platform/usage/snapshots"
import { purgeEndpoint } from "../webhooks/endpoints/purge"
import { archiveEvents } from "../webhooks/events/archive"
import { makeFirstAttempts } from "../webhooks/first-attempts/first-attempts"
import { continueRecovery } from "../webhooks/recovery/service"
import { continueRehoming } from "../webhooks/rehoming/service"
import { runEndpointBatch } from "../webhooks/sweep/endpoint-batch"
import type { ScheduledJobName } from "./cron"

/** Queues whose names end in `-dead` receive the messages whose retries failed. */
const isDeadLetterQueue = (queue: string) => queue.endsWith("-dead")

/** Delay before the first retry; each further delay is four times as long. */
const FIRST_RETRY_SECONDS = 5

/**
 * Longest delay, long enough for a rollout to bring the version that knows a message, or for the database to recover.
 */
const MAX_RETRY_SECONDS = 600

/** A message of another version, or a forged one. */
class UnknownMessage extends Error {
  override readonly name = "UnknownMessage"
}

/**
 * Processes a batch. Messages are independent: each has its own context and request id, and one that fails is retried
 * without the others. First attempts of webhook deliveries are made in groups, so they share a context.
 * @param batch messages of any shape: during a rollout, two versions consume each other's messages
 */
export async function handleQueue(batch: MessageBatch, env: Bindings, execution: ExecutionContext): Promise<void> {
  const outbound = createOutboundSemaphore()
  const createMessageContext = () => createContext(env, (work) => execution.waitUntil(work), { outbound })
  const isDead = isDeadLetterQueue(batch.queue)
  const messages = batch.messages.map((message) => ({ message, data: QueueMessage.safeParse(message.body).data }))
  const firstAttempts = makeFirstAttempts(
    createMessageContext(),
    messages.flatMap(({ data }) => (data && "delivery" in data && !isDead ? [data] : [])),
  )
  await Promise.all(
    // lint: each message is processed separately
    messages.map(async ({ message, data }) => {
      const ctx = createMessageContext()
      try {
        if (isDead) await archiveDeadLetter(ctx, message)
        else if (data && "delivery" in data) await firstAttempts.get(data)
        else if (data) await processMessage(ctx, data)
        else throw new UnknownMessage("This version does not know the message")
        message.ack()
      } catch (cause) {
        if (data && isStoreLocked(cause)) {
          // The cron enqueues the work again once the store accepts writes.
          const skipped = { ...describeMessage(message.body), resumed_by: RESUMED_BY[kindOf(data)] }
          ctx.log.info("message skipped: its store is locked", skipped)
          return message.ack()
        }
        countIfTransient(cause)
        ctx.log.error("message failed", cause, {
          queue: batch.queue,
          attempt: message.attempts,
          ...describeMessage(message.body),
        })
        const isLong = isDead || !data
        message.retry({
          delaySeconds: isLong
            ? MAX_RETRY_SECONDS
            : Math.min(FIRST_RETRY_SECONDS * 4 ** (message.attempts - 1), MAX_RETRY_SECONDS),
        })
      } finally {
        if (data && "job" in data) recordWriteToAnySite()
        flushTransientErrors(env, ctx.log, ctx.inBackground)
      }
    }),
  )
}

/**
 * The scheduled job that finds the work of a lost or skipped message in its rows. A message whose Worker died leaves a
 * lease, and `stalled-jobs` resumes it, too.
 */
export const RESUMED_BY: Record<MessageKind, ScheduledJobName> = {
  delivery: "webhook-sweep",
  lane: "webhook-sweep",
  recovery: "webhook-recoveries",
  endpoint: "endpoint-purges",
  rehome: "endpoint-rehomings",
  provision: "store-provisioning",
  purge: "store-purges",
  move: "site-migrations",
  backup: "backup-continuation",
  restore: "backup-continuation",
  export: "export-maintenance",
  backups: "nightly-backups",
  "backup-prune": "nightly-backups",
  archive: "log-archiving",
  notify: "notifications",
  push: "notifications",
  media: "media-cleanup",
  route: "event-routing",
  mails: "mail-outbox",
  account_mails: "mail-outbox",
  billing: "billing-clock",
  usage: "usage-snapshots",
  due_notifications: "notifications",
  audit_outbox: "audit-forwarding",
  app_hourly: "app-hourly",
}

async function archiveDeadLetter(ctx: Ctx, message: { id: string; body: unknown }): Promise<void> {
  ctx.log.warn("message moved to dead letters", describeMessage(message.body))
  await storeDeadLetter(ctx, message)
}

/** Returns the log fields of a message. Of an unknown message only the field names are logged, never the values. */
function describeMessage(body: unknown): LogFields {
  const { data } = QueueMessage.safeParse(body)
  if (!data) return { unknown: typeof body === "object" && body ? Object.keys(body).join().slice(0, 200) : typeof body }
  if ("lane" in data) return { lane: data.lane.deliveries[0], deliveries: data.lane.deliveries.length }
  return "push" in data ? { ...data.push } : { ...data }
}

async function processMessage(ctx: Ctx, message: Exclude<QueueMessage, DeliveryMessage>): Promise<void> {
  if ("lane" in message) return runEndpointBatch(ctx, message.lane)
  if ("push" in message) return runPushBatch(ctx, message.push)
  return runJob(ctx, message, (timed) => runStep(timed, message))
}

/** Runs one step of a job and returns the next. */
async function runStep(ctx: Ctx, job: Job): Promise<Job | null> {
  switch (job.job) {
    case "provision":
      await provisionStore(ctx, job.store, job.seq)
      return null
    case "endpoint":
      return purgeEndpoint(ctx, job.endpoint)
    case "purge":
      return purgeStore(ctx, job.store, job.seq)
    case "move":
      return runSiteMigration(ctx, job.store, job.seq)
    case "backup":
      return runBackup(ctx, job.store, job.backup)
    case "export":
      return runExport(ctx, job.store)
    case "restore":
      return runRestore(ctx, job.store, job.restore)
    case "backups":
      return backUpNextStores(ctx, job.after)
    case "backup-prune":
      return pruneBackups(ctx, job)
    case "route":
      return routeEvents(ctx)
    case "mails":
      return sendDueMails(ctx)
    case "account_mails":
      return sendDueAccountMails(ctx, job.database)
    case "billing":
      return continueBillingRun(ctx, job)
    case "usage":
      return refreshNextStores(ctx, job.after)
    case "media":
      return sweepMedia(ctx, job.database)
    case "rehome":
      return continueRehoming(ctx, job.endpoint)
    case "recovery":
      return continueRecovery(ctx, job.endpoint)
    case "notify":
      return continueNotification(ctx, job.database, job.notification)
    case "due_notifications":
      return deliverDueNotifications(ctx, job.database)
    case "audit_outbox":
      return forwardDatabaseOutbox(ctx, job.database)
    case "archive":
      return job.log === "audit" ? archiveAuditEntries(ctx, job.at) : archiveEvents(ctx, job.at)
    case "app_hourly":
      await (await findApp(job.app)?.hourly?.())?.(ctx, job.database)
      return null
    default:
      return assertNever(job)
  }
}
