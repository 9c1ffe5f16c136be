// Runs the Worker for the seed with a simulated clock, mock webhook receivers and DNS, and simulated database outages.
// The platform itself can thereby create months of history.
// lint: the seed runs the Worker itself with a simulated clock
import worker from "../../src"

// lint: the Worker requires its Durable Object classes
export { EndpointFailures, RateLimitBucket } from "../../src"

/** The simulated environment; `PUT /__story` updates parts of it. */
interface Story {
  /** Current time of the clock as ISO 8601; null for the real time. */
  now: string | null
  /** Response status by receiver host; 0 never responds. Other receivers return 200. */
  receivers: Record<string, number>
  /** TXT records by name. */
  records: Record<string, string>
  /** Site databases in which every statement fails. */
  down: string[]
}

const STORY_PATH = "/__story"

const story: Story = { now: null, receivers: {}, records: {}, down: [] }
let clockOffsetMs = 0

const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...given: [] | [number | string | Date]) {
    super(...((given.length ? given : [RealDate.now() + clockOffsetMs]) as [number]))
  }
  static override now(): number {
    return RealDate.now() + clockOffsetMs
  }
} as DateConstructor

const realFetch = globalThis.fetch
globalThis.fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
  const { hostname, searchParams } = new URL(input instanceof Request ? input.url : input)
  if (searchParams.has("name")) return answerDns(searchParams)
  if (!hostname.endsWith(".example")) return realFetch(input, init)
  const status = story.receivers[hostname] ?? 200
  if (status === 0) return hangUntilAborted(init?.signal)
  return new Response(status < 300 ? "thank you" : `<h1>${status}</h1>`, { status })
}

/** Never resolves; rejects when the request is aborted. */
const hangUntilAborted = (signal?: AbortSignal | null) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))

/** Resolves every name to one public address, with the TXT records of the story. */
function answerDns(question: URLSearchParams): Response {
  const name = question.get("name") ?? ""
  const text = story.records[name]
  const recordsByType: Record<string, [type: number, data: string]> = {
    A: [1, "203.0.114.10"],
    ...(text !== undefined && { TXT: [16, `"${text}"`] }),
  }
  const [type, data] = recordsByType[question.get("type") ?? ""] ?? []
  const Answer = type === undefined ? [] : [{ name, type, TTL: 60, data }]
  return Response.json({ Status: 0, Answer }, { headers: { "Content-Type": "application/dns-json" } })
}

// Errors of a simulated outage are expected, so they are not logged.
const realError = console.error
console.error = (...said: unknown[]) => {
  if (!story.down.length) realError(...said)
}

/** Fails as D1 does in a database without migrations. Transient errors would be retried for hours. */
function fail(): never {
  throw new Error("D1_ERROR: no such table: site_incarnations: SQLITE_ERROR")
}

/** Replaces the bindings of databases that are down with ones that throw. */
function applyOutages<Env extends object>(env: Env): Env {
  // Own properties: the platform copies a client that it wraps, and a copied Proxy has none.
  const unreachable = { prepare: fail, batch: fail, withSession: fail }
  return { ...env, ...Object.fromEntries(story.down.map((name) => [name, unreachable])) }
}

export default {
  async fetch(request, env, execution) {
    if (new URL(request.url).pathname !== STORY_PATH) return worker.fetch(request, applyOutages(env), execution)
    Object.assign(story, await request.json())
    clockOffsetMs = story.now === null ? 0 : RealDate.parse(story.now) - RealDate.now()
    // A jump of the clock makes every job late, so the alerts and the lateness of the past mean nothing in the present.
    if (story.now === null) {
      await env.DB.exec("delete from alerts")
      await env.DB.exec(
        "update system_metrics set data = json_set(data, '$.cronLateSeconds', 0) where data is not null",
      )
    }
    return new Response(null, { status: 204 })
  },
  queue: (batch, env, execution) => worker.queue(batch, applyOutages(env), execution),
  scheduled: (controller, env, execution) => worker.scheduled(controller, applyOutages(env), execution),
} satisfies typeof worker
