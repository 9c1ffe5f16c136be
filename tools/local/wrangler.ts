// Wrangler as a child process: quiet, without questions, and gone with everything it started when we stop.
import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { root } from "../lib/project.ts"
import { descendants } from "./processes.ts"

const entry = join(root, "node_modules", "wrangler", "bin", "wrangler.js")
const running = new Set<ChildProcess>()

/** How long a process may take to end after a signal. */
const PATIENCE_MS = 4000

/** No telemetry, no questions, no look-ups on the network, no request recording; compiled code is kept for the next start. */
const environment = {
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

/** Starts wrangler in the project's root, its two outputs piped, its input closed. */
export function spawnWrangler(args: string[]): ChildProcess {
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  })
  running.add(child)
  child.once("exit", () => running.delete(child))
  return child
}

/**
 * Runs wrangler to its end.
 * @returns what it printed, on both outputs
 * @throws Error with that text when it ends with a status other than 0
 */
export async function runWrangler(args: string[]): Promise<string> {
  const child = spawnWrangler(args)
  let output = ""
  child.stdout?.on("data", (chunk) => (output += chunk))
  child.stderr?.on("data", (chunk) => (output += chunk))
  const status = await new Promise((resolve) => child.once("close", resolve))
  if (status !== 0) throw new Error(output.trim() || `wrangler ${args[0]} ended with status ${status}`)
  return output
}

/**
 * Ends a wrangler and the runtimes below it. Left alone, its workerd lives on for a while, still holding the port
 * and the state; its data is safe at every moment, so it can be ended at any.
 */
export async function stopWrangler(child: ChildProcess): Promise<void> {
  const family = child.pid === undefined ? [] : descendants(child.pid)
  child.kill("SIGTERM")
  for (let waited = 0; waited < PATIENCE_MS && !ended(child); waited += 20) await sleep(20)
  child.kill("SIGKILL")
  for (const pid of family) kill(pid, "SIGKILL")
}

/** Ends a wrangler and the runtimes below it at once, whatever they are doing, as a machine does that loses its power. */
export function killWrangler(child: ChildProcess): void {
  const family = child.pid === undefined ? [] : descendants(child.pid)
  child.kill("SIGKILL")
  for (const pid of family) kill(pid, "SIGKILL")
}

/** Ends every wrangler that still runs. */
export async function stopAllWranglers(): Promise<void> {
  await Promise.all([...running].map(stopWrangler))
}

/** Whether a child process has ended. */
export const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

/** Sends a signal to a process that may have ended by now. */
function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {}
}
