// What a database's fault says. Drizzle and D1 wrap faults in each other, so the whole chain of causes is asked.

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
export const isStranger = (thrown: unknown): boolean => says(thrown, /UNAUTHENTICATED/)

/** Whether a write met a site that is held, because it is being moved to another database. */
export const isHeld = (thrown: unknown): boolean => says(thrown, /SITE_HELD/)

/** Whether a row was refused by a table's own check. */
export const isCheck = (thrown: unknown, name: string): boolean =>
  says(thrown, new RegExp(`CHECK constraint failed: ${name}`))
