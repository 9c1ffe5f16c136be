// Moves an endpoint's deliveries to another delivery database, so that databases can be added to a running platform.
// The endpoint is paused while they are copied; its events wait. A run may die at any point; the cron starts the next.
import { and, asc, eq, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import type { PartialInput } from "../../core/http/input"
import { Refusal } from "../../core/http/refusal"
import { forEachItem } from "../../core/queue/for-each-item"
import { enqueueJob, startJob } from "../../core/queue/leased-jobs"
import { isUnlocked } from "../../core/queue/lock"
import type { Job } from "../../core/queue/messages"
import { applyChange } from "../../core/write/commit"
import { getDeliveryDatabase } from "../../core/write/delivery-databases"
import { readRoutedOfDatabase } from "../../core/write/event-router"
import { isRehoming } from "../../core/write/rehoming"
import { endpointRehomings, webhookEndpoints } from "../../db/schema/central/webhooks"
import { insert, update } from "../../db/write"
import { toAuditSiteOf } from "../receiving-condition"
import { isRecovering } from "../recovery/state"
import { type Rehoming, runPhase } from "./phases"

/** The progress of an endpoint's move. */
export interface RehomingState {
  endpoint: number
  from: string
  to: string
  state: "copying" | "emptying" | "done"
  copied: number
}

const toState = ({ endpointId, source, target, phase, copied }: Rehoming): RehomingState => ({
  endpoint: endpointId,
  from: source,
  to: target,
  state: phase === "routing" || phase === "emptying" ? "emptying" : "copying",
  copied,
})

const buildJob = (endpoint: number): Job => ({ job: "rehome", endpoint })

/**
 * Starts to move an endpoint's deliveries, or continues.
 * @param input `to`: the binding of a delivery database
 * @returns how far it is; `done` if the endpoint is there
 * @throws Refusal `not_found`; `recovery_running` during a recovery; `illegal_transition` while it moves elsewhere;
 *   `validation_failed` about `to`: `selected` unless it is a delivery database
 */
export async function rehomeEndpoint(
  ctx: Ctx,
  id: number,
  input: PartialInput<{ to: string }, "to">,
): Promise<RehomingState> {
  const to = input.require("to")
  const state = await applyChange<Loaded, RehomingState>(
    ctx,
    () => loadRehoming(ctx, id),
    async ({ endpoint, current }) => {
      if (current?.target === to) return { result: toState(current) }
      if (current) throw new Refusal("illegal_transition")
      if (!endpoint) throw new Refusal("not_found")
      if (!ctx.settings.WEBHOOK_DATABASES.includes(to)) throw input.reject("to", "selected")
      const source = endpoint.database
      if (source === to) return { result: { endpoint: id, from: to, to, state: "done", copied: 0 } }
      if (endpoint.isRecovering) throw new Refusal("recovery_running")
      const row = {
        endpointId: id,
        source,
        target: to,
        phase: "clearing" as const,
        cursor: 0,
        copied: 0,
        // Read before the endpoint is paused: the source has its deliveries of all events up to here.
        routedSeq: await readRoutedOfDatabase(getDeliveryDatabase(ctx, source)),
        headSeq: null,
        createdAt: ctx.now,
        switchedAt: null,
      }
      const isUnchanged = sql`${webhookEndpoints.id} = ${id} and ${webhookEndpoints.deletedAt} is null
        and ${webhookEndpoints.database} = ${source} and not ${isRecovering} and not ${isRehoming(sql`${id}`)}`
      return {
        result: toState(row),
        change: {
          guard: update(webhookEndpoints).set({ database: source }).where(isUnchanged),
          writes: [insert(endpointRehomings).values(row)],
          auditLog: [
            { audit: { subject: "endpoint", action: "rehomed", id, ...toAuditSiteOf(id), data: { from: source, to } } },
          ],
        },
      }
    },
  )
  if (state.state !== "done") startJob(ctx, buildJob(id))
  return state
}

interface Loaded {
  endpoint: { database: string; isRecovering: number } | undefined
  current: Rehoming | undefined
}

async function loadRehoming(ctx: Ctx, id: number): Promise<Loaded> {
  const [endpoint] = await ctx.db
    .select({ database: webhookEndpoints.database, isRecovering: sql<number>`${isRecovering}` })
    .from(webhookEndpoints)
    .where(and(eq(webhookEndpoints.id, id), isNull(webhookEndpoints.deletedAt)))
  return { endpoint, current: await findRehoming(ctx, id) }
}

async function findRehoming(ctx: Ctx, id: number): Promise<Rehoming | undefined> {
  const [rehoming] = await ctx.db.select().from(endpointRehomings).where(eq(endpointRehomings.endpointId, id))
  return rehoming
}

/**
 * Continues to move an endpoint's deliveries until the run is out of time.
 * @returns the next step; null when they are moved, or while they have to wait for the cron
 */
export async function continueRehoming(ctx: Ctx, id: number): Promise<Job | null> {
  for (;;) {
    const rehoming = await findRehoming(ctx, id)
    if (!rehoming) return null
    if ((await runPhase(ctx, rehoming)) === "waiting") return null
    if (ctx.run.isOutOfTime()) return buildJob(id)
  }
}

/** Moves that one run of the cron resumes. */
const RESUMED_PER_RUN = 100

/** Resumes the moves that wait, and those whose message was lost or whose Worker died. */
export async function resumeRehomings(ctx: Ctx): Promise<void> {
  const waiting = await ctx.db
    .select({ id: endpointRehomings.endpointId })
    .from(endpointRehomings)
    .where(isUnlocked(sql`'rehome:' || ${endpointRehomings.endpointId}`, ctx.now))
    .orderBy(asc(endpointRehomings.endpointId))
    .limit(RESUMED_PER_RUN)
  await forEachItem(
    ctx,
    "endpoint-rehomings",
    waiting,
    ({ id }) => enqueueJob(ctx, buildJob(id)),
    ({ id }) => id,
  )
}
