// Queries for orders, each limited to one site.
import { and, asc, desc, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type { ContentSite } from "../../../content/site"
import { type CallerParams, callerUserId } from "../../../content/user"
import { prepareSitePages } from "../../../core/list/page"
import { rowCounter, selectSiteCounter } from "../../../core/list/site-totals"
import { param, prepareSiteRead } from "../../../db/prepared"
import { shopSettings } from "../../../db/schema/sites/shop-settings"
import { inSite } from "../../../db/site-scope"
import { abortUnlessTouched, type Write } from "../../../db/write"
import { ERASED_USER_ID, GUEST_USER_ID, orderItems, orders, products } from "../tables"
import { getErasedColumns } from "./rules"

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
export const selectOrder = ({ id }: Pick<ContentSite, "id">, orderId: number) =>
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

interface OrderKeyParams {
  site: string
  number: number
  /** SHA-256 of the order's key. */
  keyHash: string
}

const hasKey = and(eq(orders.number, param("number")), eq(orders.keyHash, param("keyHash")))

/** Selects an order by its number and its secret key. */
export const selectOrderByKey = prepareSiteRead<Order, OrderKeyParams>((db) => db.select().from(orders).where(hasKey))

/** Selects the items of an order by its number and its secret key. */
export const selectItemsByKey = prepareSiteRead<typeof orderItems.$inferSelect, OrderKeyParams>((db) =>
  db
    .select()
    .from(orderItems)
    .where(
      eq(
        orderItems.orderId,
        sql`(select ${orders.id} from ${orders} where ${and(eq(orders.siteId, param("site")), hasKey)})`,
      ),
    )
    .orderBy(orderItems.position),
)

/** Selects the order that an `Idempotency-Key` has placed, and its items. */
export const selectOrderByIdempotencyKey = ({ db, id }: ContentSite, hashes: readonly string[]) =>
  [
    db.select().from(orders).where(inArray(orders.onceHash, hashes)),
    db
      .select()
      .from(orderItems)
      .where(
        eq(
          orderItems.orderId,
          sql`(select ${orders.id} from ${orders} where ${and(eq(orders.siteId, id), inArray(orders.onceHash, hashes))})`,
        ),
      )
      .orderBy(orderItems.position),
  ] as const

/** Selects the published products with the given ids. */
export const selectPublishedProducts = ({ db }: ContentSite, ids: number[]) =>
  db
    .select({
      id: products.id,
      name: products.name,
      priceCents: products.priceCents,
      currency: products.currency,
      stock: products.stock,
    })
    .from(products)
    .where(
      and(
        eq(products.status, "published"),
        inArray(products.id, sql`(select value from json_each(${JSON.stringify(ids)}))`),
      ),
    )

/** Columns of a new order whose values the placement has decided on. */
type DecidedColumns = Pick<
  Order,
  | "userId"
  | "currency"
  | "note"
  | "totalCents"
  | "shippingCents"
  | "taxCents"
  | "customerName"
  | "customerEmail"
  | "customerPhone"
  | "locale"
  | "shippingAddress"
  | "paymentMethod"
  | "shippingMethod"
  | "keyHash"
  | "onceHash"
  | "onceRequest"
>

interface NewOrder extends DecidedColumns {
  /** The sum of the items at the prices that the total was computed from. */
  itemsCents: number
  items: readonly { product_id: number; quantity: number }[]
  now: Date
  /** The revision of the shop's settings that the total was computed from. */
  shopRevision: number
  /** Orders that the site may have this month, not counting cancelled ones; 0 for no limit. */
  limit: number
  /** UTC month, as in `2026-09`. */
  month: string
  /** Keyed hash of the client's network. */
  network: string
  /** Pending orders that the user, or the network's guests, and the network may have, including this one. */
  pending: { user: number; network: number }
}

/**
 * Counts the pending orders of a user. Those that were attached do not count, because anyone may have placed them with
 * the user's email address.
 */
export const countPendingOfUser = ({ id }: Pick<ContentSite, "id">, userId: number | SQL): SQL<number> =>
  sql<number>`(select count(*) from ${orders} indexed by orders_unpaid_user
    where ${and(eq(orders.siteId, id), sql`${orders.userId} = ${userId}`, sql`${orders.status} = 'pending'`, isNull(orders.attachedAt))})`

/**
 * Counts the pending orders that guests of a network have placed at a site, also those that were attached since, and
 * those whose account was deleted.
 */
export const countPendingOfGuests = ({ id }: Pick<ContentSite, "id">, network: string): SQL<number> =>
  sql<number>`(select count(*) from ${orders} indexed by orders_unpaid_network
    where ${and(eq(orders.siteId, id), eq(orders.network, network), or(inArray(orders.userId, [GUEST_USER_ID, ERASED_USER_ID]), isNotNull(orders.attachedAt)), sql`${orders.status} = 'pending'`)})`

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
      .select({ id: orders.id })
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

/** The number of the order that was placed last, within the batch that places it. */
export const lastNumber = (siteId: string): SQL<number> =>
  sql<number>`(select max(${orders.number}) from ${orders} where ${eq(orders.siteId, siteId)})`

/** The id of the order that was placed last, within the batch that places it. */
export const lastOrderId = (siteId: string): SQL<number> =>
  sql<number>`(select ${orders.id} from ${orders} where ${and(eq(orders.siteId, siteId), sql`${orders.number} = ${lastNumber(siteId)}`)})`

/** Orders are numbered from 1001. */
const FIRST_NUMBER = 1001

/**
 * Builds the writes that place an order and decrement the stock of its products, atomically. They abort when, since the
 * checks before, a product was unpublished, its currency or the sum of the prices changed, the shop's settings changed,
 * or a limit on orders was reached. The table's CHECK constraint aborts them when another order took the last item in
 * stock.
 */
export function placeOrderWrites(site: Pick<ContentSite, "id">, order: NewOrder) {
  const { id } = site
  const { items, itemsCents, now, shopRevision, limit, month, network, pending, ...columns } = order
  const orderedItems = sql`json_each(${JSON.stringify(items)}) as item`
  const productId = sql`json_extract(item.value, '$.product_id')`
  const quantity = sql`json_extract(item.value, '$.quantity')`
  const orderedProducts = sql`${orderedItems} join ${products} on ${products.id} = ${productId}
    and ${products.siteId} = ${id} and ${products.status} = 'published' and ${products.currency} = ${order.currency}`
  const orderId = sql`(select max(${orders.id}) from ${orders} where ${and(eq(orders.siteId, id), eq(orders.userId, order.userId))})`
  const pendingOfCustomer =
    order.userId === GUEST_USER_ID ? countPendingOfGuests(site, network) : countPendingOfUser(site, order.userId)
  const isSameShop = sql`coalesce((select ${shopSettings.revision} from ${shopSettings} where ${eq(shopSettings.siteId, id)}), 0) = ${shopRevision}`
  return [
    inSite(id)
      .insertSelect(
        orders,
        {
          ...columns,
          // SQLite refuses HAVING unless a result column aggregates.
          itemsCents: sql`sum(${products.priceCents} * ${quantity})`,
          number: sql`coalesce(${lastNumber(id)} + 1, ${FIRST_NUMBER})`,
          status: "pending",
          network,
          createdAt: now,
          updatedAt: now,
        },
        sql`from ${orderedProducts} where (${limit} = 0 or ${selectSiteCounter(id, "orders", month)} < ${limit})
        and ${pendingOfCustomer} < ${pending.user} and ${countPendingOfNetwork(site, network)} < ${pending.network}
        and ${isSameShop}
        having count(*) = ${items.length} and sum(${products.priceCents} * ${quantity}) = ${itemsCents}`,
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
          stockTaken: sql`case when ${products.stock} is null then 0 else ${quantity} end`,
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
export const setStatus = (
  siteId: string,
  order: Pick<Order, "id" | "status" | "userId">,
  to: Order["status"],
  now: Date,
) =>
  inSite(siteId)
    .update(orders)
    .set({ status: to, network: null, updatedAt: now, ...getErasedColumns(order, to) })
    .where(and(eq(orders.id, order.id), eq(orders.status, order.status), eq(orders.userId, order.userId)))

/** Updates an order, provided that what staff change is still as it was read. */
export const updateOrderRow = (siteId: string, order: Order, changed: Partial<Omit<Order, "siteId" | "id">>) =>
  inSite(siteId)
    .update(orders)
    .set(changed)
    .where(
      and(
        eq(orders.id, order.id),
        eq(orders.status, order.status),
        eq(orders.userId, order.userId),
        sql`${orders.tracking} is ${order.tracking}`,
        sql`${orders.staffNote} is ${order.staffNote}`,
      ),
    )

/** Returns the products of an order to stock, as far as it took them out. */
export function returnToStock(siteId: string, orderId: number): Write {
  const items = sql`${orderItems} where ${and(eq(orderItems.siteId, siteId), eq(orderItems.orderId, orderId))}`
  return inSite(siteId)
    .update(products)
    .set({
      stock: sql`${products.stock} + (select sum(coalesce(${orderItems.stockTaken}, ${orderItems.quantity})) from ${items} and ${orderItems.productId} = ${products.id})`,
    })
    .where(
      and(sql`${products.stock} is not null`, sql`${products.id} in (select ${orderItems.productId} from ${items})`),
    )
}
