// Consumes the queues: hands each message to its service. The queue retries our own failures, the schedule of deliveries a receiver's.

import { sweepMedia } from "../content/media/sweep"
import { deliverNotification } from "../content/notifications/deliver"
import { pushOn } from "../content/push/batch"
import { invalidateIsolateCache } from "../core/cache/edge-cache"
import type { Ctx } from "../core/context"
import { createContext } from "../core/context"
import { Refusal } from "../core/http/refusal"
import type { Facts } from "../core/log"
import { keepDeadLetter } from "../core/queue/dead-letters"
import { QueueMessage } from "../core/queue/messages"
import type { Env } from "../env"
import { assertNever } from "../lib/assert-never"
import { sendWaitingMails } from "../mails/outbox"
import { moveOn } from "../platform/site-migration/service"
import { provisionStore } from "../platform/stores/provision"
import { purgeStore } from "../platform/stores/remove"
import { continueBilling } from "../platform/subscriptions/clock"
import { refreshStep } from "../platform/usage/snapshots"
import { purgeEndpoint } from "../webhooks/endpoints/purge"
import { firstAttempt } from "../webhooks/first-attempt"
import { continueRecovery } from "../webhooks/recovery/service"
import { runLane } from "../webhooks/sweep/endpoint-batch"

/** Queues whose names end in `-dead` hold messages whose retries failed. */
const isDeadLetter = (queue: string) => queue.endsWith("-dead")

/** Seconds before the first retry; each further one waits four times as long. */
const FIRST_RETRY = 5

/** Seconds between retries that give somebody time: a rollout, to bring the version that knows a message; the database, to come back. */
const LONG_RETRY = 600

/** A message of a version that is not this one, or of nobody's. */
class UnknownMessage extends Error {
  override readonly name = "UnknownMessage"
}

/**
 * Handles a batch: each message by itself, so that one that fails is retried without its neighbours.
 * @param batch messages of any shape: versions that run beside each other during a rollout consume each other's
 */
export async function handleQueue(batch: MessageBatch, env: Env, execution: ExecutionContext): Promise<void> {
  const ctx = createContext(env, (work) => execution.waitUntil(work))
  await Promise.all(
    batch.messages.map(async (message) => {
      const { data } = QueueMessage.safeParse(message.body)
      try {
        if (isDeadLetter(batch.queue)) await giveUp(ctx, message)
        else if (data) await handle(ctx, data)
        else throw new UnknownMessage("This version does not know the message")
        message.ack()
      } catch (cause) {
        if (isOfHeld(cause)) {
          ctx.log.info("message put off: its store is being moved", factsOf(message.body))
          return message.ack()
        }
        ctx.log.error("message failed", cause, {
          queue: batch.queue,
          attempt: message.attempts,
          ...factsOf(message.body),
        })
        const isLong = isDeadLetter(batch.queue) || !data
        message.retry({
          delaySeconds: isLong ? LONG_RETRY : Math.min(FIRST_RETRY * 4 ** (message.attempts - 1), LONG_RETRY),
        })
      } finally {
        if (data && "job" in data) invalidateIsolateCache()
      }
    }),
  )
}

/**
 * What a store that is being moved keeps from being done is taken up by the cron, in the database where it then stands. Only that refusal
 * says when to come again: a store that is unavailable for another reason is a fault here.
 */
const isOfHeld = (cause: unknown): boolean =>
  cause instanceof Refusal && cause.code === "store_unavailable" && cause.facts.retryAfter !== undefined

async function giveUp(ctx: Ctx, message: { id: string; body: unknown }): Promise<void> {
  ctx.log.warn("message given up", factsOf(message.body))
  await keepDeadLetter(ctx, message)
}

/** What the log says of a message; of an unknown one only its fields, whatever their values may be. */
function factsOf(body: unknown): Facts {
  const { data } = QueueMessage.safeParse(body)
  if (!data) return { unknown: typeof body === "object" && body ? Object.keys(body).join().slice(0, 200) : typeof body }
  if ("lane" in data) return { lane: data.lane.deliveries[0], deliveries: data.lane.deliveries.length }
  return "push" in data ? { ...data.push } : { ...data }
}

async function handle(ctx: Ctx, message: QueueMessage): Promise<void> {
  if ("delivery" in message) return firstAttempt(ctx, message)
  if ("lane" in message) return runLane(ctx, message.lane)
  if ("push" in message) return pushOn(ctx, message.push)
  switch (message.job) {
    case "provision":
      return void (await provisionStore(ctx, message.store, message.seq))
    case "endpoint":
      return purgeEndpoint(ctx, message.endpoint, message.lease)
    case "purge":
      return purgeStore(ctx, message.store, message)
    case "move":
      return moveOn(ctx, message.store, message)
    case "mails":
      return sendWaitingMails(ctx, message.lease)
    case "billing":
      return continueBilling(ctx, message)
    case "usage":
      return refreshStep(ctx, message.after, message.lease)
    case "media":
      return sweepMedia(ctx, message.database, message.lease)
    case "recovery":
      return continueRecovery(ctx, message.endpoint, message.lease)
    case "notify":
      return void (await deliverNotification(ctx, message.database, message.notification, message.lease))
    default:
      return assertNever(message)
  }
}
