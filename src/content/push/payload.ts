// What a device is sent (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
import type { notifications } from "../../db/schema/sites/notifications"

type Notification = Pick<
  typeof notifications.$inferSelect,
  "id" | "title" | "message" | "type" | "actionUrl" | "imageUrl"
>

/** To whom: a device by its token, or a topic that nobody listens to. */
type To = { token: string } | { topic: string }

/**
 * The message of a notification. On the device it takes the place of an earlier copy, so that one which was sent twice is seen once.
 * @param recipient the row of the inbox that it is in; null for a device that nobody is logged in on
 */
export function messageOf(notification: Notification, to: To, recipient: number | null): object {
  const { id, title, message, type, actionUrl, imageUrl } = notification
  const tag = String(id)
  return {
    ...to,
    notification: { title, body: message, ...(imageUrl && { image: imageUrl }) },
    data: {
      notification_id: tag,
      ...(recipient !== null && { recipient_id: String(recipient) }),
      type,
      action_url: actionUrl ?? "",
    },
    android: { notification: { tag } },
    apns: { headers: { "apns-collapse-id": tag } },
  }
}
