// Decides why deliveries are late, from the state of the platform and of their endpoint. Pure.
import type { siteMigrations } from "../../db/schema/central/site-migrations"
import type { webhookEndpoints, webhookHours } from "../../db/schema/central/webhooks"
import { formatTimestamp, SECOND } from "../../lib/time"
import { DNS_OUTAGE_ERROR } from "../../webhooks/dns-outage"
import { getPercentile, LATENCY_BUCKETS_MS, sumHistograms } from "../../webhooks/histogram"
import type { LateEndpoint } from "../../webhooks/lateness"
import { RUNBOOKS } from "../alerts/definitions"
import type { CronRun } from "../cron/service"
import { LIMITS, MAX_METRICS_AGE_SECONDS } from "../metrics/limits"
import type { LatestMetrics } from "../metrics/system"

/** Deliveries that are less late than this are normal: a first attempt waits for the queue, a retry for the sweep. */
export const MIN_LATE_SECONDS = 120

/** Age in seconds from which the sweep of every minute is missing. */
const MAX_SWEEP_AGE_SECONDS = 180

/** Age in seconds of a queue message from which the queue is the cause. */
const MAX_QUEUE_AGE_SECONDS = 120

/** Transient errors in ten minutes from which the database is a cause. */
const MAX_FAULTS = 10

/** A receiver is slow when half of its responses take longer. */
const SLOW_RESPONSE_MS = 3_000

/** Due deliveries from which an endpoint gets more than its concurrency slots can send. */
const BACKLOG_SIZE = 25

/** The remedy for each cause, and its runbook. */
const ACTIONS = {
  cron_not_running: ["Check the cron triggers of the Worker.", "cron-late.md"],
  sweep_not_running: ["Run the sweep with tenancy:webhooks-deliver, and read its error.", "cron-late.md"],
  events_not_routed: ["Read the error lines of the log about event routing.", "deliveries-late.md"],
  sweep_out_of_time: ["Check the latency and the load of the central database.", "d1-overloaded.md"],
  queue_backlog: ["Check the consumers of the queue.", "queue-stuck.md"],
  database_errors: ["Reduce the load of the database.", "d1-overloaded.md"],
  database_down: ["Check the databases; a full one needs database-full.md.", "region-down.md"],
  endpoint_unknown: ["Check the endpoint's ID.", "deliveries-late.md"],
  endpoint_inactive: ["Set the endpoint to active.", "deliveries-late.md"],
  endpoint_disabled: [
    "Set the endpoint to active once its receiver responds, then recover its events.",
    "deliveries-late.md",
  ],
  store_migrating: ["Wait for the migration, or cancel it with site-moves:cancel.", "deliveries-late.md"],
  dns_unavailable: [
    "Check the DNS resolver of DNS_RESOLVER_URL. Deliveries are attempted every minute.",
    "deliveries-late.md",
  ],
  receiver_fails: ["Tell the owner of the receiver. Retries follow the schedule.", "deliveries-late.md"],
  receiver_slow: ["Tell the owner to respond before processing.", "endpoint-flood.md"],
  backlog: ["Let the endpoint subscribe to fewer events, or wait.", "endpoint-flood.md"],
  unknown: ["Read the error lines of the log that name the delivery.", "deliveries-late.md"],
} as const satisfies Record<string, readonly [action: string, runbook: string]>

type CauseName = keyof typeof ACTIONS

export interface Cause {
  cause: CauseName
  since: string | null
  detail: string
  action: string
  /** The path of the runbook in the repository. */
  runbook: string
}

/** The inputs for deciding on the platform's causes. */
export interface CauseInputs {
  /** The last run of the sweep; null if it never ran. */
  sweep: CronRun | null
  metrics: LatestMetrics | null
  /** When the oldest event was committed whose deliveries do not exist yet. */
  unroutedSince: Date | null
  /** The requested endpoint: undefined if none was requested, null if it does not exist. */
  receiver: typeof webhookEndpoints.$inferSelect | null | undefined
  /** The migration of the requested store. */
  migration: typeof siteMigrations.$inferSelect | null
}

const toCause = (cause: CauseName, detail: string, since: Date | null = null): Cause => {
  const [action, runbook] = ACTIONS[cause]
  return { cause, since: formatTimestamp(since), detail, action, runbook: `${RUNBOOKS}/${runbook}` }
}

/** Returns the causes that concern the platform, or the requested endpoint or store, the most basic one first. */
export function diagnosePlatform(
  { sweep, metrics, unroutedSince, receiver, migration }: CauseInputs,
  now: Date,
): Cause[] {
  const ageOf = (moment: Date) => Math.round((now.getTime() - moment.getTime()) / SECOND)
  const causes: Cause[] = []
  if (!metrics || ageOf(metrics.at) > MAX_METRICS_AGE_SECONDS)
    causes.push(toCause("cron_not_running", "The cron of every minute has not run for three minutes.", metrics?.at))
  if (!sweep || ageOf(sweep.startedAt) > MAX_SWEEP_AGE_SECONDS)
    causes.push(toCause("sweep_not_running", "The sweep has not run for three minutes.", sweep?.startedAt))
  else if (sweep.error !== null)
    causes.push(toCause("sweep_not_running", `The last sweep failed: ${sweep.error}`, sweep.startedAt))
  else if (sweep.stoppedAt !== null)
    causes.push(
      toCause("sweep_out_of_time", "The last sweep ran out of time; the next minute continues.", sweep.stoppedAt),
    )
  if (unroutedSince && ageOf(unroutedSince) >= MIN_LATE_SECONDS)
    causes.push(toCause("events_not_routed", "Events wait for their deliveries to be created.", unroutedSince))
  for (const { name, backlog, oldestSeconds } of metrics?.detail.queues ?? []) {
    if ((oldestSeconds ?? 0) > MAX_QUEUE_AGE_SECONDS)
      causes.push(toCause("queue_backlog", `${name} has ${backlog} messages, the oldest for ${oldestSeconds} seconds.`))
  }
  const faults = metrics?.metrics.faults ?? 0
  if (faults > MAX_FAULTS) causes.push(toCause("database_errors", `${faults} transient errors in ten minutes.`))
  const down = metrics?.detail.databases.filter(({ status }) => status !== "ok") ?? []
  if (down.length > LIMITS.databasesDown)
    causes.push(toCause("database_down", down.map(({ name, status }) => `${name}: ${status}`).join(", ")))
  if (receiver === null || receiver?.deletedAt)
    causes.push(toCause("endpoint_unknown", "There is no such endpoint.", receiver?.deletedAt))
  else if (receiver?.disabledAt)
    causes.push(
      toCause("endpoint_disabled", `Disabled after ${receiver.consecutiveFailures} failures.`, receiver.disabledAt),
    )
  else if (receiver?.isActive === false) causes.push(toCause("endpoint_inactive", "An operator deactivated it."))
  if (migration)
    causes.push(toCause("store_migrating", "The store is read-only while its site moves.", migration.createdAt))
  return causes
}

/** Returns why the deliveries of an endpoint wait for their retries, although none is late. */
export function diagnoseReceiver(receiver: CauseInputs["receiver"]): Cause[] {
  if (!receiver?.isActive || receiver.disabledAt || receiver.deletedAt || receiver.consecutiveFailures === 0) return []
  const detail = `${receiver.consecutiveFailures} consecutive failures. Failed deliveries wait for their next attempt.`
  return [toCause("receiver_fails", detail, receiver.lastFailureAt)]
}

/**
 * Returns the causes that concern one endpoint.
 * @param hours its statistics of the current and the previous hour
 * @param isExplained whether a cause of the platform was found
 */
export function diagnoseEndpoint(
  endpoint: LateEndpoint,
  hours: readonly (typeof webhookHours.$inferSelect)[],
  isExplained: boolean,
): Cause[] {
  const causes: Cause[] = []
  const isDnsOutage = endpoint.error === DNS_OUTAGE_ERROR
  if (isDnsOutage) causes.push(toCause("dns_unavailable", "The DNS resolver did not respond, so nothing was sent."))
  if (endpoint.consecutiveFailures > 0) {
    const since = endpoint.lastFailureAt === null ? null : new Date(endpoint.lastFailureAt)
    const count = `${endpoint.consecutiveFailures} consecutive failures`
    const detail = isDnsOutage ? `${count}.` : `${count}; the last error was ${endpoint.error ?? "none"}.`
    causes.push(toCause("receiver_fails", detail, since))
  }
  const latencies = hours.map((hour) => hour.latencies)
  const median = getPercentile(sumHistograms(latencies, LATENCY_BUCKETS_MS.length + 1), 0.5)
  if (median !== null && median >= SLOW_RESPONSE_MS)
    causes.push(toCause("receiver_slow", `Half of its responses take ${median} ms or longer.`))
  if (endpoint.deliveries >= BACKLOG_SIZE)
    causes.push(toCause("backlog", `At least ${endpoint.deliveries} deliveries are due.`))
  if (!causes.length && !isExplained)
    causes.push(toCause("unknown", `Delivery ${endpoint.delivery} waits for no known reason.`))
  return causes
}
