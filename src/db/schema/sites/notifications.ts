// Tables for notifications and an inbox row per recipient.
import { sql } from "drizzle-orm"
import { index, integer, primaryKey, text } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../columns"
import { siteTable } from "../site-table"

export const NOTIFICATION_TYPES = ["general", "order", "promotion", "system"] as const
export const NOTIFICATION_TARGETS = ["all", "android", "ios", "customers"] as const

export type NotificationType = (typeof NOTIFICATION_TYPES)[number]
export type NotificationTarget = (typeof NOTIFICATION_TARGETS)[number]
export type NotificationStatus = "scheduled" | "sending" | "sent" | "failed" | "cancelled"

/** Reasons for sending a notification to no device. */
export type PushNote = "not_set_up" | "switched_off"

/** Reasons for stopping the delivery to devices early. */
export interface Stop {
  code:
    | "account_refused"
    | "account_unreadable"
    | "project_refused"
    | "field_refused"
    | "message_refused"
    | "not_set_up"
    | "switched_off"
  /** The provider's message, or the field's name. */
  detail?: string
}

export const notifications = siteTable(
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
    scheduledAt: timestamp("scheduled_at"),
    sentAt: timestamp("sent_at"),
    /** The last user whose inbox has it; recipients are added in id order, in chunks. */
    reachedUser: integer("reached_user").notNull().default(0),
    recipients: integer("recipients").notNull().default(0),
    /** The first inbox row of this notification. */
    firstRecipient: integer("first_recipient"),
    /** When the last recipient was added. */
    filledAt: timestamp("filled_at"),
    /** Number of target devices, counted when sending began. */
    devices: integer("devices").notNull().default(0),
    /** The last target device; null before sending began. */
    lastDevice: integer("last_device"),
    /** The last claimed device; devices are claimed in id order, each once. */
    reachedDevice: integer("reached_device").notNull().default(0),
    /** Whether the provider has ever responded with anything but a rejection of the message itself. */
    proven: flag("proven").notNull().default(false),
    /** Number of such rejections before that. */
    refusals: integer("refusals").notNull().default(0),
    /** Number of devices that the provider accepted. */
    sentCount: integer("sent_count").notNull().default(0),
    failedCount: integer("failed_count").notNull().default(0),
    stop: json<Stop>("stop"),
    pushNote: text("push_note").$type<PushNote>(),
    /** Maintained by triggers; each recipient counts once. */
    deliveredCount: integer("delivered_count").notNull().default(0),
    readCount: integer("read_count").notNull().default(0),
    clickedCount: integer("clicked_count").notNull().default(0),
    createdByName: text("created_by_name").notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    index("notifications_site").on(t.siteId, t.id),
    index("notifications_due").on(t.status, t.scheduledAt),
    index("notifications_stalled").on(t.status, t.updatedAt),
  ],
)

/**
 * An inbox row. It costs four written rows: its own, one per index, and the inbox's counts. There is no index over
 * all types; a list of all types merges the lists of each.
 */
export const notificationRecipients = siteTable(
  "notification_recipients",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    notificationId: integer("notification_id").notNull(),
    userId: integer("user_id").notNull(),
    /** Copied from the notification, for filtering. */
    type: text("type").$type<NotificationType>().notNull(),
    /** When the app confirmed receipt; reading it counts too. */
    deliveredAt: timestamp("delivered_at"),
    readAt: timestamp("read_at"),
    clickedAt: timestamp("clicked_at"),
    createdAt: timestamp("created_at").notNull(),
  },
  (t) => [
    index("notification_recipients_type").on(t.siteId, t.userId, t.type, t.id),
    index("notification_recipients_unread_type").on(t.siteId, t.userId, t.type, t.id).where(sql`"read_at" is null`),
  ],
)

/** Counts of each inbox, maintained by triggers. Without rowid, so that a change writes one row. */
export const inboxCounts = siteTable(
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
