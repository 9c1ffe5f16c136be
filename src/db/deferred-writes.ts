// Delays the writes of a request until its rate-limit check has passed.
import type { CentralDatabase, SiteDatabase } from "./client"

/** Promises that must resolve before a database is written. */
const writeConditions = new WeakMap<CentralDatabase | SiteDatabase, Promise<unknown>>()

/**
 * Delays every write through a handle until a promise resolves, such as the request's rate-limit check. Reads do not
 * wait. If the promise rejects, every write fails with its error. The promises of earlier calls remain conditions.
 * @param db a handle of a single request, from `bookmarkedSiteDatabase` or `requestCentralDatabase`
 */
export function deferWritesUntil(db: CentralDatabase | SiteDatabase, condition: Promise<unknown>): void {
  const all = Promise.all([writeConditions.get(db), condition])
  // The caller awaits the condition itself: avoid an unhandled rejection here.
  all.catch(() => undefined)
  writeConditions.set(db, all)
}

/**
 * Resolves once the handle may write; for the part of a write that goes elsewhere, such as R2.
 * @throws the error of the promise given to `deferWritesUntil`
 */
export async function writesAllowed(db: CentralDatabase | SiteDatabase): Promise<void> {
  await writeConditions.get(db)
}
