// Counts transient errors of the platform in this isolate, until core/metrics/transient-errors.ts adds them to the
// metrics.
import { isolateState } from "./isolate-state"

/** The services whose transient errors are counted. */
export const TRANSIENT_ERROR_KINDS = ["database", "durable_object", "queue", "bucket"] as const

export type TransientErrorKind = (typeof TRANSIENT_ERROR_KINDS)[number]

const counts = isolateState(() => new Map<TransientErrorKind, number>())

/** Counts a transient error, whether or not a retry succeeds. Costs no I/O. */
export function countTransientError(kind: TransientErrorKind): void {
  counts.current.set(kind, (counts.current.get(kind) ?? 0) + 1)
}

/** Returns the errors counted so far by kind, and starts from zero. */
export function takeTransientErrors(): ReadonlyMap<TransientErrorKind, number> {
  const taken = counts.current
  counts.current = new Map()
  return taken
}

/** Adds errors back that could not be stored. */
export function restoreTransientErrors(taken: ReadonlyMap<TransientErrorKind, number>): void {
  for (const [kind, count] of taken) counts.current.set(kind, (counts.current.get(kind) ?? 0) + count)
}

/** Whether errors were counted since the last `takeTransientErrors`. */
export const hasTransientErrors = (): boolean => counts.current.size > 0
