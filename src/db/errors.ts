// What a database's fault says. Drizzle and D1 wrap faults in each other, so the whole chain of causes is asked.

/**
 * Texts of errors that pass by themselves, as D1, R2, queues and Durable Objects word them: a lost connection, an object that was moved,
 * restarted or is overloaded, a timeout. https://developers.cloudflare.com/d1/observability/debug-d1/ lists those of D1.
 */
const TRANSIENT =
  /network connection lost|caused object to be reset|reset because its code was updated|code has been updated|cannot resolve D1 DB|is overloaded|too many requests queued|queued for too long|internal error|try again|exceeded timeout|timed? ?out|temporarily unavailable/i

const says = (thrown: unknown, pattern: RegExp): boolean => {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (pattern.test(error.message)) return true
  }
  return false
}

/**
 * Whether a row was refused because another with the same unique values is there.
 * @param columns `table.column`, as SQLite names what is unique; any when absent
 */
export const isUnique = (thrown: unknown, columns?: string): boolean =>
  says(
    thrown,
    columns
      ? new RegExp(`UNIQUE constraint failed: .*\\b${columns.replace(".", "\\.")}\\b`)
      : /UNIQUE constraint failed/,
  )

/** Whether a batch ended itself through `abort_batch`. */
export const isAborted = (thrown: unknown): boolean => says(thrown, /LOST_RACE/)

/** Whether a batch ended itself because the user it was written for is none. */
export const isUnauthenticated = (thrown: unknown): boolean => says(thrown, /UNAUTHENTICATED/)

/** Whether a write met a site that is held, because it is being moved to another database. */
export const isSiteLocked = (thrown: unknown): boolean => says(thrown, /SITE_HELD/)

/** Whether a write was made for a store that was deleted meanwhile. */
export const isReplaced = (thrown: unknown): boolean => says(thrown, /SITE_REPLACED/)

/**
 * Whether an error passes by itself, so that the same work may succeed when it is done again.
 * @param thrown by a database, a bucket, a queue or a Durable Object
 */
export const isTransient = (thrown: unknown): boolean => says(thrown, TRANSIENT)

/** Whether a row was refused by a table's own check. */
export const isCheck = (thrown: unknown, name: string): boolean =>
  says(thrown, new RegExp(`CHECK constraint failed: ${name}`))
