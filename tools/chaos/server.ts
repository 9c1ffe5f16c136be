// Runs `npm start` in its own process group, which can be killed at any time and restarted.
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../lib/project.ts"
import { type Credentials, readCredentials } from "../local/credentials.ts"
import { findFreePort } from "../local/port.ts"

/** Timeout of a start; the first one creates the demo data. */
const START_TIMEOUT_MS = 240_000

/** Attempts of a read that is refused with 503 or 429, and the delay between them. */
const MAX_READ_ATTEMPTS = 5
const READ_RETRY_DELAY_MS = 200

export interface HttpResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  body: any
  bytes: number
}

export interface RequestOptions {
  method?: string
  host?: string
  headers?: Record<string, string>
  json?: unknown
  form?: Record<string, string>
}

/** The response is missing or incomplete, so the outcome of the request is unknown. */
export class NoResponseError extends Error {}

export class Server {
  readonly port: number
  readonly #environment: NodeJS.ProcessEnv
  readonly #state: string
  #child: ChildProcess | undefined
  #log = ""

  private constructor(port: number, state: string, environment: NodeJS.ProcessEnv) {
    this.port = port
    this.#state = state
    this.#environment = environment
  }

  /**
   * Creates a server on a free port.
   * @param state data directory
   * @param environment variables in addition to those of this process
   */
  static async create(state: string, environment: NodeJS.ProcessEnv = {}): Promise<Server> {
    return new Server(await findFreePort(), state, environment)
  }

  get credentials(): Credentials {
    const found = readCredentials(join(this.#state, "credentials.json"))
    if (!found) throw new Error("no credentials were created")
    return found
  }

  /** The last lines of its output. */
  get log(): string {
    return this.#log
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /**
   * Starts the platform and waits until it is ready.
   * @param faultRate the share of calls to databases and other services that fail
   * @param options further options of `npm start`
   */
  async start(vars: Record<string, string>, faultRate = 0, options: readonly string[] = []): Promise<void> {
    const settings = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`])
    const faults = faultRate > 0 ? [`--faults=${faultRate}`] : []
    const child = spawn(process.execPath, [join(root, "scripts/start.ts"), ...faults, ...options, ...settings], {
      cwd: root,
      detached: true,
      env: { ...process.env, ...this.#environment, PORT: String(this.port), STATE_DIR: this.#state },
      stdio: ["ignore", "pipe", "pipe"],
    })
    this.#child = child
    let isUp = false
    const readOutput = (chunk: Buffer) => {
      this.#log = (this.#log + chunk).slice(-20_000)
      if (this.#log.includes("Ctrl-C") || this.#log.includes(`http://localhost:${this.port}/console`)) isUp = true
    }
    this.#log = ""
    child.stdout?.on("data", readOutput)
    child.stderr?.on("data", readOutput)
    const started = Date.now()
    while (!isUp) {
      if (child.exitCode !== null) throw new Error(`npm start exited unexpectedly:\n${this.#log}`)
      if (Date.now() - started > START_TIMEOUT_MS) throw new Error(`npm start did not come up:\n${this.#log}`)
      await sleep(50)
    }
  }

  /** Kills the whole process group. */
  async kill(): Promise<void> {
    const child = this.#child
    if (!child?.pid || child.exitCode !== null) return
    const gone = once(child, "exit")
    process.kill(-child.pid, "SIGKILL")
    await gone
  }

  /**
   * Sends a request. A read that is temporarily refused is repeated.
   * @throws NoResponseError
   */
  async request(path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const isRead = (options.method ?? "GET") === "GET"
    for (let attempt = 1; ; attempt++) {
      const response = await this.#send(path, options)
      const isRefused = response.status === 503 || response.status === 429
      if (!isRead || !isRefused || attempt === MAX_READ_ATTEMPTS) return response
      await sleep(READ_RETRY_DELAY_MS)
    }
  }

  #send(
    path: string,
    { method = "GET", host = "localhost", headers = {}, json, form }: RequestOptions,
  ): Promise<HttpResponse> {
    const body = json !== undefined ? JSON.stringify(json) : form ? new URLSearchParams(form).toString() : undefined
    const type = json !== undefined ? "application/json" : "application/x-www-form-urlencoded"
    const contentHeaders =
      body === undefined ? {} : { "Content-Type": type, "Content-Length": String(Buffer.byteLength(body)) }
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.port, method, path, timeout: 60_000 }
      const clientRequest = httpRequest(
        { ...options, headers: { ...headers, ...contentHeaders, Host: `${host}:${this.port}` } },
        (response) => {
          const chunks: Buffer[] = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", (cause) => reject(new NoResponseError(String(cause))))
          response.on("end", () => {
            const whole = Buffer.concat(chunks)
            if (!response.complete) return reject(new NoResponseError("incomplete response"))
            const text = whole.toString()
            const { statusCode: status = 0, headers } = response
            resolve({ status, headers, body: parseBody(text), bytes: whole.length })
          })
        },
      )
      clientRequest.on("timeout", () => clientRequest.destroy(new Error("no response within a minute")))
      clientRequest.on("error", (cause) => reject(new NoResponseError(String(cause))))
      clientRequest.end(body)
    })
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
