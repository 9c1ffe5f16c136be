// Statements about orders, each limited to its site.
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import { countedAt, counterOf } from "../../../content/pagination"
import type { ContentSite } from "../../../content/site"
import { type PageRequest, pageStatements } from "../../../core/page"
import type { SiteDatabase, Statement } from "../../../db/client"
import { orderItems, orders } from "../../../db/schema/sites/orders"
import { products } from "../../../db/schema/sites/products"

/**
 * The statements that read a page of orders, the newest first.
 * @param userId whose; null for everybody's
 */
export function selectPage({ db, id }: ContentSite, input: PageRequest, userId: SQL<number> | null) {
  const where = and(eq(orders.siteId, id), userId ? eq(orders.userId, userId) : undefined)
  const total = countedAt(id, userId ? counterOf("orders", userId) : "orders")
  return pageStatements(db, input, total, ({ limit, offset }, direction) =>
    db
      .select()
      .from(orders)
      .where(where)
      .orderBy(direction === "forward" ? desc(orders.id) : asc(orders.id))
      .limit(limit)
      .offset(offset),
  )
}

/** The statements that read one order and its items. */
export const selectOrder = ({ db, id }: ContentSite, orderId: number) =>
  [
    db
      .select()
      .from(orders)
      .where(and(eq(orders.siteId, id), eq(orders.id, orderId))),
    db
      .select()
      .from(orderItems)
      .where(and(eq(orderItems.siteId, id), eq(orderItems.orderId, orderId)))
      .orderBy(orderItems.position),
  ] as const

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
  /** How many orders of this month the site may have; 0 is no limit. */
  limit: number
  /** `2026-09`. */
  month: string
}

/**
 * The statements that place an order: at the prices of this very moment, all of its products or none, off the shelf. They
 * abort when a product was withdrawn, its currency changed, or the plan's orders were used up since it was decided; the
 * table's own check aborts them when the last piece went to somebody else.
 */
export function placeStatements({ db, id }: ContentSite, order: NewOrder) {
  const { userId, currency, note, now, limit, month } = order
  const wanted = sql`json_each(${JSON.stringify(order.items)}) as item`
  const productId = sql`json_extract(item.value, '$.product_id')`
  const quantity = sql`json_extract(item.value, '$.quantity')`
  const sold = sql`${wanted} join ${products} on ${products.id} = ${productId}
    and ${products.siteId} = ${id} and ${products.status} = 'published' and ${products.currency} = ${currency}`
  const at = now.getTime()
  const orderId = sql`(select max(${orders.id}) from ${orders} where ${and(eq(orders.siteId, id), eq(orders.userId, userId))})`
  return [
    db
      .insert(orders)
      .select(
        sql`select null, ${id}, ${userId}, 'pending', ${currency}, sum(${products.priceCents} * ${quantity}), ${note}, ${at}, ${at}
          from ${sold} where ${limit} = 0 or ${countedAt(id, "orders", month)} < ${limit}
          having count(*) = ${order.items.length}`,
      )
      .returning(),
    orAbort(db),
    db
      .insert(orderItems)
      .select(
        sql`select ${id}, ${orderId}, item.key, ${products.id}, ${products.name}, ${products.priceCents}, ${quantity} from ${sold}
          where true order by item.key`,
      )
      .returning(),
    db
      .update(products)
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

/** The statements that move an order on; one that is cancelled puts its products back on the shelf. */
export function moveStatements(
  { db, id }: ContentSite,
  order: typeof orders.$inferSelect,
  to: typeof order.status,
  now: Date,
) {
  const items = sql`${orderItems} where ${and(eq(orderItems.siteId, id), eq(orderItems.orderId, order.id))}`
  const back = db
    .update(products)
    .set({
      stock: sql`${products.stock} + (select sum(${orderItems.quantity}) from ${items} and ${orderItems.productId} = ${products.id})`,
    })
    .where(
      and(
        eq(products.siteId, id),
        sql`${products.stock} is not null`,
        sql`${products.id} in (select ${orderItems.productId} from ${items})`,
      ),
    )
  const move = db
    .update(orders)
    .set({ status: to, updatedAt: now })
    .where(and(eq(orders.siteId, id), eq(orders.id, order.id), eq(orders.status, order.status)))
    .returning()
  return [move, orAbort(db), ...(to === "cancelled" ? [back] : [])] as const
}

/** Aborts the batch when the statement before it touched no row. */
const orAbort = (db: SiteDatabase): Statement =>
  db.run(sql`insert into abort_batch select 'lost_race' where changes() = 0`) as unknown as Statement
