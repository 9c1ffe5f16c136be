// Sends messages to the queue of their kind.
import { binding, bindingNamedBy } from "../../bindings"
import type { Ctx } from "../context"
import { chunkMessages } from "./chunk-messages"
import type { QueueMessage } from "./messages"

type Sender = Pick<Ctx, "env" | "settings">

/**
 * Sends a message.
 * @param delaySeconds the delay before it is delivered
 */
export async function sendMessage(ctx: Sender, message: QueueMessage, delaySeconds?: number): Promise<void> {
  const queue = queueOf(ctx, message)
  await (delaySeconds === undefined ? queue.send(message) : queue.send(message, { delaySeconds }))
}

/** Sends messages of one kind, in as few calls as Cloudflare allows. */
export async function sendMessages(ctx: Sender, messages: readonly QueueMessage[]): Promise<void> {
  const [first] = messages
  if (!first) return
  const queue = queueOf(ctx, first)
  await Promise.all(chunkMessages(messages).map((batch) => queue.sendBatch(batch.map((body) => ({ body })))))
}

/**
 * Sends a message again that could not be processed. One that this version does not know goes to the job queue, since
 * all queues have the same consumer.
 */
export const resendMessage = async (ctx: Sender, body: unknown): Promise<void> => {
  await queueOf(ctx, typeof body === "object" && body !== null ? body : {}).send(body)
}

/** Returns the queue of a message; TENANCY_WEBHOOK_QUEUE names the one of first attempts. */
function queueOf({ env, settings }: Sender, message: object): Queue<unknown> {
  if ("delivery" in message) return bindingNamedBy(env, settings.TENANCY_WEBHOOK_QUEUE) as Queue<unknown>
  if ("push" in message) return binding(env, "PUSH_QUEUE")
  return "lane" in message ? binding(env, "RETRY_QUEUE") : binding(env, "JOB_QUEUE")
}
