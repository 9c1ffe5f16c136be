// Tables for totals of a site's lists, maintained by triggers, so that pages need no count query.
import { integer, primaryKey, text } from "drizzle-orm/sqlite-core"
import { siteTable } from "../site-table"

/** Counted lists of a site. Apps add theirs next to their manifests by declaration merging. */
export interface SiteLists {
  posts: true
  categories: true
  tags: true
  pages: true
  /** Users who are not staff. */
  customers: true
  media_bytes: true
  avatar_bytes: true
  /** The version of the public content, incremented on every change. */
  version: true
}

/** Counted lists of one row, under `<name>:<row id>`. Apps add theirs by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: apps add members by declaration merging
export interface RowLists {}

export type SiteCounter = keyof SiteLists
export type RowCounter = keyof RowLists

export const siteCounters = siteTable(
  "counters",
  {
    siteId: text("site_id").notNull(),
    /** The list: a `SiteCounter`, or a `RowCounter` with its row's id. */
    list: text("list").notNull(),
    /** The counted subset, such as a status; empty for all rows. */
    filter: text("filter").notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.list, t.filter] })],
)
