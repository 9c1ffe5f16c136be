// Queue messages: queue name -> what is done with each. Our own failures are retried by the queue, a receiver's by the schedule.

import { sweepMedia } from "../content/media/sweep"
import { deliverNotification } from "../content/notifications/deliver"
import { pushOn } from "../content/push/lane"
import type { Ctx } from "../core/context"
import { createContext } from "../core/context"
import { keepDeadLetter } from "../core/dead-letters"
import { noticeWrite } from "../core/edge-cache"
import type { Facts } from "../core/log"
import { Refusal } from "../core/refusal"
import type { Env } from "../env"
import { sendWaitingMails } from "../platform/mails/outbox"
import { moveOn } from "../platform/moves/service"
import { provisionStore } from "../platform/stores/provision"
import { purgeStore } from "../platform/stores/remove"
import { continueBilling } from "../platform/subscriptions/clock"
import { refreshStep } from "../platform/usage/snapshots"
import { purgeEndpoint } from "../webhooks/endpoints/purge"
import { firstAttempt } from "../webhooks/first-attempt"
import { continueRecovery } from "../webhooks/recovery/service"
import { runLane } from "../webhooks/sweep/lane"
import type { DeliveryMessage, JobMessage, LaneMessage, PushMessage } from "./messages"

/** What the queues carry. */
type Message = DeliveryMessage | LaneMessage | PushMessage | JobMessage

/** Queues that end in `-dead` hold what was given up. */
const isDeadLetter = (queue: string) => queue.endsWith("-dead")

/** Handles a batch: every message on its own, so that one fault does not repeat its neighbours. */
export async function handleQueue(batch: MessageBatch<Message>, env: Env, execution: ExecutionContext): Promise<void> {
  const ctx = createContext(env, (work) => execution.waitUntil(work))
  await Promise.all(
    batch.messages.map(async (message) => {
      try {
        if (isDeadLetter(batch.queue)) await giveUp(ctx, message)
        else await handle(ctx, message.body)
        message.ack()
      } catch (cause) {
        if (isOfHeld(cause)) {
          ctx.log.info("message put off: its store is being moved", named(message.body))
          return message.ack()
        }
        ctx.log.error("message failed", cause, {
          queue: batch.queue,
          attempt: message.attempts,
          ...named(message.body),
        })
        message.retry()
      } finally {
        if ("job" in message.body) noticeWrite()
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

async function giveUp(ctx: Ctx, message: { id: string; body: Message }): Promise<void> {
  ctx.log.warn("message given up", named(message.body))
  await keepDeadLetter(ctx, message)
}

/** What the log says of a message. */
function named(message: Message): Facts {
  if ("lane" in message) return { lane: message.lane.deliveries[0], deliveries: message.lane.deliveries.length }
  return "push" in message ? { ...message.push } : { ...message }
}

async function handle(ctx: Ctx, message: Message): Promise<void> {
  if ("delivery" in message) await firstAttempt(ctx, message)
  else if ("lane" in message) await runLane(ctx, message.lane)
  else if ("push" in message) await pushOn(ctx, message.push)
  else {
    switch (message.job) {
      case "provision":
        await provisionStore(ctx, message.store)
        break
      case "endpoint":
        await purgeEndpoint(ctx, message.endpoint)
        break
      case "purge":
        await purgeStore(ctx, message.store)
        break
      case "move":
        await moveOn(ctx, message.store)
        break
      case "mails":
        await sendWaitingMails(ctx)
        break
      case "billing":
        await continueBilling(ctx, message)
        break
      case "usage":
        await refreshStep(ctx, message.after)
        break
      case "media":
        await sweepMedia(ctx, message.database)
        break
      case "recovery":
        await continueRecovery(ctx, message.endpoint)
        break
      case "notify":
        await deliverNotification(ctx, message.database, message.notification)
        break
    }
  }
}
