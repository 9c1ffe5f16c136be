// Queries for orders, each limited to one site.
import { and, asc, desc, eq, inArray, lte, type SQL, sql } from "drizzle-orm"
import type { ContentSite } from "../../../content/site"
import { type CallerParams, callerUserId } from "../../../content/user"
import { prepareSitePages } from "../../../core/list/page"
import { rowCounter, selectSiteCounter } from "../../../core/list/site-totals"
import { param, prepareSiteRead } from "../../../db/prepared"
import { inSite } from "../../../db/site-scope"
import { abortUnlessTouched, type Write } from "../../../db/write"
import { orderItems, orders, products } from "../tables"

const prepareOrderPages = (userId: SQL<number> | null) => {
  const site = param("site")
  const where = userId ? eq(orders.userId, userId) : undefined
  const total = selectSiteCounter(site, userId ? rowCounter("orders", userId) : "orders")
  return prepareSitePages<Order, CallerParams>(total, (db, { limit, offset }, direction) =>
    db
      .select()
      .from(orders)
      .where(where)
      .orderBy(direction === "forward" ? desc(orders.id) : asc(orders.id))
      .limit(limit)
      .offset(offset),
  )
}

/** Selects a page of all orders of the site, newest first. */
export const selectAllOrdersPage = prepareOrderPages(null)

/** Selects a page of the user's own orders, newest first. */
export const selectOwnOrdersPage = prepareOrderPages(callerUserId)

/** Selects an order and its items. */
export const selectOrder = ({ id }: ContentSite, orderId: number) =>
  [selectOrderRow({ site: id, order: orderId }), selectItems({ site: id, order: orderId })] as const

const selectOrderRow = prepareSiteRead<Order, { site: string; order: number }>((db) =>
  db
    .select()
    .from(orders)
    .where(eq(orders.id, param("order"))),
)

const selectItems = prepareSiteRead<typeof orderItems.$inferSelect, { site: string; order: number }>((db) =>
  db
    .select()
    .from(orderItems)
    .where(eq(orderItems.orderId, param("order")))
    .orderBy(orderItems.position),
)

/** Selects the published products with the given ids. */
export const selectPublishedProducts = ({ db }: ContentSite, ids: number[]) =>
  db
    .select({ id: products.id, currency: products.currency, stock: products.stock })
    .from(products)
    .where(
      and(
        eq(products.status, "published"),
        inArray(products.id, sql`(select value from json_each(${JSON.stringify(ids)}))`),
      ),
    )

interface NewOrder {
  userId: number
  currency: string
  note: string | null
  items: readonly { product_id: number; quantity: number }[]
  now: Date
  /** Orders that the site may have this month, not counting cancelled ones; 0 for no limit. */
  limit: number
  /** UTC month, as in `2026-09`. */
  month: string
  /** Keyed hash of the client's network. */
  network: string
  /** Pending orders that the user and the network may have, including this one. */
  pending: { user: number; network: number }
}

/** Counts the pending orders of a user. */
export const countPendingOfUser = ({ id }: Pick<ContentSite, "id">, userId: number | SQL): SQL<number> =>
  sql<number>`(select count(*) from ${orders} indexed by orders_unpaid_user
    where ${and(eq(orders.siteId, id), sql`${orders.userId} = ${userId}`, sql`${orders.status} = 'pending'`)})`

/** Counts the pending orders of a network at a site. */
export const countPendingOfNetwork = ({ id }: Pick<ContentSite, "id">, network: string): SQL<number> =>
  sql<number>`(select count(*) from ${orders} indexed by orders_unpaid_network
    where ${and(eq(orders.siteId, id), eq(orders.network, network), sql`${orders.status} = 'pending'`)})`

/** Matches the pending orders of a site that count towards a month. */
const pendingOfMonth = (siteId: string, month: string): SQL | undefined =>
  and(
    eq(orders.siteId, siteId),
    sql`${orders.status} = 'pending'`,
    sql`strftime('%Y-%m', ${orders.createdAt} / 1000, 'unixepoch') = ${month}`,
  )

/** Pending orders per network that are never cancelled early: as many as a legitimate customer may have. */
const PROTECTED_PER_NETWORK = 2

/** Counts the pending orders of the selected order's network. */
const pendingOfSameNetwork = sql`(select count(*) from orders as other indexed by orders_unpaid_network
  where other.site_id = "orders"."site_id" and other.network = "orders"."network" and other.status = 'pending')`

/**
 * Selects the number of orders that count towards a month, the number of pending ones among them, and the pending
 * orders placed before `before` by networks with more than two pending orders: networks with the most pending orders
 * first, and newest orders first within a network.
 */
export const selectExcessPendingOrders = (
  { db, id }: ContentSite,
  { month, before, max }: { month: string; before: Date; max: number },
) =>
  [
    db
      .select({
        placed: selectSiteCounter(id, "orders", month).mapWith(Number).as("placed"),
        pending: sql<number>`(select count(*) from ${orders} where ${pendingOfMonth(id, month)})`.as("pending"),
      })
      .from(sql`(select 1)`),
    db
      .select({ id: orders.id, siteId: orders.siteId, status: orders.status })
      .from(orders)
      .where(
        and(
          pendingOfMonth(id, month),
          lte(orders.createdAt, before),
          sql`${pendingOfSameNetwork} > ${PROTECTED_PER_NETWORK}`,
        ),
      )
      .orderBy(sql`${pendingOfSameNetwork} desc`, desc(orders.createdAt), desc(orders.id))
      .limit(max),
  ] as const

/**
 * Builds the writes that place an order at current prices and decrement the stock of its products, atomically. They
 * abort when, since the checks before, a product was unpublished, its currency changed, or a limit on orders was
 * reached. The table's CHECK constraint aborts them when another order took the last item in stock.
 */
export function placeOrderWrites(site: Pick<ContentSite, "id">, order: NewOrder) {
  const { id } = site
  const { userId, currency, note, now, limit, month, network, pending } = order
  const orderedItems = sql`json_each(${JSON.stringify(order.items)}) as item`
  const productId = sql`json_extract(item.value, '$.product_id')`
  const quantity = sql`json_extract(item.value, '$.quantity')`
  const orderedProducts = sql`${orderedItems} join ${products} on ${products.id} = ${productId}
    and ${products.siteId} = ${id} and ${products.status} = 'published' and ${products.currency} = ${currency}`
  const orderId = sql`(select max(${orders.id}) from ${orders} where ${and(eq(orders.siteId, id), eq(orders.userId, userId))})`
  return [
    inSite(id)
      .insertSelect(
        orders,
        {
          userId,
          status: "pending",
          currency,
          totalCents: sql`sum(${products.priceCents} * ${quantity})`,
          note,
          network,
          createdAt: now,
          updatedAt: now,
        },
        sql`from ${orderedProducts} where (${limit} = 0 or ${selectSiteCounter(id, "orders", month)} < ${limit})
        and ${countPendingOfUser(site, userId)} < ${pending.user} and ${countPendingOfNetwork(site, network)} < ${pending.network}
        having count(*) = ${order.items.length}`,
      )
      .returning(),
    abortUnlessTouched,
    inSite(id)
      .insertSelect(
        orderItems,
        {
          orderId,
          position: sql`item.key`,
          productId: sql`${products.id}`,
          name: sql`${products.name}`,
          priceCents: sql`${products.priceCents}`,
          quantity,
        },
        sql`from ${orderedProducts} where true order by item.key`,
      )
      .returning(),
    inSite(id)
      .update(products)
      .set({
        stock: sql`${products.stock} - (select ${quantity} from ${orderedItems} where ${productId} = ${products.id})`,
      })
      .where(
        and(sql`${products.stock} is not null`, sql`${products.id} in (select ${productId} from ${orderedItems})`),
      ),
  ] as const
}

type Order = typeof orders.$inferSelect

/**
 * Changes an order's status, provided that it still has the status it was read with. Clears the network hash, which
 * only pending orders need.
 */
export const setStatus = (siteId: string, order: Pick<Order, "id" | "status">, to: Order["status"], now: Date) =>
  inSite(siteId)
    .update(orders)
    .set({ status: to, network: null, updatedAt: now })
    .where(and(eq(orders.id, order.id), eq(orders.status, order.status)))

/** Returns the products of an order to stock. */
export function returnToStock(siteId: string, orderId: number): Write {
  const items = sql`${orderItems} where ${and(eq(orderItems.siteId, siteId), eq(orderItems.orderId, orderId))}`
  return inSite(siteId)
    .update(products)
    .set({
      stock: sql`${products.stock} + (select sum(${orderItems.quantity}) from ${items} and ${orderItems.productId} = ${products.id})`,
    })
    .where(
      and(sql`${products.stock} is not null`, sql`${products.id} in (select ${orderItems.productId} from ${items})`),
    )
}
