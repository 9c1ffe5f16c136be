// Replies to a contact message by mail.
import { eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { buildNoticeWrite, enqueueAccountMails } from "../../content/mails/outbox"
import { countMailOrRefuse, inParallelWithRateLimit } from "../../content/rate-limits"
import { selectShopSettings, toShop } from "../../content/shop/settings"
import { writeAsStaff } from "../../content/staff/write"
import { authenticate, type UserCtx } from "../../content/user"
import { takeTokens } from "../../core/http/rate-limit"
import { Refusal } from "../../core/http/refusal"
import { rowId } from "../../core/http/row-id"
import { localize, translate } from "../../core/i18n/locale"
import { retryOnConflict } from "../../core/write/commit"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { longDate } from "../../lib/intl"
import { HOUR } from "../../lib/time"
import type { ReplyToMessage } from "./schemas"
import { type Message, selectMessage } from "./service"
import { contactMessages } from "./tables"

/**
 * Replies of a shop. Anyone can enter another person's address in the contact form, so replies could be used for spam.
 */
const REPLIES_PER_HOUR = 30

const TITLE = localize(
  "Reply to your message",
  "Respuesta a su mensaje",
  "Réponse à votre message",
  "Trả lời tin nhắn của bạn",
)

const REASON = localize(
  "You are receiving this email because this address was entered in the contact form of :shop on :date.",
  "Recibe este correo porque esta dirección se introdujo en el formulario de contacto de :shop el :date.",
  "Vous recevez cet e-mail parce que cette adresse a été saisie dans le formulaire de contact de :shop le :date.",
  "Bạn nhận được email này vì địa chỉ này đã được nhập vào biểu mẫu liên hệ của :shop ngày :date.",
)

/**
 * Sends a reply to the sender of a message, and marks the message read. The mail repeats nothing that the sender typed,
 * because the address may be another person's. Replies go to the shop's contact address.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`, `rate_limited`
 */
export function replyToMessage(
  ctx: UserCtx,
  segment: string,
  input: z.output<typeof ReplyToMessage>,
): Promise<Message> {
  const limit = { name: `contact-replies:${ctx.site.id}`, limit: REPLIES_PER_HOUR, windowMs: HOUR }
  const counted = takeTokens(ctx.env, ctx.log, [limit]).then(ignore)
  let mailCounted: Promise<void> | undefined
  // A repeated commit does not count the mail again.
  const countReply: CountReply = (to) => {
    mailCounted ??= counted.then(() => countMailOrRefuse(ctx, { ...MAIL, to }))
    return mailCounted
  }
  return inParallelWithRateLimit(ctx, counted, () => retryOnConflict(() => sendReply(ctx, segment, input, countReply)))
}

const ignore = () => undefined

const MAIL = { purpose: "contact_reply", isConfirmed: false } as const

/** Counts the mail, so that a reply over the limit of the address is refused instead of dropped by the outbox. */
type CountReply = (to: string) => Promise<void>

async function sendReply(
  ctx: UserCtx,
  segment: string,
  { reply }: z.output<typeof ReplyToMessage>,
  countReply: CountReply,
): Promise<Message> {
  const { site } = ctx
  const { user, results } = await authenticate(
    ctx,
    () => [selectMessage({ site: site.id, id: rowId(segment) }), selectShopSettings({ site: site.id })],
    { role: "editor" },
  )
  const [[message], [settings]] = results
  if (!message) throw new Refusal("not_found")
  await countReply(message.email)
  const locale = site.language ?? "en"
  const changed = { reply, repliedAt: ctx.now, status: "read" as const, updatedAt: ctx.now }
  await writeAsStaff(ctx, user, {
    writes: [
      inSite(site.id).update(contactMessages).set(changed).where(eq(contactMessages.id, message.id)),
      abortUnlessTouched,
      buildNoticeWrite(
        ctx,
        {
          ...MAIL,
          to: message.email,
          locale,
          isCounted: true,
          token: null,
          number: null,
          content: {
            title: translate(TITLE, locale),
            paragraphs: reply.split(/\n{2,}/),
            action: null,
            notes: [
              translate(REASON, locale, { shop: site.store?.name ?? "", date: longDate(message.createdAt, locale) }),
            ],
            replyTo: toShop(site, settings).contact_email,
          },
        },
        sql`where true`,
      ),
    ],
    auditLog: [{ subject: "contact_message", action: "replied", id: message.id }],
  })
  enqueueAccountMails(ctx)
  return { ...message, ...changed }
}
