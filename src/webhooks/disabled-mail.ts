// Announces once that an endpoint was disabled automatically: with a mail to the operators, and the event
// `endpoint.disabled`.
import { and, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { SYSTEM } from "../core/write/actor"
import { commit, WriteConflict } from "../core/write/commit"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update } from "../db/write"
import { formatTimestamp } from "../lib/time"
import { listOperatorRecipients } from "../mails/operator-recipients"
import { buildMailWrite, enqueueMailRun } from "../mails/outbox"
import { endpointResource } from "./endpoints/schemas"

/** The `failureLevel` of an endpoint that was announced as disabled. */
export const DISABLED_LEVEL = 3

/**
 * Announces disabled endpoints that were not announced yet. Runs when an endpoint is disabled and in every sweep. The
 * mails, the event and `noticedAt` are one commit, which is guarded by `noticedAt`, so concurrent runs announce once.
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
    const resource = endpointResource({ ...endpoint, lastSuccessAt: null })
    await commit(
      { ...ctx, actor: SYSTEM },
      {
        guard: update(webhookEndpoints)
          .set({ noticedAt: since, failureLevel: DISABLED_LEVEL })
          .where(
            sql`${id} = ${endpoint.id} and ${disabledAt} is ${since?.getTime()} and ${noticedAt} is not ${disabledAt}`,
          ),
        auditLog: [
          {
            audit: {
              subject: "endpoint",
              action: "disabled",
              id: endpoint.id,
              data: { reason: resource.disabled_reason },
            },
            events: [{ type: "endpoint.disabled", data: { endpoint: resource } }],
          },
        ],
        writes: recipients.map((recipient) =>
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
      },
    ).catch((cause) => {
      // Another run was faster.
      if (!(cause instanceof WriteConflict)) throw cause
    })
  }
  enqueueMailRun(ctx)
}
