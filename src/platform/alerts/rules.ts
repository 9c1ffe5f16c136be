// Decides how an alert's state changes with a new value. A condition must be met for a while before the state changes
// (hysteresis).
import { MINUTE } from "../../lib/time"
import type { AlertDefinition } from "./definitions"

/** Time for which the condition must be met before an alert fires or recovers, so that it does not flap. */
const FIRE_AFTER_MS = 2 * MINUTE
export const RECOVER_AFTER_MS = 10 * MINUTE

/** The state of an alert, without its version. */
export interface AlertState {
  isFiring: boolean
  since: Date
  pendingSince: Date | null
  value: number
}

/**
 * Decides the next state.
 * @param state null before the first value
 * @param value null if it was not measured
 * @returns the next state, and whether the alert fires or recovers with it; null if nothing changes
 */
export function getNextState(
  alert: Pick<AlertDefinition, "threshold" | "recovery">,
  state: AlertState | null,
  value: number | null,
  now: Date,
): { state: AlertState; changed: "firing" | "recovered" | null } | null {
  if (value === null) return null
  const { isFiring, pendingSince } = state ?? { isFiring: false, pendingSince: null }
  const isMet = isFiring ? value <= alert.recovery : value > alert.threshold
  if (!isMet) return state && pendingSince ? { state: { ...state, pendingSince: null, value }, changed: null } : null
  if (!pendingSince) {
    return { state: { isFiring, since: state?.since ?? now, pendingSince: now, value }, changed: null }
  }
  const isDue = now.getTime() - pendingSince.getTime() >= (isFiring ? RECOVER_AFTER_MS : FIRE_AFTER_MS)
  if (!isDue) return null
  return {
    state: { isFiring: !isFiring, since: pendingSince, pendingSince: null, value },
    changed: isFiring ? "recovered" : "firing",
  }
}
