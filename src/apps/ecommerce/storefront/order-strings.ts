// Strings of an order's page.
import { localize, type Translations } from "../../../core/i18n/locale"
import type { Order } from "../orders/schemas"
import type { OrderStatus } from "../tables"

export const CONFIRM_EMAIL = localize(
  "Confirm email address",
  "Confirmar el correo",
  "Confirmer l’adresse e-mail",
  "Xác nhận email",
)

export const ORDER: Translations = { en: "Order", es: "Pedido", fr: "Commande", vi: "Đơn hàng" }

const STATUS: Record<OrderStatus, Translations> = {
  pending: {
    en: "We received your order. It is waiting for payment.",
    es: "Hemos recibido su pedido. Está pendiente de pago.",
    fr: "Nous avons reçu votre commande. Elle est en attente de paiement.",
    vi: "Chúng tôi đã nhận đơn hàng của bạn. Đơn hàng đang chờ thanh toán.",
  },
  paid: {
    en: "Your order is paid. We are preparing it.",
    es: "Su pedido está pagado. Lo estamos preparando.",
    fr: "Votre commande est payée. Nous la préparons.",
    vi: "Đơn hàng của bạn đã được thanh toán. Chúng tôi đang chuẩn bị hàng.",
  },
  fulfilled: {
    en: "We sent your order. It is on its way.",
    es: "Hemos enviado su pedido. Está en camino.",
    fr: "Nous avons expédié votre commande. Elle est en route.",
    vi: "Chúng tôi đã gửi đơn hàng của bạn. Đơn hàng đang được giao.",
  },
  cancelled: {
    en: "This order was cancelled.",
    es: "Este pedido se ha cancelado.",
    fr: "Cette commande a été annulée.",
    vi: "Đơn hàng này đã bị hủy.",
  },
}

const PAID_ON_DELIVERY = localize(
  "We received your order. You pay when you get it.",
  "Hemos recibido su pedido. Lo pagará al recibirlo.",
  "Nous avons reçu votre commande. Vous la payez à la réception.",
  "Chúng tôi đã nhận đơn hàng của bạn. Bạn thanh toán khi nhận hàng.",
)

const HANDED_OVER = localize(
  "Your order is complete. Thank you for your purchase.",
  "Su pedido está completado. Gracias por su compra.",
  "Votre commande est terminée. Merci de votre achat.",
  "Đơn hàng của bạn đã hoàn tất. Cảm ơn bạn đã mua hàng.",
)

/** Returns the status of an order for its customer, which depends on its payment and shipping methods. */
export function statusOf({ status, paymentMethod, shippingMethod }: Order): Translations {
  if (status === "pending" && paymentMethod === "on_delivery") return PAID_ON_DELIVERY
  if (status === "fulfilled" && shippingMethod === "pickup") return HANDED_OVER
  return STATUS[status]
}

export const OWN_ORDERS = localize("Your orders", "Sus pedidos", "Vos commandes", "Đơn hàng của bạn")

export const CREATE_ACCOUNT = localize("Create an account", "Crear una cuenta", "Créer un compte", "Tạo tài khoản")

export const FIND_AGAIN = localize(
  "The link in our email leads back to this page. With an account for the same email address, you can find all your orders in one place.",
  "El enlace de nuestro correo lleva de vuelta a esta página. Con una cuenta con el mismo correo electrónico, puede consultar todos sus pedidos en un solo lugar.",
  "Le lien de notre e-mail ramène à cette page. Avec un compte à la même adresse e-mail, vous retrouvez toutes vos commandes au même endroit.",
  "Liên kết trong email của chúng tôi dẫn về trang này. Với tài khoản cùng địa chỉ email, bạn xem được mọi đơn hàng ở một nơi.",
)

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

export const PICKUP_ADDRESS = localize("Where to pick it up", "Dónde recogerlo", "Où la retirer", "Nơi nhận hàng")

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
  es: "Pague a más tardar el",
  fr: "À payer au plus tard le",
  vi: "Vui lòng thanh toán chậm nhất vào ngày",
}

export const TRACKING: Translations = {
  en: "Tracking",
  es: "Seguimiento del envío",
  fr: "Suivi de la livraison",
  vi: "Theo dõi đơn hàng",
}
