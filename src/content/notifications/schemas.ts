// Request and response schemas of notifications.

import * as z from "zod"
import { dateOrTime, multilineText, queryFlag, text, violates, withLookups } from "../../core/http/validation"
import { type Page, type PageRequest, toLastPage } from "../../core/list/page"
import {
  NOTIFICATION_TARGETS,
  NOTIFICATION_TYPES,
  type notificationRecipients,
  type notifications,
} from "../../db/schema/sites/notifications"
import { formatTimestamp } from "../../lib/time"
import { pageQuery } from "../pagination"
import { describePushNote, describeStop } from "../push/reasons"

export const ListNotifications = z.object({
  ...pageQuery({ perPage: 20, max: 50 }),
  unread_only: queryFlag.default(false),
  type: z.enum(NOTIFICATION_TYPES).optional(),
})

const nullableTimestamp = z.string().nullable()

export const InboxItem = z
  .object({
    id: z.int(),
    notification_id: z.int(),
    title: z.string(),
    message: z.string(),
    type: z.enum(NOTIFICATION_TYPES),
    action_url: z.string().nullable(),
    image_url: z.string().nullable(),
    data: z.record(z.string(), z.unknown()).nullable(),
    is_read: z.boolean(),
    is_clicked: z.boolean(),
    sent_at: nullableTimestamp,
    read_at: nullableTimestamp,
    clicked_at: nullableTimestamp,
    created_at: z.string(),
  })
  .meta({ id: "InboxItem" })

/** The list of a site whose notification format is `legacy`. */
export const LegacyList = z
  .object({
    error: z.literal(false),
    data: z.object({
      notifications: z.array(InboxItem),
      pagination: z.object({
        current_page: z.int(),
        last_page: z.int(),
        per_page: z.int(),
        total: z.int(),
        has_more: z.boolean(),
      }),
      unread_count: z.int(),
    }),
    message: z.string().nullable(),
  })
  .meta({ id: "LegacyNotificationList" })

/** Inbox row with its notification. */
export interface InboxRow {
  recipient: typeof notificationRecipients.$inferSelect
  notification: typeof notifications.$inferSelect
}

export const inboxItem = ({ recipient, notification }: InboxRow): z.input<typeof InboxItem> => ({
  id: recipient.id,
  notification_id: notification.id,
  title: notification.title,
  message: notification.message,
  type: notification.type,
  action_url: notification.actionUrl,
  image_url: notification.imageUrl,
  data: notification.data,
  is_read: recipient.readAt !== null,
  is_clicked: recipient.clickedAt !== null,
  sent_at: formatTimestamp(recipient.createdAt),
  read_at: formatTimestamp(recipient.readAt),
  clicked_at: formatTimestamp(recipient.clickedAt),
  created_at: formatTimestamp(notification.createdAt),
})

/** Builds the list of a site whose notification format is `legacy`. */
export function legacyList(
  { page, per_page }: PageRequest,
  { rows, total }: Page<z.input<typeof InboxItem>>,
  unread: number,
): z.input<typeof LegacyList>["data"] {
  const lastPage = toLastPage(total, { per_page })
  const pagination = { current_page: page, last_page: lastPage, per_page, total, has_more: page < lastPage }
  return { notifications: rows, pagination, unread_count: unread }
}

export const Stats = z
  .object({ total: z.int(), unread: z.int(), read: z.int(), clicked: z.int() })
  .meta({ id: "NotificationStats" })

const httpUrl = text({ max: 2000 }).refine(
  (value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ""),
  violates("url"),
)

const notification = z.object({
  title: text({ max: 100 }),
  message: multilineText({ max: 500 }),
  target: z.enum(NOTIFICATION_TARGETS).default("all"),
  type: z.enum(NOTIFICATION_TYPES).default("general"),
  /** Scheduled time; sent immediately when absent. */
  at: dateOrTime.optional(),
  action_url: httpUrl.optional(),
  image_url: httpUrl.optional(),
})

export const CreateNotification = withLookups(notification, "at")

/** Maps a notification to its representation for operators. */
export const notificationSummary = (row: typeof notifications.$inferSelect) => ({
  id: row.id,
  site: row.siteId,
  title: row.title,
  message: row.message,
  type: row.type,
  target: row.target,
  action_url: row.actionUrl,
  image_url: row.imageUrl,
  status: row.status,
  /** Reason that it failed; null if it did not. */
  reason: describeStop(row.stop),
  /** Reason that no push was sent; null if one was, or will be. */
  push: describePushNote(row.pushNote),
  recipients: row.recipients,
  devices: row.devices,
  sent: row.sentCount,
  failed: row.failedCount,
  delivered: row.deliveredCount,
  read: row.readCount,
  clicked: row.clickedCount,
  created_by: row.createdByName,
  scheduled_at: formatTimestamp(row.scheduledAt),
  sent_at: formatTimestamp(row.sentAt),
  created_at: formatTimestamp(row.createdAt),
})
