// Builds push messages (https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
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
 */
export function buildMessage(notification: Notification, target: MessageTarget, recipient: number | null): object {
  const { id, title, message, type, actionUrl, imageUrl } = notification
  const tag = String(id)
  return {
    ...target,
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
