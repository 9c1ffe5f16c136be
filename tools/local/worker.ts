// Starts and stops the Worker under `wrangler dev`.
import { createInterface } from "node:readline"
import { waitUntilHealthy } from "./health.ts"
import { hasEnded, killWrangler, spawnWrangler, stopWrangler } from "./wrangler.ts"

export interface WorkerOptions {
  port: number
  /** Absolute. */
  stateDirectory: string
  /** Settings by name, overriding wrangler.toml. */
  vars: Record<string, string> & { CENTRAL_DOMAIN: string }
  /** Entry module relative to the root; defaults to the one in wrangler.toml. */
  entry?: string
  /** Additional arguments for `wrangler dev`; their settings override `vars`. */
  args: string[]
  /** Receives each line of wrangler's output. */
  onLine: (line: string) => void
}

export interface LocalWorker {
  /**
   * Waits until `GET /api/health-check` returns 200.
   * @throws UserError when wrangler exits first, or when the health check keeps failing
   */
  waitUntilHealthy(): Promise<void>
  /** Resolves with the exit status of wrangler. */
  exited: Promise<number>
  stop(): Promise<void>
  /** Kills it immediately. */
  kill(): void
}

/** Starts `wrangler dev`, logging every request. Its debugger uses a free port, so several instances can run. */
export function startWorker({ port, stateDirectory, vars, entry, args, onLine }: WorkerOptions): LocalWorker {
  const varArgs = Object.entries({ TENANCY_LOG_SAMPLE_RATE: "1", ...vars }).flatMap(([name, value]) => [
    "--var",
    `${name}:${value}`,
  ])
  const baseArgs = ["--port", String(port), "--persist-to", stateDirectory, "--show-interactive-dev-session=false"]
  const inspector = args.some((arg) => arg.startsWith("--inspector-port")) ? [] : ["--inspector-port", "0"]
  const child = spawnWrangler(["dev", ...(entry ? [entry] : []), ...baseArgs, ...inspector, ...varArgs, ...args])
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", onLine)
  }
  return {
    waitUntilHealthy: () => waitUntilHealthy(port, vars.CENTRAL_DOMAIN, () => hasEnded(child)),
    exited: new Promise((resolve) => child.once("close", (status) => resolve(status ?? 1))),
    stop: () => stopWrangler(child),
    kill: () => killWrangler(child),
  }
}

/**
 * Finds a setting in the arguments of `wrangler dev` (`--var NAME:value`). As in wrangler, the last one wins.
 */
export function findSetting(args: string[], name: string): string | undefined {
  const prefix = `${name}:`
  const values = args.map((arg) => arg.replace(/^--var=/, "")).filter((arg) => arg.startsWith(prefix))
  return values.at(-1)?.slice(prefix.length)
}
