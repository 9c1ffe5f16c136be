// Enqueues the first attempts of new deliveries in the background. The sweep picks up whatever the queue did not
// accept.
import { bindingOf } from "../../env"
import type { Ctx } from "../context"
import type { DeliveryMessage } from "./messages"

/** Cloudflare Queues accept at most 100 messages per call. */
const MAX_MESSAGES_PER_CALL = 100

/** Enqueues the first attempts of deliveries in the background, in the queue that TENANCY_WEBHOOK_QUEUE names. */
export function enqueueDeliveries(ctx: Ctx, deliveries: DeliveryMessage[]): void {
  if (!deliveries.length) return
  const queue = queueOf(ctx)
  const calls: Promise<unknown>[] = []
  for (let start = 0; start < deliveries.length; start += MAX_MESSAGES_PER_CALL) {
    calls.push(queue.sendBatch(deliveries.slice(start, start + MAX_MESSAGES_PER_CALL).map((body) => ({ body }))))
  }
  ctx.inBackground(Promise.all(calls))
}

/**
 * Enqueues a first attempt again.
 * @param seconds the delay before it is delivered
 */
export const enqueueDeliveryLater = (ctx: Ctx, message: DeliveryMessage, seconds: number): Promise<unknown> =>
  queueOf(ctx).send(message, { delaySeconds: seconds })

const queueOf = ({ env, settings }: Ctx) => bindingOf(env, settings.TENANCY_WEBHOOK_QUEUE) as Queue<DeliveryMessage>
