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

/** Advances the Worker's clock, which stands still between two events. */
export const advanceClock = (): Promise<void> => scheduler.wait(0)

/** Timers of `AbortSignal.timeout`, which run until they expire, also after the request. */
const deadlineTimers = new Set<ReturnType<typeof setTimeout>>()

/** Makes the timers of `AbortSignal.timeout` ones that `clearDeadlines` can stop. */
export function trackDeadlines(): void {
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController()
    const timer = setTimeout(() => {
      deadlineTimers.delete(timer)
      controller.abort(createTimeoutError())
    }, ms)
    deadlineTimers.add(timer)
    return controller.signal
  })
}

/** Stops the timers of a finished test. Thousands of deliveries leave more than the 10,000 that workerd allows. */
export function clearDeadlines(): void {
  for (const timer of deadlineTimers) clearTimeout(timer)
  deadlineTimers.clear()
}

const createTimeoutError = () => new DOMException("The operation was aborted due to timeout", "TimeoutError")

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
    const deadline = { ms, expire: () => controller.abort(createTimeoutError()) }
    deadlines.push(deadline)
    onCreate(deadline)
    return controller.signal
  })
  return deadlines
}
