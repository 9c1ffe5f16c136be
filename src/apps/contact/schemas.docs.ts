// Documents the API fields of contact messages.
import { documentFields } from "../../core/http/field-docs"
import { CreateContactMessage, ListMessages, MessageResource, ReplyToMessage, UpdateContactMessage } from "./schemas"

const phone = { description: "Phone number.", example: "+49 30 901820" }
const subject = { description: "Subject of the message.", example: "Do you repair coats?" }
const message = { description: "Text of the message.", example: "The zip of mine is broken." }
const status = { description: "Processing status, set by staff." }

documentFields(CreateContactMessage, {
  name: { description: "Name of the sender; the user's when omitted.", example: "Ada Lovelace" },
  email: { description: "Address for the reply; the user's when omitted.", example: "ada@example.com" },
  phone,
  subject,
  message,
})

documentFields(UpdateContactMessage, { status })

const reply = { description: "Text of the reply.", example: "Yes, within a week." }

documentFields(ReplyToMessage, { reply })

documentFields(ListMessages, { status: { description: "Only messages with this status." } })

documentFields(MessageResource, {
  user_id: { description: "Id of the user who sent the message.", example: 42 },
  name: { description: "Name of the sender.", example: "Ada Lovelace" },
  email: { description: "Address for the reply.", example: "ada@example.com" },
  phone,
  subject,
  message,
  status,
  reply: { ...reply, description: "The latest reply by mail; null before the first one." },
  replied_at: { description: "When the latest reply was sent.", example: "2026-01-15T09:30:00Z" },
})
