// Mocks the queues and the mail service: messages are recorded and not delivered.
import { env } from "cloudflare:workers"
import { vi } from "vitest"
import { checkQueueLimits } from "../../tools/faults/limits"

const QUEUES = [env.JOB_QUEUE, env.SLOW_JOB_QUEUE, env.PUSH_QUEUE, env.RETRY_QUEUE, env.WEBHOOK_QUEUE]

const QUEUED = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
const MAILED = { messageId: "test" }

/**
 * Own properties that stay for the isolate's lifetime. Spies would be removed by the first test that restores all
 * mocks, and its messages would be consumed seconds later in another test's databases. The mail service is an RPC stub,
 * and code that has called it once does not see a property that is added later.
 */
const mocks = [
  ...QUEUES.flatMap((queue) => [installMock(queue, "send", QUEUED), installMock(queue, "sendBatch", QUEUED)]),
  installMock(env.MAIL, "send", MAILED),
]

/** Test files share an isolate and load this module again; mocks that are already installed stay. */
function installMock<Target extends object>(target: Target, name: keyof Target & string, result: unknown) {
  const existing = Object.getOwnPropertyDescriptor(target, name)?.value
  if (vi.isMockFunction(existing)) return existing
  const mock = vi.fn(async () => result)
  Object.defineProperty(target, name, { value: mock })
  return mock
}

/** @throws Error when the recorded messages exceed a limit of Cloudflare Queues */
export function checkSends(): void {
  for (const queue of QUEUES) {
    for (const [body] of vi.mocked(queue.send).mock.calls) checkQueueLimits([body])
    for (const [messages] of vi.mocked(queue.sendBatch).mock.calls)
      checkQueueLimits([...messages].map(({ body }: { body: unknown }) => body))
  }
}

/** Clears the recorded messages and resets the mocks. */
export function resetSends(): void {
  for (const mock of mocks) mock.mockReset()
}
