// Tables for the host names of stores: the fallback under the central domain and custom domains.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"

export const domains = sqliteTable(
  "domains",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Lower-case ASCII, without port or trailing dot. */
    domain: text("domain").notNull().unique(),
    storeId: text("store_id").notNull(),
    isPrimary: flag("is_primary").notNull(),
    isFallback: flag("is_fallback").notNull(),
    /** The expected content of the TXT record. */
    verificationToken: text("verification_token"),
    verifiedAt: timestamp("verified_at"),
    /** When a DNS lookup last failed to find the token; null if never. */
    checkedAt: timestamp("checked_at"),
    /** The `seq` of another store that DNS now points to, which claims the domain; null for none. */
    claimSeq: integer("claim_seq"),
    /** When DNS was first seen to point to that store. */
    claimedAt: timestamp("claimed_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    index("domains_store").on(t.storeId, t.isPrimary),
    index("domains_custom").on(t.id).where(sql`is_fallback = 0`),
    index("domains_custom_name").on(t.domain).where(sql`is_fallback = 0`),
    index("domains_verified").on(t.id).where(sql`is_fallback = 0 and verified_at is not null`),
    index("domains_unverified").on(t.id).where(sql`is_fallback = 0 and verified_at is null`),
    index("domains_waiting").on(t.createdAt).where(sql`is_fallback = 0 and verified_at is null`),
    index("domains_unchecked").on(t.checkedAt, t.id).where(sql`verified_at is null`),
    index("domains_claimed").on(t.claimedAt).where(sql`claimed_at is not null`),
  ],
)
