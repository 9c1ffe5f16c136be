// Tables for the blog: posts, categories and tags.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"
import { siteTable } from "../site-table"
import { savedBy } from "./revisions"

export type PublicationStatus = "published" | "draft" | "pending"

/**
 * Columns that posts, categories and tags share. Lists are sorted by the folded name and by both dates, so each has an
 * index.
 */
const titled = {
  id: integer("id").primaryKey({ autoIncrement: true }),
  siteId: text("site_id").notNull(),
  /** Unique within the site, and never digits only, so that it differs from an id. */
  slug: text("slug").notNull(),
  name: text("name").notNull(),
  /** The case-folded name, for sorting. */
  nameKey: text("name_key").notNull(),
  description: text("description"),
  createdAt: timestamp("created_at").notNull(),
  updatedAt: timestamp("updated_at").notNull(),
}

export const posts = siteTable(
  "posts",
  {
    ...titled,
    /** HTML or plain text, unmodified. */
    content: text("content").notNull(),
    image: text("image"),
    status: text("status").$type<PublicationStatus>().notNull(),
    isFeatured: flag("is_featured").notNull(),
    /** A user of the site. */
    authorId: integer("author_id"),
    /** When a published post appears; null for immediately. */
    publishedAt: timestamp("published_at"),
    ...savedBy,
    /** Name, description and content without markup, case-folded for search. */
    searchText: text("search_text").notNull(),
  },
  (t) => [
    uniqueIndex("posts_slug").on(t.siteId, t.slug),
    index("posts_id").on(t.siteId, t.status),
    index("posts_created").on(t.siteId, t.status, t.createdAt),
    index("posts_updated").on(t.siteId, t.status, t.updatedAt),
    index("posts_name").on(t.siteId, t.status, t.nameKey),
    index("posts_featured").on(t.siteId, t.status).where(sql`is_featured = 1`),
    // The posts that were saved before the date of their publication.
    index("posts_scheduled").on(t.siteId, t.publishedAt).where(sql`published_at > updated_at`),
  ],
)

export const categories = siteTable(
  "categories",
  {
    ...titled,
    /** The parent category; 0 for none. */
    parentId: integer("parent_id").notNull(),
  },
  (t) => [
    uniqueIndex("categories_slug").on(t.siteId, t.slug),
    index("categories_id").on(t.siteId),
    index("categories_parent").on(t.siteId, t.parentId),
    index("categories_created").on(t.siteId, t.createdAt),
    index("categories_updated").on(t.siteId, t.updatedAt),
    index("categories_name").on(t.siteId, t.nameKey),
  ],
)

export const tags = siteTable("tags", titled, (t) => [
  uniqueIndex("tags_slug").on(t.siteId, t.slug),
  index("tags_id").on(t.siteId),
  index("tags_created").on(t.siteId, t.createdAt),
  index("tags_updated").on(t.siteId, t.updatedAt),
  index("tags_name").on(t.siteId, t.nameKey),
])

export const postCategories = siteTable(
  "post_categories",
  {
    siteId: text("site_id").notNull(),
    categoryId: integer("category_id").notNull(),
    postId: integer("post_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.categoryId, t.postId] }),
    index("post_categories_post").on(t.siteId, t.postId, t.categoryId),
  ],
)

export const postTags = siteTable(
  "post_tags",
  {
    siteId: text("site_id").notNull(),
    tagId: integer("tag_id").notNull(),
    postId: integer("post_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.tagId, t.postId] }),
    index("post_tags_post").on(t.siteId, t.postId, t.tagId),
  ],
)
