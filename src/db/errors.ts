// Classifies database errors by message. Drizzle and D1 wrap errors, so the whole chain of causes is searched.

/**
 * Messages of transient errors of D1, R2, Queues and Durable Objects: a lost connection, a restarted or overloaded
 * object, a timeout. A query that exceeds the CPU time or memory of D1 resets the database under all others.
 * https://developers.cloudflare.com/d1/observability/debug-d1/ lists those of D1.
 */
const TRANSIENT =
  /network connection lost|replica disconnected|caused object to be reset|reset because its code was updated|code has been updated|limit and was reset|moved to a different machine|cannot resolve (?:D1 DB|durable object)|failed to parse body as JSON|is overloaded|too many requests queued|queued for too long|internal error|try again|exceeded timeout|timed? ?out|temporarily unavailable/i

const hasMessage = (thrown: unknown, pattern: RegExp): boolean => {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (pattern.test(error.message)) return true
  }
  return false
}

/**
 * Whether a unique constraint was violated.
 * @param columns `table.column`, as in SQLite's message; any constraint when absent
 */
export const isUniqueViolation = (thrown: unknown, columns?: string): boolean =>
  hasMessage(
    thrown,
    columns
      ? new RegExp(`UNIQUE constraint failed: .*\\b${columns.replace(".", "\\.")}\\b`)
      : /UNIQUE constraint failed/,
  )

/** Whether a batch was aborted by `abortUnlessTouched` or `abortWhere`. */
export const isBatchAborted = (thrown: unknown): boolean => hasMessage(thrown, /LOST_RACE/)

/** Whether a batch was aborted by `abortIfClaimLost`. */
export const isClaimLost = (thrown: unknown): boolean => hasMessage(thrown, /CLAIM_LOST/)

/** Whether a batch was aborted because the user's token is no longer valid. */
export const isUnauthenticated = (thrown: unknown): boolean => hasMessage(thrown, /UNAUTHENTICATED/)

/** Whether a write was rejected because its site is locked for a migration. */
export const isSiteLocked = (thrown: unknown): boolean => hasMessage(thrown, /SITE_HELD/)

/** Whether a write was rejected because its store was deleted in the meantime. */
export const isStoreReplaced = (thrown: unknown): boolean => hasMessage(thrown, /SITE_REPLACED/)

/**
 * Whether an error is transient, so that a retry may succeed.
 * @param thrown by D1, R2, Queues or a Durable Object
 */
export const isTransient = (thrown: unknown): boolean => hasMessage(thrown, TRANSIENT)

/** Whether a database or object was too busy to run a call, so that it certainly had no effect. */
export const isRejectedByOverload = (thrown: unknown): boolean =>
  hasMessage(thrown, /is overloaded|too many requests queued|queued for too long/i)

/** Whether a table's check constraint was violated. */
export const isCheckViolation = (thrown: unknown, name: string): boolean =>
  hasMessage(thrown, new RegExp(`CHECK constraint failed: ${name}`))

/** Whether a write was refused because the database reached its maximum size. */
export const isDatabaseFull = (thrown: unknown): boolean =>
  hasMessage(thrown, /exceeded maximum DB size|database or disk is full|SQLITE_FULL/i)
