// Tables for a site's static pages, such as about, contact and terms.
import { index, integer, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"
import { siteTable } from "../site-table"
import type { PublicationStatus } from "./posts"
import { savedBy } from "./revisions"

export const pages = siteTable(
  "pages",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** Unique within the site, and never digits only. */
    slug: text("slug").notNull(),
    name: text("name").notNull(),
    /** The case-folded name, for sorting. */
    nameKey: text("name_key").notNull(),
    description: text("description"),
    /** HTML or plain text, unmodified. */
    content: text("content").notNull(),
    image: text("image"),
    template: text("template").notNull(),
    status: text("status").$type<PublicationStatus>().notNull(),
    ...savedBy,
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("pages_slug").on(t.siteId, t.slug),
    index("pages_id").on(t.siteId, t.status),
    index("pages_created").on(t.siteId, t.status, t.createdAt),
    index("pages_updated").on(t.siteId, t.status, t.updatedAt),
    index("pages_name").on(t.siteId, t.status, t.nameKey),
  ],
)
