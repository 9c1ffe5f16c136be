// Tells the operators, once, of an endpoint that a run of failures switched off.
import { and, eq, isNotNull, isNull, ne, or, sql } from "drizzle-orm"
import { bookkeep } from "../core/commit"
import type { Ctx } from "../core/context"
import { sendMail } from "../core/mail"
import { webhookEndpoints } from "../db/schema/central/webhooks"
import { update } from "../db/write"
import { timestamp } from "../lib/time"
import { listReaders } from "../platform/operators/readers"
import type { Endpoint } from "./receiving"

/**
 * Writes to every operator about the endpoints that were switched off and not yet reported. Called where one is switched off
 * and by every sweep; whoever claims an endpoint first reports it.
 */
export async function noticeDisabled(ctx: Ctx): Promise<void> {
  const { id, disabledAt, noticedAt } = webhookEndpoints
  const [claimed] = await bookkeep(ctx, "who was told", [
    update(webhookEndpoints)
      .set({ noticedAt: sql`${disabledAt}` })
      .where(
        and(
          isNotNull(disabledAt),
          isNull(webhookEndpoints.deletedAt),
          or(sql`${noticedAt} is null`, ne(noticedAt, disabledAt)),
        ),
      )
      .returning(),
  ])
  if (!claimed.length) return
  const readers = await listReaders(ctx)
  for (const endpoint of claimed) {
    const mails = await Promise.allSettled(
      readers.map(({ email }) => sendMail(ctx, { to: email, ...notice(ctx, endpoint) })),
    )
    const lost = mails.filter((mail) => mail.status === "rejected")
    for (const { reason } of lost) {
      ctx.log.error("the notice of a switched-off webhook endpoint was not sent", reason, { endpoint: endpoint.id })
    }
    // Nobody knows of it: the next sweep tries again. Where one of several was told, none is told twice.
    if (lost.length && lost.length === readers.length) {
      const untold = update(webhookEndpoints).set({ noticedAt: null }).where(eq(id, endpoint.id))
      await bookkeep(ctx, "nobody was told", [untold])
    }
  }
}

function notice({ settings }: Ctx, endpoint: Endpoint): { subject: string; text: string } {
  const { id, url, disabledAt, consecutiveFailures } = endpoint
  return {
    subject: `${settings.APP_NAME}: webhook endpoint ${id} was switched off`,
    text: [
      `Webhook endpoint ${id} (${url}) was switched off at ${timestamp(disabledAt)}, after ${consecutiveFailures} failed`,
      "deliveries in a row. Deliveries that come due from now on are closed without being sent.",
      "",
      "Once the receiver answers again, set the endpoint to active to switch it back on. What was closed meanwhile can be",
      "sent again one by one, from the endpoint's deliveries.",
    ].join("\n"),
  }
}
