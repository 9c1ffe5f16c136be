// Sends operators a daily list of the open bank-transfer orders, if there are any.

import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { money } from "../../lib/intl"
import { listOperatorRecipients } from "../../mails/operator-recipients"
import { buildMailWrite, enqueueMailRun } from "../../mails/outbox"
import { selectOrders } from "./queries"

/** Orders listed in a mail. */
const MAX_LISTED_ORDERS = 50

/** Enqueues a mail with the open orders to every operator; none when there are no open orders. */
export async function sendOrderDigest(ctx: Ctx): Promise<void> {
  const open = await selectOrders(ctx.db, { status: "pending" }, MAX_LISTED_ORDERS + 1)
  if (!open.length) return
  const recipients = await listOperatorRecipients(ctx)
  const lines = open
    .slice(0, MAX_LISTED_ORDERS)
    .map(({ reference, storeId, plan, amountCents, currency }) => {
      return `${reference}  ${storeId}  ${plan}  ${money(amountCents, currency, "en")}`
    })
    .join("\n")
  const count = open.length > MAX_LISTED_ORDERS ? `${MAX_LISTED_ORDERS}+` : open.length
  const day = ctx.now.toISOString().slice(0, 10)
  await writeUnaudited(
    ctx,
    "mail",
    recipients.map(({ id, email }) =>
      buildMailWrite(ctx, {
        kind: "open_orders",
        key: `open_orders:${day}:${id}`,
        to: email,
        storeId: null,
        locale: "en",
        facts: { count, list: lines },
      }),
    ),
  )
  enqueueMailRun(ctx)
}
