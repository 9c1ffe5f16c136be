// The phases of moving an endpoint's deliveries to another database. Each step is idempotent, so one that died runs
// again: copied rows replace those of an earlier run, and rows are deleted only after the target has taken over.
import { eq, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { type DeliveryDatabase, getDeliveryDatabase } from "../../core/write/delivery-databases"
import { writeMovingReplica } from "../../core/write/endpoint-replicas"
import { head } from "../../core/write/event-log"
import { initializePosition, routeToEndpoint } from "../../core/write/event-router"
import { retryTransient } from "../../core/write/retry"
import { endpointRehomings, type RehomingPhase, webhookEndpoints } from "../../db/schema/central/webhooks"
import { insert, remove, update } from "../../db/write"
import { assertNever } from "../../lib/assert-never"
import { addMs, SECOND } from "../../lib/time"
import { comparePage, copyPage, copyStatistics, deleteDeliveries, hasRunningAttempts } from "./copy"

export type Rehoming = typeof endpointRehomings.$inferSelect

/** Time before the source is released, longer than a step: isolates may learn of the switch some seconds late. */
const SWITCH_GRACE_MS = 45 * SECOND

/**
 * Runs one step.
 * @returns `waiting` if the next one has to wait for the cron
 */
export async function runPhase(ctx: Ctx, rehoming: Rehoming): Promise<"moving" | "waiting"> {
  const { endpointId, phase } = rehoming
  const source = getDeliveryDatabase(ctx, rehoming.source)
  const target = getDeliveryDatabase(ctx, rehoming.target)
  const isBeforeSwitch = phase === "clearing" || phase === "copying" || phase === "comparing"
  if (isBeforeSwitch && !(await endpointExists(ctx, endpointId))) return abandon(ctx, rehoming, target, source)
  switch (phase) {
    case "clearing":
      // Rows of an earlier copy that differed.
      await pause(source, rehoming)
      if (!target.isCentral) await writeMovingReplica(ctx, target, endpointId)
      await pause(target, rehoming)
      if (!(await deleteDeliveries(target, endpointId))) return "moving"
      if (await hasRunningAttempts(source, endpointId, ctx.now)) return "waiting"
      return advance(ctx, rehoming, "copying")
    case "copying": {
      const { last, count } = await copyPage(source, target, endpointId, rehoming.cursor)
      if (last !== null) return save(ctx, rehoming, { cursor: last, copied: rehoming.copied + count })
      await copyStatistics(source, target, endpointId)
      return advance(ctx, rehoming, "comparing")
    }
    case "comparing": {
      const last = await comparePage(source, target, endpointId, rehoming.cursor)
      if (last === "different") {
        // An attempt was settled after its lease.
        ctx.log.warn("the copy of an endpoint's deliveries differs and is made again", { endpoint: endpointId })
        return save(ctx, rehoming, { phase: "clearing", cursor: 0, copied: 0 })
      }
      return last === null ? switchOver(ctx, rehoming, target) : save(ctx, rehoming, { cursor: last })
    }
    case "routing": {
      await setPhase(source, rehoming)
      const seq = await routeToEndpoint(ctx, target, endpointId, rehoming.cursor, rehoming.headSeq ?? 0)
      return seq === null ? advance(ctx, rehoming, "emptying") : save(ctx, rehoming, { cursor: seq })
    }
    case "emptying":
      await setPhase(source, rehoming)
      if (!(await deleteDeliveries(source, endpointId))) return "moving"
      if (ctx.now < addMs(rehoming.switchedAt ?? rehoming.createdAt, SWITCH_GRACE_MS)) return "waiting"
      return release(ctx, rehoming, source)
    default:
      return assertNever(phase)
  }
}

async function endpointExists(ctx: Ctx, id: number): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(sql`${webhookEndpoints.id} = ${id} and ${webhookEndpoints.deletedAt} is null`)
  return rows.length > 0
}

/** Writes to a database; each such write may be repeated. */
const writeTo = async (
  { db }: Pick<DeliveryDatabase, "db">,
  writes: Parameters<typeof writeUnaudited>[2],
): Promise<void> => void (await retryTransient(() => writeUnaudited({ db }, "progress", writes)))

const isOf = ({ endpointId }: Pick<Rehoming, "endpointId">) => eq(endpointRehomings.endpointId, endpointId)

/** Stores in a delivery database that it may not change the deliveries. The central row says so for the central one. */
async function pause(database: DeliveryDatabase, rehoming: Rehoming): Promise<void> {
  if (!database.isCentral) await writeTo(database, [insert(endpointRehomings).values(rehoming).onConflictDoNothing()])
}

async function setPhase(database: DeliveryDatabase, rehoming: Rehoming): Promise<void> {
  const { phase } = rehoming
  if (!database.isCentral) await writeTo(database, [update(endpointRehomings).set({ phase }).where(isOf(rehoming))])
}

async function unpause(database: DeliveryDatabase, rehoming: Rehoming): Promise<void> {
  if (!database.isCentral) await writeTo(database, [remove(endpointRehomings).where(isOf(rehoming))])
}

async function save(ctx: Ctx, rehoming: Rehoming, values: Partial<Rehoming>): Promise<"moving"> {
  await writeTo(ctx, [update(endpointRehomings).set(values).where(isOf(rehoming))])
  return "moving"
}

const advance = (ctx: Ctx, rehoming: Rehoming, phase: RehomingPhase): Promise<"moving"> =>
  save(ctx, rehoming, { phase, cursor: 0 })

/**
 * Makes the target the endpoint's home and ends the pause. Every event that is committed later is routed there; the
 * deliveries of those before are created next.
 */
async function switchOver(ctx: Ctx, rehoming: Rehoming, target: DeliveryDatabase): Promise<"moving"> {
  await initializePosition(ctx, target)
  await unpause(target, rehoming)
  const { endpointId, routedSeq } = rehoming
  const switched = {
    phase: "routing" as const,
    cursor: routedSeq,
    headSeq: sql<number>`${head}`,
    switchedAt: ctx.now,
  }
  await writeTo(ctx, [
    update(webhookEndpoints).set({ database: target.name, laneUntil: null }).where(eq(webhookEndpoints.id, endpointId)),
    update(endpointRehomings)
      .set(switched)
      .where(sql`${isOf(rehoming)} and ${endpointRehomings.phase} = 'comparing'`),
  ])
  return "moving"
}

/** Removes what is left of the endpoint in the source. */
async function release(ctx: Ctx, rehoming: Rehoming, source: DeliveryDatabase): Promise<"waiting"> {
  const { endpointId } = rehoming
  if (!source.isCentral) await writeTo(source, [remove(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId))])
  await unpause(source, rehoming)
  await writeTo(ctx, [remove(endpointRehomings).where(isOf(rehoming))])
  return "waiting"
}

/** Deletes the copy of an endpoint that was deleted in the meantime; its purge deletes the rest. */
async function abandon(
  ctx: Ctx,
  rehoming: Rehoming,
  target: DeliveryDatabase,
  source: DeliveryDatabase,
): Promise<"moving" | "waiting"> {
  if (!(await deleteDeliveries(target, rehoming.endpointId))) return "moving"
  const { endpointId } = rehoming
  if (!target.isCentral) await writeTo(target, [remove(webhookEndpoints).where(eq(webhookEndpoints.id, endpointId))])
  await unpause(target, rehoming)
  await unpause(source, rehoming)
  await writeTo(ctx, [remove(endpointRehomings).where(isOf(rehoming))])
  return "waiting"
}
