// Orders that nobody pays hold stock that others could buy. After a day they are cancelled, and their products are for sale again.
import { and, asc, eq, lte } from "drizzle-orm"
import { LostRace } from "../../../core/commit"
import type { Ctx } from "../../../core/context"
import { commitSite } from "../../../core/site-commit"
import { siteDatabase } from "../../../db/client"
import { isFree } from "../../../db/held"
import { orders } from "../../../db/schema/sites/orders"
import { DAY, later } from "../../../lib/time"
import { moveOn, returnToStock } from "./queries"

/** How long an order may wait to be paid. */
const PAYABLE = DAY

/** Orders that one run cancels in each site database. */
const BATCH = 200

/** Cancels what was not paid in time, in every site database. */
export async function expireOrders(ctx: Ctx): Promise<void> {
  for (const database of ctx.settings.SITE_DATABASES) {
    const db = siteDatabase(ctx.env, database)
    const late = await db
      .select({ id: orders.id, siteId: orders.siteId, status: orders.status })
      .from(orders)
      .where(and(eq(orders.status, "pending"), lte(orders.createdAt, later(ctx.now, -PAYABLE)), isFree(orders.siteId)))
      .orderBy(asc(orders.createdAt))
      .limit(BATCH)
    for (const order of late) {
      const { id, siteId } = order
      try {
        await commitSite(
          ctx,
          { id: siteId, db },
          {
            guard: moveOn(siteId, order, "cancelled", ctx.now),
            writes: [returnToStock(siteId, id)],
            trail: [{ subject: "order", id, deed: "cancelled", data: { reason: "unpaid" } }],
          },
        )
      } catch (cause) {
        // Paid or cancelled meanwhile; anything else stops this order only.
        if (!(cause instanceof LostRace))
          ctx.log.error("an unpaid order was not cancelled", cause, { site: siteId, id })
      }
    }
  }
}
