// Sends alerts to TENANCY_ALERT_WEBHOOK_URL, such as a chat service's incoming webhook. A run leases each request
// before it sends it. A request is sent again if recording its success fails; its `id` stays the same.
import { and, asc, eq, lte, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { fetchOutbound, serviceUrl } from "../../core/outbound/fetch"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import { alertWebhooks } from "../../db/schema/central/alerts"
import { remove, update } from "../../db/write"
import { addMs, MINUTE, SECOND } from "../../lib/time"

/** Requests per run. */
const BATCH_SIZE = 10

/** Attempts per request: after 2, 4, 8 minutes and so on, about two hours in total. */
const MAX_ATTEMPTS = 7

const TIMEOUT_MS = 10 * SECOND

/** Lease of a request: longer than its timeout. */
const LEASE_MS = 2 * MINUTE

/** Sends the due requests, oldest first. One that fails is sent again later. */
export async function sendAlertWebhooks(ctx: Ctx): Promise<void> {
  const url = ctx.settings.TENANCY_ALERT_WEBHOOK_URL
  if (!url) return
  const due = await ctx.db
    .select({ id: alertWebhooks.id })
    .from(alertWebhooks)
    .where(lte(alertWebhooks.dueAt, ctx.now))
    .orderBy(asc(alertWebhooks.dueAt))
    .limit(BATCH_SIZE)
  // lint: each alert is sent and recorded separately
  for (const { id } of due) {
    if (ctx.run.isOutOfTime()) return
    await sendAlertWebhook(ctx, url, id)
  }
}

async function sendAlertWebhook(ctx: Ctx, url: string, id: string): Promise<void> {
  const [[leased]] = await writeUnaudited(ctx, "coordination", [
    update(alertWebhooks)
      .set({ dueAt: addMs(ctx.now, LEASE_MS), attempts: sql`${alertWebhooks.attempts} + 1` })
      .where(and(eq(alertWebhooks.id, id), lte(alertWebhooks.dueAt, ctx.now)))
      .returning(),
  ])
  if (!leased) return
  try {
    const response = await fetchOutbound(serviceUrl(url), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(leased.message),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver responded with ${response.status}`)
  } catch (cause) {
    ctx.log.error("sending an alert failed", cause, { alert: id, attempt: leased.attempts })
    if (leased.attempts < MAX_ATTEMPTS) return retryLater(ctx, id, leased.attempts)
  }
  // The receiver has got the request. A row that stays would send it again.
  await retryTransient(() => writeUnaudited(ctx, "progress", [remove(alertWebhooks).where(eq(alertWebhooks.id, id))]))
}

async function retryLater(ctx: Ctx, id: string, attempts: number): Promise<void> {
  await writeUnaudited(ctx, "progress", [
    update(alertWebhooks)
      .set({ dueAt: addMs(ctx.now, 2 ** attempts * MINUTE) })
      .where(eq(alertWebhooks.id, id)),
  ])
}
