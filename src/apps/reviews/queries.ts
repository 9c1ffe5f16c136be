// Queries for reviews, each limited to one site.
import { and, asc, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { ContentSite } from "../../content/site"
import { prepareSitePages } from "../../core/list/page"
import { rowCounter, selectSiteCounter } from "../../core/list/site-totals"
import type { Read } from "../../db/client"
import { aliasedColumns } from "../../db/join-columns"
import { param, prepareSiteRead } from "../../db/prepared"
import { siteCounters } from "../../db/schema/sites/counters"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { orderItems, orders, products } from "../ecommerce/tables"
import type { CreateReview, ReviewOfProduct, ReviewWithAuthor } from "./schemas"
import { type ReviewStatus, reviews } from "./tables"

/** Parameters of a query about one product. */
interface ProductParams {
  site: string
  product: number
}

const site = param("site")

const product = sql`cast(${param("product")} as integer)`

/** Counter of a product's published reviews. */
const productReviews = rowCounter("reviews", product)

const preparePages = (status: ReviewStatus) =>
  prepareSitePages<ReviewWithAuthor, ProductParams>(
    selectSiteCounter(site, status === "published" ? productReviews : rowCounter("hidden_reviews", product)),
    (db, { limit, offset }, direction) =>
      db
        .select({ review: aliasedColumns(reviews), author: aliasedColumns(users) })
        .from(reviews)
        .innerJoin(users, eq(users.id, reviews.userId))
        // The index of the product is better than that of the status.
        .where(and(eq(reviews.productId, param("product")), sql`+${reviews.status} = ${status}`))
        .orderBy(direction === "forward" ? desc(reviews.id) : asc(reviews.id))
        .limit(limit)
        .offset(offset),
  )

/** Selects a page of a product's reviews of a status with their authors, newest first. */
export const selectPages: Record<ReviewStatus, ReturnType<typeof preparePages>> = {
  published: preparePages("published"),
  hidden: preparePages("hidden"),
}

/** Selects reviews of all products with a status, newest first. */
export const selectReviewsOfSite = (
  { db }: ContentSite,
  { status, limit, offset }: { status: ReviewStatus; limit: number; offset: number },
): Read<ReviewOfProduct[]> =>
  db
    .select({
      review: aliasedColumns(reviews),
      author: aliasedColumns(users),
      product: { id: sql<number>`${products.id}`.as("of_product"), name: sql<string>`${products.name}`.as("of_name") },
    })
    .from(reviews)
    .innerJoin(users, eq(users.id, reviews.userId))
    .innerJoin(products, eq(products.id, reviews.productId))
    .where(eq(reviews.status, status))
    .orderBy(desc(reviews.id))
    .limit(limit)
    .offset(offset)

/** Selects the number of a product's reviews per rating. */
export const selectRatings = prepareSiteRead<{ rating: number; total: number }, ProductParams>((db) =>
  db
    .select({ rating: sql<number>`cast(${siteCounters.filter} as integer)`.as("rating"), total: siteCounters.total })
    .from(siteCounters)
    .where(
      and(
        eq(siteCounters.list, productReviews.name),
        inArray(siteCounters.filter, ["1", "2", "3", "4", "5"]),
        gt(siteCounters.total, 0),
      ),
    ),
)

/** Selects a published product of the site. */
export const selectPublishedProduct = prepareSiteRead<{ id: number }, ProductParams>((db) =>
  db
    .select({ id: products.id })
    .from(products)
    .where(and(eq(products.id, param("product")), eq(products.status, "published"))),
)

/** Selects a paid or fulfilled order of a product by a user; no row when the user has not bought it. */
export const selectPurchase = (
  { db }: ContentSite,
  { product, userId }: { product: number; userId: SQL<number> | number },
) =>
  db
    .select({ id: orders.id })
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .where(
      and(eq(orders.userId, userId), inArray(orders.status, ["paid", "fulfilled"]), eq(orderItems.productId, product)),
    )
    .limit(1)

/** Selects a review by its id. */
export const selectReview = ({ db }: ContentSite, reviewId: number) =>
  db.select().from(reviews).where(eq(reviews.id, reviewId))

/** Selects a review with its author. */
export const selectReviewWithAuthor = ({ db }: ContentSite, reviewId: number): Read<ReviewWithAuthor[]> =>
  db
    .select({ review: aliasedColumns(reviews), author: aliasedColumns(users) })
    .from(reviews)
    .innerJoin(users, eq(users.id, reviews.userId))
    .where(eq(reviews.id, reviewId))

/** Inserts a review of a published product. Returns no row when the user has already reviewed the product. */
export const insertReview = (
  { id }: Pick<ContentSite, "id">,
  { product_id, rating, comment = null }: z.output<typeof CreateReview>,
  userId: SQL<number>,
  now: Date,
) =>
  inSite(id)
    .insertSelect(
      reviews,
      { productId: sql`${products.id}`, userId, rating, comment, status: "published", createdAt: now, updatedAt: now },
      sql`from ${products} where ${and(eq(products.siteId, id), eq(products.id, product_id), eq(products.status, "published"))}`,
    )
    .onConflictDoNothing()
    .returning()

/** Selects the review that a user has written of a product. */
export const selectReviewOfUser = ({ db }: ContentSite, { product, user }: { product: number; user: number }) =>
  db
    .select({ id: reviews.id, rating: reviews.rating, comment: reviews.comment })
    .from(reviews)
    .where(and(eq(reviews.productId, product), eq(reviews.userId, user)))
