// One hit on one budget of requests, wherever it is kept.
import type { RateLimitBucket } from "../../durable/rate-limit-bucket"
import type { Env } from "../env"
import { callDurable } from "../lib/durable"
import type { Budget } from "../lib/fixed-window"
import type { Log } from "./log"

/**
 * Counts a request.
 * @param name the bucket: what kind of caller, a colon, and which
 * @param limit requests a minute
 * @returns null when the bucket cannot be reached, because a limiter must not be an outage
 */
export async function take(env: Env, log: Log, name: string, limit: number): Promise<Budget | null> {
  try {
    return await callDurable<RateLimitBucket, Budget>(env.RATE_LIMIT, name, (bucket) => bucket.take(limit))
  } catch (cause) {
    log.error("a rate-limit bucket could not be reached", cause)
    return null
  }
}
