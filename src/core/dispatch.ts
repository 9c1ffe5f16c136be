// Hands new deliveries to the queue, behind the answer. What the queue does not take, the sweep finds a minute later.
import { bindingOf } from "../env"
import type { DeliveryMessage } from "../jobs/messages"
import type { Ctx } from "./context"

/** Cloudflare Queues take at most 100 messages a call. */
const MESSAGES_A_CALL = 100

/** Sends the deliveries' first attempts to the queue that TENANCY_WEBHOOK_QUEUE names. */
export function dispatch(ctx: Ctx, deliveries: number[]): void {
  if (!deliveries.length) return
  const queue = bindingOf(ctx.env, ctx.settings.TENANCY_WEBHOOK_QUEUE) as Queue<DeliveryMessage> | undefined
  const calls: Promise<unknown>[] = []
  for (let start = 0; start < deliveries.length; start += MESSAGES_A_CALL) {
    const messages = deliveries.slice(start, start + MESSAGES_A_CALL).map((delivery) => ({ body: { delivery } }))
    if (queue) calls.push(queue.sendBatch(messages))
  }
  ctx.after(Promise.all(calls))
}
