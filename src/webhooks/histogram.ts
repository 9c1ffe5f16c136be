// Latency and status histograms with fixed buckets, so that percentiles cost the same for one attempt and for a
// million.

import { MINUTE } from "../lib/time"

/** Upper bounds of the buckets; one further bucket holds everything above the last bound. */
export const LATENCY_BUCKETS_MS = [
  5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 7_500, 10_000,
  15_000, 20_000, 30_000, 60_000,
] as const

/** Upper bounds for the times from events to their deliveries, which include retries of up to 15 hours. */
export const DELAY_BUCKETS_MS = [
  ...LATENCY_BUCKETS_MS,
  ...[2, 5, 10, 20, 30, 60, 120, 240, 480, 960, 1_440].map((minutes) => minutes * MINUTE),
] as const

/** Returns the index of a latency's bucket. */
export function getLatencyBucket(ms: number, bounds: readonly number[] = LATENCY_BUCKETS_MS): number {
  const bucket = bounds.findIndex((bound) => ms <= bound)
  return bucket < 0 ? bounds.length : bucket
}

/** Classes of response status codes; `none` if there was no response. */
export const STATUS_CLASSES = ["2xx", "3xx", "4xx", "5xx", "none"] as const

/** Returns the index of a status code's class; codes outside 200–599 are `none`. */
export function getStatusClass(status: number | null): number {
  const index = STATUS_CLASSES.indexOf(`${Math.floor((status ?? 0) / 100)}xx` as (typeof STATUS_CLASSES)[number])
  return index < 0 ? STATUS_CLASSES.length - 1 : index
}

/**
 * Returns the upper bound of the bucket that contains a percentile; for the open last bucket, its lower bound.
 * @param counts attempts per bucket
 * @param share 0.5 for the median
 * @param bounds of the buckets
 * @returns milliseconds; null without attempts
 */
export function getPercentile(
  counts: number[],
  share: number,
  bounds: readonly number[] = LATENCY_BUCKETS_MS,
): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = Math.max(1, Math.ceil(total * share))
  let cumulative = 0
  const bucket = counts.findIndex((count) => {
    cumulative += count
    return cumulative >= rank
  })
  return bounds[Math.min(bucket, bounds.length - 1)] ?? null
}

/** Adds histograms up, bucket by bucket. */
export const sumHistograms = (lists: number[][], length: number): number[] =>
  Array.from({ length }, (_, index) => lists.reduce((total, list) => total + (list[index] ?? 0), 0))
