// Derives the public status from the latest operating metrics. Pure.
import { SECOND } from "../../lib/time"
import { LIMITS, MAX_METRICS_AGE_SECONDS } from "../metrics/limits"

/** `unknown`: nothing was measured recently. */
export type ComponentStatus = "operational" | "degraded" | "outage" | "unknown"

/** A delay above this is an outage. */
const OUTAGE_SECONDS = 3_600

/** The metrics that the status depends on; null or absent where they could not be measured. */
export interface MeasuredParts {
  at: Date
  metrics: {
    latencyP50Ms: number | null
    latencyP95Ms: number | null
    oldestDueSeconds: number | null
    databasesDown: number | null
  }
  detail: { queues: { name: string; oldestSeconds: number | null }[] }
}

export interface PlatformStatus {
  api: { status: ComponentStatus }
  /**
   * `oldestDueSeconds`: how late the delivery is that should have been sent longest ago, unless its receiver is down.
   */
  deliveries: {
    status: ComponentStatus
    latencyP50Ms: number | null
    latencyP95Ms: number | null
    oldestDueSeconds: number | null
  }
  push: { status: ComponentStatus }
}

/**
 * @param measured the metrics of the latest minute; null before the first
 * @param isReachable whether the central database answered this request
 */
export function assess(measured: MeasuredParts | null, now: Date, isReachable: boolean): PlatformStatus {
  const isRecent = measured !== null && now.getTime() - measured.at.getTime() <= MAX_METRICS_AGE_SECONDS * SECOND
  const recent = isRecent ? measured : null
  const { latencyP50Ms = null, latencyP95Ms = null, oldestDueSeconds = null, databasesDown } = recent?.metrics ?? {}
  const push = recent?.detail.queues.find(({ name }) => name === "PUSH_QUEUE")
  return {
    api: { status: !isReachable ? "outage" : (databasesDown ?? 0) > LIMITS.databasesDown ? "degraded" : "operational" },
    deliveries: {
      status: recent ? judgeDelay(oldestDueSeconds, LIMITS.oldestDueSeconds) : "unknown",
      latencyP50Ms,
      latencyP95Ms,
      oldestDueSeconds,
    },
    push: { status: recent ? judgeDelay(push?.oldestSeconds ?? null, LIMITS.queueOldestSeconds) : "unknown" },
  }
}

const judgeDelay = (seconds: number | null, limit: number): ComponentStatus =>
  seconds === null || seconds <= limit ? "operational" : seconds > OUTAGE_SECONDS ? "outage" : "degraded"

/** The statuses from good to bad. */
const SEVERITY: readonly ComponentStatus[] = ["operational", "unknown", "degraded", "outage"]

/** The worst status of the components; at least `degraded` during an incident. */
export function getOverallStatus({ api, deliveries, push }: PlatformStatus, hasIncident: boolean): ComponentStatus {
  const statuses = [api.status, deliveries.status, push.status, ...(hasIncident ? ["degraded" as const] : [])]
  return SEVERITY[Math.max(...statuses.map((status) => SEVERITY.indexOf(status)))] ?? "unknown"
}
