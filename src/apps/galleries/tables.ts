// Tables for galleries and their pictures.
import { index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../../db/schema/columns"
import { siteTable } from "../../db/schema/site-table"

export type GalleryStatus = "published" | "draft"

export const galleries = siteTable(
  "galleries",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** Unique within the site, and never digits only. */
    slug: text("slug").notNull(),
    name: text("name").notNull(),
    description: text("description"),
    /** The cover. */
    image: text("image"),
    status: text("status").$type<GalleryStatus>().notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [uniqueIndex("galleries_slug").on(t.siteId, t.slug), index("galleries_id").on(t.siteId, t.status)],
)

export const pictures = siteTable(
  "pictures",
  {
    siteId: text("site_id").notNull(),
    galleryId: integer("gallery_id").notNull(),
    /** Zero-based position in the gallery. */
    position: integer("position").notNull(),
    image: text("image").notNull(),
    caption: text("caption"),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.galleryId, t.position] })],
)
