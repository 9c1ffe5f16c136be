// Waits until the newly deployed version serves and is healthy.
import { setTimeout as sleep } from "node:timers/promises"
import { UserError, type WranglerConfig } from "../lib/project.ts"

const REQUEST_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 1000

/**
 * Polls the health check on the central domain until the given version reports healthy.
 * @throws UserError with the last result when the timeout expires
 */
export async function waitUntilServing({ vars }: WranglerConfig, version: string, timeoutMs: number): Promise<void> {
  const url = `${String(vars.PUBLIC_URL).replace("{host}", String(vars.CENTRAL_DOMAIN))}/api/health-check`
  let last = ""
  for (const end = Date.now() + timeoutMs; ; await sleep(Math.min(POLL_INTERVAL_MS, timeoutMs))) {
    last = await checkHealth(url, version)
    if (last === "ok") return
    if (Date.now() >= end) throw new UserError(`${url} is not healthy: ${last}`)
  }
}

/** Returns "ok", or a description of the problem. */
async function checkHealth(url: string, version: string): Promise<string> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
    const text = (await response.text()).slice(0, 2000)
    if (response.status !== 200) return `${response.status} ${text}`
    const servedVersion = JSON.parse(text).version
    return servedVersion === version ? "ok" : `version ${servedVersion} is serving, not ${version}`
  } catch (cause) {
    return cause instanceof Error ? `${cause.message}${cause.cause ? ` (${cause.cause})` : ""}` : String(cause)
  }
}
