// Tells the operators, once, of an endpoint that a run of failures switched off.
import { and, eq, isNull, sql } from "drizzle-orm"
import type { Ctx } from "../core/context"
import { writeUnaudited } from "../core/write/commit"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update } from "../db/write"
import { timestamp } from "../lib/time"
import { listOperatorRecipients } from "../mails/operator-recipients"
import { mailWrite, postMails } from "../mails/outbox"

/**
 * Writes to every operator about the endpoints that were switched off and not yet reported. Called where one is switched off
 * and by every sweep. That they were told and the mails that tell them are one commit; of two that write them at once, the
 * second finds each mail there.
 */
export async function noticeDisabled(ctx: Ctx): Promise<void> {
  const { id, disabledAt, noticedAt, deletedAt } = webhookEndpoints
  const untold = await ctx.db
    .select()
    .from(webhookEndpoints)
    .where(and(sql`${disabledAt} is not null and ${noticedAt} is not ${disabledAt}`, isNull(deletedAt)))
  if (!untold.length) return
  const readers = await listOperatorRecipients(ctx)
  for (const endpoint of untold) {
    const since = endpoint.disabledAt
    await writeUnaudited(ctx, "who was told", [
      update(webhookEndpoints).set({ noticedAt: since }).where(eq(id, endpoint.id)),
      ...readers.map((reader) =>
        mailWrite(ctx, {
          kind: "endpoint_off",
          key: `endpoint_off:${endpoint.id}:${since?.getTime()}:${reader.id}`,
          to: reader.email,
          storeId: null,
          locale: "en",
          facts: {
            endpoint: endpoint.id,
            receiver: endpoint.url,
            at: timestamp(since),
            failures: endpoint.consecutiveFailures,
          },
        }),
      ),
    ])
  }
  postMails(ctx)
}
