// Documents the API fields of notifications.
import { documentFields } from "../../core/http/field-docs"
import { InboxItem, ListNotifications, Stats } from "./schemas"

documentFields(ListNotifications, {
  unread_only: { description: "Set to `true` to list only unread notifications." },
  type: { description: "Only notifications of this type." },
})

documentFields(InboxItem, {
  id: { description: "Id of the inbox item, which the paths use.", example: 42 },
  notification_id: { description: "Id of the notification, which is the same for all recipients.", example: 7 },
  title: { description: "Title of the notification.", example: "Autumn is here" },
  message: { description: "Text of the notification.", example: "Twenty new coats, and one umbrella." },
  type: { description: "Category of the notification." },
  action_url: { description: "URL to open on a click.", example: "https://acme.example/products" },
  image_url: { description: "URL of an image.", example: null },
  data: { description: "Additional data for the app.", example: null },
  is_read: { description: "Whether it was marked as read.", example: false },
  is_clicked: { description: "Whether it was marked as clicked.", example: false },
  sent_at: { description: "When the notification reached the inbox." },
  read_at: { description: "When it was first marked as read.", example: null },
  clicked_at: { description: "When it was first marked as clicked.", example: null },
})

documentFields(Stats, {
  total: { description: "Notifications in the inbox.", example: 12 },
  unread: { description: "Unread notifications.", example: 3 },
  read: { description: "Notifications that were marked as read.", example: 9 },
  clicked: { description: "Notifications that were marked as clicked.", example: 4 },
})
