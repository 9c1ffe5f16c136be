// How many trips of a request wait for one another: to the databases and to Durable Objects. What is asked side by side is one trip, and
// what goes on behind the answer keeps nobody waiting.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"
import worker from "../../src/index"
import type { Answer } from "./app"
import { aroundTrips } from "./round-trips"

/**
 * The longest chain of trips, each begun once the one before it was back, until the request that `work` makes is answered.
 * @returns with it the answer, and the first words of what each trip asked, in the order in which they began
 */
export async function sequenceOf(work: () => Promise<Answer>) {
  const asked: string[] = []
  let back = 0
  let trips = 0
  let isAnswered = false
  const take = async <Result>(what: string, send: () => Promise<Result>): Promise<Result> => {
    if (isAnswered) return send()
    const at = back + 1
    asked.push(`${at} ${what.replace(/\s+/g, " ").slice(0, 100)}`)
    try {
      return await send()
    } finally {
      back = Math.max(back, at)
    }
  }
  const spies: MockInstance[] = [aroundTrips((send, statements) => take(statements.join("; "), send))]
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    const get = namespace.get.bind(namespace)
    const spy = vi.spyOn(namespace, "get").mockImplementation((...args) => {
      const stub = get(...args)
      const fetch: typeof stub.fetch = (...request) => take("an object", () => stub.fetch(...request))
      return { id: stub.id, name: stub.name, fetch } as unknown as typeof stub
    })
    spies.push(spy as unknown as MockInstance)
  }
  const answer = worker.fetch
  const onAnswer = vi.spyOn(worker, "fetch").mockImplementation(async (...args) => {
    const response = await answer(...args)
    isAnswered = true
    // What is not back by now kept nobody waiting.
    trips = back
    return response
  })
  spies.push(onAnswer as unknown as MockInstance)
  try {
    const { status, text } = await work()
    return { status, text, trips, asked }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
