// Limits the requests of `listen` per second, as an endpoint's `max_per_second` does.
import { setTimeout as sleep } from "node:timers/promises"
import { UserError } from "../lib/project.ts"

/** The most that an endpoint's `max_per_second` may be. */
const MAX_RATE = 1_000

/**
 * Creates a function that waits until the next request may be sent.
 * @param option the value of `--max-per-second`; requests never wait without it
 * @throws UserError unless it is a number that an endpoint may have
 */
export function createPacer(option: string | undefined): () => Promise<void> {
  if (option === undefined) return async () => {}
  const rate = Number(option)
  if (!Number.isInteger(rate) || rate < 1 || rate > MAX_RATE)
    throw new UserError(`--max-per-second must be an integer from 1 to ${MAX_RATE}`)
  let next = 0
  return async () => {
    await sleep(Math.max(0, next - Date.now()))
    next = Date.now() + 1000 / rate
  }
}
