// Texts of the contact app for the API reference.
import type { AppDocs } from "../definition"
import "./schemas.docs"

export const docs: AppDocs = {
  operations: {
    "contact.send": "Sends a message to the site's staff. Name and address default to the user's own.",
    "contact.list": "Lists contact messages, newest first. Requires staff access.",
    "contact.get": "Returns a contact message. Requires staff access.",
    "contact.update": "Marks a contact message as read, or as new again. Requires staff access.",
    "contact.delete": "Deletes a contact message. Requires staff access.",
  },
}
