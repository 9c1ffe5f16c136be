// What a site tells its users: each message once, and a row in the inbox of every user it went to.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"
import { flag, json, moment } from "../columns"

export const NOTIFICATION_TYPES = ["general", "order", "promotion", "system"] as const
export const NOTIFICATION_TARGETS = ["all", "android", "ios", "customers"] as const

export type NotificationType = (typeof NOTIFICATION_TYPES)[number]
export type NotificationTarget = (typeof NOTIFICATION_TARGETS)[number]
export type NotificationStatus = "scheduled" | "sending" | "sent" | "failed" | "cancelled"

/** Why a notification went to no device. */
export type PushNote = "not_set_up" | "switched_off"

/** Why sending it ended before its time. */
export interface Stop {
  code:
    | "account_refused"
    | "account_unreadable"
    | "project_refused"
    | "field_refused"
    | "message_refused"
    | "not_set_up"
    | "switched_off"
  /** The provider's own words, or the field's name. */
  detail?: string
}

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
    /** No row of an inbox that has it is older than this one. */
    firstRecipient: integer("first_recipient"),
    /** When the last inbox had it. */
    filledAt: moment("filled_at"),
    /** Devices that it is for, as they were counted when sending to them began. */
    devices: integer("devices").notNull().default(0),
    /** The last of them; null before that. */
    lastDevice: integer("last_device"),
    /** The last device that was claimed: they are claimed in the order of their ids, each once. */
    reachedDevice: integer("reached_device").notNull().default(0),
    /** Whether the provider has answered anything but that it does not understand the message. */
    proven: flag("proven").notNull().default(false),
    /** How many answers said that before. */
    refusals: integer("refusals").notNull().default(0),
    /** Devices that the provider accepted it for. */
    sentCount: integer("sent_count").notNull().default(0),
    failedCount: integer("failed_count").notNull().default(0),
    stop: json<Stop>("stop"),
    pushNote: text("push_note").$type<PushNote>(),
    /** Kept by triggers: each recipient counts once. */
    deliveredCount: integer("delivered_count").notNull().default(0),
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

/**
 * A row of a user's inbox. Each costs four rows written: its own, one in each index, and its inbox's counts. So there is no index over
 * all types: a list of them is put together from theirs.
 */
export const notificationRecipients = sqliteTable(
  "notification_recipients",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    notificationId: integer("notification_id").notNull(),
    userId: integer("user_id").notNull(),
    /** The notification's, so that an inbox can be filtered by it. */
    type: text("type").$type<NotificationType>().notNull(),
    /** When the app said that it has it; reading it says so, too. */
    deliveredAt: moment("delivered_at"),
    readAt: moment("read_at"),
    clickedAt: moment("clicked_at"),
    createdAt: moment("created_at").notNull(),
  },
  (t) => [
    index("notification_recipients_type").on(t.siteId, t.userId, t.type, t.id),
    index("notification_recipients_unread_type").on(t.siteId, t.userId, t.type, t.id).where(sql`"read_at" is null`),
  ],
)

/** How many rows each inbox has, by what they are; kept by triggers. Without a rowid: a change is one row written. */
export const inboxCounts = sqliteTable(
  "inbox_counts",
  {
    siteId: text("site_id").notNull(),
    userId: integer("user_id").notNull(),
    allGeneral: integer("all_general").notNull(),
    allOrder: integer("all_order").notNull(),
    allPromotion: integer("all_promotion").notNull(),
    allSystem: integer("all_system").notNull(),
    unreadGeneral: integer("unread_general").notNull(),
    unreadOrder: integer("unread_order").notNull(),
    unreadPromotion: integer("unread_promotion").notNull(),
    unreadSystem: integer("unread_system").notNull(),
    clicked: integer("clicked").notNull(),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.userId] })],
)
