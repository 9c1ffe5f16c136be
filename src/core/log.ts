// Writes structured logs: one JSON object per line, built from selected fields, never from whole requests or rows.
// The lines of requests are sampled, because a log line costs as much as two requests.

import { type Bindings, SettingsError, settingsOf } from "../env"
import { ulidFraction } from "../lib/ulid"

type Field = string | number | null | undefined

/**
 * The fields of a log line in addition to its message: ids, counts, and names of the platform's own things. A field
 * that is not listed does not compile, so personal data and secrets are not logged under a new name.
 */
export interface LogFields {
  request_id?: string
  // Requests.
  surface?: Field
  method?: string
  route?: string
  path?: string
  status?: number
  ms?: number
  limit?: number
  command?: Field
  /** The name of an operator token. */
  actor?: Field
  /** The id of an operator, or of an API key; the object's key in a bucket. */
  operator?: number | undefined
  key?: Field
  // Ids of rows.
  id?: number
  store?: Field
  seq?: number | undefined
  site?: string
  endpoint?: Field
  event?: Field
  delivery?: number
  notification?: number
  product?: number
  license?: number | null
  mail?: number
  account_mail?: number
  backup?: string
  restore?: string
  export?: number
  /** The payment provider's ids of a price and of a checkout session. */
  price?: string
  session?: string
  // Names of the platform's own things.
  database?: string | undefined
  table?: string
  file?: string
  app?: string
  alert?: Field
  job?: string
  queue?: string
  /** An id, or the name of something in the platform. */
  item?: string | number
  /** The lock of a job. */
  subject?: string
  kind?: string
  state?: string
  desired?: boolean
  reason?: string
  fault?: string
  cause?: "dns_unavailable"
  log?: string
  /** Of a thrown value (`describeError`). */
  class?: string
  error?: string
  resumed_by?: string
  /** The field names of an unknown message. */
  unknown?: string
  // Counts and times.
  attempt?: string | number
  value?: number
  round?: number
  left?: number
  lane?: number | undefined
  deliveries?: number
  batches?: number
  devices?: number
  queued?: number
  closed?: number
  pruned_deliveries?: number
  pruned_events?: number
  at?: Field
  after?: Field
  stores?: number
  activated?: number
  cancelled?: number
  past_due?: number
  purged?: number
  reminded?: number
  suspended?: number
  warned?: number
  budget_ms?: number
  duration_ms?: number
  continues?: boolean
}

/** Rejects fields that are not listed, also those of a variable or a spread value, and values of unknown fields. */
type Listed<Fields> = [keyof Fields] extends [never]
  ? never
  : Fields & { [Name in Exclude<keyof Fields, keyof LogFields>]: never }

export interface Log {
  info<Fields extends LogFields>(message: string, fields?: Listed<Fields>): void
  warn<Fields extends LogFields>(message: string, fields?: Listed<Fields>): void
  /** @param cause the thrown value; for a failed query, only the database's message is logged, never the parameters */
  error<Fields extends LogFields>(message: string, cause: unknown, fields?: Listed<Fields>): void
}

/** The log of a request. A warning or an error keeps all lines of the request. */
export interface RequestLog extends Log {
  /** Writes all lines of the request, past and future, even if the request was not sampled. */
  keep(): void
}

/** Lines that an unsampled request buffers until it ends or is kept; the lines after these are dropped. */
const MAX_BUFFERED_LINES = 50

/** Creates a log that adds `context` to every line and writes all of them. */
export const createLog = (context: LogFields): Log => createBufferedLog(context, true)

/**
 * Creates the log of a request. Of the requests without a warning or an error it writes TENANCY_LOG_SAMPLE_RATE, each
 * with all its lines. With invalid settings it writes all.
 */
export const createRequestLog = (env: Bindings, requestId: string): RequestLog =>
  createBufferedLog({ request_id: requestId }, isSampled(requestId, readSampleRate(env)))

function createBufferedLog(context: LogFields, writesAll: boolean): RequestLog {
  let buffer: (() => void)[] | null = writesAll ? null : []
  const keep = () => {
    for (const write of buffer ?? []) write()
    buffer = null
  }
  const line = (level: string, message: string, fields?: LogFields) =>
    JSON.stringify({ level, message, ...context, ...fields })
  return {
    keep,
    info(message, fields) {
      const write = () => console.log(line("info", message, fields))
      if (buffer === null) write()
      else if (buffer.length < MAX_BUFFERED_LINES) buffer.push(write)
    },
    warn(message, fields) {
      keep()
      console.warn(line("warn", message, fields))
    },
    error(message, cause, fields) {
      keep()
      console.error(line("error", message, { ...fields, ...describeError(cause) }))
    },
  }
}

function readSampleRate(env: Bindings): number {
  try {
    return settingsOf(env).TENANCY_LOG_SAMPLE_RATE
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return 1
  }
}

/**
 * Whether a request is sampled, decided by the random part of its id.
 * @param requestId a ULID
 * @param rate the sampled share, 0 to 1
 */
export const isSampled = (requestId: string, rate: number): boolean => ulidFraction(requestId) < rate

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
