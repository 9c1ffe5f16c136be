// Tables for the users of a site: staff and customers.
import { index, integer, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, timestamp } from "../columns"
import { siteTable } from "../site-table"

/** What a member of the staff may do; `content/staff/rules.ts` has the rules. */
export type StaffRole = "owner" | "admin" | "editor" | "viewer"

export const users = siteTable(
  "users",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** As entered; compared in lower case. */
    email: text("email").notNull(),
    emailKey: text("email_key").notNull(),
    firstName: text("first_name").notNull(),
    lastName: text("last_name").notNull(),
    passwordHash: text("password_hash").notNull(),
    phone: text("phone"),
    dob: text("dob"),
    gender: text("gender", { enum: ["male", "female", "other"] }),
    description: text("description"),
    avatar: text("avatar"),
    /** Size of the avatar in bytes, which triggers add to the site's `media_bytes`; null without an avatar. */
    avatarSize: integer("avatar_size"),
    isStaff: flag("is_staff").notNull(),
    /** Null for customers, and for staff from before roles existed, who are owners. */
    role: text("role").$type<StaffRole>(),
    emailVerifiedAt: timestamp("email_verified_at"),
    /** When staff have disabled the customer's account, which can then no longer log in. */
    disabledAt: timestamp("disabled_at"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    // The address comes first, because operators find its accounts at every site.
    uniqueIndex("users_email").on(t.emailKey, t.siteId),
    index("users_staff").on(t.siteId, t.isStaff),
    index("users_site").on(t.siteId, t.id),
  ],
)
