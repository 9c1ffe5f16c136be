// Counts what a request costs: D1 round trips, the rows they read and wrote, Durable Object calls.
import { env } from "cloudflare:workers"
import { type MockInstance, vi } from "vitest"

export interface Costs {
  /** Of both databases, statements alone and in batches. */
  roundTrips: number
  /** As D1 reports and bills them. */
  rowsRead: number
  rowsWritten: number
  objectCalls: number
}

/** What every statement and every batch goes through, on a database as on a session of one: it answers with D1's own count. */
interface Sender {
  _send(...args: unknown[]): Promise<{ meta?: D1Meta } | { meta?: D1Meta }[]>
}

/** The class of the runtime whose method that is. It is no part of the API: where a release moves it, this throws. */
function senders(): Sender {
  let prototype = Object.getPrototypeOf((env.DB.prepare("select 1") as unknown as { dbSession: object }).dbSession)
  while (!Object.hasOwn(prototype, "_send")) prototype = Object.getPrototypeOf(prototype)
  return prototype
}

/** Counts everything that `work` asks of D1 and of Durable Objects. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const costs: Costs = { roundTrips: 0, rowsRead: 0, rowsWritten: 0, objectCalls: 0 }
  const sender = senders()
  const send = sender._send
  const onSend = vi.spyOn(sender, "_send").mockImplementation(async function (this: Sender, ...args) {
    costs.roundTrips += 1
    const answer = await send.apply(this, args)
    for (const { meta } of [answer].flat()) {
      costs.rowsRead += meta?.rows_read ?? 0
      costs.rowsWritten += meta?.rows_written ?? 0
    }
    return answer
  })
  const spies: MockInstance[] = [onSend as unknown as MockInstance]
  for (const namespace of [env.RATE_LIMIT, env.ENDPOINT_FAILURES]) {
    const get = namespace.get.bind(namespace)
    const onGet = vi.spyOn(namespace, "get").mockImplementation((...args) => {
      costs.objectCalls += 1
      return get(...args)
    })
    spies.push(onGet as unknown as MockInstance)
  }
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return costs
}
