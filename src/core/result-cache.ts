// Caches the results of checks that a public endpoint makes, per isolate.
import type { Bindings } from "../env"
import { currentMs } from "../lib/clock"
import { isolateState } from "../lib/isolate-state"

/**
 * Creates a cache. Only results are cached, because a promise belongs to the request that created it: if that request
 * ends, others would wait for the promise forever. An expired result is used for one more lifetime while a request
 * replaces it, so about one request per lifetime runs the check.
 * @param ttlMs lifetime of a result in milliseconds
 * @returns a function that returns the cached result, or that of the given check
 */
export function createResultCache<Result>(ttlMs: number) {
  const cache = isolateState(() => new WeakMap<Bindings, { until: number; result: Result }>())
  return async (env: Bindings, check: () => Promise<Result>): Promise<Result> => {
    const now = currentMs()
    const cached = cache.current.get(env)
    if (cached && cached.until > now) return cached.result
    if (cached) cached.until = now + ttlMs
    const result = await check()
    cache.current.set(env, { until: currentMs() + ttlMs, result })
    return result
  }
}
