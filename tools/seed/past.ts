// The Worker as the seed runs it: the platform's own, but its clock stands where the seed sets it, and the receivers of webhooks,
// their DNS and a store's database do what the story says. So months of history are made by the platform itself.
// layers: the seed runs the Worker itself, on a clock of its own
import worker from "../../src"

// layers: the classes go with the Worker
export { EndpointFailures, RateLimitBucket } from "../../src"

/** What the seed sets: `PUT /__story` with some of it. */
interface Story {
  /** The moment at which the clock goes on, as an ISO text; that of the machine when null. */
  now: string | null
  /** Hosts of receivers, and the status each answers with; 0 leaves everybody waiting. Any other receiver takes what it gets. */
  receivers: Record<string, number>
  /** What is published in DNS: texts, by the name they stand at. */
  records: Record<string, string>
  /** Site databases that cannot be reached. */
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

/** What comes of a request that nobody answers. */
const hangUntilAborted = (signal?: AbortSignal | null) =>
  new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))

/** Every name leads to one public address, and has the texts that the story knows. */
function answerDns(question: URLSearchParams): Response {
  const name = question.get("name") ?? ""
  const text = story.records[name]
  const answers: Record<string, [type: number, data: string]> = {
    A: [1, "203.0.114.10"],
    ...(text !== undefined && { TXT: [16, `"${text}"`] }),
  }
  const [type, data] = answers[question.get("type") ?? ""] ?? []
  const Answer = type === undefined ? [] : [{ name, type, TTL: 60, data }]
  return Response.json({ Status: 0, Answer }, { headers: { "Content-Type": "application/dns-json" } })
}

// What the story breaks on purpose is nothing to tell of.
const realError = console.error
console.error = (...said: unknown[]) => {
  if (!story.down.length) realError(...said)
}

/** The bindings, those that are down in a state in which nothing can be asked of them. */
function applyOutages<Env extends object>(env: Env): Env {
  const unreachable = new Proxy(
    {},
    {
      get: () => () => {
        throw new Error("D1_ERROR: the database cannot be reached")
      },
    },
  )
  return { ...env, ...Object.fromEntries(story.down.map((name) => [name, unreachable])) }
}

export default {
  async fetch(request, env, execution) {
    if (new URL(request.url).pathname !== STORY_PATH) return worker.fetch(request, applyOutages(env), execution)
    Object.assign(story, await request.json())
    clockOffsetMs = story.now === null ? 0 : RealDate.parse(story.now) - RealDate.now()
    return new Response(null, { status: 204 })
  },
  queue: (batch, env, execution) => worker.queue(batch, applyOutages(env), execution),
  scheduled: (controller, env, execution) => worker.scheduled(controller, applyOutages(env), execution),
} satisfies typeof worker
