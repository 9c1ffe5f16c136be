// Attaches the orders of guests to the account of their email address, and removes the customer from the orders of an
// account that is deleted, except for those that are still to be sent. Exports the orders of a customer.
import { and, desc, eq, isNotNull, notInArray, sql } from "drizzle-orm"
import { batch } from "../../../db/client"
import { users } from "../../../db/schema/sites/users"
import { inSite, inSiteById } from "../../../db/site-scope"
import type { AccountWrites } from "../../definition"
import { ERASED_USER_ID, orderItems, orders } from "../tables"
import { OPEN_STATUSES, WITHOUT_CUSTOMER } from "./rules"
import { orderResource } from "./schemas"

/** Orders that one confirmation or sign-in attaches. */
const MAX_ATTACHED = 100

export const orderAccounts: AccountWrites = {
  attach(siteId, { userId, email, now }) {
    // Literals, as in the condition of the partial index, which parameters do not match.
    const latest = sql`select ${orders.id} from ${orders} indexed by orders_guest_email
      where ${and(eq(orders.siteId, siteId), sql`user_id = 0`, sql`lower(customer_email) = ${email}`)}
      order by ${orders.id} desc limit ${MAX_ATTACHED}`
    return [
      inSiteById(siteId)
        .update(orders)
        .set({ userId, attachedAt: now })
        .where(and(sql`${orders.id} in (${latest})`, sql`${userId} is not null`)),
    ]
  },
  erase: (siteId, userId) => [
    inSite(siteId)
      .update(orders)
      .set(WITHOUT_CUSTOMER)
      .where(and(eq(orders.userId, userId), notInArray(orders.status, [...OPEN_STATUSES]))),
    inSite(siteId)
      .update(orders)
      // The network stays until the order is paid or cancelled, so that deleting accounts frees none of its pending orders.
      .set({ userId: ERASED_USER_ID, attachedAt: null })
      .where(eq(orders.userId, userId)),
  ],
  async export({ db, id }, userId) {
    // The next sign-in would attach the orders of guests with the confirmed address.
    const address = sql`select ${users.emailKey} from ${users}
      where ${and(eq(users.siteId, id), eq(users.id, userId), isNotNull(users.emailVerifiedAt))}`
    const ofUser = sql`select ${orders.id} from ${orders} where ${and(eq(orders.siteId, id), eq(orders.userId, userId))}
      union all
      select ${orders.id} from ${orders} indexed by orders_guest_email
      where ${and(eq(orders.siteId, id), sql`user_id = 0`, sql`lower(customer_email) = (${address})`)}`
    const [rows, items] = await batch(db, [
      db.select().from(orders).where(sql`${orders.id} in (${ofUser})`).orderBy(desc(orders.id)),
      db
        .select()
        .from(orderItems)
        .where(sql`${orderItems.orderId} in (${ofUser})`)
        .orderBy(orderItems.orderId, orderItems.position),
    ])
    const byOrder = Map.groupBy(items, ({ orderId }) => orderId)
    // The staff's note is not the customer's.
    return { orders: rows.map((row) => orderResource({ ...row, staffNote: null }, byOrder.get(row.id) ?? [])) }
  },
}
