// Statements about orders, each limited to its site.
import { and, asc, desc, eq, inArray, lte, type SQL, sql } from "drizzle-orm"
import type { ContentSite } from "../../../content/site"
import { type Asker, askersId } from "../../../content/user"
import { compiledPages } from "../../../core/list/page"
import { countedAt, counterOf } from "../../../core/list/site-totals"
import { compiled, given } from "../../../db/prepared"
import { orderItems, orders } from "../../../db/schema/sites/orders"
import { products } from "../../../db/schema/sites/products"
import { abortUnlessTouched, insertSelect, update, type Write } from "../../../db/write"

const pages = (userId: SQL<number> | null) => {
  const site = given("site")
  const where = and(eq(orders.siteId, site), userId ? eq(orders.userId, userId) : undefined)
  const total = countedAt(site, userId ? counterOf("orders", userId) : "orders")
  return compiledPages<Order, Asker>(total, (db, { limit, offset }, direction) =>
    db
      .select()
      .from(orders)
      .where(where)
      .orderBy(direction === "forward" ? desc(orders.id) : asc(orders.id))
      .limit(limit)
      .offset(offset),
  )
}

/** The statements that read a page of everybody's orders, the newest first. */
export const pagesOfAll = pages(null)

/** The same of the user's own. */
export const pagesOfAsker = pages(askersId)

/** The statements that read one order and its items. */
export const selectOrder = ({ id }: ContentSite, orderId: number) =>
  [orderOf({ site: id, order: orderId }), itemsOf({ site: id, order: orderId })] as const

const orderOf = compiled<Order, { site: string; order: number }>((db) =>
  db
    .select()
    .from(orders)
    .where(and(eq(orders.siteId, given("site")), eq(orders.id, given("order")))),
)

const itemsOf = compiled<typeof orderItems.$inferSelect, { site: string; order: number }>((db) =>
  db
    .select()
    .from(orderItems)
    .where(and(eq(orderItems.siteId, given("site")), eq(orderItems.orderId, given("order"))))
    .orderBy(orderItems.position),
)

/** The statement that reads the products of some ids that the site sells. */
export const selectSold = ({ db, id }: ContentSite, ids: number[]) =>
  db
    .select({ id: products.id, currency: products.currency, stock: products.stock })
    .from(products)
    .where(
      and(
        eq(products.siteId, id),
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
  /** How many orders of this month the site may have, cancelled ones aside; 0 is no limit. */
  limit: number
  /** `2026-09`. */
  month: string
  /** Keyed hash of the network that the order comes from. */
  network: string
  /** Pending orders that the user and the network may have, this one included. */
  pending: { user: number; network: number }
}

/** The number of a user's pending orders. */
export const countPendingOfUser = ({ id }: Pick<ContentSite, "id">, userId: number | SQL): SQL<number> =>
  sql<number>`(select count(*) from ${orders} indexed by orders_unpaid_user
    where ${and(eq(orders.siteId, id), sql`${orders.userId} = ${userId}`, sql`${orders.status} = 'pending'`)})`

/** The number of a network's pending orders at a site. */
export const countPendingOfNetwork = ({ id }: Pick<ContentSite, "id">, network: string): SQL<number> =>
  sql<number>`(select count(*) from ${orders} indexed by orders_unpaid_network
    where ${and(eq(orders.siteId, id), eq(orders.network, network), sql`${orders.status} = 'pending'`)})`

/** Pending orders of a site that count towards a month. */
const pendingOfMonth = (siteId: string, month: string): SQL | undefined =>
  and(
    eq(orders.siteId, siteId),
    sql`${orders.status} = 'pending'`,
    sql`strftime('%Y-%m', ${orders.createdAt} / 1000, 'unixepoch') = ${month}`,
  )

/** Pending orders of one network that are never cancelled early: what an honest customer may have. */
const SPARED_PER_NETWORK = 2

/** The number of pending orders of the network that the selected order comes from. */
const pendingOfItsNetwork = sql`(select count(*) from orders as other indexed by orders_unpaid_network
  where other.site_id = "orders"."site_id" and other.network = "orders"."network" and other.status = 'pending')`

/**
 * The statements that read how many orders count towards a month, how many of them are pending, and those placed before a moment by
 * networks with more than two pending orders: the most crowded networks first, and of each the newest orders first.
 */
export const selectCrowd = (
  { db, id }: ContentSite,
  { month, before, max }: { month: string; before: Date; max: number },
) =>
  [
    db
      .select({
        placed: countedAt(id, "orders", month).mapWith(Number).as("placed"),
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
          sql`${pendingOfItsNetwork} > ${SPARED_PER_NETWORK}`,
        ),
      )
      .orderBy(sql`${pendingOfItsNetwork} desc`, desc(orders.createdAt), desc(orders.id))
      .limit(max),
  ] as const

/**
 * The writes that place an order: at the prices of this very moment, all of its products or none, out of stock. They abort when a
 * product was withdrawn, its currency changed, or the plan's orders or the pending ones of the user or the network were used up since
 * it was decided; the table's own check aborts them when another order took the last piece.
 */
export function placeWrites(site: Pick<ContentSite, "id">, order: NewOrder) {
  const { id } = site
  const { userId, currency, note, now, limit, month, network, pending } = order
  const wanted = sql`json_each(${JSON.stringify(order.items)}) as item`
  const productId = sql`json_extract(item.value, '$.product_id')`
  const quantity = sql`json_extract(item.value, '$.quantity')`
  const sold = sql`${wanted} join ${products} on ${products.id} = ${productId}
    and ${products.siteId} = ${id} and ${products.status} = 'published' and ${products.currency} = ${currency}`
  const orderId = sql`(select max(${orders.id}) from ${orders} where ${and(eq(orders.siteId, id), eq(orders.userId, userId))})`
  return [
    insertSelect(
      orders,
      {
        siteId: id,
        userId,
        status: "pending",
        currency,
        totalCents: sql`sum(${products.priceCents} * ${quantity})`,
        note,
        network,
        createdAt: now,
        updatedAt: now,
      },
      sql`from ${sold} where (${limit} = 0 or ${countedAt(id, "orders", month)} < ${limit})
        and ${countPendingOfUser(site, userId)} < ${pending.user} and ${countPendingOfNetwork(site, network)} < ${pending.network}
        having count(*) = ${order.items.length}`,
    ).returning(),
    abortUnlessTouched,
    insertSelect(
      orderItems,
      {
        siteId: id,
        orderId,
        position: sql`item.key`,
        productId: sql`${products.id}`,
        name: sql`${products.name}`,
        priceCents: sql`${products.priceCents}`,
        quantity,
      },
      sql`from ${sold} where true order by item.key`,
    ).returning(),
    update(products)
      .set({ stock: sql`${products.stock} - (select ${quantity} from ${wanted} where ${productId} = ${products.id})` })
      .where(
        and(
          eq(products.siteId, id),
          sql`${products.stock} is not null`,
          sql`${products.id} in (select ${productId} from ${wanted})`,
        ),
      ),
  ] as const
}

type Order = typeof orders.$inferSelect

/** Changes an order's status from the one it was read with. Only a pending order keeps its network. */
export const moveOn = (siteId: string, order: Pick<Order, "id" | "status">, to: Order["status"], now: Date) =>
  update(orders)
    .set({ status: to, network: null, updatedAt: now })
    .where(and(eq(orders.siteId, siteId), eq(orders.id, order.id), eq(orders.status, order.status)))

/** Puts what an order took back into stock. */
export function returnToStock(siteId: string, orderId: number): Write {
  const items = sql`${orderItems} where ${and(eq(orderItems.siteId, siteId), eq(orderItems.orderId, orderId))}`
  return update(products)
    .set({
      stock: sql`${products.stock} + (select sum(${orderItems.quantity}) from ${items} and ${orderItems.productId} = ${products.id})`,
    })
    .where(
      and(
        eq(products.siteId, siteId),
        sql`${products.stock} is not null`,
        sql`${products.id} in (select ${orderItems.productId} from ${items})`,
      ),
    )
}
