// What operators are told of orders: a list of the open ones, once a day while there are any.

import type { Ctx } from "../../core/context"
import { writeUnaudited } from "../../core/write/commit"
import { money } from "../../lib/intl"
import { listOperatorRecipients } from "../../mails/operator-recipients"
import { mailWrite, postMails } from "../../mails/outbox"
import { selectOrders } from "./queries"

/** Orders that a mail lists by name. */
const LISTED = 50

/** Writes to every operator of the orders that are open; nothing when there are none. */
export async function sendOrderDigest(ctx: Ctx): Promise<void> {
  const open = await selectOrders(ctx.db, { status: "pending" }, LISTED + 1)
  if (!open.length) return
  const readers = await listOperatorRecipients(ctx)
  const lines = open
    .slice(0, LISTED)
    .map(({ reference, storeId, plan, amountCents, currency }) => {
      return `${reference}  ${storeId}  ${plan}  ${money(amountCents, currency, "en")}`
    })
    .join("\n")
  const count = open.length > LISTED ? `${LISTED}+` : open.length
  const day = ctx.now.toISOString().slice(0, 10)
  await writeUnaudited(
    ctx,
    "a digest is posted",
    readers.map(({ id, email }) =>
      mailWrite(ctx, {
        kind: "open_orders",
        key: `open_orders:${day}:${id}`,
        to: email,
        storeId: null,
        locale: "en",
        facts: { count, list: lines },
      }),
    ),
  )
  postMails(ctx)
}
