// Checks the health of a version over HTTP, also of one that serves no traffic yet.
import { setTimeout as sleep } from "node:timers/promises"
import { UserError, type WranglerConfig } from "../lib/project.ts"

const REQUEST_TIMEOUT_MS = 10_000
const POLL_INTERVAL_MS = 1000

/** Health checks after the version has answered once. */
const REPEATED_CHECKS = 5

export interface HealthCheck {
  config: WranglerConfig
  /** The version that must answer. */
  version: string
  /** Requests this version whatever its percentage. Cloudflare ignores it for versions outside the deployment. */
  override?: boolean
  /** Aborts the waiting. */
  signal?: AbortSignal
}

/**
 * Polls the health check on the central domain until the version reports healthy. A new deployment takes some seconds
 * to reach every location.
 * @throws UserError with the last result when the timeout expires
 */
export async function waitUntilServing(check: HealthCheck, timeoutMs: number): Promise<void> {
  let last = ""
  for (const end = Date.now() + timeoutMs; ; await sleep(Math.min(POLL_INTERVAL_MS, timeoutMs), null, check)) {
    last = await getHealth(check)
    if (last === "ok") return
    if (Date.now() >= end) throw new UserError(`${getUrl(check.config)} is not healthy: ${last}`)
  }
}

/**
 * Repeats the health check over a period.
 * @param durationMs the period
 * @throws UserError on the first failure
 */
export async function watchHealth(check: HealthCheck, durationMs: number): Promise<void> {
  for (let count = 1; count <= REPEATED_CHECKS; count++) {
    await sleep(durationMs / REPEATED_CHECKS, null, check)
    const result = await getHealth(check)
    if (result !== "ok") {
      throw new UserError(`${getUrl(check.config)} failed check ${count} of ${REPEATED_CHECKS}: ${result}`)
    }
  }
}

/** Returns whether any version of the Worker answers on the central domain, healthy or not. */
export async function isReachable(config: WranglerConfig): Promise<boolean> {
  try {
    const body = (await (await send(config)).json()) as { version?: unknown }
    return typeof body?.version === "string"
  } catch {
    return false
  }
}

/** The parts of the deep health check that a new version must pass: queries of the databases and of their replicas. */
const CHECKED_PARTS = ["databases", "session_reads"] as const

/** The body of the deep health check; versions before it answer without `checks`. */
interface HealthBody {
  version?: string
  checks?: Partial<Record<string, "ok" | "late">>
}

function parseBody(text: string): HealthBody {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

/** Returns "ok", or a description of the problem. */
async function getHealth({ config, version, override }: HealthCheck): Promise<string> {
  try {
    const response = await send(
      config,
      override ? { "Cloudflare-Workers-Version-Overrides": `${config.name}="${version}"` } : {},
    )
    const text = (await response.text()).slice(0, 2000)
    const { version: servedVersion, checks }: HealthBody = parseBody(text)
    const late = CHECKED_PARTS.filter((part) => checks?.[part] === "late")
    if (late.length) return `late: ${late.join(", ")}`
    // Other parts, such as late deliveries, may be what the deployment mends.
    if (response.status !== 200 && !checks) return `${response.status} ${text}`
    return servedVersion === version ? "ok" : `version ${servedVersion} is serving, not ${version}`
  } catch (cause) {
    return cause instanceof Error ? `${cause.message}${cause.cause ? ` (${cause.cause})` : ""}` : String(cause)
  }
}

const send = (config: WranglerConfig, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(getUrl(config), { headers, redirect: "manual", signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })

const getUrl = ({ vars }: WranglerConfig): string =>
  `${String(vars.PUBLIC_URL).replace("{host}", String(vars.CENTRAL_DOMAIN))}/api/health-check?deep=1`
