// Request and response schemas of contact messages.
import * as z from "zod"
import { pageQuery } from "../../content/pagination"
import { email, emptyAsNull, multilineText, text } from "../../core/http/validation"
import { formatTimestamp } from "../../lib/time"
import { CONTACT_STATUSES, type contactMessages, GUEST_USER_ID } from "./tables"

/** `name` and `email` default to the user's own. */
export const CreateContactMessage = z.object({
  name: emptyAsNull(text({ max: 120 })),
  email: emptyAsNull(email(190)),
  phone: emptyAsNull(text({ max: 40 })),
  subject: emptyAsNull(text({ max: 250 })),
  message: multilineText({ max: 5000 }),
})

export const UpdateContactMessage = z.object({ status: z.enum(CONTACT_STATUSES) })

/** A reply by mail. */
export const ReplyToMessage = z.object({ reply: multilineText({ max: 5000 }) })

export const ListMessages = z.object({ ...pageQuery(), status: z.enum(CONTACT_STATUSES).optional() })

export const MessageResource = z
  .object({
    id: z.int(),
    user_id: z.int().nullable(),
    name: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    subject: z.string().nullable(),
    message: z.string(),
    status: z.enum(CONTACT_STATUSES),
    reply: z.string().nullable(),
    replied_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ContactMessage" })

export const messageResource = (row: typeof contactMessages.$inferSelect): z.input<typeof MessageResource> => ({
  id: row.id,
  user_id: row.userId === GUEST_USER_ID ? null : row.userId,
  name: row.name,
  email: row.email,
  phone: row.phone,
  subject: row.subject,
  message: row.message,
  status: row.status,
  reply: row.reply,
  replied_at: row.repliedAt && formatTimestamp(row.repliedAt),
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
})
