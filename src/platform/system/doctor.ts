// Diagnoses late webhook deliveries: which endpoints, since when, why, and which runbook helps. Reads two rows per
// endpoint, at most 50 deliveries of each and two hours of statistics of the late ones.
import { and, eq, gte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { queryAvailableDatabases } from "../../core/write/delivery-databases"
import { oldestWaiting, readOldestWaiting } from "../../core/write/event-router"
import { batch } from "../../db/client"
import { siteMigrations } from "../../db/schema/central/site-migrations"
import { webhookEndpoints, webhookHours } from "../../db/schema/central/webhooks"
import { formatTimestamp, HOUR, SECOND } from "../../lib/time"
import { type LateEndpoint, listLateEndpoints } from "../../webhooks/lateness"
import { selectRuns, toRuns } from "../cron/service"
import { type LatestMetrics, selectLatest, toLatest } from "../metrics/system"
import {
  type Cause,
  type CauseInputs,
  diagnoseEndpoint,
  diagnosePlatform,
  diagnoseReceiver,
  MIN_LATE_SECONDS,
} from "./causes"

/** A late endpoint and why its deliveries are late. */
export interface LateEndpointReport {
  endpoint: number
  url: string
  since: string
  late_seconds: number
  /** Due deliveries, counted up to 50. */
  deliveries: number
  /** The delivery that waits longest, and its last error. */
  delivery: number
  error: string | null
  causes: Cause[]
}

export interface DoctorReport {
  checked_at: string
  late: boolean
  /** Causes that concern all endpoints, or the requested endpoint or store. */
  causes: Cause[]
  endpoints: LateEndpointReport[]
}

/**
 * Diagnoses late deliveries.
 * @param filter only this endpoint, or only events of this store
 */
export async function diagnoseDeliveries(
  ctx: Ctx,
  filter: { endpoint?: number | undefined; store?: string | undefined },
): Promise<DoctorReport> {
  const [due, facts] = await Promise.all([listLateEndpoints(ctx, filter), readFacts(ctx, filter)])
  const isLate = (since: number) => since <= ctx.now.getTime() - MIN_LATE_SECONDS * SECOND
  const late = due.filter(({ since }) => isLate(since))
  const hours = late.length ? await readHours(ctx, late) : []
  const causes = diagnosePlatform(facts, ctx.now)
  return {
    checked_at: formatTimestamp(ctx.now),
    late: late.length > 0 || (facts.unroutedSince !== null && isLate(facts.unroutedSince.getTime())),
    // A late endpoint has its own causes below.
    causes: late.some(({ endpoint }) => endpoint === filter.endpoint)
      ? causes
      : [...causes, ...diagnoseReceiver(facts.receiver)],
    endpoints: late.map((endpoint) => ({
      endpoint: endpoint.endpoint,
      url: endpoint.url,
      since: formatTimestamp(new Date(endpoint.since)),
      late_seconds: Math.round((ctx.now.getTime() - endpoint.since) / SECOND),
      deliveries: endpoint.deliveries,
      delivery: endpoint.delivery,
      error: endpoint.error,
      causes: diagnoseEndpoint(
        endpoint,
        hours.filter(({ endpointId }) => endpointId === endpoint.endpoint),
        causes.length > 0,
      ),
    })),
  }
}

/** Reads the state of the platform, of the requested endpoint, and of the requested store's migration. */
async function readFacts(
  ctx: Ctx,
  { endpoint, store }: { endpoint?: number | undefined; store?: string | undefined },
): Promise<CauseInputs> {
  const state = batch(ctx.db, [
    selectRuns(ctx),
    selectLatest(ctx),
    ctx.db
      .select()
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.id, endpoint ?? 0)),
    ctx.db
      .select()
      .from(siteMigrations)
      .where(eq(siteMigrations.storeId, store ?? "")),
    ctx.db.select({ at: oldestWaiting }).from(sql`(select 1)`),
  ])
  const unrouted = state.then(([, , , , [log]]) => log?.at ?? null)
  const [unroutedSince, [runs, latest, [receiver], [migration]]] = await Promise.all([
    readOldestWaiting(ctx, unrouted),
    state,
  ])
  const metrics: LatestMetrics | null = toLatest(latest[0])
  return {
    sweep: toRuns(runs).find(({ job }) => job === "webhook-sweep") ?? null,
    metrics,
    unroutedSince,
    receiver: endpoint === undefined ? undefined : (receiver ?? null),
    migration: migration ?? null,
  }
}

/** Reads the statistics of the current and the previous hour. */
const readHours = async (ctx: Ctx, late: readonly LateEndpoint[]) => {
  const ids = JSON.stringify(late.map(({ endpoint }) => endpoint))
  const { results } = await queryAvailableDatabases(ctx, async ({ db }) =>
    db
      .select()
      .from(webhookHours)
      .where(
        and(
          sql`${webhookHours.endpointId} in (select value from json_each(${ids}))`,
          gte(webhookHours.hour, Math.floor(ctx.now.getTime() / HOUR) - 1),
        ),
      ),
  )
  return results.flat()
}
