// Structured logs: one JSON object a line, made of facts that were chosen, never of requests or rows as they are.

/** What a line says beside its message. */
export type Facts = Record<string, string | number | boolean | null | undefined>

export interface Log {
  info(message: string, facts?: Facts): void
  warn(message: string, facts?: Facts): void
  /** @param cause what was thrown; its own text is logged, and of a failed query only the database's words, never its parameters */
  error(message: string, cause: unknown, facts?: Facts): void
}

/** A log whose every line carries `context`, e.g. the request id. */
export function createLog(context: Facts): Log {
  const line = (level: string, message: string, facts?: Facts) =>
    JSON.stringify({ level, message, ...context, ...facts })
  return {
    info: (message, facts) => console.log(line("info", message, facts)),
    warn: (message, facts) => console.warn(line("warn", message, facts)),
    error: (message, cause, facts) => console.error(line("error", message, { ...facts, ...describeError(cause) })),
  }
}

/** The class and words of something thrown. Drizzle's message holds the query's parameters, so its cause speaks for it. */
export function describeError(thrown: unknown): { class: string; error: string; at?: string } {
  const root = thrown instanceof Error && thrown.message.startsWith("Failed query") ? (thrown.cause ?? thrown) : thrown
  if (!(root instanceof Error)) return { class: typeof root, error: String(root) }
  if (root.message.startsWith("Failed query")) return { class: root.name, error: "a database query failed" }
  return { class: root.name, error: root.message, at: root.stack?.split("\n")[1]?.trim() }
}
