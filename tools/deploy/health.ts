// Whether the version that was just deployed serves, and can do its work.
import { setTimeout as sleep } from "node:timers/promises"
import { UserError, type WranglerConfig } from "../lib/project.ts"

/** One health check may take so long. */
const ANSWER_MS = 10_000
const PAUSE_MS = 1000

/**
 * Asks the health check on the central domain until that version answers it well.
 * @throws UserError with what it said last, when it does not in time
 */
export async function untilServing({ vars }: WranglerConfig, version: string, patienceMs: number): Promise<void> {
  const url = `${String(vars.PUBLIC_URL).replace("{host}", String(vars.CENTRAL_DOMAIN))}/api/health-check`
  let last = ""
  for (const end = Date.now() + patienceMs; ; await sleep(Math.min(PAUSE_MS, patienceMs))) {
    last = await ask(url, version)
    if (last === "ok") return
    if (Date.now() >= end) throw new UserError(`${url} is not good: ${last}`)
  }
}

/** "ok", or what is wrong. */
async function ask(url: string, version: string): Promise<string> {
  try {
    const response = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(ANSWER_MS) })
    const text = (await response.text()).slice(0, 2000)
    if (response.status !== 200) return `${response.status} ${text}`
    const answered = JSON.parse(text).version
    return answered === version ? "ok" : `version ${answered} answers, not ${version}`
  } catch (cause) {
    return cause instanceof Error ? `${cause.message}${cause.cause ? ` (${cause.cause})` : ""}` : String(cause)
  }
}
