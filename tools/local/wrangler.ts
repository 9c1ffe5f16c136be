// Runs wrangler as a child process, non-interactively, and stops it together with its own children.
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../lib/project.ts"
import { listDescendants } from "./processes.ts"

const WRANGLER_ENTRY = join(root, "node_modules", "wrangler", "bin", "wrangler.js")
const running = new Set<ChildProcess>()

/** Grace period between SIGTERM and SIGKILL. */
const STOP_TIMEOUT_MS = 4000

/** Disables telemetry, prompts, network requests and request recording; caches compiled code for the next start. */
const ENVIRONMENT = {
  CI: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  NODE_COMPILE_CACHE: join(root, ".wrangler", "compile-cache"),
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_WRITE_LOGS: "false",
  X_LOCAL_EXPLORER: "false",
  X_LOCAL_OBSERVABILITY: "false",
}

/** Starts wrangler in the project's root, with its output piped and no input. */
export function spawnWrangler(args: string[]): ChildProcess {
  const child = spawn(process.execPath, [WRANGLER_ENTRY, ...args], {
    cwd: root,
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ["ignore", "pipe", "pipe"],
  })
  running.add(child)
  child.once("exit", () => running.delete(child))
  return child
}

/**
 * Runs a wrangler command.
 * @returns its output, stdout and stderr
 * @throws Error with the output when the exit status is not 0
 */
export async function runWrangler(args: string[]): Promise<string> {
  const child = spawnWrangler(args)
  let output = ""
  child.stdout?.on("data", (chunk) => (output += chunk))
  child.stderr?.on("data", (chunk) => (output += chunk))
  const status = await new Promise((resolve) => child.once("close", resolve))
  if (status !== 0) throw new Error(output.trim() || `wrangler ${args[0]} exited with status ${status}`)
  return output
}

/**
 * Stops wrangler and its runtimes. A workerd left alone would run on for a while and occupy the port and the state. Its
 * data is crash-safe, so it can be killed at any time.
 */
export async function stopWrangler(child: ChildProcess): Promise<void> {
  const descendantIds = child.pid === undefined ? [] : listDescendants(child.pid)
  child.kill("SIGTERM")
  for (let waited = 0; waited < STOP_TIMEOUT_MS && !hasEnded(child); waited += 20) await sleep(20)
  child.kill("SIGKILL")
  for (const pid of descendantIds) sendSignal(pid, "SIGKILL")
}

/** Kills wrangler and its runtimes immediately, as a power failure would. */
export function killWrangler(child: ChildProcess): void {
  const family = child.pid === undefined ? [] : listDescendants(child.pid)
  child.kill("SIGKILL")
  for (const pid of family) sendSignal(pid, "SIGKILL")
}

/** Stops every running wrangler. */
export async function stopAllWranglers(): Promise<void> {
  await Promise.all([...running].map(stopWrangler))
}

/** Checks whether a child process has exited. */
export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Sends a signal to a process that may have exited. */
function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}
