// Customers' domains as Cloudflare is to know them: what is wanted of each, and what it last said. A row outlives its domain until
// Cloudflare has forgotten it too.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, moment } from "../columns"

export const customHostnames = sqliteTable(
  "custom_hostnames",
  {
    hostname: text("hostname").primaryKey(),
    /** Whether it is to be there; false from the removal of its domain on. */
    desired: flag("wanted").notNull(),
    /** Cloudflare's id of it; null until it was created. */
    cloudflareId: text("cloudflare_id"),
    /** Cloudflare's words for the hostname and for its certificate, such as `pending` and `pending_validation`. */
    status: text("status"),
    certificate: text("certificate"),
    /** Why the last call failed; null after one that did not. */
    error: text("fault"),
    /** Calls in a row that failed. */
    failures: integer("failures").notNull().default(0),
    /** When there is something to do next; null when all is as it should be. */
    nextAt: moment("next_at"),
    /** Until then somebody is at work on it. */
    leasedUntil: moment("leased_until"),
  },
  (t) => [index("custom_hostnames_due").on(t.nextAt).where(sql`next_at is not null`)],
)
