// Measures how long work takes inside the Workers runtime.
import { letWorkerProceed } from "./round-trips"

/**
 * Runs work and returns its result with the milliseconds it took. A Worker's clock only advances on I/O, hence the
 * round trips.
 */
export async function measureTime<T>(work: () => Promise<T> | T): Promise<{ ms: number; result: T }> {
  await letWorkerProceed(1)
  const started = performance.now()
  const result = await work()
  await letWorkerProceed(1)
  return { ms: performance.now() - started, result }
}
