// Measures how long work takes inside the Workers runtime.
import { advanceClock } from "./timers"

/** Runs work and returns its result with the milliseconds it took. */
export async function measureTime<T>(work: () => Promise<T> | T): Promise<{ ms: number; result: T }> {
  await advanceClock()
  const started = performance.now()
  const result = await work()
  await advanceClock()
  return { ms: performance.now() - started, result }
}
