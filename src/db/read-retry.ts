// Retries reads once after a transient error, and limits the time of a session's reads. D1 retries reads, too, but most
// of its errors last longer than its retries.
import { currentMs } from "../lib/clock"
import { DeadlineExceeded, withDeadline } from "../lib/deadline"
import { isolateState } from "../lib/isolate-state"
import { jitter } from "../lib/random"
import { MINUTE, SECOND } from "../lib/time"
import { countTransientError } from "../lib/transient-errors"
import { isTransient } from "./errors"

/** Runs statements: a database binding, or a session of one. */
export interface Client extends Pick<D1Database, "prepare" | "batch"> {
  /** The database of a session. It takes over when the session fails. */
  readonly primary?: Client
}

/** Upper bound of the random wait before a retry, in milliseconds. */
const MAX_BACKOFF_MS = 100

/**
 * Timeout of a read in a session, in milliseconds. A session waits until its replica has caught up with its bookmark,
 * and some have waited forever: https://github.com/emdash-cms/emdash/issues/1273
 */
export const SESSION_TIMEOUT_MS = 2 * SECOND

/** How long an isolate reads from the primary after a session timed out, in milliseconds. */
export const SESSION_PAUSE_MS = MINUTE

/** The time until which this isolate uses no sessions, in milliseconds since 1970. */
const sessionPause = isolateState(() => ({ until: 0 }))

/**
 * Runs a read, and once more after a transient error. The second attempt of a session's read goes to the primary, and
 * so does any read while sessions time out.
 * @param send runs the read with a client, and has no effects
 * @throws errors of D1 at the second attempt, or at the first if a retry cannot succeed
 */
export async function runRead<Result>(client: Client, send: (client: Client) => Promise<Result>): Promise<Result> {
  const { primary } = client
  const isPaused = currentMs() < sessionPause.current.until
  try {
    return await (primary && !isPaused ? withDeadline(SESSION_TIMEOUT_MS, send(client)) : send(primary ?? client))
  } catch (cause) {
    if (cause instanceof DeadlineExceeded || isTransient(cause)) countTransientError("database")
    if (cause instanceof DeadlineExceeded) {
      sessionPause.current.until = currentMs() + SESSION_PAUSE_MS
      return send(primary ?? client)
    }
    // A session's bookmark comes from the client. If it is invalid, the primary needs none.
    if (!primary && !isTransient(cause)) throw cause
    await scheduler.wait(jitter(MAX_BACKOFF_MS))
    return send(primary ?? client)
  }
}

/** Returns a client for Drizzle, whose statements outside of a batch are all reads. */
export const withReadRetry = (client: Client): D1Database =>
  // lint: Drizzle uses no other member
  ({ prepare: (query: string) => statementOf(client, query, []) }) as unknown as D1Database

function statementOf(
  client: Client,
  query: string,
  values: unknown[],
): Pick<D1PreparedStatement, "bind" | "all" | "raw"> {
  const prepare = (from: Client) => from.prepare(query).bind(...values)
  return {
    bind: (...next) => statementOf(client, query, next) as D1PreparedStatement,
    all: () => runRead(client, (from) => prepare(from).all()),
    raw: (() => runRead(client, (from) => prepare(from).raw())) as D1PreparedStatement["raw"],
  }
}
