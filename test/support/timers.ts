// Controls timers, so that tests wait for events and never for time. No other test file uses timers.
import { vi } from "vitest"

/** Whether a delay of that many milliseconds is skipped. */
type Selection = (ms: number) => boolean

const everyDelay: Selection = () => true

/**
 * Ends delays of `setTimeout` at once.
 * @returns the requested delays in milliseconds
 */
export function skipTimeouts(isSkipped = everyDelay): number[] {
  const delays: number[] = []
  const schedule = globalThis.setTimeout
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, ms = 0, ...args: []) => {
    delays.push(ms)
    return schedule(work, isSkipped(ms) ? 0 : ms, ...args)
  }) as typeof setTimeout)
  return delays
}

/**
 * Ends delays of `scheduler.wait` at once. `setup.ts` already does so for short ones.
 * @returns the requested delays in milliseconds
 */
export function skipWaits(isSkipped = everyDelay): number[] {
  const delays: number[] = []
  if (vi.isMockFunction(scheduler.wait)) vi.mocked(scheduler.wait).mockRestore()
  const wait = scheduler.wait.bind(scheduler)
  vi.spyOn(scheduler, "wait").mockImplementation((ms) => {
    delays.push(ms)
    return wait(isSkipped(ms) ? 0 : ms)
  })
  return delays
}

/** A timeout of `AbortSignal.timeout` that a test ends. */
export interface Deadline {
  ms: number
  expire: () => void
}

/**
 * Stops the clock of `AbortSignal.timeout`.
 * @param onCreate called with each deadline, for example to expire it at once
 * @returns the deadlines in the order in which the Worker set them
 */
export function controlDeadlines(onCreate: (deadline: Deadline) => void = () => undefined): Deadline[] {
  const deadlines: Deadline[] = []
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController()
    const error = new DOMException("The operation was aborted due to timeout", "TimeoutError")
    const deadline = { ms, expire: () => controller.abort(error) }
    deadlines.push(deadline)
    onCreate(deadline)
    return controller.signal
  })
  return deadlines
}
