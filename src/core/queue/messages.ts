// The queue messages. A message identifies a row, and the row contains the state of the work, so lost and
// duplicate messages are harmless. Field names stay compatible with messages in flight.
import * as z from "zod"
import { ARCHIVED_LOGS } from "../../db/schema/central/archives"

const id = z.int()

/** The incarnation of a store (`stores.seq`); absent in messages of older versions. */
const seq = id.optional()

/** Declares a job: its kind and its fields. Every job has a lease, whose policy is in leased-jobs.ts. */
const job = <Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.object({
    job: z.literal(kind),
    ...fields,
    /** The token of the job's lease; absent in the first message of a job. */
    lease: z.string().optional(),
  })

/** Make the first attempt of a webhook delivery. */
const DeliveryMessage = z.object({
  delivery: id,
  /** Its endpoint. */
  endpoint: id.optional(),
  /** Number of times that all concurrency slots of its endpoint were taken; absent the first time. */
  busy: id.optional(),
  /** The rate limit of its endpoint, in attempts per second; absent without one. */
  rate: id.optional(),
})

/** Due deliveries of one endpoint, leased by a sweep. */
const EndpointBatch = z.object({
  endpoint: id,
  /**
   * The endpoint's `laneUntil` while this batch owns it, in milliseconds since 1970; such a batch continues with
   * the deliveries that are due at its end. Null for a batch that a person requested: it sends only its deliveries and
   * has no lease on the endpoint.
   */
  until: id.nullable(),
  /** Delivery ids, oldest first. */
  deliveries: z.array(id),
  /**
   * The `nextAttemptAt` that leases them, in milliseconds since 1970; a delivery with another value is not part of this
   * batch.
   */
  lease: id,
  /** The rate limit of the endpoint, in attempts per second; absent without one. */
  rate: id.optional(),
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
export const JobMessage = z.discriminatedUnion("job", [
  job("provision", { store: z.string(), seq }),
  job("purge", { store: z.string(), seq }),
  /** Continue migrating a store's site to another site database. */
  job("move", { store: z.string(), seq }),
  /** Continue a store's backup. */
  job("backup", { store: z.string(), backup: z.string() }),
  /** Continue a store's export. */
  job("export", { store: z.string() }),
  /** Continue a restore of a store. */
  job("restore", { store: z.string(), restore: z.string() }),
  /** Back up the next stores that have changed; `after` is the `seq` of the last checked store. */
  job("backups", { after: id }),
  /** Delete the expired backups of a store's incarnation; `after` is the last checked object. */
  job("backup-prune", { store: z.string(), seq: id, after: z.string().optional() }),
  /** Delete the deliveries of a deleted webhook endpoint. */
  job("endpoint", { endpoint: id }),
  /** Create the deliveries of new events. */
  job("route", {}),
  /** Send the mails in the outbox. */
  job("mails", {}),
  /** Send the account mails in the outbox of one site database. */
  job("account_mails", { database: z.string() }),
  /** Continue a run of the billing clock; `after` is the last processed subscription id, `at` the time of the run. */
  job("billing", { after: id, at: id }),
  /** Count the usage of the next stores; `after` is the `seq` of the last counted store. */
  job("usage", { after: id }),
  /** Delete leftovers in the media libraries of one site database. */
  job("media", { database: z.string() }),
  /** Continue moving a webhook endpoint's deliveries to another database. */
  job("rehome", { endpoint: id }),
  /** Continue the recovery of a webhook endpoint. */
  job("recovery", { endpoint: id }),
  /** Continue delivering a notification whose rows are in this site database. Notification ids are never reused. */
  job("notify", { database: z.string(), notification: id }),
  /** Start the due notifications of one site database and resume its stalled ones. */
  job("due_notifications", { database: z.string() }),
  /** Forward one site database's audit entries to the central audit log. */
  job("audit_outbox", { database: z.string() }),
  /** Move the next old entries of a log to its archive; `at` is the time of the run. */
  job("archive", { log: z.enum(ARCHIVED_LOGS), at: id }),
  /** Run the hourly job of an app on one site database. */
  job("app_hourly", { app: z.string(), database: z.string() }),
])

/** Any message that this version understands; fields of newer versions are dropped. */
export const QueueMessage = z.union([DeliveryMessage, EndpointBatchMessage, PushMessage, JobMessage])

export type DeliveryMessage = z.output<typeof DeliveryMessage>
export type EndpointBatch = z.output<typeof EndpointBatch>
export type EndpointBatchMessage = z.output<typeof EndpointBatchMessage>
export type PushMessage = z.output<typeof PushMessage>
export type JobMessage = z.output<typeof JobMessage>
export type QueueMessage = z.output<typeof QueueMessage>

export type JobKind = JobMessage["job"]

type WithoutLease<Message> = Message extends unknown ? Omit<Message, "lease"> : never

/** A step of a job. */
export type Job = WithoutLease<JobMessage>

/** The kind of a message: its job, or the key of the other messages. */
export type MessageKind = "delivery" | "lane" | "push" | JobKind

export function kindOf(message: QueueMessage): MessageKind {
  if ("delivery" in message) return "delivery"
  if ("lane" in message) return "lane"
  return "push" in message ? "push" : message.job
}
