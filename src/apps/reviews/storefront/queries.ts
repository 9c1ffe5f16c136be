// Storefront queries for reviews, by the slug or id of their product.
import { and, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm"
import { rowCounter } from "../../../core/list/site-totals"
import { param } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { siteCounters } from "../../../db/schema/sites/counters"
import { users } from "../../../db/schema/sites/users"
import { products } from "../../ecommerce/tables"
import { reviews } from "../tables"

interface SiteParams {
  site: string
}

/** Reviews on the page of a product. */
const MAX_REVIEWS = 20

export interface ShownReview {
  id: number
  rating: number
  comment: string | null
  createdAt: Date
  firstName: string
  lastName: string
}

const published = (isMatch: SQL) => and(eq(products.status, "published"), isMatch)

const productId = (isMatch: SQL): SQL =>
  sql`(select ${products.id} from ${products} where ${and(eq(products.siteId, param("site")), published(isMatch))})`

/** Selects the latest reviews of a product. */
export const selectReviews = prepareReadByIdOrSlug<ShownReview, SiteParams>(products, (db, isMatch) =>
  db
    .select({
      id: reviews.id,
      rating: reviews.rating,
      comment: reviews.comment,
      createdAt: reviews.createdAt,
      firstName: users.firstName,
      lastName: users.lastName,
    })
    .from(reviews)
    .innerJoin(users, eq(users.id, reviews.userId))
    // The index of the product is better than that of the status.
    .where(and(eq(reviews.productId, productId(isMatch)), sql`+${reviews.status} = 'published'`))
    .orderBy(desc(reviews.id))
    .limit(MAX_REVIEWS),
)

/** Selects the number of a product's reviews per rating. */
export const selectRatings = prepareReadByIdOrSlug<{ rating: number; total: number }, SiteParams>(
  products,
  (db, isMatch) =>
    db
      .select({ rating: sql<number>`cast(${siteCounters.filter} as integer)`.as("rating"), total: siteCounters.total })
      .from(siteCounters)
      .where(
        and(
          eq(siteCounters.list, rowCounter("reviews", productId(isMatch)).name),
          inArray(siteCounters.filter, ["1", "2", "3", "4", "5"]),
          gt(siteCounters.total, 0),
        ),
      ),
)

/** Selects a published product. */
export const selectProduct = prepareReadByIdOrSlug<{ id: number; slug: string; name: string }, SiteParams>(
  products,
  (db, isMatch) =>
    db.select({ id: products.id, slug: products.slug, name: products.name }).from(products).where(published(isMatch)),
)
