// One call to the control plane: as many tries as it takes, and one answer or one error.
import { TenancyError, type TransportCode } from "./error.ts"
import type { Answer, Body, Operation, Query, RefusalCode } from "./types.ts"

const BASE_PATH = "/api/platform/v1"

/** Milliseconds before the first repetition; doubled from one to the next. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 8_000

/** Seconds beyond which a `Retry-After` is the caller's to wait for. */
const LONGEST_RETRY_AFTER = 120

export interface TenancyOptions {
  /** The platform's origin, e.g. `https://shops.example.com`. */
  baseUrl: string
  /** An API key. */
  key: string
  /** Stands in for the global `fetch`. */
  fetch?: typeof fetch
  /** Repetitions of a call that met a 429, a 5xx or a fault of the network; 4 unless said otherwise. */
  maxRetries?: number
  /** Milliseconds that one try may take; 30 000 unless said otherwise. */
  timeout?: number
}

/** The last parameter of every verb. */
export interface ReadOptions {
  /** Ends the call, its pauses included; what it throws is the signal's reason. */
  signal?: AbortSignal
}

/** The last parameter of a verb that changes something. */
export interface WriteOptions extends ReadOptions {
  /** Names the change: however often it is sent under one key within a day, it is made once. One is made up unless given. */
  idempotencyKey?: string
}

export interface Call<Name extends Operation = Operation> {
  operation: Name
  method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below the API's base path, encoded: made by `path`. */
  path: string
  query?: Query<Name>
  /** Sent as JSON. */
  body?: Body<Name>
  options?: WriteOptions
  /** Milliseconds that the answer may be held back on purpose, beside the time a try may take. */
  hold?: number
}

/**
 * A path whose variable segments are encoded.
 * @throws TypeError for a segment that would lead elsewhere: nothing, `.` or `..`
 */
export function path(parts: TemplateStringsArray, ...segments: (string | number)[]): string {
  const encoded = segments.map((segment) => {
    const text = String(segment)
    if (text === "" || text === "." || text === "..") throw new TypeError(`"${text}" cannot name anything`)
    return encodeURIComponent(text.toWellFormed())
  })
  return parts.reduce((whole, part, index) => whole + encoded[index - 1] + part)
}

/** What a try came to. */
type Result =
  | { done: true; answer: unknown }
  | { done: false; error: TenancyError<RefusalCode | TransportCode>; again: boolean }

interface Refused {
  error?: { code?: string; message?: string; errors?: Record<string, string[]> }
  errors?: Record<string, string[]>
}

export class Transport {
  readonly #base: string
  readonly #key: string
  readonly #fetch: typeof fetch
  readonly #maxRetries: number
  readonly #timeout: number

  /** @throws TypeError for options that cannot work */
  constructor({ baseUrl, key, fetch: given, maxRetries = 4, timeout = 30_000 }: TenancyOptions) {
    if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
      throw new TypeError(`baseUrl must be an origin such as https://shops.example.com, not "${baseUrl}"`)
    if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError("key must be an API key")
    if (!(Number.isInteger(maxRetries) && maxRetries >= 0)) throw new TypeError("maxRetries must be a whole number")
    if (!(timeout > 0)) throw new TypeError("timeout must be a number of milliseconds above 0")
    this.#base = new URL(baseUrl).origin + BASE_PATH
    this.#key = key
    // Called as a plain function: some runtimes refuse a `fetch` that is called as somebody's method.
    this.#fetch = (input, init) => (given ?? fetch)(input, init)
    this.#maxRetries = maxRetries
    this.#timeout = timeout
  }

  /**
   * Makes a call.
   * @returns the answer's JSON; undefined when it has no body
   * @throws TenancyError; the reason of `options.signal` when that ended it
   */
  async send<Name extends Operation>(call: Call<Name>): Promise<Answer<Name>> {
    const { signal } = call.options ?? {}
    const request = this.#request(call)
    for (let made = 0; ; made++) {
      signal?.throwIfAborted()
      const result = await this.#try(call, request)
      if (result.done) return result.answer as Answer<Name>
      signal?.throwIfAborted()
      const { error, again } = result
      if (!again || made >= this.#maxRetries || (error.retryAfter ?? 0) > LONGEST_RETRY_AFTER) throw error
      await pause(pauseAfter(made, error.retryAfter), signal)
    }
  }

  /** The request of every try: a write's key is made once, so that a repetition is known as one. */
  #request({ method, path, query = {}, body, options }: Call): { url: string; init: RequestInit } {
    const url = new URL(this.#base + path)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value))
    }
    const headers: Record<string, string> = { Accept: "application/json", Authorization: `Bearer ${this.#key}` }
    if (body) headers["Content-Type"] = "application/json"
    if (method !== "GET") headers["Idempotency-Key"] = options?.idempotencyKey ?? crypto.randomUUID()
    return { url: url.href, init: { method, headers, body: body && JSON.stringify(body), redirect: "manual" } }
  }

  async #try(
    { operation, options, hold = 0 }: Call,
    { url, init }: { url: string; init: RequestInit },
  ): Promise<Result> {
    const deadline = AbortSignal.timeout(this.#timeout + hold)
    const signal = options?.signal ? AbortSignal.any([options.signal, deadline]) : deadline
    try {
      const response = await this.#fetch(url, { ...init, signal })
      const text = await response.text()
      if (response.ok && text === "") return { done: true, answer: undefined }
      return read(operation, response, text)
    } catch (cause) {
      const code = deadline.aborted ? "timeout" : "connection_failed"
      const message = deadline.aborted
        ? `No answer within ${this.#timeout + hold} ms`
        : `Nobody answered: ${wordsOf(cause)}`
      return { done: false, error: fault(operation, code, message, { cause }), again: true }
    }
  }
}

/** What an answer says. One that is not what the platform sends was cut, or is somebody else's. */
function read(operation: Operation, response: Response, text: string): Result {
  const body = parsed(text)
  const facts = { status: response.status, requestId: response.headers.get("X-Request-Id") }
  if (response.ok) {
    if (body !== undefined) return { done: true, answer: body }
    return { done: false, error: fault(operation, "invalid_answer", "The answer is not JSON", facts), again: true }
  }
  const { error = {}, errors = error.errors ?? {} } = (body ?? {}) as Refused
  const code = (error.code ?? "http_error") as RefusalCode
  const message = error.message ?? `The answer's status is ${response.status}`
  const retryAfter = retryAfterOf(response.headers)
  // While the first try of a write still runs, its repetition is told so.
  const again = response.status === 429 || response.status >= 500 || code === "idempotency_in_progress"
  return { done: false, error: new TenancyError({ operation, code, message, errors, retryAfter, ...facts }), again }
}

const fault = (
  operation: Operation,
  code: TransportCode,
  message: string,
  facts: { status?: number; requestId?: string | null; cause?: unknown },
) => new TenancyError({ operation, code, message, status: 0, requestId: null, errors: {}, retryAfter: null, ...facts })

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The words of a fault, and of the one behind it: what `fetch` throws says nothing by itself. */
function wordsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  return thrown.cause instanceof Error ? `${thrown.message} (${thrown.cause.message})` : thrown.message
}

/** Seconds of a `Retry-After`, given as such or as a date (RFC 9110, 10.2.3). */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("Retry-After")?.trim()
  if (!text) return null
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}

/** Milliseconds before the next try: what was asked for, or twice as long each time; chance keeps callers apart. */
function pauseAfter(made: number, retryAfter: number | null): number {
  const own = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** made)
  return retryAfter === null ? own * (0.5 + Math.random() / 2) : retryAfter * 1000 + FIRST_PAUSE * Math.random()
}

/**
 * Waits.
 * @throws the signal's reason when that is aborted meanwhile
 */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end)
      resolve()
    }, milliseconds)
    signal?.addEventListener("abort", end, { once: true })
  })
}
