// Asserts that writes are atomic when a call to a queue, Durable Object, bucket, mail or the network fails before or
// after it takes effect, and that the cron recovers the work of lost queue messages.
import { env } from "cloudflare:workers"
import { expect, vi } from "vitest"
import { consume, cron, type TestResponse } from "./app"
import { diffSnapshots, type RowChanges, snapshot } from "./atomic-writes"
import { type ExternalCall, failCalls } from "./external-calls"
import type { Fault } from "./faults"

/** Creates new preconditions of a write and returns a function that sends it. */
type PrepareWrite = () => Promise<() => Promise<TestResponse>>

export interface FaultOptions {
  /** Tables that a failed write may change. */
  ignoredTables?: (name: string) => readonly string[]
  /** Whether the purpose of the write is this call, such as a test delivery. */
  isEssential?: (name: string, call: ExternalCall) => boolean
}

/** Milliseconds after which the cron treats all queue messages as lost. */
const RECOVERY_DELAY_MS = 30 * 60_000

/** Rounds of cron and queues that finish all work. */
const MAX_ROUNDS = 12

const getLabel = ({ target, messageKinds, callSite }: ExternalCall) => [target, ...messageKinds, callSite].join(" ")

/**
 * Tables that depend on the clock, or that every cron run changes: its metrics with their alerts, and the counter of
 * its test writes.
 */
const CLOCK_DEPENDENT_TABLES = ["webhook_hours", "system_metrics", "alerts", "counters"]

const isQueue = ({ target }: ExternalCall) => target.includes("_QUEUE.")

/**
 * Tests each call site at the first write that reaches it: the call fails before and after it takes effect, and its
 * queue messages are lost.
 * @param writes by name
 * @returns the tested calls by the name of their write
 */
export async function assertAtomicUnderCallFaults(
  writes: Record<string, PrepareWrite>,
  options: FaultOptions = {},
): Promise<Record<string, string[]>> {
  const tested: Record<string, string[]> = {}
  const known = new Set<string>()
  for (const [name, make] of Object.entries(writes)) {
    const calls = await listCalls(name, make)
    const newCalls = calls.filter((call) => !known.has(getLabel(call)))
    if (!newCalls.length) continue
    await assertFailedCallsAreAtomic(name, make, known, options)
    if (newCalls.some(isQueue)) await assertLostMessagesAreRecovered(name, make, options)
    for (const call of newCalls) known.add(getLabel(call))
    tested[name] = newCalls.map(getLabel)
  }
  return tested
}

/** Runs a write and returns its calls. */
async function listCalls(name: string, make: PrepareWrite): Promise<ExternalCall[]> {
  const write = await make()
  const calls: ExternalCall[] = []
  const restore = failCalls((call) => {
    calls.push(call)
    return null
  })
  const { status, text } = await write().finally(restore)
  expect(status, `${name}: ${text}`).toBeLessThan(300)
  return calls
}

/** Runs a write while one of its calls fails. */
async function runWrite(
  name: string,
  make: PrepareWrite,
  { ignoredTables = () => [] }: FaultOptions,
  fault: Fault = null,
  at = -1,
) {
  const write = await make()
  const before = await snapshot(ignoredTables(name))
  const calls: ExternalCall[] = []
  const restore = failCalls((call) => (calls.push(call) - 1 === at ? fault : null))
  const { status, text } = await write().finally(restore)
  if (!fault) expect(status, `${name}: ${text}`).toBeLessThan(300)
  return { status, calls, changes: diffSnapshots(before, await snapshot(ignoredTables(name))) }
}

/** Asserts that a successful response means a complete write and an error means no write. */
async function assertFailedCallsAreAtomic(
  name: string,
  make: PrepareWrite,
  known: ReadonlySet<string>,
  options: FaultOptions,
): Promise<void> {
  const complete = await runWrite(name, make, options)
  for (const [at, call] of complete.calls.entries()) {
    if (known.has(getLabel(call)) || options.isEssential?.(name, call)) continue
    for (const fault of ["before", "after"] as const) {
      const { status, changes } = await runWrite(name, make, options, fault, at)
      const label = `${name}: ${getLabel(call)} fails ${fault}, status ${status}`
      expect(changes, label).toEqual(status < 300 ? complete.changes : {})
    }
  }
}

/** Asserts that a write has the same result with and without its messages, or fails when no queue accepts them. */
async function assertLostMessagesAreRecovered(
  name: string,
  make: PrepareWrite,
  { ignoredTables = () => [] }: FaultOptions,
): Promise<void> {
  const options = { ignored: [...ignoredTables(name), ...CLOCK_DEPENDENT_TABLES] }
  const arrived = await getOutcome(make, { ...options, isLost: false })
  expect(arrived.isSuccess, name).toBe(true)
  const lost = await getOutcome(make, { ...options, isLost: true })
  expect(lost, name).toEqual(lost.isSuccess ? arrived : { isSuccess: false, changes: {}, objects: 0 })
}

interface Outcome {
  isSuccess: boolean
  changes: RowChanges
  /** Number of objects added to the buckets. */
  objects: number
}

/** Runs a write and the cron, and returns the result. */
async function getOutcome(
  make: PrepareWrite,
  { isLost, ignored }: { isLost: boolean; ignored: readonly string[] },
): Promise<Outcome> {
  await drainWorkLater()
  const write = await make()
  takeMessages()
  const [before, objectsBefore] = [await snapshot(ignored), await countObjects()]
  const restore = failCalls((call) => (isLost && isQueue(call) ? "before" : null))
  const { status } = await write().finally(restore)
  if (isLost) takeMessages()
  await drainWorkLater()
  return {
    isSuccess: status < 300,
    changes: diffSnapshots(before, await snapshot(ignored)),
    objects: (await countObjects()) - objectsBefore,
  }
}

async function countObjects(): Promise<number> {
  const lists = await Promise.all([env.MEDIA, env.UPDATES, env.BACKUPS, env.ARCHIVE].map((bucket) => bucket.list()))
  return lists.reduce((total, { objects }) => total + objects.length, 0)
}

/** Removes and returns the messages that the queues were sent. */
function takeMessages() {
  return [env.JOB_QUEUE, env.SLOW_JOB_QUEUE, env.WEBHOOK_QUEUE, env.RETRY_QUEUE, env.PUSH_QUEUE].flatMap(
    ({ send, sendBatch }) => {
      const singles = vi.mocked(send).mock.calls.splice(0)
      const batches = vi.mocked(sendBatch).mock.calls.splice(0)
      const bodies = [
        ...singles.map(([body]) => body),
        ...batches.flatMap(([sent]) => [...sent].map(({ body }) => body)),
      ]
      return bodies.map((body) => body as Parameters<typeof consume>[1][number])
    },
  )
}

/** Advances the clock and runs the cron and the queues until no work is left. */
async function drainWorkLater(): Promise<void> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + RECOVERY_DELAY_MS })
  await drainWork().finally(() => vi.useRealTimers())
}

async function drainWork(): Promise<void> {
  let messages: ReturnType<typeof takeMessages> = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await cron("* * * * *")
    const sent = takeMessages()
    for (messages = sent; messages.length; messages = takeMessages()) {
      for (const message of messages) await consume("tenancy-jobs", [message])
    }
    if (!sent.length) return
  }
  throw new Error(`messages are left after ${MAX_ROUNDS} rounds: ${JSON.stringify(messages)}`)
}
