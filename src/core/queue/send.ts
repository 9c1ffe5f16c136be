// Sends messages to the queue of their kind.
import { binding, bindingNamedBy } from "../../bindings"
import type { Ctx } from "../context"
import { chunkMessages } from "./chunk-messages"
import type { JobKind, JobMessage, QueueMessage } from "./messages"

type Sender = Pick<Ctx, "env" | "settings">

/** A message that is not part of a job. */
type SingleMessage = Exclude<QueueMessage, JobMessage>

/** Sends a job's message. Only leased-jobs.ts calls it, which leases the job's subject. */
export const sendJobMessage = async (ctx: Sender, message: JobMessage): Promise<void> => {
  await queueOf(ctx, message).send(message)
}

/** Sends messages of one kind of job. */
export const sendJobMessages = (ctx: Sender, messages: readonly JobMessage[]): Promise<void> => sendAll(ctx, messages)

/**
 * Sends a message.
 * @param delaySeconds the delay before it is delivered
 */
export async function sendMessage(ctx: Sender, message: SingleMessage, delaySeconds?: number): Promise<void> {
  const queue = queueOf(ctx, message)
  await (delaySeconds === undefined ? queue.send(message) : queue.send(message, { delaySeconds }))
}

/** Sends messages of one kind, in as few calls as Cloudflare allows. */
export const sendMessages = (ctx: Sender, messages: readonly SingleMessage[]): Promise<void> => sendAll(ctx, messages)

async function sendAll(ctx: Sender, messages: readonly QueueMessage[]): Promise<void> {
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
  if ("lane" in message) return binding(env, "RETRY_QUEUE")
  const isSlow = "job" in message && isJobKind(message.job) && JOB_QUEUES[message.job] === "SLOW_JOB_QUEUE"
  return isSlow ? binding(env, "SLOW_JOB_QUEUE") : binding(env, "JOB_QUEUE")
}

/**
 * The queue of each kind of job. A step of a slow job takes up to half a minute, so these jobs have a separate queue,
 * and new stores and mails do not wait for them.
 */
const JOB_QUEUES: Record<JobKind, "JOB_QUEUE" | "SLOW_JOB_QUEUE"> = {
  provision: "JOB_QUEUE",
  route: "JOB_QUEUE",
  mails: "JOB_QUEUE",
  account_mails: "JOB_QUEUE",
  billing: "JOB_QUEUE",
  notify: "JOB_QUEUE",
  due_notifications: "JOB_QUEUE",
  audit_outbox: "JOB_QUEUE",
  app_hourly: "JOB_QUEUE",
  purge: "SLOW_JOB_QUEUE",
  move: "SLOW_JOB_QUEUE",
  endpoint: "SLOW_JOB_QUEUE",
  usage: "SLOW_JOB_QUEUE",
  media: "SLOW_JOB_QUEUE",
  recovery: "SLOW_JOB_QUEUE",
  rehome: "SLOW_JOB_QUEUE",
  backup: "SLOW_JOB_QUEUE",
  export: "SLOW_JOB_QUEUE",
  restore: "SLOW_JOB_QUEUE",
  backups: "SLOW_JOB_QUEUE",
  archive: "SLOW_JOB_QUEUE",
  "backup-prune": "SLOW_JOB_QUEUE",
}

const isJobKind = (kind: unknown): kind is JobKind => typeof kind === "string" && Object.hasOwn(JOB_QUEUES, kind)

/** The backlog of a queue; null if the queue does not report it. */
export interface QueueBacklog {
  /** The binding. */
  name: string
  messages: number | null
  oldestAt: Date | null
}

/** Reads how many messages wait in each queue, and since when (https://developers.cloudflare.com/queues/). */
export const readQueueBacklogs = ({ env, settings }: Sender): Promise<QueueBacklog[]> =>
  Promise.all(
    [
      { name: settings.TENANCY_WEBHOOK_QUEUE, queue: bindingNamedBy(env, settings.TENANCY_WEBHOOK_QUEUE) as Queue },
      { name: "RETRY_QUEUE", queue: binding(env, "RETRY_QUEUE") },
      { name: "PUSH_QUEUE", queue: binding(env, "PUSH_QUEUE") },
      { name: "JOB_QUEUE", queue: binding(env, "JOB_QUEUE") },
      { name: "SLOW_JOB_QUEUE", queue: binding(env, "SLOW_JOB_QUEUE") },
    ].map(async ({ name, queue }) => {
      try {
        const { backlogCount, oldestMessageTimestamp } = await queue.metrics()
        // The time of an empty queue is 1970 or absent.
        const oldestAt = backlogCount > 0 && oldestMessageTimestamp ? new Date(oldestMessageTimestamp) : null
        return { name, messages: backlogCount, oldestAt }
      } catch {
        return { name, messages: null, oldestAt: null }
      }
    }),
  )
