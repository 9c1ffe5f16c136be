// Speaks HTTP to the Worker as its callers do, in the same isolate.
import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
  waitOnExecutionContext,
} from "cloudflare:test"
import { env } from "cloudflare:workers"
import { invalidateIsolateCache } from "../../src/core/cache/edge-cache"
import { type Ctx, createContext } from "../../src/core/context"
import type { Env } from "../../src/env"
import worker from "../../src/index"
import { holdToContract } from "./contract"

export interface Answer {
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
  /** Sent as it is. */
  body?: BodyInit
  headers?: Record<string, string>
  /** The host asked for; the central domain otherwise. */
  host?: string
  /** Whether the isolate may answer by what it remembers; otherwise it sees what a test wrote behind its back. */
  remembered?: boolean
  /** Settings that differ from those of the test environment. */
  env?: Partial<Record<string, string>>
}

/**
 * One request, answered once all work behind the answer is done. The answer is held to its route's part of the contract.
 * @param path with its query, from the root
 */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token, json, host = "localhost" } = options
  const headers = new Headers(options.headers)
  if (token) headers.set("Authorization", `Bearer ${token}`)
  const body = json === undefined ? options.body : JSON.stringify(json)
  if (json !== undefined) headers.set("Content-Type", "application/json")
  // As a client's does that knows what it sends; a test may say another one.
  if (typeof body === "string" && !headers.has("Content-Length"))
    headers.set("Content-Length", String(new TextEncoder().encode(body).length))
  const request = new Request(`http://${host}${path}`, {
    method,
    headers,
    body,
    redirect: "manual",
  })
  if (!options.remembered) invalidateIsolateCache()
  const execution = createExecutionContext()
  const response = await worker.fetch(request, withSettings(options.env), execution)
  const text = await response.text()
  await waitOnExecutionContext(execution)
  holdToContract(request, { status: response.status, headers: response.headers, text })
  return { status: response.status, headers: response.headers, text, body: parsed(text) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The environment of the running test; a new one for each, since an isolate remembers things by its environment. */
export const isolate = { env: env as Env }

/** The test environment with other settings. */
export const withSettings = (settings: Partial<Record<string, string>> = {}): Env =>
  Object.keys(settings).length ? ({ ...env, ...settings } as unknown as Env) : isolate.env

/** The control plane: `platform("GET", "/stores", {token})`. */
export const platform = (method: string, path: string, options?: CallOptions) =>
  call(method, `/api/platform/v1${path}`, options)

/** A context of the platform itself, as a queue message or a cron run has it; `run` waits for the work it left behind. */
export async function run<T>(work: (ctx: Ctx) => Promise<T>, given: { now?: Date; env?: Env } = {}): Promise<T> {
  const execution = createExecutionContext()
  const ctx = createContext(given.env ?? isolate.env, (promise) => execution.waitUntil(promise), { now: given.now })
  const result = await work(ctx)
  await waitOnExecutionContext(execution)
  return result
}

/**
 * Hands messages of any shape to the queue consumer, and answers which were acknowledged and which are to come again.
 * @param given.attempts which delivery of the messages this is; the first otherwise
 */
export async function consume(queue: string, bodies: unknown[], given: { env?: Env; attempts?: number } = {}) {
  const attempts = given.attempts ?? 1
  const messages = bodies.map((body, index) => ({ id: String(index), timestamp: new Date(), attempts, body }))
  const batch = createMessageBatch(queue, messages)
  const execution = createExecutionContext()
  await worker.queue(batch, given.env ?? isolate.env, execution)
  return getQueueResult(batch, execution)
}

/** Runs one of the schedules of wrangler.toml, now. */
export async function cron(schedule: string, given: { env?: Env } = {}): Promise<void> {
  const execution = createExecutionContext()
  const controller = createScheduledController({ cron: schedule, scheduledTime: new Date() })
  await worker.scheduled(controller, given.env ?? isolate.env, execution)
  await waitOnExecutionContext(execution)
}
