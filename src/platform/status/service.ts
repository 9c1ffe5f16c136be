// Reads the public status of the platform, and manages the incidents that operators write for it.
import { and, desc, eq, isNull, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { type Precondition, versionTag } from "../../core/http/precondition"
import { Refusal } from "../../core/http/refusal"
import { createResultCache } from "../../core/result-cache"
import { commit, retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { incidents } from "../../db/schema/central/incidents"
import { insert, update } from "../../db/write"
import { addMs, DAY, SECOND } from "../../lib/time"
import { selectLatest, toLatest } from "../metrics/system"
import { assess, type ComponentStatus, getOverallStatus, type PlatformStatus } from "./assess"
import type { CreateIncident, Incident, UpdateIncident } from "./schemas"

/** Incidents that the status page and the console list. */
const MAX_LISTED = 50

/** Time for which the status page lists an incident that has ended. */
const HISTORY = 90 * DAY

/** Time for which an isolate caches the status. */
const CACHE_TTL_MS = 15 * SECOND

/** The contents of the status page. It contains nothing about a store. */
export interface PublicStatus {
  status: ComponentStatus
  /** When it was read. */
  at: Date
  parts: PlatformStatus
  /** The incidents that last, and those of the last 90 days, newest first. */
  incidents: Incident[]
}

const cache = createResultCache<PublicStatus>(CACHE_TTL_MS)

/** Reads the status, at most once in 15 seconds per isolate. An unreachable database is part of the status. */
export const readPublicStatus = (ctx: Ctx): Promise<PublicStatus> =>
  cache(ctx.env, async () => {
    const [[latest], listed, isReachable] = await batch(ctx.db, [selectLatest(ctx), selectIncidents(ctx)]).then(
      ([latest, listed]) => [latest, listed, true] as const,
      (cause) => {
        ctx.log.error("reading the status failed", cause)
        return [[], [], false] as const
      },
    )
    const parts = assess(toLatest(latest), ctx.now, isReachable)
    const shown = listed.filter(({ endedAt }) => endedAt === null || endedAt > addMs(ctx.now, -HISTORY))
    const hasIncident = shown.some(({ endedAt }) => endedAt === null)
    return { status: getOverallStatus(parts, hasIncident), at: ctx.now, parts, incidents: shown }
  })

const selectIncidents = (ctx: Ctx) => ctx.db.select().from(incidents).orderBy(desc(incidents.id)).limit(MAX_LISTED)

/** Lists the newest incidents. */
export const listIncidents = async (ctx: Ctx): Promise<Incident[]> => selectIncidents(ctx)

/** @throws Refusal `not_found` */
export async function readIncident(ctx: Ctx, id: number): Promise<Incident> {
  const [incident] = await ctx.db.select().from(incidents).where(eq(incidents.id, id))
  if (!incident) throw new Refusal("not_found")
  return incident
}

/** Publishes an incident that begins now. */
export async function createIncident(ctx: Ctx, { title, body }: z.output<typeof CreateIncident>): Promise<Incident> {
  const newest = sql`(select max(${incidents.id}) from ${incidents})`
  const [, [incident]] = await commit(ctx, {
    writes: [
      insert(incidents).values({ title, body, startedAt: ctx.now, updatedAt: ctx.now }),
      ctx.db.select().from(incidents).where(eq(incidents.id, newest)),
    ],
    auditLog: [{ audit: { subject: "incident", action: "created", id: newest, after: { title, body } } }],
  })
  if (!incident) throw new Error("The incident was not stored")
  return incident
}

/**
 * Changes an incident, ends it, or opens it again.
 * @param precondition compares the `versionTag` of its id and the time of its update
 * @throws Refusal `not_found`, `precondition_failed`
 */
export const updateIncident = (
  ctx: Ctx,
  id: number,
  input: z.output<typeof UpdateIncident>,
  precondition?: Precondition,
): Promise<Incident> =>
  retryOnConflict(async () => {
    const before = await readIncident(ctx, id)
    precondition?.(versionTag(id, before.updatedAt.getTime()))
    const endedAt = input.ended === undefined ? before.endedAt : input.ended ? (before.endedAt ?? ctx.now) : null
    const values = { title: input.title ?? before.title, body: input.body ?? before.body, endedAt, updatedAt: ctx.now }
    const after = { ...before, ...values }
    if (JSON.stringify(toAudit(before)) === JSON.stringify(toAudit(after))) return before
    await commit(ctx, {
      guard: update(incidents)
        .set(values)
        .where(
          and(
            eq(incidents.id, id),
            eq(incidents.title, before.title),
            eq(incidents.body, before.body),
            before.endedAt ? eq(incidents.endedAt, before.endedAt) : isNull(incidents.endedAt),
          ),
        ),
      auditLog: [
        { audit: { subject: "incident", action: "changed", id, before: toAudit(before), after: toAudit(after) } },
      ],
    })
    return after
  })

const toAudit = ({ title, body, endedAt }: Incident) => ({ title, body, ended: endedAt !== null })
