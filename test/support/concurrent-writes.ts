// A write under faults beside the databases: whichever of its calls to queues, objects, buckets, mail and the network fails, before or
// after, there is all of the write or nothing of it, and what it left to a queue that loses everything is done by the cron.
import { env } from "cloudflare:workers"
import { expect, vi } from "vitest"
import { type Answer, consume, cron } from "./app"
import { type CallMade, failCalls } from "./calls"
import { difference, type Made, snapshot } from "./consistency"
import type { Fault } from "./faults"

/** Makes what a write is about, new each time, and answers the write. */
type Make = () => Promise<() => Promise<Answer>>

export interface Given {
  /** Tables that hold what a write leaves on its way. */
  ignored?: (name: string) => readonly string[]
  /** Whether a call's answer is what the write is about. */
  isAsked?: (name: string, call: CallMade) => boolean
}

/** Milliseconds after which the cron takes everything for lost that the queues had. */
const LONG_AFTER = 30 * 60_000

/** Rounds of cron and queues after which no work is left. */
const ROUNDS = 12

const labelOf = ({ of, messages, site }: CallMade) => [of, ...messages, site].join(" ")
/** Tables in which the clock decides whether a row is new. */
const BY_THE_CLOCK = ["webhook_hours"]

const isQueue = ({ of }: CallMade) => of.includes("_QUEUE.")

/**
 * Goes over writes. Each place in the source that calls something is held at the first write that comes by it: its call fails before and
 * after, and, where it sends messages, they are lost.
 * @param writes by name
 * @returns the calls that were held, by the name of their write
 */
export async function holdBeside(writes: Record<string, Make>, given: Given = {}): Promise<Record<string, string[]>> {
  const held: Record<string, string[]> = {}
  const known = new Set<string>()
  for (const [name, make] of Object.entries(writes)) {
    const { calls } = await run(name, make, given)
    const met = calls.filter((call) => !known.has(labelOf(call)))
    if (!met.length) continue
    await holdCalls(name, make, known, given)
    if (met.some(isQueue)) await holdLosses(name, make, given)
    for (const call of met) known.add(labelOf(call))
    held[name] = met.map(labelOf)
  }
  return held
}

/** Makes a write, with one of its calls failing. */
async function run(name: string, make: Make, { ignored = () => [] }: Given, fault: Fault = null, at = -1) {
  const write = await make()
  const from = await snapshot(ignored(name))
  const calls: CallMade[] = []
  const undo = failCalls((call) => (calls.push(call) - 1 === at ? fault : null))
  const { status, text } = await write().finally(undo)
  if (!fault) expect([status < 300, text], name).toEqual([true, text])
  return { status, calls, made: difference(from, await snapshot(ignored(name))) }
}

/** Whoever is told that it was done finds all of it, and whoever is told that it was not finds nothing. */
async function holdCalls(name: string, make: Make, known: ReadonlySet<string>, given: Given): Promise<void> {
  const whole = await run(name, make, given)
  for (const [at, call] of whole.calls.entries()) {
    if (known.has(labelOf(call)) || given.isAsked?.(name, call)) continue
    for (const fault of ["before", "after"] as const) {
      const { status, made } = await run(name, make, given, fault, at)
      const found = [name, labelOf(call), fault, status]
      expect([...found, made]).toEqual([...found, status < 300 ? whole.made : {}])
    }
  }
}

/** What comes of a write in the end does not depend on whether its messages arrived; or it is refused where no queue takes them. */
async function holdLosses(name: string, make: Make, { ignored = () => [] }: Given): Promise<void> {
  const given = { ignored: [...ignored(name), ...BY_THE_CLOCK] }
  const arrived = await outcome(make, { ...given, isLost: false })
  expect(arrived.isDone, name).toBe(true)
  const lost = await outcome(make, { ...given, isLost: true })
  expect(lost, name).toEqual(lost.isDone ? arrived : { isDone: false, made: {}, objects: 0 })
}

interface Outcome {
  isDone: boolean
  made: Made
  /** By how many there are more in the buckets. */
  objects: number
}

/** What a write comes to once the cron has done its work. */
async function outcome(
  make: Make,
  { isLost, ignored }: { isLost: boolean; ignored: readonly string[] },
): Promise<Outcome> {
  await workOffLater()
  const write = await make()
  takeMessages()
  const [from, had] = [await snapshot(ignored), await objects()]
  const undo = failCalls((call) => (isLost && isQueue(call) ? "before" : null))
  const { status } = await write().finally(undo)
  if (isLost) takeMessages()
  await workOffLater()
  return { isDone: status < 300, made: difference(from, await snapshot(ignored)), objects: (await objects()) - had }
}

async function objects(): Promise<number> {
  const lists = await Promise.all([env.MEDIA, env.UPDATES].map((bucket) => bucket.list()))
  return lists.reduce((total, { objects }) => total + objects.length, 0)
}

/** What the queues were sent and nobody took yet. */
function takeMessages() {
  return [env.JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE, env.PUSH_QUEUE].flatMap(({ send, sendBatch }) => {
    const singles = vi.mocked(send).mock.calls.splice(0)
    const batches = vi.mocked(sendBatch).mock.calls.splice(0)
    const bodies = [...singles.map(([body]) => body), ...batches.flatMap(([sent]) => [...sent].map(({ body }) => body))]
    return bodies.map((body) => body as Parameters<typeof consume>[1][number])
  })
}

/** Lets the cron and the queues do all that is to be done by then. */
async function workOffLater(): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + LONG_AFTER })
  await workOff().finally(() => vi.useRealTimers())
}

async function workOff(): Promise<void> {
  let messages: ReturnType<typeof takeMessages> = []
  for (let round = 0; round < ROUNDS; round++) {
    await cron("* * * * *")
    messages = takeMessages()
    for (const message of messages) await consume("tenancy-jobs", [message])
    if (!messages.length) return
  }
  throw new Error(`the work does not end: ${JSON.stringify(messages)}`)
}
