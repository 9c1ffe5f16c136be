// How many rows a list has, kept by triggers, so that no page has to count them.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Lists that are counted as a whole. */
export const COUNTED_LISTS = [
  "stores",
  "webhook_endpoints",
  "licenses",
  "license_activations",
  "license_products",
] as const

/** Lists of one row that are counted, under `<name>:<id of the row>`. */
export const COUNTED_ROW_LISTS = ["audit"] as const

export type CountedList = (typeof COUNTED_LISTS)[number]
export type CountedRowList = (typeof COUNTED_ROW_LISTS)[number]

export const counters = sqliteTable(
  "counters",
  {
    /** The list: a `CountedList`, or a `CountedRowList` with its row's id. */
    list: text("list").notNull(),
    /** The filter within it, e.g. a status; empty for all. */
    filter: text("filter").notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.list, t.filter] })],
)
