// How many rows a site's lists have, kept by triggers, so that no page has to count them.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Lists of a site that are counted. An app adds its own, beside its manifest: the names of lists are one union. */
export interface SiteLists {
  posts: true
  categories: true
  tags: true
  pages: true
  media_bytes: true
  avatar_bytes: true
  /** How often what the public may read has changed. */
  version: true
}

/** Lists of one row of a site that are counted, under `<name>:<id of the row>`: apps add theirs. */
// biome-ignore lint/suspicious/noEmptyInterface: what is not empty are the declarations of the apps
export interface RowLists {}

export type SiteCounter = keyof SiteLists
export type RowCounter = keyof RowLists

export const siteCounters = sqliteTable(
  "counters",
  {
    siteId: text("site_id").notNull(),
    /** The list: a `SiteCounter`, or a `RowCounter` with its row's id. */
    list: text("list").notNull(),
    /** The filter within it, e.g. a status; empty for all. */
    filter: text("filter").notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.list, t.filter] })],
)
