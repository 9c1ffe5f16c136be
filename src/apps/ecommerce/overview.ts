// Reads what a shop's staff see first: the orders of the last 30 days, and what needs attention. Reads a bounded number
// of orders and products, however many there are.
import { and, eq, gte, sql } from "drizzle-orm"
import { authenticate, type UserCtx } from "../../content/user"
import { addMs, DAY, isoDay } from "../../lib/time"
import { countOwnProducts } from "./products/queries"
import { orders, products } from "./tables"

/** Days of the overview, including the current one. */
const DAYS = 30

/** The latest orders that are read. */
const MAX_ORDERS = 2_000

/** Products whose stock is compared. */
const MAX_PRODUCTS = 2_000

/** Stocks below this need attention. */
const LOW_STOCK = 3

interface DayTotals {
  /** As in `2026-09-30`, in UTC. */
  day: string
  orders: number
  /** Revenue in the currency's smallest unit, without cancelled orders. */
  cents: number
}

export interface ShopOverview {
  days: DayTotals[]
  /** The number of orders that the figures are limited to; null when they are complete. */
  latestOnly: number | null
  /** Orders of the latest that are paid and not sent. */
  toSend: number
  /** Orders of the latest that wait for payment. */
  pending: number
  lowStock: number
  /** Products that the shop added or changed, without the samples of a new shop. */
  products: number
}

/**
 * Reads the overview for a member of the staff.
 * @param currency the currency whose orders count as revenue
 * @throws Refusal `unauthenticated`, `forbidden`
 */
export async function readShopOverview(ctx: UserCtx, currency: string): Promise<ShopOverview> {
  const { site, now } = ctx
  const since = dayStart(addMs(now, -(DAYS - 1) * DAY))
  const latest = sql`(select ${orders.status}, ${orders.totalCents}, ${orders.currency}, ${orders.createdAt}
    from ${orders} where ${eq(orders.siteId, site.id)} order by ${orders.id} desc limit ${MAX_ORDERS}) as latest`
  const day = sql<string>`date(latest.created_at / 1000, 'unixepoch')`
  const someProducts = sql`(select ${products.stock} from ${products} where ${and(eq(products.siteId, site.id), eq(products.status, "published"))} limit ${MAX_PRODUCTS}) as some_products`
  const { results } = await authenticate(
    ctx,
    () =>
      [
        site.db
          .select({
            day: day.as("day"),
            orders: sql<number>`count(*)`.as("orders"),
            cents: sql<number>`sum(case when latest.currency = ${currency} then latest.total_cents else 0 end)`.as(
              "cents",
            ),
          })
          .from(latest)
          .where(and(gte(sql`latest.created_at`, since.getTime()), sql`latest.status <> 'cancelled'`))
          .groupBy(day),
        site.db
          .select({
            read: sql<number>`count(*)`.as("read"),
            toSend: sql<number>`count(*) filter (where latest.status = 'paid')`.as("to_send"),
            pending: sql<number>`count(*) filter (where latest.status = 'pending')`.as("pending"),
            oldest: sql<number | null>`min(latest.created_at)`.as("oldest"),
          })
          .from(latest),
        site.db
          .select({
            lowStock: sql<number>`count(*) filter (where some_products.stock < ${LOW_STOCK})`.as("low_stock"),
            total: countOwnProducts(site.id).mapWith(Number).as("total"),
          })
          .from(someProducts),
      ] as const,
    { role: "viewer" },
  )
  const [perDay, [counts], [stock]] = results
  const isCut = (counts?.read ?? 0) >= MAX_ORDERS && (counts?.oldest ?? 0) > since.getTime()
  const byDay = new Map(perDay.map((row) => [row.day, row]))
  const days = Array.from({ length: DAYS }, (_, index) => {
    const name = isoDay(addMs(since, index * DAY))
    return byDay.get(name) ?? { day: name, orders: 0, cents: 0 }
  })
  return {
    days,
    latestOnly: isCut ? MAX_ORDERS : null,
    toSend: counts?.toSend ?? 0,
    pending: counts?.pending ?? 0,
    lowStock: stock?.lowStock ?? 0,
    products: stock?.total ?? 0,
  }
}

const dayStart = (date: Date): Date => new Date(Math.floor(date.getTime() / DAY) * DAY)
