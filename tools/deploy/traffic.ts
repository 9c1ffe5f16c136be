// Shifts traffic to a new version in steps, with health checks after each. A failure returns all traffic to the
// previous version.
import { UserError, type WranglerConfig } from "../lib/project.ts"
import { createWranglerError } from "./account.ts"
import { waitUntilServing, watchHealth } from "./health.ts"
import type { Wrangler } from "./wrangler.ts"

/** Percentages of a gradual deployment, after the check at 0%. */
const GRADUAL_STEPS = [5, 25, 100]

/** Duration of the checks while the version serves no traffic, in milliseconds. */
const CHECK_DURATION_MS = 5_000

export interface TrafficShift {
  config: WranglerConfig
  wrangler: Wrangler
  /** The version that serves now. */
  previous: string
  version: string
  /** Percentage that an interrupted deployment has reached; 0 for a new one. */
  start: number
  gradual: boolean
  /** Duration of each step of a gradual deployment. */
  stepMs: number
  /** Time limit for the new version to result after each step. */
  timeoutMs: number
  print: (line: string) => void
}

/**
 * Moves all traffic from one version to another.
 * @throws UserError after a failed step; the message says which version serves now
 */
export async function shiftTraffic(shift: TrafficShift): Promise<void> {
  const { wrangler, version, previous, start, gradual, print } = shift
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt)
  try {
    for (const percentage of [start, ...(gradual ? GRADUAL_STEPS : [100]).filter((step) => step > start)]) {
      setTraffic(wrangler, version, percentage, previous)
      await check(shift, percentage, interrupted.signal)
      print(`${version} is healthy with ${percentage}% of the requests.`)
    }
  } catch (thrown) {
    const reason = interrupted.signal.aborted ? "The deployment was interrupted." : (thrown as Error).message
    throw new UserError(`${reason}\n${returnTo(wrangler, previous)}`)
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt)
  }
}

/** Sends all traffic to a version. @throws UserError with wrangler's output */
export const setAllTraffic = (wrangler: Wrangler, version: string): void => setTraffic(wrangler, version, 100)

async function check(
  { config, version, gradual, stepMs, timeoutMs }: TrafficShift,
  percentage: number,
  signal: AbortSignal,
) {
  const target = { config, version, override: percentage < 100, signal }
  await waitUntilServing(target, timeoutMs)
  const isStep = gradual && percentage > 0
  await watchHealth(target, isStep ? stepMs : Math.min(CHECK_DURATION_MS, timeoutMs))
}

/** The order of the versions stays the same, so that a Durable Object changes its version at most once. */
function setTraffic(wrangler: Wrangler, version: string, percentage: number, other?: string): void {
  const specs =
    percentage === 100 ? [`${version}@100%`] : [`${version}@${percentage}%`, `${other}@${100 - percentage}%`]
  const result = wrangler(["versions", "deploy", ...specs, "--yes"])
  if (!result.ok) throw createWranglerError(`Could not deploy ${specs.join(" ")}`, result)
}

/** Returns a description of what serves now. */
function returnTo(wrangler: Wrangler, previous: string): string {
  try {
    setAllTraffic(wrangler, previous)
    return `All requests go to the previous version ${previous} again.`
  } catch (thrown) {
    return (
      `Returning to the previous version failed, so the new one may still get requests. Run "npx wrangler versions ` +
      `deploy ${previous}@100% --yes", or repeat the deployment.\n${(thrown as Error).message}`
    )
  }
}
