// The Worker under `wrangler dev`: started, waited for until it is healthy, stopped.
import { request } from "node:http"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { UserError } from "./project.ts"
import { ended, spawnWrangler, stopWrangler } from "./wrangler.ts"

/** How one Worker is to be run. */
export interface WorkerOptions {
  port: number
  /** Absolute. */
  stateDirectory: string
  /** Settings by name, over those of wrangler.toml. */
  vars: Record<string, string> & { CENTRAL_DOMAIN: string }
  /** Further arguments of `wrangler dev`; its settings win over `vars`. */
  args: string[]
  /** Gets each line that wrangler prints, as it is. */
  onLine: (line: string) => void
}

export interface LocalWorker {
  /**
   * Waits until `GET /api/health-check` answers 200.
   * @throws UserError when wrangler ends before that, or when the Worker keeps answering something else
   */
  healthy(): Promise<void>
  /** Resolves with the exit status when wrangler ends, for whatever reason. */
  exited: Promise<number>
  stop(): Promise<void>
}

/** How long the health check may answer with a fault before that is taken for the Worker's last word. */
const PATIENCE_MS = 5000

/** Starts `wrangler dev`. Its debugger gets a port of its own choice, so that several instances can run. */
export function startWorker({ port, stateDirectory, vars, args, onLine }: WorkerOptions): LocalWorker {
  const settings = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`])
  const ours = ["--port", String(port), "--persist-to", stateDirectory, "--show-interactive-dev-session=false"]
  const inspector = args.some((arg) => arg.startsWith("--inspector-port")) ? [] : ["--inspector-port", "0"]
  const child = spawnWrangler(["dev", ...ours, ...inspector, ...settings, ...args])
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", onLine)
  }
  return {
    async healthy() {
      for (let faultySince: number | undefined; ; await sleep(100)) {
        if (ended(child)) throw new UserError("wrangler dev ended before the Worker was up.")
        const answer = await healthCheck(port, vars.CENTRAL_DOMAIN)
        if (answer?.status === 200) return
        faultySince = answer ? (faultySince ?? Date.now()) : undefined
        if (answer && faultySince && Date.now() - faultySince > PATIENCE_MS) {
          throw new UserError(
            `The Worker is not healthy: GET /api/health-check answers ${answer.status} ${answer.text}`,
          )
        }
      }
    },
    exited: new Promise((resolve) => child.once("close", (status) => resolve(status ?? 1))),
    stop: () => stopWrangler(child),
  }
}

/**
 * One health check of the central host. (fetch would not let us name the host.)
 * @returns the status with the answer's own words about it, or null when nobody answers
 */
function healthCheck(port: number, host: string): Promise<{ status: number; words: string } | null> {
  return new Promise((resolve) => {
    const call = request(
      { host: "localhost", port, path: "/api/health-check", headers: { Host: `${host}:${port}` }, timeout: 10_000 },
      (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk) => (text += chunk))
        response.once("close", () => resolve({ status: response.statusCode ?? 0, words: wordsOf(text) }))
      },
    )
    call.once("timeout", () => call.destroy())
    call.once("error", () => resolve(null))
    call.end()
  })
}

function wordsOf(body: string): string {
  try {
    return JSON.parse(body).message ?? body
  } catch {
    return `GET /api/health-check answers ${body.slice(0, 500)}`
  }
}

/**
 * A setting that the arguments of `wrangler dev` carry as `--var NAME:value`; the last one wins, as it does there.
 * @returns its value, or undefined
 */
export function settingIn(args: string[], name: string): string | undefined {
  const prefix = `${name}:`
  const values = args.map((arg) => arg.replace(/^--var=/, "")).filter((arg) => arg.startsWith(prefix))
  return values.at(-1)?.slice(prefix.length)
}
