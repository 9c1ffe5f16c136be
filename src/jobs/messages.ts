// What travels on the queues. A message names a row; the row says what is to be done, so a lost or repeated one does no harm.

/** Make the first attempt of a webhook delivery. */
export interface DeliveryMessage {
  delivery: number
}

/** Work behind an answer. */
export type JobMessage =
  | { job: "provision"; store: string }
  | { job: "purge"; store: string }
  /** Send the mails that wait in the outbox. */
  | { job: "mails" }
  /** Go on with a run of the billing clock; `after` is the id of the last subscription that it looked at, `at` its moment. */
  | { job: "billing"; after: number; at: number }
  /** Count what the next stores use; `after` is the `seq` of the last one that was counted. */
  | { job: "usage"; after: number }
  /** Remove what deleting left in the media libraries of one site database. */
  | { job: "media"; database: string }
  /** Go on delivering a notification of a site whose rows are in that site database. */
  | { job: "notify"; database: string; notification: number }
