// Locks a store's rows in a site database against all writes but those of one job: a site migration, a backup or a
// restore.

import { and, eq, type SQL, sql } from "drizzle-orm"
import { writeUnaudited } from "../../core/write/commit"
import type { SiteDatabase } from "../../db/client"
import { siteLocks } from "../../db/schema/sites/site-locks"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched, type Write } from "../../db/write"
import type { Progress } from "./rows"

/** The lock of a store. */
export interface SiteLock {
  storeId: string
  /** The id of the job that locks it. */
  migrationId: string
}

/** Condition that the lock is this one. */
export const isLockedBy = ({ migrationId }: SiteLock): SQL => eq(siteLocks.migrationId, migrationId)

/** Locks a store in a database against all writes but those of the job. */
export async function lockSite(db: SiteDatabase, { storeId, migrationId }: SiteLock, now: Date): Promise<void> {
  const state = { migrationId, open: false, tableIndex: 0, after: 0, lockedAt: now }
  await writeUnaudited({ db }, "coordination", [
    inSite(storeId)
      .insert(siteLocks)
      .values(state)
      .onConflictDoUpdate({
        target: siteLocks.siteId,
        set: state,
        setWhere: sql`${siteLocks.migrationId} <> ${migrationId}`,
      }),
  ])
}

/** Unlocks a store. */
export async function unlockSite(db: SiteDatabase, lock: SiteLock): Promise<void> {
  await writeUnaudited({ db }, "coordination", [inSite(lock.storeId).remove(siteLocks).where(isLockedBy(lock))])
}

/** Builds a batch that opens the lock, writes and closes it again. Other transactions never see the lock open. */
export const writeThroughLock = (
  lock: SiteLock,
  writes: readonly Write[],
  progress: Partial<Progress> = {},
  condition?: SQL,
): readonly Write[] => [
  inSite(lock.storeId)
    .update(siteLocks)
    .set({ ...progress, open: true })
    .where(and(isLockedBy(lock), condition)),
  abortUnlessTouched,
  ...writes,
  inSite(lock.storeId).update(siteLocks).set({ open: false }).where(isLockedBy(lock)),
]
