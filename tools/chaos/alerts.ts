// Checks the alerts of a run: each was sent once, and every alert that fired has recovered once the faults end.
import { setTimeout as sleep } from "node:timers/promises"
import type { Alert } from "./receiver.ts"

/** Time in which alerts recover after the last fault: ten minutes of measurements, and ten minutes without a cause. */
const RECOVERY_TIMEOUT_MS = 30 * 60_000

const isFiring = (alerts: readonly Alert[]): boolean =>
  [...new Map(alerts.map(({ alert, state }) => [alert, state])).values()].includes("firing")

/** Waits until every alert that fired has recovered, or the time is up. */
export async function waitUntilRecovered(alerts: readonly Alert[]): Promise<void> {
  for (const end = Date.now() + RECOVERY_TIMEOUT_MS; isFiring(alerts) && Date.now() < end; ) await sleep(1000)
}

/**
 * Checks what the receiver of the alerts got.
 * @param expected alerts that must have fired
 * @returns one message per problem
 */
export function findAlertProblems(alerts: readonly Alert[], expected: readonly string[]): string[] {
  const problems: string[] = []
  const names = new Set([...expected, ...alerts.map(({ alert }) => alert)])
  for (const name of names) {
    const own = alerts.filter(({ alert }) => alert === name)
    const states = own.map(({ state }) => state)
    if (new Set(own.map(({ id }) => id)).size !== own.length) problems.push(`${name} was sent more than once`)
    if (states.some((state, index) => state !== (index % 2 ? "recovered" : "firing")) || !states.length)
      problems.push(`${name} was sent as: ${states.join(", ") || "nothing"}`)
    if (states.at(-1) === "firing") problems.push(`${name} did not recover`)
  }
  return problems
}
