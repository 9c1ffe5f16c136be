// Counts transient errors of the platform in this isolate, until core/metrics/faults.ts adds them to the metrics.
import { isolateState } from "./isolate-state"

/** The services whose transient errors are counted. */
export const FAULT_KINDS = ["database", "durable_object", "queue", "bucket"] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

const counts = isolateState(() => new Map<FaultKind, number>())

/** Counts a transient error, whether or not a retry succeeds. Costs no I/O. */
export function countFault(kind: FaultKind): void {
  counts.current.set(kind, (counts.current.get(kind) ?? 0) + 1)
}

/** Returns the errors counted so far by kind, and starts from zero. */
export function takeFaults(): ReadonlyMap<FaultKind, number> {
  const taken = counts.current
  counts.current = new Map()
  return taken
}

/** Adds errors back that could not be stored. */
export function returnFaults(taken: ReadonlyMap<FaultKind, number>): void {
  for (const [kind, count] of taken) counts.current.set(kind, (counts.current.get(kind) ?? 0) + count)
}

/** Whether errors were counted since the last `takeFaults`. */
export const hasFaults = (): boolean => counts.current.size > 0
