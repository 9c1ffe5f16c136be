// Tables for the desired and last known state of Cloudflare custom hostnames. A row outlives its domain until
// Cloudflare has deleted the hostname too.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"

export const customHostnames = sqliteTable(
  "custom_hostnames",
  {
    hostname: text("hostname").primaryKey(),
    /** Whether the hostname should exist; false once its domain is removed. */
    desired: flag("wanted").notNull(),
    /** Cloudflare's id; null until the hostname is created. */
    cloudflareId: text("cloudflare_id"),
    /** Cloudflare's status of the hostname and of its certificate, such as `pending` and `pending_validation`. */
    status: text("status"),
    certificate: text("certificate"),
    /** The error of the last call; null after a successful one. */
    error: text("fault"),
    /** Consecutive failed calls. */
    failures: integer("failures").notNull().default(0),
    /** When to reconcile next; null when the state is as desired. */
    nextAt: timestamp("next_at"),
    /** End of the lease of the worker that reconciles it. */
    leasedUntil: timestamp("leased_until"),
  },
  (t) => [index("custom_hostnames_due").on(t.nextAt).where(sql`next_at is not null`)],
)
