// What a site tells its users: each message once, and a row in the inbox of every user it went to.
import { sql } from "drizzle-orm"
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { json, moment } from "../columns"

export const NOTIFICATION_TYPES = ["general", "order", "promotion", "system"] as const
export const NOTIFICATION_TARGETS = ["all", "android", "ios", "customers"] as const

export type NotificationType = (typeof NOTIFICATION_TYPES)[number]
export type NotificationTarget = (typeof NOTIFICATION_TARGETS)[number]
export type NotificationStatus = "scheduled" | "sending" | "sent" | "failed"

export const notifications = sqliteTable(
  "notifications",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    title: text("title").notNull(),
    message: text("message").notNull(),
    type: text("type").$type<NotificationType>().notNull(),
    actionUrl: text("action_url"),
    imageUrl: text("image_url"),
    data: json<Record<string, unknown>>("data"),
    target: text("target").$type<NotificationTarget>().notNull(),
    status: text("status").$type<NotificationStatus>().notNull(),
    scheduledAt: moment("scheduled_at"),
    sentAt: moment("sent_at"),
    /** The last user whose inbox has it: recipients are added in the order of their ids, a chunk at a time. */
    reachedUser: integer("reached_user").notNull().default(0),
    recipients: integer("recipients").notNull().default(0),
    /** Kept by triggers: each recipient counts once. */
    readCount: integer("read_count").notNull().default(0),
    clickedCount: integer("clicked_count").notNull().default(0),
    createdByName: text("created_by_name").notNull(),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (t) => [
    index("notifications_site").on(t.siteId, t.id),
    index("notifications_due").on(t.status, t.scheduledAt),
    index("notifications_stalled").on(t.status, t.updatedAt),
  ],
)

/** A row of a user's inbox. How many rows an inbox has, by what they are, `counters` knows by triggers. */
export const notificationRecipients = sqliteTable(
  "notification_recipients",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    notificationId: integer("notification_id").notNull(),
    userId: integer("user_id").notNull(),
    /** The notification's, so that an inbox can be filtered by it. */
    type: text("type").$type<NotificationType>().notNull(),
    readAt: moment("read_at"),
    clickedAt: moment("clicked_at"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [
    uniqueIndex("notification_recipients_once").on(t.notificationId, t.userId),
    index("notification_recipients_inbox").on(t.siteId, t.userId, t.id),
    index("notification_recipients_type").on(t.siteId, t.userId, t.type, t.id),
    index("notification_recipients_unread").on(t.siteId, t.userId, t.id).where(sql`"read_at" is null`),
    index("notification_recipients_unread_type").on(t.siteId, t.userId, t.type, t.id).where(sql`"read_at" is null`),
  ],
)
