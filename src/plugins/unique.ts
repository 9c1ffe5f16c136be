// What SQLite says when a row that must be the only one of its kind is not.

/**
 * Whether something was refused because of a unique index of a table.
 * @param thrown whatever a statement or a batch threw
 */
export function isDuplicate(thrown: unknown, table: string): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error.message.includes(`UNIQUE constraint failed: ${table}.`)) return true
  }
  return false
}
