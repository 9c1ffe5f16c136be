// What the Worker sends to queues and to the mail service goes nowhere in tests: it is remembered, and a test may say what comes of it.
import { env } from "cloudflare:workers"
import { vi } from "vitest"

const QUEUES = [env.JOB_QUEUE, env.PUSH_QUEUE, env.RETRY_QUEUE, env.WEBHOOK_QUEUE]

const QUEUED = { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }
const MAILED = { messageId: "test" }

/**
 * Properties of their own that stay for as long as the isolate lives. Spies come and go: the first test that restores all of them would
 * have messages consumed seconds later, in another test's databases; and the mail service is a stub whose every property is a call to
 * it, so that code which once made the real call does not see a property that is added later.
 */
const held = [
  ...QUEUES.flatMap((queue) => [hold(queue, "send", QUEUED), hold(queue, "sendBatch", QUEUED)]),
  hold(env.MAIL, "send", MAILED),
]

/** Each test file comes here anew, in the same isolate: what is held already stays. */
function hold<Target extends object>(target: Target, name: keyof Target & string, answer: unknown) {
  const there = Object.getOwnPropertyDescriptor(target, name)?.value
  if (vi.isMockFunction(there)) return there
  const remember = vi.fn(async () => answer)
  Object.defineProperty(target, name, { value: remember })
  return remember
}

/** Lets all of it be forgotten, and what a test had it do instead. */
export function forgetSends(): void {
  for (const remember of held) remember.mockReset()
}
