// Loads the products that match the filters of the list. A bounded number of products is searched: the cheapest in the
// range of prices, or the first of the list without one.
import { and, sql } from "drizzle-orm"
import { type PreparedRead, param, prepareSiteRead } from "../../../db/prepared"
import { foundById } from "../../../db/site-scope"
import { fractionDigits, listCurrencies } from "../../../lib/intl"
import { memoize } from "../../../lib/memo"
import { type ListQuery, parseUnits, type Sort } from "../../../storefront/list-query"
import type { Page, PageLoader, SiteScope } from "../../../storefront/part"
import { products } from "../tables"
import type { Product } from "./data"
import { renderProductsPage } from "./products"
import { columns, orderProducts } from "./queries"

const PAGE_SIZE = 12

/** Products that one request searches. */
const MAX_SEARCHED = 1_000

/** Lists how many smallest units a unit of each currency has, except those with hundredths, as JSON. */
const listUnits = () =>
  JSON.stringify(
    Object.fromEntries(
      listCurrencies().flatMap((currency) => {
        const digits = fractionDigits(currency)
        return digits === null || digits === 2 ? [] : [[currency, 10 ** digits]]
      }),
    ),
  )

interface Params {
  site: string
  /** In units of the currency; null for no limit. */
  min: number | null
  max: number | null
  /** 1 for products that can be ordered. */
  inStock: number
  start: number
}

const published = sql`${products.siteId} = ${param("site")} and ${products.status} = 'published'`

/** Builds the condition on the price. The limits are in units of the shop's currency: that of the latest product. */
function isInRange() {
  const units = sql`(select coalesce((select value from json_each(${listUnits()}) where key = ${products.currency}), 100)
    from ${products} where ${published} order by ${products.createdAt} desc limit 1)`
  return sql`${products.priceCents} >= coalesce(round(${param("min")} * ${units}), 0)
    and ${products.priceCents} <= coalesce(round(${param("max")} * ${units}), 9000000000000000)`
}

interface Shape {
  sort: Sort
  hasRange: boolean
}

/** Prepares the query of each order, with and without a range of prices. */
const prepare = memoize((shape: string) => {
  const { sort, hasRange } = JSON.parse(shape) as Shape
  const scanned = orderProducts(hasRange && sort === "newest" ? "price_asc" : sort)
  const candidates = sql`select ${products.id} from ${products}
    where ${and(published, hasRange ? isInRange() : undefined)}
    order by ${sql.join(scanned, sql`, `)} limit ${MAX_SEARCHED}`
  return prepareSiteRead<Product & { total: number }, Params>((db) =>
    db
      .select({ ...columns, total: sql<number>`count(*) over ()`.as("total") })
      .from(foundById(products))
      .where(
        and(
          sql`${products.id} in (${candidates})`,
          sql`(${param("inStock")} = 0 or ${products.stock} is null or ${products.stock} > 0)`,
        ),
      )
      .orderBy(...orderProducts(sort))
      .limit(PAGE_SIZE)
      .offset(param("start")),
  )
})

/**
 * Loads a page of the products that match.
 * @param query an invalid price is ignored
 */
export function loadFilteredProducts({ siteId }: SiteScope, page: number, query: ListQuery): PageLoader<Page> {
  const [min = null, max = null] = [parseUnits(query.min), parseUnits(query.max)]
  const shape: Shape = { sort: query.sort, hasRange: min !== null || max !== null }
  const start = (page - 1) * PAGE_SIZE
  const read = prepare(JSON.stringify(shape))({ site: siteId, min, max, inStock: Number(query.inStock), start })
  return {
    reads: [read as PreparedRead<unknown>],
    load([rows = []]) {
      const found = rows as (Product & { total: number })[]
      if (page > 1 && !found.length) return null
      const lastPage = Math.max(1, Math.ceil((found[0]?.total ?? 0) / PAGE_SIZE))
      return renderProductsPage(found, { page, lastPage }, query)
    },
  }
}
