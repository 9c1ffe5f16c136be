// Messages of the queues. A message names a row, and the row says what is to be done, so a lost or repeated message does no harm.
import * as z from "zod"

const id = z.int()

/** The incarnation of a store, its `seq`; absent in messages of versions that did not send it. */
const seq = id.optional()

/** The token of the job's lease (core/jobs.ts); absent in the first message of a job. */
const lease = z.string().optional()

/** Make the first attempt of a webhook delivery. */
const DeliveryMessage = z.object({
  delivery: id,
  /** Its endpoint. */
  endpoint: id.optional(),
  /** How often its endpoint had no place for it; absent the first time. */
  busy: id.optional(),
})

/** What one endpoint has due, as a sweep found it. */
const Lane = z.object({
  endpoint: id,
  /**
   * The endpoint's `laneUntil` while it is this lane's, in milliseconds since 1970; such a lane goes on with what is due at its end. Null
   * for one that a person asked for: it is no more than its deliveries, and holds nothing.
   */
  until: id.nullable(),
  /** Ids, the oldest first. */
  deliveries: z.array(id),
  /** The `nextAttemptAt` they were given with the lane, in milliseconds since 1970; a delivery that has another is not the lane's. */
  lease: id,
})

/** Attempt the deliveries of a lane. */
const LaneMessage = z.object({ lane: Lane })

/** Send a notification on to devices, as far as one invocation goes. Its id is never given to another notification. */
const PushMessage = z.object({
  push: z.object({
    /** The binding of its site database. */
    database: z.string(),
    notification: id,
  }),
})

/** Background jobs. */
const JobMessage = z.discriminatedUnion("job", [
  z.object({ job: z.literal("provision"), store: z.string(), seq }),
  z.object({ job: z.literal("purge"), store: z.string(), seq, lease }),
  /** Go on moving a store to another site database. */
  z.object({ job: z.literal("move"), store: z.string(), seq, lease }),
  /** Remove the deliveries of a webhook endpoint that was deleted. */
  z.object({ job: z.literal("endpoint"), endpoint: id, lease }),
  /** Send the mails that wait in the outbox. */
  z.object({ job: z.literal("mails"), lease }),
  /** Go on with a run of the billing clock; `after` is the id of the last subscription that it looked at, `at` its moment. */
  z.object({ job: z.literal("billing"), after: id, at: id, lease }),
  /** Count what the next stores use; `after` is the `seq` of the last one that was counted. */
  z.object({ job: z.literal("usage"), after: id, lease }),
  /** Remove what deleting left in the media libraries of one site database. */
  z.object({ job: z.literal("media"), database: z.string(), lease }),
  /** Go on with the recovery of a webhook endpoint. */
  z.object({ job: z.literal("recovery"), endpoint: id, lease }),
  /** Go on delivering a notification of a site whose rows are in that site database. Its id is never given to another notification. */
  z.object({ job: z.literal("notify"), database: z.string(), notification: id, lease }),
])

/** A message as this version understands it; fields of a newer version are left out. */
export const QueueMessage = z.union([DeliveryMessage, LaneMessage, PushMessage, JobMessage])

export type DeliveryMessage = z.output<typeof DeliveryMessage>
export type Lane = z.output<typeof Lane>
export type LaneMessage = z.output<typeof LaneMessage>
export type PushMessage = z.output<typeof PushMessage>
export type JobMessage = z.output<typeof JobMessage>
export type QueueMessage = z.output<typeof QueueMessage>
