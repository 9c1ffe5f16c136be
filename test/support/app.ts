// Sends requests, queue messages and cron events to the Worker in the same isolate.
import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test"
import { env } from "cloudflare:workers"
import type { Env } from "../../src/bindings"
import { recordWriteToAnySite } from "../../src/core/cache/site-writes"
import { type Ctx, createContext } from "../../src/core/context"
import worker from "../../src/index"
import { listRuns } from "../../src/platform/cron/service"
import { runInvocation } from "../../tools/faults/connections"
import { checkedEnv } from "./checked-database"
import { assertContract } from "./contract"
import { recordRequest } from "./requested-routes"
import { despiteFaults, withoutFaults } from "./test-faults"

export interface TestResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it asserts
  body: any
  text: string
}

export interface CallOptions {
  /** A bearer token. */
  token?: string
  /** Sent as JSON. */
  json?: unknown
  /** A body that is sent unchanged. */
  body?: BodyInit
  headers?: Record<string, string>
  /** The host; defaults to the central domain. */
  host?: string
  /** Uses the isolate's cache. By default it is cleared first, so the Worker sees rows that a test wrote directly. */
  useIsolateCache?: boolean
  /** Handles the request instead of the Worker. */
  surface?: { fetch: (request: Request, env: Env, execution: ExecutionContext) => Response | Promise<Response> }
  /** Settings that differ from those of the test environment. */
  env?: Partial<Record<string, string>>
}

/**
 * Sends a request, waits for its background work, and validates the response against the route's contract.
 * @param path from the root, with the query
 */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<TestResponse> {
  const { token, json, host = "localhost" } = options
  const headers = new Headers(options.headers)
  if (token) headers.set("Authorization", `Bearer ${token}`)
  const body = json === undefined ? options.body : JSON.stringify(json)
  if (json !== undefined) headers.set("Content-Type", "application/json")
  // Clients send a Content-Length; a test may set a different one.
  if (typeof body === "string" && !headers.has("Content-Length"))
    headers.set("Content-Length", String(new TextEncoder().encode(body).length))
  const request = new Request(`http://${host}${path}`, {
    method,
    headers,
    body,
    redirect: "manual",
  })
  recordRequest(method, new URL(request.url).pathname)
  if (!options.useIsolateCache) recordWriteToAnySite()
  const execution = createExecutionContext()
  const response = await despiteFaults(
    async () =>
      runInvocation(() => (options.surface ?? worker).fetch(request.clone(), withSettings(options.env), execution)),
    ({ status, headers }) => status === 503 && headers.get("Retry-After") === "3",
  )
  const text = await response.text()
  await waitOnExecutionContext(execution)
  assertContract(request, { status: response.status, headers: response.headers, text })
  return { status: response.status, headers: response.headers, text, body: parseJson(text) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The environment of the running test. Each test gets a new one, because the Worker caches per environment. */
export const isolate = { env: checkedEnv() }

/** Returns the test environment with changed settings. */
export const withSettings = (settings: Partial<Record<string, string>> = {}): Env =>
  Object.keys(settings).length ? checkedEnv(settings) : isolate.env

/** Calls the control plane: `platform("GET", "/stores", {token})`. */
export const platform = (method: string, path: string, options?: CallOptions) =>
  call(method, `/api/platform/v1${path}`, options)

/** Runs an operator command through the HTTP API and returns the response. */
export const sendOperatorCommand = (command: string, input: object = {}, settings?: CallOptions["env"]) =>
  call("POST", `/api/operator/v1/${command}`, { token: env.OPERATOR_TOKEN, json: input, env: settings })

/** Runs work with a context as queue messages and cron runs have it, and waits for its background work. */
export async function run<T>(work: (ctx: Ctx) => Promise<T>, options: { now?: Date; env?: Env } = {}): Promise<T> {
  const execution = createExecutionContext()
  const ctx = createContext(options.env ?? isolate.env, (promise) => execution.waitUntil(promise), { now: options.now })
  const result = await despiteFaults(() => runInvocation(() => work(ctx)))
  await waitOnExecutionContext(execution)
  return result
}

/**
 * Sends messages of any shape to the queue consumer. A message that an injected fault made fail is sent again.
 * @param options.attempts the delivery attempt of the messages, by default the first
 * @returns the acknowledged messages and those to retry
 */
export async function consume(queue: string, bodies: unknown[], options: { env?: Env; attempts?: number } = {}) {
  const attempts = options.attempts ?? 1
  let messages = bodies.map((body, index) => ({ id: String(index), timestamp: new Date(), attempts, body }))
  const acknowledged: string[] = []
  return despiteFaults(
    async () => {
      const batch = createMessageBatch(queue, messages)
      const execution = createExecutionContext()
      await runInvocation(() => worker.queue(batch, options.env ?? isolate.env, execution))
      const { explicitAcks, retryMessages } = await getQueueResult(batch, execution)
      acknowledged.push(...explicitAcks)
      messages = messages.filter(({ id }) => retryMessages.some(({ msgId }) => msgId === id))
      return { explicitAcks: acknowledged, retryMessages }
    },
    ({ retryMessages }) => retryMessages.length > 0,
  )
}

/** Runs one of the cron schedules of wrangler.toml now, and again if an injected fault made a job fail. */
export async function cron(schedule: string, options: { env?: Env } = {}): Promise<void> {
  const controller = createScheduledController({ cron: schedule, scheduledTime: new Date() })
  await despiteFaults(async () => {
    const execution = createExecutionContext()
    await runInvocation(() => worker.scheduled(controller, options.env ?? isolate.env, execution))
    await waitOnExecutionContext(execution)
  }, hasFailedJobs)
}

const hasFailedJobs = async (): Promise<boolean> =>
  (await withoutFaults(() => run(listRuns))).some(({ error }) => error !== null)
