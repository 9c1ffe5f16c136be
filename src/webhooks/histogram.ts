// Latencies in fixed steps, so that a day's percentiles cost as much with a million attempts as with one.

/** Upper ends of the steps, in milliseconds; what takes longer than the last is in a step of its own. */
export const STEPS = [
  5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 7_500, 10_000,
  15_000, 20_000, 30_000, 60_000,
] as const

/** Which step a latency is in. */
export function stepOf(ms: number): number {
  const step = STEPS.findIndex((end) => ms <= end)
  return step < 0 ? STEPS.length : step
}

/** The classes of an answer's status; `none` where there was no answer. */
export const CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"] as const

/** Which class a status is in; an answer of another class than these counts as none. */
export function classOf(status: number | null): number {
  const index = CLASSES.indexOf(`${Math.floor((status ?? 0) / 100)}xx` as (typeof CLASSES)[number])
  return index < 0 ? CLASSES.length - 1 : index
}

/**
 * The latency that a share of attempts did not exceed, as the end of its step; the last step has none but its beginning.
 * @param counts attempts by step
 * @param share 0.5 for the median
 * @returns milliseconds; null without attempts
 */
export function percentile(counts: number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(total * share))
  let below = 0
  const step = counts.findIndex((count) => {
    below += count
    return below >= rank
  })
  return STEPS[Math.min(step, STEPS.length - 1)] ?? null
}

/** Several histograms as one. */
export const sum = (lists: number[][], length: number): number[] =>
  Array.from({ length }, (_, index) => lists.reduce((total, list) => total + (list[index] ?? 0), 0))
