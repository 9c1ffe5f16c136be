// Strings of an order's page.
import type { Translations } from "../../../core/i18n/locale"
import type { OrderStatus } from "../tables"

export const ORDER: Translations = { en: "Order", es: "Pedido", fr: "Commande", vi: "Đơn hàng" }

export const STATUS: Record<OrderStatus, Translations> = {
  pending: {
    en: "We received your order. It is waiting for payment.",
    es: "Hemos recibido tu pedido. Está pendiente de pago.",
    fr: "Nous avons reçu votre commande. Elle est en attente de paiement.",
    vi: "Chúng tôi đã nhận đơn hàng của bạn. Đơn hàng đang chờ thanh toán.",
  },
  paid: {
    en: "Your order is paid. We are preparing it.",
    es: "Tu pedido está pagado. Lo estamos preparando.",
    fr: "Votre commande est payée. Nous la préparons.",
    vi: "Đơn hàng của bạn đã được thanh toán. Chúng tôi đang chuẩn bị hàng.",
  },
  fulfilled: {
    en: "Your order is complete.",
    es: "Tu pedido está completado.",
    fr: "Votre commande est traitée.",
    vi: "Đơn hàng của bạn đã hoàn tất.",
  },
  cancelled: {
    en: "This order was cancelled.",
    es: "Este pedido fue cancelado.",
    fr: "Cette commande a été annulée.",
    vi: "Đơn hàng này đã bị hủy.",
  },
}

export const ITEM: Translations = { en: "Item", es: "Artículo", fr: "Article", vi: "Sản phẩm" }

export const AMOUNT: Translations = { en: "Amount", es: "Importe", fr: "Montant", vi: "Số tiền" }

export const SUBTOTAL: Translations = { en: "Subtotal", es: "Subtotal", fr: "Sous-total", vi: "Tạm tính" }

export const SHIPPING: Translations = { en: "Shipping", es: "Envío", fr: "Livraison", vi: "Vận chuyển" }

export const PICKUP: Translations = {
  en: "Pick-up",
  es: "Recogida en tienda",
  fr: "Retrait en boutique",
  vi: "Nhận tại cửa hàng",
}

export const TAX: Translations = { en: "Tax", es: "Impuestos", fr: "Taxes", vi: "Thuế" }

export const INCLUDED_TAX: Translations = {
  en: "Includes tax",
  es: "Impuestos incluidos",
  fr: "Dont taxes",
  vi: "Đã bao gồm thuế",
}

export const TOTAL: Translations = { en: "Total", es: "Total", fr: "Total", vi: "Tổng cộng" }

export const PAYMENT: Translations = { en: "How to pay", es: "Cómo pagar", fr: "Comment payer", vi: "Cách thanh toán" }

export const PAY_BY: Translations = {
  en: "Please pay by",
  es: "Paga antes del",
  fr: "À payer avant le",
  vi: "Vui lòng thanh toán trước ngày",
}

export const TRACKING: Translations = {
  en: "Tracking",
  es: "Seguimiento del envío",
  fr: "Suivi de la livraison",
  vi: "Theo dõi đơn hàng",
}
