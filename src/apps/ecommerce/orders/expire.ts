// Cancels orders that were not paid in time and returns their products to stock: after a day, or after an hour while
// pending orders crowd the plan's monthly limit.
import { and, asc, lte, sql } from "drizzle-orm"
import type { ContentSite } from "../../../content/site"
import type { Ctx } from "../../../core/context"
import { forEachItem } from "../../../core/queue/for-each-item"
import { SYSTEM } from "../../../core/write/actor"
import { compareResources } from "../../../core/write/changes"
import { WriteConflict } from "../../../core/write/commit"
import { commitSite, type WrittenSite } from "../../../core/write/site-commit"
import { batch, siteDatabase } from "../../../db/client"
import { isNotLocked } from "../../../db/site-locks"
import { acrossSites } from "../../../db/site-scope"
import { addMs, DAY, HOUR, yearMonth } from "../../../lib/time"
import { orders } from "../tables"
import { returnToStock, selectExcessPendingOrders, selectOrder, setStatus } from "./queries"
import { arePendingOrdersOverQuota } from "./rules"
import { type Order, orderResource } from "./schemas"

/** Time to pay an order. */
const PAYMENT_WINDOW = DAY

/** Time to pay an order while pending orders crowd the monthly limit. */
const EXCESS_PAYMENT_WINDOW = HOUR

/** Orders that one run cancels. */
const BATCH_SIZE = 200

/** Orders that one request to place an order cancels at most. */
const EXCESS_BATCH_SIZE = 20

/**
 * Cancels the orders that were not paid within a day.
 * @param database binding of a site database
 */
export async function expireOrders(ctx: Ctx, database: string): Promise<void> {
  const db = siteDatabase(ctx.env, database, acrossSites("unpaid_orders"))
  const late = await db
    .select({ id: orders.id, siteId: orders.siteId, status: orders.status })
    .from(orders)
    .where(
      and(
        // A literal, as in the condition of the partial index, which a parameter does not match.
        sql`${orders.status} = 'pending'`,
        lte(orders.createdAt, addMs(ctx.now, -PAYMENT_WINDOW)),
        isNotLocked(orders.siteId),
      ),
    )
    .orderBy(asc(orders.createdAt))
    .limit(BATCH_SIZE)
  await forEachItem(
    ctx,
    "unpaid orders",
    late,
    (order) => {
      const site = { id: order.siteId, db: siteDatabase(ctx.env, database, order.siteId), store: null }
      return cancelUnpaid(ctx, site, order)
    },
    ({ id }) => id,
  )
}

/**
 * Cancels pending orders older than an hour while they take up too much of the plan's monthly limit: those of the
 * networks with the most pending orders, newest first. Runs in the background of a request to place an order; if a run
 * is lost, the next request completes it.
 * @param limit orders per month of the plan
 */
export async function cancelExcessPendingOrders(ctx: Ctx, site: ContentSite, limit: number): Promise<void> {
  const month = yearMonth(ctx.now)
  const before = addMs(ctx.now, -EXCESS_PAYMENT_WINDOW)
  const [[count], due] = await batch(
    site.db,
    selectExcessPendingOrders(site, { month, before, max: EXCESS_BATCH_SIZE }),
  )
  let [free, pending] = [limit - (count?.placed ?? 0), count?.pending ?? 0]
  for (const order of due) {
    if (!arePendingOrdersOverQuota({ free, pending })) return
    await cancelUnpaid({ ...ctx, actor: SYSTEM, interface: "system", address: null }, site, order)
    free += 1
    pending -= 1
  }
}

async function cancelUnpaid(ctx: Ctx, site: WrittenSite, { id }: Pick<Order, "id">): Promise<void> {
  try {
    const [[order], items] = await batch(site.db, selectOrder(site, id))
    if (order?.status !== "pending") return
    const cancelled: Order = { ...order, status: "cancelled", updatedAt: ctx.now }
    const after = orderResource(cancelled, items)
    await commitSite(ctx, site, {
      guard: setStatus(site.id, order, "cancelled", ctx.now),
      writes: [returnToStock(site.id, order.id)],
      auditLog: [{ subject: "order", id: order.id, action: "cancelled", data: { reason: "unpaid" } }],
      events: [
        {
          type: "shop.order.updated",
          data: { order: after, changes: compareResources(orderResource(order, items), after, ["updated_at"]) },
        },
      ],
    })
  } catch (cause) {
    // The order was paid or cancelled in the meantime. Any other failure affects this order only.
    if (!(cause instanceof WriteConflict))
      ctx.log.error("an unpaid order was not cancelled", cause, { site: site.id, id })
  }
}
