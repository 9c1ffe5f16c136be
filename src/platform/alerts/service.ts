// Evaluates the alerts every minute and announces each change once: by mail to the operators, and to
// TENANCY_ALERT_WEBHOOK_URL. The state, the mails and the webhook request are one commit, guarded by the state's
// version, so concurrent runs and a Worker that dies announce nothing twice and lose nothing.
import { and, asc, eq } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { forEachItem } from "../../core/queue/for-each-item"
import { commit, WriteConflict } from "../../core/write/commit"
import { type AlertMessage, alerts, alertWebhooks } from "../../db/schema/central/alerts"
import type { SystemMetrics } from "../../db/schema/central/system-metrics"
import { insert, update, type Write } from "../../db/write"
import { publicUrl } from "../../env"
import { formatTimestamp, MINUTE } from "../../lib/time"
import { listOperatorRecipients } from "../../mails/operator-recipients"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { ALERT_NAMES, type AlertName, findAlert, RUNBOOKS } from "./definitions"
import { type AlertState, getNextState, RECOVER_AFTER_MS } from "./rules"

/** Selects the state of every alert that was ever pending or firing. */
export const selectAlerts = (ctx: Pick<Ctx, "db">) => ctx.db.select().from(alerts).orderBy(asc(alerts.name))

type AlertRow = typeof alerts.$inferSelect

/** Evaluates all alerts. Writes only when a state changes. */
export async function evaluateAlerts(ctx: Ctx, metrics: SystemMetrics): Promise<void> {
  const rows = await selectAlerts(ctx)
  await forEachItem(ctx, "alerts", ALERT_NAMES, async (name) => {
    const row = rows.find((one) => one.name === name) ?? null
    const alert = findAlert(name)
    const next = getNextState(alert, row, alert.read(metrics), ctx.now)
    if (next) await changeState(ctx, name, row, next)
  })
}

/** Commits a change of state. Does nothing if another run was faster. */
async function changeState(
  ctx: Ctx,
  name: AlertName,
  row: AlertRow | null,
  { state, changed }: { state: AlertState; changed: AlertMessage["state"] | null },
): Promise<void> {
  const version = (row?.version ?? 0) + 1
  const guard = row
    ? update(alerts)
        .set({ ...state, version })
        .where(and(eq(alerts.name, name), eq(alerts.version, row.version)))
    : insert(alerts)
        .values({ name, ...state, version })
        .onConflictDoNothing()
  const announcement = changed
    ? await buildAnnouncement(ctx, buildMessage(ctx, name, version, row, state, changed))
    : []
  try {
    await commit(ctx, { guard, writes: announcement, auditLog: { auditSkipped: changed ? "mail" : "progress" } })
  } catch (cause) {
    if (cause instanceof WriteConflict) return
    throw cause
  }
  if (!changed) return
  ctx.log.warn("alert changed", { alert: name, state: changed, value: state.value })
  enqueueMailRun(ctx)
}

function buildMessage(
  ctx: Ctx,
  name: AlertName,
  version: number,
  row: AlertRow | null,
  state: AlertState,
  changed: AlertMessage["state"],
): AlertMessage {
  const { describe, threshold, runbook } = findAlert(name)
  const { APP_NAME } = ctx.settings
  return {
    id: `${name}:${version}`,
    alert: name,
    state: changed,
    // A recovery names the start of the incident.
    since: formatTimestamp(changed === "firing" || !row ? state.since : row.since),
    at: formatTimestamp(ctx.now),
    value: state.value,
    threshold,
    // After a recovery, the sentence would describe the normal value as if it were the alert.
    text:
      changed === "firing"
        ? `Alert (${APP_NAME}): ${name}. ${describe(state.value)}`
        : `Recovered (${APP_NAME}): ${name}.`,
    runbook: `${RUNBOOKS}/${runbook}`,
    url: publicUrl(ctx.settings, ctx.settings.CENTRAL_DOMAIN, "/console/system"),
  }
}

/** Builds the mails to all operators and, if a URL is configured, the webhook request. */
async function buildAnnouncement(ctx: Ctx, message: AlertMessage): Promise<Write[]> {
  const recipients = await listOperatorRecipients(ctx)
  const { alert, state, since, at, runbook, url } = message
  const sentence = findAlert(alert as AlertName).describe(message.value)
  const mails = recipients.map(({ id, email }) =>
    buildMailWrite(ctx, {
      kind: state === "firing" ? "alert_firing" : "alert_recovered",
      key: `alert:${message.id}:${id}`,
      to: email,
      storeId: null,
      locale: "en",
      facts: { alert, sentence, since, at, runbook, url },
    }),
  )
  if (!ctx.settings.TENANCY_ALERT_WEBHOOK_URL) return mails
  return [
    ...mails,
    insert(alertWebhooks).values({ id: message.id, message, dueAt: ctx.now, attempts: 0 }).onConflictDoNothing(),
  ]
}

/** An alert as the system page and the operator command show it. */
export interface AlertStatus {
  name: AlertName
  state: "ok" | "firing"
  since: Date | null
  description: string | null
}

/** Describes a firing alert whose value is normal again. */
const RECOVERING = `Back to normal. The alert ends after ${RECOVER_AFTER_MS / MINUTE} minutes without a relapse.`

/**
 * Returns the status of every alert, firing ones first.
 * @param metrics the latest ones, which the descriptions are about. A value that they lack is that of the last change.
 */
export function listAlertStatuses(rows: readonly AlertRow[], metrics: SystemMetrics | null): AlertStatus[] {
  const statuses = ALERT_NAMES.map((name): AlertStatus => {
    const row = rows.find((one) => one.name === name)
    if (!row?.isFiring) return { name, state: "ok", since: row?.since ?? null, description: null }
    // The value of an alert that is about to recover is normal again, so it does not describe the alert.
    const { read, describe } = findAlert(name)
    const description = row.pendingSince ? RECOVERING : describe((metrics && read(metrics)) ?? row.value)
    return { name, state: "firing", since: row.since, description }
  })
  return statuses.sort((a, b) => Number(b.state === "firing") - Number(a.state === "firing"))
}
