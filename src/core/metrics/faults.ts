// Adds the transient errors that this isolate counted (lib/faults.ts) to the metrics of the platform.
import { type SQL, sql } from "drizzle-orm"
import { centralDatabase } from "../../db/client"
import { isTransient } from "../../db/errors"
import { systemMetrics } from "../../db/schema/central/system-metrics"
import { insert } from "../../db/write"
import type { Bindings } from "../../env"
import { currentMs, currentTime } from "../../lib/clock"
import { countFault, FAULT_KINDS, type FaultKind, hasFaults, returnFaults, takeFaults } from "../../lib/faults"
import { isolateState } from "../../lib/isolate-state"
import { SECOND } from "../../lib/time"
import type { Log } from "../log"
import { writeUnaudited } from "../write/commit"
import { isSameSlot, slotsOf } from "./slots"

/** Time between two writes of an isolate, so that an outage does not cause a write per request. */
const FLUSH_INTERVAL_MS = 10 * SECOND

/** When this isolate may write next; null until it has counted an error. */
const schedule = isolateState(() => ({ nextAt: null as number | null }))

/**
 * Counts an error that no retry could prevent, if it is transient. Most come from a database.
 * @returns whether it is transient
 */
export function countIfTransient(thrown: unknown): boolean {
  const isCounted = isTransient(thrown)
  if (isCounted) countFault("database")
  return isCounted
}

/**
 * Stores the errors that this isolate counted, at most every 10 seconds, in the background after a request, message or
 * cron run. Without errors it does nothing. Errors that cannot be stored are kept for the next time.
 */
export function flushFaults(env: Bindings, log: Log, waitUntil: (work: Promise<unknown>) => void): void {
  if (!hasFaults()) return
  const now = currentMs()
  schedule.current.nextAt ??= now + FLUSH_INTERVAL_MS
  if (now < schedule.current.nextAt) return
  schedule.current.nextAt = now + FLUSH_INTERVAL_MS
  waitUntil(storeFaults(env, log, takeFaults()))
}

async function storeFaults(env: Bindings, log: Log, faults: ReadonlyMap<FaultKind, number>): Promise<void> {
  try {
    await writeUnaudited({ db: centralDatabase(env) }, "statistics", buildFaultWrites(faults))
  } catch (cause) {
    returnFaults(faults)
    log.error("storing the number of transient errors failed", cause)
  }
}

/** Builds the writes that add errors to both slots of the present time. */
const buildFaultWrites = (faults: ReadonlyMap<FaultKind, number>) =>
  slotsOf(currentTime()).map((slot) =>
    insert(systemMetrics)
      .values({ ...slot, faults: Object.fromEntries(faults) })
      .onConflictDoUpdate({
        target: systemMetrics.id,
        set: {
          at: sql`excluded.at`,
          faults: sql`iif(${isSameSlot}, ${addFaults(faults)}, excluded.faults)`,
          data: sql`iif(${isSameSlot}, ${systemMetrics.data}, null)`,
        },
      }),
  )

/** Adds counts to those of the existing row. */
const addFaults = (faults: ReadonlyMap<FaultKind, number>): SQL => {
  const added = FAULT_KINDS.filter((kind) => faults.has(kind)).flatMap((kind) => [
    sql`${`$.${kind}`}`,
    sql`coalesce(${systemMetrics.faults} ->> ${`$.${kind}`}, 0) + ${faults.get(kind) ?? 0}`,
  ])
  return sql`json_set(${sql.join([sql`${systemMetrics.faults}`, ...added], sql`, `)})`
}
