// The mail to the shop about a new message. It goes to the contact address of the shop's settings only.
import { and, eq, sql } from "drizzle-orm"
import { buildNoticeWrite, enqueueAccountMails } from "../../content/mails/outbox"
import { isConfirmedContact } from "../../content/shop/confirmed-contact"
import type { UserCtx } from "../../content/user"
import { localize, translate } from "../../core/i18n/locale"
import { shopSettings } from "../../db/schema/sites/shop-settings"
import type { Write } from "../../db/write"
import type { contactMessages } from "./tables"

const NEW_MESSAGE = localize("New message", "Nuevo mensaje", "Nouveau message", "Tin nhắn mới")

const VIEW_MESSAGES = localize("View messages", "Ver los mensajes", "Voir les messages", "Xem tin nhắn")

const FROM_FORM = localize(
  "A visitor sent this message with the contact form. Replies go to the address that the visitor entered.",
  "Un visitante envió este mensaje con el formulario de contacto. Las respuestas se envían a la dirección que introdujo.",
  "Un visiteur a envoyé ce message avec le formulaire de contact. Les réponses sont envoyées à l’adresse qu’il a saisie.",
  "Khách truy cập đã gửi tin nhắn này qua biểu mẫu liên hệ. Thư trả lời sẽ được gửi đến địa chỉ mà khách đã nhập.",
)

const contactAddress = sql`json_extract(${shopSettings.settings}, '$.contact_email')`

type Message = Pick<typeof contactMessages.$inferInsert, "name" | "email" | "phone" | "subject" | "message">

/**
 * Builds the write that stores the mail, for the batch that stores the message. A shop without an address gets none.
 */
export function buildMessageMailWrite(ctx: UserCtx, { name, email, phone, subject, message }: Message): Write {
  const locale = ctx.site.language ?? "en"
  const sender = [name, email, phone].filter(Boolean).join("\n")
  return buildNoticeWrite(
    ctx,
    {
      purpose: "contact_received",
      to: contactAddress,
      locale,
      isConfirmed: isConfirmedContact(ctx.site.id, contactAddress),
      // Counted when it is sent: many messages must not flood the mailbox. All of them are in the admin.
      isCounted: false,
      token: null,
      number: null,
      content: {
        title: translate(NEW_MESSAGE, locale),
        paragraphs: [sender, ...[subject ?? "", ...message.split(/\n{2,}/)].filter(Boolean)],
        action: { label: translate(VIEW_MESSAGES, locale), path: "/admin/messages" },
        notes: [translate(FROM_FORM, locale)],
        replyTo: email || null,
      },
    },
    sql`from ${shopSettings} where ${and(eq(shopSettings.siteId, ctx.site.id), sql`${contactAddress} is not null`)}`,
  )
}

/** Sends the mail in the background. */
export const sendMessageMail = enqueueAccountMails
