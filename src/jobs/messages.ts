// What travels on the queues. A message names a row; the row says what is to be done, so a lost or repeated one does no harm.

/** Make the first attempt of a webhook delivery. */
export interface DeliveryMessage {
  delivery: number
  /** Its endpoint. */
  endpoint?: number
  /** How often its endpoint had no place for it; absent the first time. */
  busy?: number
}

/** What one endpoint has due, as a sweep found it. */
export interface Lane {
  endpoint: number
  /**
   * The endpoint's `laneUntil` while it is this lane's, in milliseconds since 1970; such a lane goes on with what is due at its end. Null
   * for one that a person asked for: it is no more than its deliveries, and holds nothing.
   */
  until: number | null
  /** Ids, the oldest first. */
  deliveries: number[]
  /** The `nextAttemptAt` they were given with the lane, in milliseconds since 1970; a delivery that has another is not the lane's. */
  lease: number
}

/** Attempt the deliveries of a lane. */
export interface LaneMessage {
  lane: Lane
}

/** Send a notification on to devices, as far as one invocation goes. */
export interface PushMessage {
  push: {
    /** The binding of its site database. */
    database: string
    notification: number
  }
}

/** Work behind an answer. */
export type JobMessage =
  | { job: "provision"; store: string }
  | { job: "purge"; store: string }
  /** Go on moving a store to another site database. */
  | { job: "move"; store: string }
  /** Remove the deliveries of a webhook endpoint that was deleted. */
  | { job: "endpoint"; endpoint: number }
  /** Send the mails that wait in the outbox. */
  | { job: "mails" }
  /** Go on with a run of the billing clock; `after` is the id of the last subscription that it looked at, `at` its moment. */
  | { job: "billing"; after: number; at: number }
  /** Count what the next stores use; `after` is the `seq` of the last one that was counted. */
  | { job: "usage"; after: number }
  /** Remove what deleting left in the media libraries of one site database. */
  | { job: "media"; database: string }
  /** Go on with the recovery of a webhook endpoint. */
  | { job: "recovery"; endpoint: number }
  /** Go on delivering a notification of a site whose rows are in that site database. */
  | { job: "notify"; database: string; notification: number }
