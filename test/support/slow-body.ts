// Builds request bodies that the test finishes.
import { letWorkerProceed } from "./round-trips"

/**
 * Builds a request body that sends all but its last byte at once.
 * @returns the body; `arrived`, which resolves when the Worker has read those bytes, has authenticated the caller in
 *   parallel, and waits for more; and `finish`, which sends the last byte
 */
export function slowBody(text: string) {
  const arrived = Promise.withResolvers<void>()
  const finished = Promise.withResolvers<void>()
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream({
    type: "bytes",
    start: (controller) => controller.enqueue(bytes.slice(0, -1)),
    async pull(controller) {
      arrived.resolve()
      await finished.promise
      controller.enqueue(bytes.slice(-1))
      controller.close()
    },
  })
  return { body, arrived: arrived.promise.then(() => letWorkerProceed()), finish: () => finished.resolve() }
}
