// Queue messages: queue name -> what is done with each. Our own failures are retried by the queue, a receiver's by the schedule.

import { sweepMedia } from "../content/media/sweep"
import { deliverNotification } from "../content/notifications/deliver"
import type { Ctx } from "../core/context"
import { createContext } from "../core/context"
import { noticeWrite } from "../core/edge-cache"
import type { Env } from "../env"
import { sendWaitingMails } from "../platform/mails/outbox"
import { provisionStore } from "../platform/stores/provision"
import { purgeStore } from "../platform/stores/remove"
import { continueBilling } from "../platform/subscriptions/clock"
import { refreshStep } from "../platform/usage/snapshots"
import { firstAttempt } from "../webhooks/first-attempt"
import type { DeliveryMessage, JobMessage } from "./messages"

/** Queues that end in `-dead` hold what was given up. */
const isDeadLetter = (queue: string) => queue.endsWith("-dead")

/** Handles a batch: every message on its own, so that one fault does not repeat its neighbours. */
export async function handleQueue(
  batch: MessageBatch<DeliveryMessage | JobMessage>,
  env: Env,
  execution: ExecutionContext,
): Promise<void> {
  const ctx = createContext(env, (work) => execution.waitUntil(work))
  await Promise.all(
    batch.messages.map(async (message) => {
      try {
        if (isDeadLetter(batch.queue)) ctx.log.warn("message given up", { queue: batch.queue, ...message.body })
        else await handle(ctx, message.body)
        message.ack()
      } catch (cause) {
        ctx.log.error("message failed", cause, { queue: batch.queue, attempt: message.attempts, ...message.body })
        message.retry()
      } finally {
        if ("job" in message.body) noticeWrite()
      }
    }),
  )
}

async function handle(ctx: Ctx, message: DeliveryMessage | JobMessage): Promise<void> {
  if ("delivery" in message) await firstAttempt(ctx, message.delivery)
  else {
    switch (message.job) {
      case "provision":
        await provisionStore(ctx, message.store)
        break
      case "purge":
        await purgeStore(ctx, message.store)
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
      case "notify":
        await deliverNotification(ctx, message.database, message.notification)
        break
    }
  }
}
