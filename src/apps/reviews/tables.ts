// Tables for product reviews: one per user and product.
import { sql } from "drizzle-orm"
import { check, index, integer, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../../db/schema/columns"
import { siteTable } from "../../db/schema/site-table"

export const REVIEW_STATUSES = ["published", "hidden"] as const
export type ReviewStatus = (typeof REVIEW_STATUSES)[number]

export const reviews = siteTable(
  "reviews",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    productId: integer("product_id").notNull(),
    userId: integer("user_id").notNull(),
    /** 1 to 5. */
    rating: integer("rating").notNull(),
    comment: text("comment"),
    /** Staff hide a review; only its author still sees it. */
    status: text("status").$type<ReviewStatus>().notNull().default("published"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("reviews_user").on(t.siteId, t.productId, t.userId),
    index("reviews_product").on(t.siteId, t.productId),
    index("reviews_status").on(t.siteId, t.status),
    check("reviews_rating", sql`${t.rating} between 1 and 5`),
  ],
)
