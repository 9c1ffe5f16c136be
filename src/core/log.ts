// Writes structured logs: one JSON object per line, built from selected fields, never from whole requests or rows.

/** Fields of a log line in addition to its message. */
export type LogFields = Record<string, string | number | boolean | null | undefined>

export interface Log {
  info(message: string, facts?: LogFields): void
  warn(message: string, facts?: LogFields): void
  /** @param cause the thrown value; for a failed query, only the database's message is logged, never the parameters */
  error(message: string, cause: unknown, facts?: LogFields): void
}

/** Creates a log that adds `context`, such as the request id, to every line. */
export function createLog(context: LogFields): Log {
  const line = (level: string, message: string, facts?: LogFields) =>
    JSON.stringify({ level, message, ...context, ...facts })
  return {
    info: (message, facts) => console.log(line("info", message, facts)),
    warn: (message, facts) => console.warn(line("warn", message, facts)),
    error: (message, cause, facts) => console.error(line("error", message, { ...facts, ...describeError(cause) })),
  }
}

/**
 * Returns the class and message of a thrown value. Drizzle's message contains the query's parameters, so its cause is
 * used instead.
 */
export function describeError(thrown: unknown): { class: string; error: string; at?: string } {
  const root = thrown instanceof Error && thrown.message.startsWith("Failed query") ? (thrown.cause ?? thrown) : thrown
  if (!(root instanceof Error)) return { class: typeof root, error: String(root) }
  if (root.message.startsWith("Failed query")) return { class: root.name, error: "a database query failed" }
  return { class: root.name, error: root.message, at: root.stack?.split("\n")[1]?.trim() }
}
