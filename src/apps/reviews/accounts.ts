// Deletes the reviews of an account that is deleted, and exports those of a customer. They are found by the products
// that the customer has ordered, because only those can be reviewed.
import { and, eq, sql } from "drizzle-orm"
import { aliasedColumns } from "../../db/join-columns"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import type { AccountWrites } from "../definition"
import { orderItems, orders } from "../ecommerce/tables"
import { reviewResource } from "./schemas"
import { reviews } from "./tables"

export const reviewAccounts: AccountWrites = {
  erase: (siteId, userId) => [inSite(siteId).remove(reviews).where(isOfUser(siteId, userId))],
  async export({ db, id }, userId) {
    const rows = await db
      .select({ review: aliasedColumns(reviews), author: aliasedColumns(users) })
      .from(reviews)
      .innerJoin(users, eq(users.id, reviews.userId))
      .where(isOfUser(id, userId))
    return { reviews: rows.map(reviewResource) }
  },
}

function isOfUser(siteId: string, userId: number) {
  const ordered = sql`select ${orderItems.productId} from ${orders} join ${orderItems}
    on ${and(eq(orderItems.siteId, siteId), eq(orderItems.orderId, orders.id))}
    where ${and(eq(orders.siteId, siteId), eq(orders.userId, userId))}`
  return and(sql`${reviews.productId} in (${ordered})`, eq(reviews.userId, userId))
}
