// Hands new deliveries to the queue, behind the answer. What the queue does not take, the sweep finds a minute later.
import { bindingOf } from "../../env"
import type { Ctx } from "../context"
import type { DeliveryMessage } from "./messages"

/** Cloudflare Queues take at most 100 messages a call. */
const MESSAGES_A_CALL = 100

/** Sends the deliveries' first attempts to the queue that TENANCY_WEBHOOK_QUEUE names. */
export function dispatch(ctx: Ctx, deliveries: DeliveryMessage[]): void {
  if (!deliveries.length) return
  const queue = queueOf(ctx)
  const calls: Promise<unknown>[] = []
  for (let start = 0; start < deliveries.length; start += MESSAGES_A_CALL) {
    calls.push(queue.sendBatch(deliveries.slice(start, start + MESSAGES_A_CALL).map((body) => ({ body }))))
  }
  ctx.after(Promise.all(calls))
}

/**
 * Sends a first attempt to the queue once more.
 * @param seconds after which it is to be made
 */
export const dispatchLater = (ctx: Ctx, message: DeliveryMessage, seconds: number): Promise<unknown> =>
  queueOf(ctx).send(message, { delaySeconds: seconds })

const queueOf = ({ env, settings }: Ctx) => bindingOf(env, settings.TENANCY_WEBHOOK_QUEUE) as Queue<DeliveryMessage>
