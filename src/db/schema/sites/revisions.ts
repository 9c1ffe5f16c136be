// Table for earlier versions of posts and pages. Triggers add the version that an update replaces, and delete all but
// the latest 20 of a post or page.
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"
import { siteTable } from "../site-table"

/** Columns for the author of the present version of a row. */
export const savedBy = {
  /** A user of the site; null for an operator or a server token. */
  savedById: integer("saved_by_id"),
  /** Null for a version that is older than this column. */
  savedByName: text("saved_by_name"),
}

export const revisions = siteTable(
  "revisions",
  {
    siteId: text("site_id").notNull(),
    kind: text("kind").$type<"post" | "page">().notNull(),
    /** The post or page. */
    subjectId: integer("subject_id").notNull(),
    /** 1 for its first version. */
    number: integer("number").notNull(),
    name: text("name").notNull(),
    description: text("description"),
    content: text("content").notNull(),
    image: text("image"),
    /** Null for a post. */
    template: text("template"),
    ...savedBy,
    /** When the version was saved. */
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.kind, t.subjectId, t.number] })],
)
