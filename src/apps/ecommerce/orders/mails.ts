// The mails about a new order: to the customer, without user-entered text, and to the shop.
import { and, eq, sql } from "drizzle-orm"
import { buildNoticeWrite, enqueueAccountMails } from "../../../content/mails/outbox"
import { isConfirmedContact, selectOwnerId } from "../../../content/shop/confirmed-contact"
import type { Shop } from "../../../content/shop/settings"
import type { UserCtx } from "../../../content/user"
import { type Locale, type Translations, translate } from "../../../core/i18n/locale"
import { users } from "../../../db/schema/sites/users"
import type { Write } from "../../../db/write"
import { encrypt } from "../../../lib/cipher"
import { money, withColon } from "../../../lib/intl"
import { BANK_TRANSFER, ON_DELIVERY, PAYMENT_METHOD } from "../storefront/cart/strings"
import { INCLUDED_TAX, PICKUP, SHIPPING, TAX, TOTAL } from "../storefront/order-strings"
import type { PaymentMethod, ShippingMethod } from "../tables"
import { lastNumber, lastOrderId } from "./queries"
import type { Order } from "./schemas"

const RECEIVED: Translations = {
  en: "We received your order :number",
  es: "Hemos recibido su pedido :number",
  fr: "Nous avons reçu votre commande :number",
  vi: "Chúng tôi đã nhận đơn hàng :number của bạn",
}

const THANKS: Translations = {
  en: "Thank you for your order at :shop.",
  es: "Gracias por su pedido en :shop.",
  fr: "Merci pour votre commande chez :shop.",
  vi: "Cảm ơn bạn đã đặt hàng tại :shop.",
}

export const VIEW_ORDER: Translations = {
  en: "View order",
  es: "Ver el pedido",
  fr: "Voir la commande",
  vi: "Xem đơn hàng",
}

const NOT_YOU: Translations = {
  en: "If you didn't place this order, ignore this email.",
  es: "Si no ha hecho este pedido, ignore este correo.",
  fr: "Si vous n’avez pas passé cette commande, ignorez cet e-mail.",
  vi: "Nếu bạn không đặt đơn hàng này, hãy bỏ qua email này.",
}

const NEW_ORDER: Translations = {
  en: "New order :number",
  es: "Nuevo pedido :number",
  fr: "Nouvelle commande :number",
  vi: "Đơn hàng mới :number",
}

const MANAGE_ORDER: Translations = {
  en: "Open order",
  es: "Abrir el pedido",
  fr: "Ouvrir la commande",
  vi: "Mở đơn hàng",
}

const DELIVERY: Translations = { en: "Delivery", es: "A domicilio", fr: "À domicile", vi: "Giao hàng" }

const METHODS: Record<PaymentMethod | ShippingMethod, Translations> = {
  transfer: BANK_TRANSFER,
  on_delivery: ON_DELIVERY,
  flat: DELIVERY,
  pickup: PICKUP,
}

/** The details of an order in mails. */
interface MailedOrder {
  columns: Pick<
    Order,
    | "currency"
    | "totalCents"
    | "customerName"
    | "customerEmail"
    | "customerPhone"
    | "shippingAddress"
    | "paymentMethod"
    | "shippingMethod"
    | "note"
  > & { shippingCents: number; taxCents: number }
  items: readonly { name: string; quantity: number; priceCents: number }[]
  shop: Shop
  /** The secret key of the order's page. */
  key: string
  /** Whether the customer has confirmed the address at this site. */
  isConfirmed: boolean
}

/** Builds the writes that store both mails, for the batch that places the order. */
export async function buildOrderMailWrites(ctx: UserCtx, order: MailedOrder): Promise<Write[]> {
  const { site, settings, locale } = ctx
  const { columns, shop, key, isConfirmed } = order
  const number = lastNumber(site.id)
  const token = await encrypt(settings.APP_KEY, key)
  const shopLocale = site.language ?? "en"
  const toCustomer = buildNoticeWrite(
    ctx,
    {
      purpose: "order",
      to: columns.customerEmail ?? "",
      locale,
      isConfirmed,
      isCounted: false,
      token,
      number,
      content: {
        title: translate(RECEIVED, locale),
        paragraphs: [translate(THANKS, locale, { shop: site.store?.name }), listAmounts(order, locale)],
        action: { label: translate(VIEW_ORDER, locale), path: "/orders/:number?key=:token" },
        notes: [translate(NOT_YOU, locale)],
        replyTo: shop.contact_email,
      },
    },
    sql`where true`,
  )
  const recipient = shop.contact_email ?? sql`${users.email}`
  const isConfirmedContactEmail = isConfirmedContact(site.id, recipient)
  const toShop = buildNoticeWrite(
    ctx,
    {
      purpose: "order_received",
      to: recipient,
      locale: shopLocale,
      isConfirmed: isConfirmedContactEmail,
      // The limits of mails protect other people's mailboxes. The limits of orders protect the shop's, once confirmed.
      isCounted: isConfirmedContactEmail,
      token: null,
      number,
      path: sql<string>`'/admin/orders/' || ${lastOrderId(site.id)}`,
      content: {
        title: translate(NEW_ORDER, shopLocale),
        paragraphs: [
          listAmounts(order, shopLocale),
          listMethods(columns, shopLocale),
          ...describeCustomer(columns),
        ].filter(Boolean),
        action: { label: translate(MANAGE_ORDER, shopLocale), path: "" },
        notes: [],
        replyTo: columns.customerEmail,
      },
    },
    shop.contact_email
      ? sql`where true`
      : sql`from ${users} where ${and(eq(users.siteId, site.id), sql`${users.id} = ${selectOwnerId(site.id)}`)}`,
  )
  return columns.customerEmail ? [toCustomer, toShop] : [toShop]
}

/** Sends the mails in the background. */
export const sendOrderMails = enqueueAccountMails

function listAmounts({ columns, items, shop }: MailedOrder, locale: Locale): string {
  const { currency, shippingCents, taxCents, totalCents } = columns
  const line = (label: string, cents: number) => `${withColon(label, locale)} ${money(cents, currency, locale)}`
  return [
    ...items.map(({ name, quantity, priceCents }) => line(`${quantity} × ${name}`, quantity * priceCents)),
    ...(shippingCents ? [line(translate(SHIPPING, locale), shippingCents)] : []),
    ...(taxCents && !shop.prices_include_tax ? [line(translate(TAX, locale), taxCents)] : []),
    line(translate(TOTAL, locale), totalCents),
    ...(taxCents && shop.prices_include_tax ? [line(translate(INCLUDED_TAX, locale), taxCents)] : []),
  ].join("\n")
}

/** Lists the methods of payment and shipping, for the shop. */
function listMethods({ paymentMethod, shippingMethod }: MailedOrder["columns"], locale: Locale): string {
  const line = (label: Translations, method: keyof typeof METHODS | null) =>
    method ? [`${withColon(translate(label, locale), locale)} ${translate(METHODS[method], locale)}`] : []
  return [...line(PAYMENT_METHOD, paymentMethod), ...line(SHIPPING, shippingMethod)].join("\n")
}

/** Describes the customer in paragraphs, for the shop. */
function describeCustomer({
  customerName,
  customerEmail,
  customerPhone,
  shippingAddress: address,
  note,
}: MailedOrder["columns"]): string[] {
  const lines = (values: readonly (string | null | undefined)[]) => values.filter(Boolean).join("\n")
  const place = address && [address.postal_code, address.city, address.state].filter(Boolean).join(" ")
  return [
    lines([customerName, customerEmail, customerPhone]),
    lines(address ? [address.line1, address.line2, place, address.country] : []),
    note ?? "",
  ].filter(Boolean)
}
