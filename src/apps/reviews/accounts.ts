// Deletes the reviews of an account that is deleted. They are found by the products that the customer has ordered,
// because only those can be reviewed.
import { and, eq, sql } from "drizzle-orm"
import { inSite } from "../../db/site-scope"
import type { AccountWrites } from "../definition"
import { orderItems, orders } from "../ecommerce/tables"
import { reviews } from "./tables"

export const reviewAccounts: AccountWrites = {
  erase(siteId, userId) {
    const ordered = sql`select ${orderItems.productId} from ${orders} join ${orderItems}
      on ${and(eq(orderItems.siteId, siteId), eq(orderItems.orderId, orders.id))}
      where ${and(eq(orders.siteId, siteId), eq(orders.userId, userId))}`
    return [
      inSite(siteId)
        .remove(reviews)
        .where(and(sql`${reviews.productId} in (${ordered})`, eq(reviews.userId, userId))),
    ]
  },
}
