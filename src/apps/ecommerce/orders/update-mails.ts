// The email to the customer about an order that was sent or cancelled. The only free text in it is the tracking, which
// the staff enter.
import { sql } from "drizzle-orm"
import { buildNoticeWrite, type NoticeCtx } from "../../../content/mails/outbox"
import { acceptedLocale, type Translations, translate } from "../../../core/i18n/locale"
import type { Write } from "../../../db/write"
import { withColon } from "../../../lib/intl"
import { TRACKING } from "../storefront/order-strings"
import { GUEST_USER_ID } from "../tables"
import { VIEW_ORDER } from "./mails"
import type { Order } from "./schemas"

/** An update of an order; `expired` means that it was cancelled because it was not paid in time. */
export type OrderUpdate = "sent" | "cancelled" | "expired"

const SENT: Translations = {
  en: "Your order :number is on its way",
  es: "Su pedido :number está en camino",
  fr: "Votre commande :number est en route",
  vi: "Đơn hàng :number của bạn đang được giao",
}

const COMPLETE: Translations = {
  en: "Your order :number is complete",
  es: "Su pedido :number está completado",
  fr: "Votre commande :number est terminée",
  vi: "Đơn hàng :number của bạn đã hoàn tất",
}

const SENT_BY: Translations = {
  en: "Thank you for shopping at :shop.",
  es: "Gracias por comprar en :shop.",
  fr: "Merci de votre achat chez :shop.",
  vi: "Cảm ơn bạn đã mua hàng tại :shop.",
}

const CANCELLED: Translations = {
  en: "Your order :number was cancelled",
  es: "Su pedido :number se ha cancelado",
  fr: "Votre commande :number a été annulée",
  vi: "Đơn hàng :number của bạn đã bị hủy",
}

const CANCELLED_BY: Translations = {
  en: ":shop cancelled your order.",
  es: ":shop ha cancelado su pedido.",
  fr: ":shop a annulé votre commande.",
  vi: ":shop đã hủy đơn hàng của bạn.",
}

const NOT_PAID: Translations = {
  en: ":shop did not receive your payment in time.",
  es: ":shop no ha recibido su pago a tiempo.",
  fr: ":shop n’a pas reçu votre paiement à temps.",
  vi: ":shop không nhận được thanh toán của bạn đúng hạn.",
}

const IF_PAID: Translations = {
  en: "If you have already paid, contact the shop.",
  es: "Si ya ha pagado, póngase en contacto con la tienda.",
  fr: "Si vous avez déjà payé, contactez la boutique.",
  vi: "Nếu bạn đã thanh toán, hãy liên hệ với cửa hàng.",
}

const REPLY: Translations = {
  en: "Replies to this email reach the shop.",
  es: "Las respuestas a este correo llegan a la tienda.",
  fr: "Les réponses à cet e-mail parviennent à la boutique.",
  vi: "Thư trả lời email này sẽ đến cửa hàng.",
}

const FIRST_MAIL: Translations = {
  en: "The link in our first email about this order leads to its page.",
  es: "El enlace de nuestro primer correo sobre este pedido lleva a su página.",
  fr: "Le lien de notre premier e-mail au sujet de cette commande mène à sa page.",
  vi: "Liên kết trong email đầu tiên về đơn hàng này dẫn đến trang của đơn hàng.",
}

/** The shop that a mail is about, and the address for replies. */
interface Shop {
  name: string
  language: string | null
  contactEmail: string | null
}

/**
 * Builds the write that stores the mail, for the batch that changes the order.
 * @returns no write for an order without an email address, such as one whose customer was erased
 */
export function buildUpdateMailWrites(ctx: NoticeCtx, order: Order, update: OrderUpdate, shop: Shop): Write[] {
  if (order.customerEmail === null) return []
  const locale = acceptedLocale(order.locale ?? shop.language)
  const isSent = update === "sent"
  const facts = { number: order.number ?? order.id, shop: shop.name }
  const t = (text: Translations) => translate(text, locale, facts)
  const paragraphs = {
    sent: [t(SENT_BY), order.tracking ? `${withColon(t(TRACKING), locale)} ${order.tracking}` : ""],
    cancelled: [t(CANCELLED_BY), t(IF_PAID)],
    expired: [t(NOT_PAID), t(IF_PAID)],
  }[update]
  const isOfGuest = order.userId <= GUEST_USER_ID
  const title = isSent ? (order.shippingMethod === "pickup" ? COMPLETE : SENT) : CANCELLED
  return [
    buildNoticeWrite(
      ctx,
      {
        purpose: isSent ? "order_sent" : "order_cancelled",
        to: order.customerEmail,
        locale,
        // An order does not record whether the customer had confirmed the address.
        isConfirmed: false,
        isCounted: false,
        token: null,
        number: null,
        content: {
          title: t(title),
          paragraphs: paragraphs.filter(Boolean),
          action: isOfGuest ? null : { label: t(VIEW_ORDER), path: `/account/orders/${order.id}` },
          notes: [...(isOfGuest ? [t(FIRST_MAIL)] : []), ...(shop.contactEmail ? [t(REPLY)] : [])],
          replyTo: shop.contactEmail,
        },
      },
      sql`where true`,
    ),
  ]
}
