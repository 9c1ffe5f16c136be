// Measures what work costs, separately until the response and in the background, in all databases and queues.
import { env } from "cloudflare:workers"
import { parse } from "smol-toml"
import { expect, type MockInstance, vi } from "vitest"
import worker from "../../src"
import { COST_COLUMNS, type Cost, type PhasedCost } from "../../tools/lib/cost-table"
import wranglerToml from "../../wrangler.toml?raw"
import { consume } from "../support/app"
import { isRouting } from "../support/costs"
import { interceptRoundTrips } from "../support/round-trips"

/** Every test starts at this time, so that no hour or day begins while it runs. */
export const START = new Date("2026-03-02T10:00:00Z")

/** Rounds of messages after which queues are considered never to become empty. */
const MAX_ROUNDS = 200

interface QueueConfig {
  producers: { binding: keyof typeof env; queue: string }[]
  consumers: { queue: string; max_batch_size: number }[]
}

const { producers, consumers } = (parse(wranglerToml) as unknown as { queues: QueueConfig }).queues

/** The queues that the Worker sends to, with the batches of their consumers. */
const QUEUES = producers.map(({ binding, queue }) => ({
  queue,
  binding: env[binding] as Queue,
  batchSize: consumers.find((consumer) => consumer.queue === queue)?.max_batch_size ?? 1,
}))

/** Removes and returns the messages that were sent to a queue. */
function takeMessages(queue: Queue): unknown[] {
  const batches = vi.mocked(queue.sendBatch).mock.calls.splice(0)
  const singles = vi.mocked(queue.send).mock.calls.splice(0)
  return [...batches.flatMap(([messages]) => [...messages].map(({ body }) => body)), ...singles.map(([body]) => body)]
}

/** Discards the messages that the preparation of a test has sent. */
const clearQueues = (): void => QUEUES.forEach(({ binding }) => void takeMessages(binding))

/**
 * Consumes all messages, and those that their consumers send, in batches of the configured size, one batch at a time.
 * Delays are skipped. Fails if a consumer does not acknowledge a message.
 */
export async function drainQueues(): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let isEmpty = true
    for (const { queue, binding, batchSize } of QUEUES) {
      const messages = takeMessages(binding)
      isEmpty &&= messages.length === 0
      for (let start = 0; start < messages.length; start += batchSize) {
        const { retryMessages } = await consume(queue, messages.slice(start, start + batchSize))
        expect(retryMessages, `${queue}: ${JSON.stringify(messages.slice(start, start + batchSize))}`).toEqual([])
      }
    }
    if (isEmpty) return
  }
  throw new Error("The queues never become empty")
}

const noCost = () => Object.fromEntries(COST_COLUMNS.map((column) => [column, 0])) as Cost

/** Whether D1 has to run a statement on the primary, as part of a transaction. */
const isWrite = (sql: string): boolean => !/^\s*(select|explain|with)\b/i.test(sql)

/**
 * Measures a request and the work that follows it.
 * @param request what runs before `background`; of a Worker's request, what starts after its response is background
 * @param background by default the consumption of all messages
 */
export async function measure(
  request: () => Promise<unknown>,
  background: () => Promise<unknown> = drainQueues,
): Promise<PhasedCost> {
  clearQueues()
  const costs: PhasedCost = { request: noCost(), background: noCost() }
  let phase: Cost = costs.request
  const spies: MockInstance[] = [
    interceptRoundTrips(async (send, statements) => {
      // The router starts with the commit, but no response waits for it.
      const cost = isRouting(statements) ? costs.background : phase
      cost.roundTrips += 1
      cost.statements += statements.length
      if (statements.some(isWrite)) cost.transactions += 1
      const result = await send()
      for (const { meta } of [result].flat()) {
        cost.rowsRead += meta?.rows_read ?? 0
        cost.rowsWritten += meta?.rows_written ?? 0
      }
      return result
    }),
  ]
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    const get = namespace.get.bind(namespace)
    const spy = vi.spyOn(namespace, "get").mockImplementation((...args) => {
      phase.objectCalls += 1
      return get(...args)
    })
    spies.push(spy as unknown as MockInstance)
  }
  for (const { binding } of QUEUES) {
    vi.mocked(binding.send).mockImplementation(async () => {
      phase.messages += 1
      return undefined as never
    })
    vi.mocked(binding.sendBatch).mockImplementation(async (messages) => {
      phase.messages += [...messages].length
      return undefined as never
    })
  }
  const respond = worker.fetch
  spies.push(
    vi.spyOn(worker, "fetch").mockImplementation(async (...args) => {
      const response = await respond(...args)
      phase = costs.background
      return response
    }) as unknown as MockInstance,
  )
  try {
    await request()
    phase = costs.background
    await background()
  } finally {
    for (const spy of spies) spy.mockRestore()
    for (const { binding } of QUEUES) for (const send of [binding.send, binding.sendBatch]) vi.mocked(send).mockReset()
  }
  return costs
}

/** Applies a function to every count of two costs. */
const combine = (a: Cost, b: Cost, apply: (a: number, b: number) => number): Cost =>
  Object.fromEntries(COST_COLUMNS.map((column) => [column, apply(a[column], b[column])])) as Cost

const combinePhases = (a: PhasedCost, b: PhasedCost, apply: (a: number, b: number) => number): PhasedCost => ({
  request: combine(a.request, b.request, apply),
  background: combine(a.background, b.background, apply),
})

/** Returns the cost of `whole` without that of `part`. */
export const subtract = (whole: PhasedCost, part: PhasedCost): PhasedCost => combinePhases(whole, part, (a, b) => a - b)

/** Returns the cost of each of `count` things, with two decimals. */
export const divide = (cost: PhasedCost, count: number): PhasedCost =>
  combinePhases(cost, cost, (total) => Math.round((total / count) * 100) / 100)
