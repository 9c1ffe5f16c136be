// Tables for a site's products.
import { sql } from "drizzle-orm"
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"

export type ProductStatus = "published" | "draft"

export const products = sqliteTable(
  "products",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** Unique within the site, and never digits only, so that it differs from an id. */
    slug: text("slug").notNull(),
    name: text("name").notNull(),
    /** The case-folded name, for sorting. */
    nameKey: text("name_key").notNull(),
    /** HTML or plain text, unmodified. */
    description: text("description"),
    image: text("image"),
    /** In the currency's smallest unit. */
    priceCents: integer("price_cents").notNull(),
    currency: text("currency").notNull(),
    /** Stock; null when it is not tracked. */
    stock: integer("stock"),
    status: text("status").$type<ProductStatus>().notNull(),
    /** Name and description, case-folded for search. */
    searchText: text("search_text").notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("products_slug").on(t.siteId, t.slug),
    index("products_id").on(t.siteId, t.status),
    index("products_created").on(t.siteId, t.status, t.createdAt),
    index("products_name").on(t.siteId, t.status, t.nameKey),
    index("products_price").on(t.siteId, t.status, t.priceCents),
    // Of two concurrent orders for the last piece, the second fails as a whole.
    check("products_stock", sql`${t.stock} >= 0`),
  ],
)
