// Texts of the contact app for the API reference.
import type { AppDocs } from "../definition"
import "./schemas.docs"

export const docs: AppDocs = {
  operations: {
    "contact.send": "Sends a message to the site's staff. Name and address default to the user's own.",
    "contact.list": "Lists contact messages, newest first. Requires staff access.",
    "contact.get": "Returns a contact message. Requires staff access.",
    "contact.update": "Marks a contact message as read, or as new again. Requires staff access.",
    "contact.reply":
      "Sends a reply to the sender's address and marks the message as read. Replies to that mail go to the shop's contact address. Requires the role `editor`. A shop can send 30 replies per hour.",
    "contact.delete": "Deletes a contact message. Requires staff access.",
  },
}
