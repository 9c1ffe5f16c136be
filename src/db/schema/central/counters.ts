// Tables for list totals, maintained by triggers, so that pages need no count query.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** Lists with a single total. */
export const COUNTED_LISTS = [
  "stores",
  "webhook_endpoints",
  "api_keys",
  "coupons",
  "licenses",
  "license_activations",
  "license_products",
] as const

/** Lists of one row with a total under `<name>:<row id>`. */
export const COUNTED_ROW_LISTS = ["audit"] as const

export type CountedList = (typeof COUNTED_LISTS)[number]
export type CountedRowList = (typeof COUNTED_ROW_LISTS)[number]

export const counters = sqliteTable(
  "counters",
  {
    /** The list: a `CountedList`, or a `CountedRowList` with its row's id. */
    list: text("list").notNull(),
    /** The counted subset, such as a status; empty for all rows. */
    filter: text("filter").notNull(),
    total: integer("total").notNull(),
  },
  (t) => [primaryKey({ columns: [t.list, t.filter] })],
)
