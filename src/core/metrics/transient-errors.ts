// Adds the transient errors that this isolate counted (lib/transient-errors.ts) to the metrics of the platform.
import { type SQL, sql } from "drizzle-orm"
import { centralDatabase } from "../../db/client"
import { isTransient } from "../../db/errors"
import { systemMetrics } from "../../db/schema/central/system-metrics"
import { insert } from "../../db/write"
import type { Bindings } from "../../env"
import { currentMs, currentTime } from "../../lib/clock"
import { isolateState } from "../../lib/isolate-state"
import { SECOND } from "../../lib/time"
import {
  countTransientError,
  hasTransientErrors,
  restoreTransientErrors,
  TRANSIENT_ERROR_KINDS,
  type TransientErrorKind,
  takeTransientErrors,
} from "../../lib/transient-errors"
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
  if (isCounted) countTransientError("database")
  return isCounted
}

/**
 * Stores the errors that this isolate counted, at most every 10 seconds, in the background after a request, message or
 * cron run. Without errors it does nothing. Errors that cannot be stored are kept for the next time.
 */
export function flushTransientErrors(env: Bindings, log: Log, waitUntil: (work: Promise<unknown>) => void): void {
  if (!hasTransientErrors()) return
  const now = currentMs()
  schedule.current.nextAt ??= now + FLUSH_INTERVAL_MS
  if (now < schedule.current.nextAt) return
  schedule.current.nextAt = now + FLUSH_INTERVAL_MS
  waitUntil(storeTransientErrors(env, log, takeTransientErrors()))
}

async function storeTransientErrors(
  env: Bindings,
  log: Log,
  errors: ReadonlyMap<TransientErrorKind, number>,
): Promise<void> {
  try {
    await writeUnaudited({ db: centralDatabase(env) }, "statistics", buildTransientErrorWrites(errors))
  } catch (cause) {
    restoreTransientErrors(errors)
    log.error("storing the number of transient errors failed", cause)
  }
}

/** Builds the writes that add errors to both slots of the current time. */
const buildTransientErrorWrites = (errors: ReadonlyMap<TransientErrorKind, number>) =>
  slotsOf(currentTime()).map((slot) =>
    insert(systemMetrics)
      .values({ ...slot, faults: Object.fromEntries(errors) })
      .onConflictDoUpdate({
        target: systemMetrics.id,
        set: {
          at: sql`excluded.at`,
          faults: sql`iif(${isSameSlot}, ${addErrors(errors)}, excluded.faults)`,
          data: sql`iif(${isSameSlot}, ${systemMetrics.data}, null)`,
        },
      }),
  )

/** Adds counts to those of the existing row. */
const addErrors = (errors: ReadonlyMap<TransientErrorKind, number>): SQL => {
  const added = TRANSIENT_ERROR_KINDS.filter((kind) => errors.has(kind)).flatMap((kind) => [
    sql`${`$.${kind}`}`,
    sql`coalesce(${systemMetrics.faults} ->> ${`$.${kind}`}, 0) + ${errors.get(kind) ?? 0}`,
  ])
  return sql`json_set(${sql.join([sql`${systemMetrics.faults}`, ...added], sql`, `)})`
}
