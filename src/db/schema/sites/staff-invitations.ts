// The table of invitations to a site's staff. A row is deleted when the invitation is accepted or withdrawn.
import { index, integer, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { timestamp } from "../columns"
import { siteTable } from "../site-table"
import type { StaffRole } from "./users"

export const staffInvitations = siteTable(
  "staff_invitations",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** As entered; compared in lower case. */
    email: text("email").notNull(),
    emailKey: text("email_key").notNull(),
    role: text("role").$type<StaffRole>().notNull(),
    /** SHA-256 of the mailed token in hex. */
    hash: text("hash").notNull(),
    expiresAt: timestamp("expires_at").notNull(),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("staff_invitations_email").on(t.siteId, t.emailKey),
    uniqueIndex("staff_invitations_hash").on(t.siteId, t.hash),
    index("staff_invitations_site").on(t.siteId, t.id),
  ],
)
