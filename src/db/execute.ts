// Executes writes. Only core/write imports this, so no change bypasses its audit entry, its events or its
// idempotency record.
import { type CentralDatabase, clientOf, type Results, run, type SiteDatabase, type Statement } from "./connection"
import { writesAllowed } from "./deferred-writes"

/**
 * Runs reads and writes as one transaction in one round trip.
 * @returns the results, in order
 */
export async function execute<const Statements extends readonly Statement[]>(
  db: CentralDatabase | SiteDatabase,
  statements: Statements,
): Promise<Results<Statements>> {
  await writesAllowed(db)
  return run(clientOf(db), statements)
}
