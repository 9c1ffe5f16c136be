// Mails the operators once when an endpoint is disabled automatically.
import { and, eq, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { writeUnaudited } from "../core/write/commit"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update } from "../db/write"
import { formatTimestamp } from "../lib/time"
import { listOperatorRecipients } from "../mails/operator-recipients"
import { buildMailWrite, enqueueMailRun } from "../mails/outbox"

/**
 * Mails every operator about disabled endpoints that were not reported yet. Runs when an endpoint is disabled and in
 * every sweep. The mails and `noticedAt` are one commit, and the mails have unique keys, so concurrent runs send each
 * mail once.
 */
export async function notifyDisabledEndpoints(ctx: Ctx): Promise<void> {
  const { id, disabledAt, noticedAt, deletedAt } = webhookEndpoints
  const unreported = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(and(sql`${disabledAt} is not null and ${noticedAt} is not ${disabledAt}`, isNull(deletedAt)))
  if (!unreported.length) return
  const recipients = await listOperatorRecipients(ctx)
  for (const endpoint of unreported) {
    const since = endpoint.disabledAt
    await writeUnaudited(ctx, "mail", [
      update(webhookEndpoints).set({ noticedAt: since }).where(eq(id, endpoint.id)),
      ...recipients.map((recipient) =>
        buildMailWrite(ctx, {
          kind: endpoint.disabledReason === "gone" ? "endpoint_gone" : "endpoint_off",
          key: `endpoint_off:${endpoint.id}:${since?.getTime()}:${recipient.id}`,
          to: recipient.email,
          storeId: null,
          locale: "en",
          facts: {
            endpoint: endpoint.id,
            receiver: endpoint.url,
            at: formatTimestamp(since),
            failures: endpoint.consecutiveFailures,
          },
        }),
      ),
    ])
  }
  enqueueMailRun(ctx)
}
