// The Worker under `wrangler dev`: started, waited for, stopped.
import { createInterface } from "node:readline"
import { untilHealthy } from "./health.ts"
import { ended, killWrangler, spawnWrangler, stopWrangler } from "./wrangler.ts"

/** How one Worker is to be run. */
export interface WorkerOptions {
  port: number
  /** Absolute. */
  stateDirectory: string
  /** Settings by name, over those of wrangler.toml. */
  vars: Record<string, string> & { CENTRAL_DOMAIN: string }
  /** Another entry than wrangler.toml's, relative to the root. */
  entry?: string
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
  /** Ends it in the middle of whatever it does. */
  kill(): void
}

/** Starts `wrangler dev`. Its debugger gets a port of its own choice, so that several instances can run. */
export function startWorker({ port, stateDirectory, vars, entry, args, onLine }: WorkerOptions): LocalWorker {
  const settings = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`])
  const ours = ["--port", String(port), "--persist-to", stateDirectory, "--show-interactive-dev-session=false"]
  const inspector = args.some((arg) => arg.startsWith("--inspector-port")) ? [] : ["--inspector-port", "0"]
  const child = spawnWrangler(["dev", ...(entry ? [entry] : []), ...ours, ...inspector, ...settings, ...args])
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", onLine)
  }
  return {
    healthy: () => untilHealthy(port, vars.CENTRAL_DOMAIN, () => ended(child)),
    exited: new Promise((resolve) => child.once("close", (status) => resolve(status ?? 1))),
    stop: () => stopWrangler(child),
    kill: () => killWrangler(child),
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
