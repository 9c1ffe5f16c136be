// The queue messages. A message identifies a row, and the row contains the state of the work, so lost and
// duplicate messages are harmless. Field names stay compatible with messages in flight.
import * as z from "zod"

const id = z.int()

/** The incarnation of a store (`stores.seq`); absent in messages of older versions. */
const seq = id.optional()

/** The token of the job's lease (leased-jobs.ts); absent in the first message of a job. */
const lease = z.string().optional()

/** Make the first attempt of a webhook delivery. */
const DeliveryMessage = z.object({
  delivery: id,
  /** Its endpoint. */
  endpoint: id.optional(),
  /** How often all concurrency slots of its endpoint were taken; absent the first time. */
  busy: id.optional(),
})

/** Due deliveries of one endpoint, leased by a sweep. */
const EndpointBatch = z.object({
  endpoint: id,
  /**
   * The endpoint's `laneUntil` while this batch owns it, in milliseconds since 1970; such a batch continues with
   * whatever is due at its end. Null for a batch that a person requested: it contains just its deliveries and owns no
   * lease on the endpoint.
   */
  until: id.nullable(),
  /** Delivery ids, oldest first. */
  deliveries: z.array(id),
  /**
   * The `nextAttemptAt` that leases them, in milliseconds since 1970; a delivery with another value is not part of this
   * batch.
   */
  lease: id,
})

/** Attempt the deliveries of a batch. */
const EndpointBatchMessage = z.object({ lane: EndpointBatch })

/** Send a notification to devices, as far as one invocation gets. Notification ids are never reused. */
const PushMessage = z.object({
  push: z.object({
    /** The binding of the site database. */
    database: z.string(),
    notification: id,
  }),
})

/** Background jobs. */
const JobMessage = z.discriminatedUnion("job", [
  z.object({ job: z.literal("provision"), store: z.string(), seq }),
  z.object({ job: z.literal("purge"), store: z.string(), seq, lease }),
  /** Continue migrating a store's site to another site database. */
  z.object({ job: z.literal("move"), store: z.string(), seq, lease }),
  /** Continue a store's backup. */
  z.object({ job: z.literal("backup"), store: z.string(), backup: z.string(), lease }),
  /** Continue a restore of a store. */
  z.object({ job: z.literal("restore"), store: z.string(), restore: z.string(), lease }),
  /** Back up the next stores that have changed; `after` is the `seq` of the last checked store. */
  z.object({ job: z.literal("backups"), after: id, lease }),
  /** Delete the expired backups of a store's incarnation; `after` is the last checked object. */
  z.object({ job: z.literal("backup-prune"), store: z.string(), seq: id, after: z.string().optional(), lease }),
  /** Delete the deliveries of a deleted webhook endpoint. */
  z.object({ job: z.literal("endpoint"), endpoint: id, lease }),
  /** Send the mails in the outbox. */
  z.object({ job: z.literal("mails"), lease }),
  /** Continue a run of the billing clock; `after` is the last processed subscription id, `at` the time of the run. */
  z.object({ job: z.literal("billing"), after: id, at: id, lease }),
  /** Count the usage of the next stores; `after` is the `seq` of the last counted store. */
  z.object({ job: z.literal("usage"), after: id, lease }),
  /** Delete leftovers in the media libraries of one site database. */
  z.object({ job: z.literal("media"), database: z.string(), lease }),
  /** Continue the recovery of a webhook endpoint. */
  z.object({ job: z.literal("recovery"), endpoint: id, lease }),
  /** Continue delivering a notification whose rows are in this site database. Notification ids are never reused. */
  z.object({ job: z.literal("notify"), database: z.string(), notification: id, lease }),
])

/** Any message that this version understands; fields of newer versions are dropped. */
export const QueueMessage = z.union([DeliveryMessage, EndpointBatchMessage, PushMessage, JobMessage])

export type DeliveryMessage = z.output<typeof DeliveryMessage>
export type EndpointBatch = z.output<typeof EndpointBatch>
export type EndpointBatchMessage = z.output<typeof EndpointBatchMessage>
export type PushMessage = z.output<typeof PushMessage>
export type JobMessage = z.output<typeof JobMessage>
export type QueueMessage = z.output<typeof QueueMessage>

/** What a message asks for: its job, or the key of the other messages. */
export type MessageKind = "delivery" | "lane" | "push" | JobMessage["job"]

export function kindOf(message: QueueMessage): MessageKind {
  if ("delivery" in message) return "delivery"
  if ("lane" in message) return "lane"
  return "push" in message ? "push" : message.job
}
