// Builds push messages (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
import type { NotificationFormat } from "../../db/schema/central/sites"
import type { notifications } from "../../db/schema/sites/notifications"

type Notification = Pick<
  typeof notifications.$inferSelect,
  "id" | "title" | "message" | "type" | "actionUrl" | "imageUrl"
>

/** Target of a message: the token of a device, or a topic. */
type MessageTarget = { token: string } | { topic: string }

/**
 * Builds the message of a notification. Its tag makes a device replace an earlier copy, so a message that was sent
 * twice is shown once.
 * @param recipient id of the inbox row; null for a device on which no user is logged in
 * @param options.format `legacy` adds what apps of the PHP platform read
 * @param options.now the time of sending
 */
export function buildMessage(
  notification: Notification,
  target: MessageTarget,
  recipient: number | null,
  { format, now }: { format: NotificationFormat; now: Date },
): object {
  const { id, title, message, type, actionUrl, imageUrl } = notification
  const tag = String(id)
  const legacy = format === "legacy" ? buildLegacyParts(notification, now) : null
  return {
    ...target,
    notification: { title, body: message, ...(imageUrl && { image: imageUrl }) },
    data: {
      notification_id: tag,
      ...(recipient !== null && { recipient_id: String(recipient) }),
      type,
      action_url: actionUrl ?? "",
      ...legacy?.data,
    },
    android: { notification: { tag, ...legacy?.androidNotification }, ...legacy?.android },
    apns: { headers: { "apns-collapse-id": tag }, ...legacy?.apns },
  }
}

/** Builds the parts of a message that only the legacy format has. Values of `data` are strings. */
const buildLegacyParts = ({ title, message, actionUrl, imageUrl }: Notification, now: Date) => ({
  data: { title, message, image_url: imageUrl ?? "", sent_at: now.toISOString() },
  android: { priority: "high" },
  androidNotification: { sound: "default", ...(actionUrl && { click_action: actionUrl }) },
  apns: {
    payload: {
      aps: {
        alert: { title, body: message },
        sound: "default",
        badge: 1,
        ...(actionUrl && { category: "OPEN_URL" }),
      },
    },
  },
})
