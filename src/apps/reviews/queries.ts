// Statements about reviews, each limited to its site.
import { and, asc, desc, eq, gt, inArray, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { ContentSite } from "../../content/site"
import { compiledPages } from "../../core/list/page"
import { countedAt, counterOf } from "../../core/list/site-totals"
import { named } from "../../db/join-columns"
import { compiled, given } from "../../db/prepared"
import { siteCounters } from "../../db/schema/sites/counters"
import { products } from "../../db/schema/sites/products"
import { reviews } from "../../db/schema/sites/reviews"
import { users } from "../../db/schema/sites/users"
import { insertSelect } from "../../db/write"
import type { CreateReview, ReviewFacts } from "./schemas"

/** A product at a site. */
interface OfProduct {
  site: string
  product: number
}

const site = given("site")

/** The list of the product's reviews. */
const ofProduct = counterOf("reviews", sql`cast(${given("product")} as integer)`)

/** The statements that read a page of a product's reviews, the newest first, each with its author. */
export const pagesOf = compiledPages<ReviewFacts, OfProduct>(
  countedAt(site, ofProduct),
  (db, { limit, offset }, direction) =>
    db
      .select({ review: named(reviews), author: named(users) })
      .from(reviews)
      .innerJoin(users, and(eq(users.id, reviews.userId), eq(users.siteId, site)))
      .where(and(eq(reviews.siteId, site), eq(reviews.productId, given("product"))))
      .orderBy(direction === "forward" ? desc(reviews.id) : asc(reviews.id))
      .limit(limit)
      .offset(offset),
)

/** The statement that reads how many reviews of each rating a product has. */
export const ratingsOf = compiled<{ rating: number; total: number }, OfProduct>((db) =>
  db
    .select({ rating: sql<number>`cast(${siteCounters.filter} as integer)`.as("rating"), total: siteCounters.total })
    .from(siteCounters)
    .where(
      and(
        eq(siteCounters.siteId, site),
        eq(siteCounters.list, ofProduct.name),
        inArray(siteCounters.filter, ["1", "2", "3", "4", "5"]),
        gt(siteCounters.total, 0),
      ),
    ),
)

/** The statement that finds a product that the site sells. */
export const soldProduct = compiled<{ id: number }, OfProduct>((db) =>
  db
    .select({ id: products.id })
    .from(products)
    .where(and(eq(products.siteId, site), eq(products.id, given("product")), eq(products.status, "published"))),
)

/** The statement that reads one review. */
export const selectReview = ({ db, id }: ContentSite, reviewId: number) =>
  db.select().from(reviews).where(isReview(id, reviewId))

/** The review of an id, at this site. */
export const isReview = (siteId: string, reviewId: number) => and(eq(reviews.siteId, siteId), eq(reviews.id, reviewId))

/** Adds a review of a product that is sold; one of a user who has reviewed it answers no row. */
export const insertReview = (
  { id }: Pick<ContentSite, "id">,
  { product_id, rating, comment = null }: z.output<typeof CreateReview>,
  userId: SQL<number>,
  now: Date,
) =>
  insertSelect(
    reviews,
    { siteId: id, productId: sql`${products.id}`, userId, rating, comment, createdAt: now, updatedAt: now },
    sql`from ${products} where ${and(eq(products.siteId, id), eq(products.id, product_id), eq(products.status, "published"))}`,
  )
    .onConflictDoNothing()
    .returning()
