// npm run soak: sends mixed traffic to all APIs and the console for an hour, then runs the chaos consistency check. It
// fails on a 5xx response, growing memory, a growing p99 or an inconsistency. With faults, it then waits up to half an
// hour without faults, and also fails unless every alert was sent once and recovered.
//
//   npm run soak [-- --minutes=60] [--rate=60] [--faults=0.01]
//
// It runs on loopback with its own data. Memory is read from /proc and only checked on Linux.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { findAlertProblems, waitUntilRecovered } from "../tools/chaos/alerts.ts"
import { findInconsistencies, waitUntilSettled } from "../tools/chaos/check.ts"
import { createFixtures, runWrites, type Write } from "../tools/chaos/load.ts"
import { startReceiver } from "../tools/chaos/receiver.ts"
import { Server } from "../tools/chaos/server.ts"
import { createTraffic } from "../tools/chaos/traffic.ts"
import { alignColumns } from "../tools/cli/table.ts"
import { parseScriptOptions } from "../tools/lib/script-options.ts"
import { listDescendants } from "../tools/local/processes.ts"
import { getScratchDirectory } from "../tools/local/scratch.ts"

const options = parseScriptOptions(import.meta.url, { minutes: 60, rate: 60, faults: 0 })
const DURATION_MS = options.minutes * 60_000
/** The share of calls to databases and other services that fail. A request may then get 503 with Retry-After. */
const FAULT_RATE = options.faults
/** Total requests per second. */
const RATE = options.rate
const CONCURRENCY = 8
/** Faults over this time in milliseconds raise the alert about faults. */
const ALERT_AFTER_MS = 15 * 60_000
/** Number of measured time spans; the first one is the warm-up. */
const SPAN_COUNT = 10

/** Maximum ratio of the last third to the first; allows for the noise of a busy machine. */
const MAX_MEMORY_GROWTH = 1.15
const MAX_P99_GROWTH = 1.5
/** Smaller differences, in milliseconds or megabytes, are ignored. */
const TOLERANCE = 40

interface Span {
  times: number[]
  faults: Map<string, number>
  /** Memory of the runtime in megabytes at the end of the span. */
  memory: number
}

const directory = mkdtempSync(join(getScratchDirectory(), "soak-"))
const receiver = await startReceiver(directory)
const server = await Server.create(join(directory, "state"), { NODE_EXTRA_CA_CERTS: receiver.certificate })
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, async () => {
    await server.kill()
    process.exit(1)
  })
}
let status = 1
try {
  status = await run()
} catch (cause) {
  console.error(cause)
  console.error(server.log.split("\n").slice(-20).join("\n"))
} finally {
  await server.kill()
  receiver.close()
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(status)

async function run(): Promise<number> {
  const { url: alertUrl, alerts } = receiver.openAlerts()
  const settings = {
    TENANCY_API_RATE_LIMIT: "1000000",
    TENANCY_API_RATE_LIMIT_PER_IP: "0",
    TENANCY_WEBHOOKS_ALLOW_PRIVATE_HOSTS: "true",
    TENANCY_ALERT_WEBHOOK_URL: alertUrl,
  }
  await server.start(settings, FAULT_RATE)
  const fixtures = await createFixtures(server, 2)
  const { url, inbox } = receiver.open("/steady", () => 204)
  const headers = { Authorization: `Bearer ${fixtures.key}` }
  const made = await server.request("/api/platform/v1/webhooks", {
    method: "POST",
    headers,
    json: { url, events: ["*", "shop.*"] },
  })
  inbox.secret = made.body.secret
  const kinds = await createTraffic(server)
  const schedule = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))

  const started = Date.now()
  const spans: Span[] = []
  const now = () => Math.min(SPAN_COUNT - 1, Math.floor(((Date.now() - started) / DURATION_MS) * SPAN_COUNT))
  const span = () => (spans[now()] ??= { times: [], faults: new Map(), memory: 0 })
  const isOver = () => Date.now() - started > DURATION_MS
  let turn = 0
  const lane = async () => {
    while (!isOver()) {
      const startedAt = performance.now()
      // A step coprime to the schedule's length visits every kind in a pseudo-random order.
      turn += 1
      const kind = schedule[(turn * 47) % schedule.length]
      const [path, asked] = kind?.ask(turn) ?? ["/"]
      const { times, faults: errors } = span()
      try {
        const response = await server.request(path, asked)
        kind?.read?.(response)
        const { status, headers: responseHeaders } = response
        times.push(performance.now() - startedAt)
        const isTransient = FAULT_RATE > 0 && status === 503 && responseHeaders["retry-after"] !== undefined
        if (status >= 500 && !isTransient)
          errors.set(`${kind?.name} ${status}`, (errors.get(`${kind?.name} ${status}`) ?? 0) + 1)
      } catch (cause) {
        errors.set(`${kind?.name}: ${cause}`, 1)
      }
      await sleep(Math.max(0, (1000 * CONCURRENCY) / RATE - (performance.now() - startedAt)))
    }
  }
  const writes: Write[] = []
  const found: string[] = []
  let state = 7
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const slowly = async () => {
    await sleep(1000)
  }
  const watch = async () => {
    while (!isOver()) {
      span().memory = getMemory(server.pid)
      await sleep(1000)
    }
  }
  await Promise.all([
    ...Array.from({ length: CONCURRENCY }, lane),
    runWrites(server, fixtures, { until: isOver, random, writes, problems: found, waitUntilUp: slowly }),
    watch(),
  ])

  console.log(
    alignColumns([["minutes", "requests", "p50 ms", "p99 ms", "faults", "memory MB"], ...spans.map(formatRow)]),
  )
  found.push(...findRegressions(spans))
  await waitUntilSettled(server, fixtures.key, [made.body.data.id])
  found.push(
    ...(await findInconsistencies(server, fixtures, writes, [
      { id: made.body.data.id, inbox, isSteady: true, ordered: false, rate: null },
    ])),
  )
  if (FAULT_RATE > 0) {
    await server.kill()
    await server.start(settings)
    await waitUntilRecovered(alerts)
    console.log(`alerts: ${alerts.map(({ alert, state }) => `${alert} ${state}`).join(", ")}`)
    found.push(...findAlertProblems(alerts, DURATION_MS >= ALERT_AFTER_MS ? ["faults_high"] : []))
  }
  for (const fault of found.slice(0, 30)) console.error(`  ${fault}`)
  console.log(
    found.length
      ? `${found.length} findings`
      : `steady for ${options.minutes} minutes; ${writes.length} writes and ${inbox.receivedCounts.size} events are consistent`,
  )
  return found.length ? 1 : 0
}

function quantile(times: number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0
}

function formatRow({ times, faults, memory }: Span, at: number): string[] {
  const end = ((options.minutes * (at + 1)) / SPAN_COUNT).toFixed(1)
  const count = [...faults.values()].reduce((sum, n) => sum + n, 0)
  return [
    end,
    String(times.length),
    quantile(times, 0.5).toFixed(0),
    quantile(times, 0.99).toFixed(0),
    String(count),
    memory.toFixed(0),
  ]
}

/** @returns one message per problem */
function findRegressions(spans: Span[]): string[] {
  const problems = spans.flatMap(({ faults }) => [...faults].map(([what, times]) => `${what}, ${times} times`))
  const judged = spans.slice(1)
  const third = Math.floor(judged.length / 3)
  const [first, last] = [judged.slice(0, third), judged.slice(-third)]
  const p99 = (of: Span[]) =>
    quantile(
      of.flatMap(({ times }) => times),
      0.99,
    )
  const memory = (of: Span[]) =>
    quantile(
      of.map(({ memory }) => memory),
      0.5,
    )
  if (p99(last) > p99(first) * MAX_P99_GROWTH + TOLERANCE)
    problems.push(`p99 grew from ${p99(first).toFixed(0)} to ${p99(last).toFixed(0)} ms`)
  if (memory(last) > memory(first) * MAX_MEMORY_GROWTH + TOLERANCE)
    problems.push(`memory grew from ${memory(first).toFixed(0)} to ${memory(last).toFixed(0)} MB`)
  return problems
}

/** Sums the memory of all workerd descendants in megabytes; 0 without /proc. */
function getMemory(pid: number): number {
  if (!existsSync("/proc/self/status")) return 0
  let kilobytes = 0
  for (const below of listDescendants(pid)) {
    try {
      const text = readFileSync(`/proc/${below}/status`, "utf8")
      if (/^Name:\s+workerd/m.test(text)) kilobytes += Number(/^VmRSS:\s+(\d+)/m.exec(text)?.[1] ?? 0)
    } catch {
      // The process exited meanwhile.
    }
  }
  return kilobytes / 1024
}
