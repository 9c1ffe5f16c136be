// Finds out whether a receiver lacks events that were delivered to it, because it was restored from a backup. That is
// announced, and the gap is sent again if the endpoint has `reconcile`. The Worker that settled the attempt, the
// end of a recovery and the cron may all try a step; its guard is what the step was decided on, so it runs once.
import { and, eq, isNull, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { startJob } from "../../core/queue/leased-jobs"
import { SYSTEM } from "../../core/write/actor"
import { commit, WriteConflict, writeUnaudited } from "../../core/write/commit"
import { getDeliveryDatabase } from "../../core/write/delivery-databases"
import { horizon } from "../../core/write/event-log"
import { isRehoming } from "../../core/write/rehoming"
import { batch } from "../../db/client"
import { webhookEndpoints } from "../../db/schema/central/webhooks"
import { update } from "../../db/write"
import { addMs } from "../../lib/time"
import { endpointResource } from "../endpoints/schemas"
import { encodeCursor } from "../events/cursor"
import { type Endpoint, endpointIsReceiving, toAuditSite } from "../receiving-condition"
import { isRecovering } from "../recovery/state"
import { decideGap, getReceiverSeq, RECONCILE_INTERVAL_MS } from "./decide"
import { buildGapRecovery, isReceiverBehind } from "./gap"

const { id: idColumn, gapSeq, receiverSeq, behindSince, reconciledAt, deletedAt } = webhookEndpoints

/** SQL condition: an endpoint that receives has a report to be checked, or a gap that can be sent again now. */
export const hasOpenGap = (now: Date): SQL =>
  sql`(${gapSeq} is not null and ${deletedAt} is null and not ${isRecovering}
    and (${behindSince} is null or (${webhookEndpoints.reconcile} = 1
      and coalesce(${reconciledAt}, 0) <= ${addMs(now, -RECONCILE_INTERVAL_MS).getTime()})))`

/** Checks the cursor that a receiver reported, and does what follows from it. */
export async function checkReceiver(ctx: Ctx, id: number): Promise<void> {
  const [[endpoint], [log]] = await batch(ctx.db, [
    ctx.db
      .select()
      .from(webhookEndpoints)
      .where(and(eq(idColumn, id), isNull(deletedAt))),
    ctx.db.select({ horizon: sql<number>`${horizon}` }).from(sql`(select 1)`),
  ])
  const reported = endpoint && getReceiverSeq(endpoint)
  if (!endpoint || typeof reported !== "number") return
  // Older events are deleted.
  const cursor = Math.max(reported, log?.horizon ?? 0)
  const home = getDeliveryDatabase(ctx, endpoint.database)
  const decision = decideGap(endpoint, await isReceiverBehind(ctx, home, id, cursor), ctx.now)
  if (decision.isClosed) await closeGap(ctx, endpoint)
  if (decision.isNewlyBehind) await ifUnchanged(setBehind(ctx, endpoint, cursor, decision.announces))
  if (decision.reconciles && (await ifUnchanged(startReconciling(ctx, endpoint, cursor))))
    startJob(ctx, { job: "recovery", endpoint: id })
}

/** @returns whether the change was made; another worker may have been faster */
async function ifUnchanged(change: Promise<unknown>): Promise<boolean> {
  try {
    return (await change) !== false
  } catch (cause) {
    if (cause instanceof WriteConflict) return false
    throw cause
  }
}

/** SQL condition: nothing else was reported since the endpoint was read. */
const isSameReport = (endpoint: Endpoint): SQL =>
  sql`${idColumn} = ${endpoint.id} and ${gapSeq} is ${endpoint.gapSeq} and ${receiverSeq} is ${endpoint.receiverSeq}`

async function closeGap(ctx: Ctx, endpoint: Endpoint): Promise<void> {
  if (endpoint.gapSeq === null && endpoint.behindSince === null) return
  const close = update(webhookEndpoints).set({ gapSeq: null, behindSince: null }).where(isSameReport(endpoint))
  await writeUnaudited(ctx, "progress", [close])
}

/** Marks the receiver as behind, and announces it unless that was done shortly before. */
async function setBehind(ctx: Ctx, endpoint: Endpoint, cursor: number, announces: boolean): Promise<void> {
  const noticed = { behindSince: ctx.now, ...(announces && { behindNoticedAt: ctx.now }) }
  const guard = update(webhookEndpoints)
    .set(noticed)
    .where(sql`${idColumn} = ${endpoint.id} and ${behindSince} is null and ${deletedAt} is null`)
  const data = {
    endpoint: endpointResource({ ...endpoint, ...noticed, lastSuccessAt: null }),
    after: encodeCursor(cursor),
  }
  const audit = { subject: "endpoint", action: "behind", id: endpoint.id, ...toAuditSite(endpoint) } as const
  await commit(
    { ...ctx, actor: SYSTEM },
    { guard, auditLog: [{ audit, events: announces ? [{ type: "endpoint.behind", data }] : [] }] },
  )
}

/** @returns false if there is nothing to send */
async function startReconciling(ctx: Ctx, endpoint: Endpoint, cursor: number): Promise<boolean> {
  const { id } = endpoint
  const recovery = await buildGapRecovery(ctx, getDeliveryDatabase(ctx, endpoint.database), id, cursor)
  if (!recovery) return false
  const guard = update(webhookEndpoints)
    .set({ recovery, reconciledAt: ctx.now, gapSeq: null })
    .where(
      sql`${isSameReport(endpoint)} and ${reconciledAt} is ${endpoint.reconciledAt?.getTime() ?? null}
        and ${webhookEndpoints.reconcile} = 1 and ${endpointIsReceiving} and ${deletedAt} is null
        and not ${isRecovering} and not ${isRehoming(sql`${id}`)}`,
    )
  const audit = {
    subject: "endpoint",
    action: "reconciled",
    id,
    data: { queued: recovery.queued },
    ...toAuditSite(endpoint),
  } as const
  await commit({ ...ctx, actor: SYSTEM }, { guard, auditLog: [{ audit }] })
  return true
}
