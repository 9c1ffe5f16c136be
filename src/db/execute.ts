// Executes writes. Only core/write imports this, so no change bypasses its audit entry, its events or its
// idempotency record.

import { jitter } from "../lib/random"
import { countTransientError } from "../lib/transient-errors"
import { type CentralDatabase, clientOf, type Results, run, type SiteDatabase, type Statement } from "./connection"
import { writesAllowed } from "./deferred-writes"
import { isRejectedByOverload } from "./errors"

/** Upper bound of the random wait before a retry, in milliseconds. */
const MAX_BACKOFF_MS = 200

/**
 * Runs reads and writes as one transaction in one round trip, and once more if the database was too busy to run it.
 * @returns the results, in order
 * @throws errors of D1. After any other error, the caller has to find out whether the transaction took effect
 */
export async function execute<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Results<Statements>> {
  await writesAllowed(db)
  const client = clientOf(db)
  try {
    return await run(client, statements)
  } catch (cause) {
    if (!isRejectedByOverload(cause)) throw cause
    countTransientError("database")
    await scheduler.wait(jitter(MAX_BACKOFF_MS))
    return run(client, statements)
  }
}
