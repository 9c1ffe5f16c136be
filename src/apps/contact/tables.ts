// The table of contact messages.
import { sql } from "drizzle-orm"
import { index, integer, text } from "drizzle-orm/sqlite-core"
import { timestamp } from "../../db/schema/columns"
import { siteTable } from "../../db/schema/site-table"

export const CONTACT_STATUSES = ["new", "read"] as const
export type ContactStatus = (typeof CONTACT_STATUSES)[number]

/** The `user_id` of messages that visitors wrote without an account. */
export const GUEST_USER_ID = 0

export const contactMessages = siteTable(
  "contact_messages",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** 0 for a guest. */
    userId: integer("user_id").notNull(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    phone: text("phone"),
    subject: text("subject"),
    message: text("message").notNull(),
    status: text("status").$type<ContactStatus>().notNull(),
    /** The latest reply that staff sent by mail. */
    reply: text("reply"),
    repliedAt: timestamp("replied_at"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    index("contact_messages_site").on(t.siteId),
    index("contact_messages_status").on(t.siteId, t.status),
    index("contact_messages_user").on(t.siteId, t.userId).where(sql`user_id <> 0`),
  ],
)
