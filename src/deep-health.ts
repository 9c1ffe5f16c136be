// Checks the parts of the platform for GET /api/health-check?deep=1. Anyone may call it, so it only reads: writes and
// expensive queries are made by the cron, whose latest metrics it judges.
import { type Ctx, createContext } from "./core/context"
import { createLog } from "./core/log"
import { listDatabases, probeReplica } from "./db/probe"
import { type Bindings, settingsOf } from "./env"
import { withDeadline } from "./lib/deadline"
import { Semaphore } from "./lib/semaphore"
import { SECOND } from "./lib/time"
import { LIMITS, MAX_METRICS_AGE_SECONDS } from "./platform/metrics/limits"
import { type LatestMetrics, readLatestMetrics } from "./platform/metrics/system"

type PartStatus = "ok" | "late"

/** The parts, without details, because the response is public. */
export type DeepChecks = Record<
  "databases" | "session_reads" | "writes" | "scheduled_jobs" | "deliveries" | "queues" | "dead_letters",
  PartStatus
>

/** Time limit of a read from a replica. */
const SESSION_TIMEOUT_MS = 2 * SECOND

/** Time limit of the read of the metrics. */
const READ_TIMEOUT_MS = 5 * SECOND

/** Concurrent connections, of the six that an invocation has. */
const MAX_CONNECTIONS = 4

/** @param areDatabasesOk whether every database answers, as the plain health check found */
export async function checkDeeply(env: Bindings, areDatabasesOk: boolean): Promise<DeepChecks> {
  const ctx = createContext(env, () => undefined)
  const [sessionReads, latest] = await Promise.all([canReadReplicas(env), readMetrics(ctx)])
  const age = latest ? (ctx.now.getTime() - latest.at.getTime()) / SECOND : Number.POSITIVE_INFINITY
  const isRecent = age <= MAX_METRICS_AGE_SECONDS
  const toStatus = (isOk: boolean): PartStatus => (isOk ? "ok" : "late")
  /** A part that the cron measures is late when the measurement is outdated. One that could not be measured is ok. */
  const within = (name: keyof typeof LIMITS) => toStatus(isRecent && (latest?.metrics[name] ?? 0) <= LIMITS[name])
  return {
    databases: toStatus(areDatabasesOk),
    session_reads: toStatus(sessionReads),
    writes: within("databasesDown"),
    scheduled_jobs: within("cronLateSeconds"),
    deliveries: within("oldestDueSeconds"),
    queues: within("queueOldestSeconds"),
    dead_letters: within("deadLetters"),
  }
}

/** Whether the nearest replica of every database answers in time (D1's Sessions API, which public reads use). */
async function canReadReplicas(env: Bindings): Promise<boolean> {
  const connections = new Semaphore(MAX_CONNECTIONS)
  const results = await Promise.all(
    listDatabases(settingsOf(env)).map((name) =>
      connections.with(() =>
        withDeadline(SESSION_TIMEOUT_MS, probeReplica(env, name)).then(
          () => true,
          (cause) => {
            createLog({}).error("a session read failed", cause, { database: name })
            return false
          },
        ),
      ),
    ),
  )
  return results.every(Boolean)
}

async function readMetrics(ctx: Ctx): Promise<LatestMetrics | null> {
  try {
    return await withDeadline(READ_TIMEOUT_MS, readLatestMetrics(ctx))
  } catch (cause) {
    ctx.log.error("reading the metrics failed", cause)
    return null
  }
}
