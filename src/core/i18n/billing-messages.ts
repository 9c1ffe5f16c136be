// Messages for refused orders and payments, shared by all surfaces.
import type { Translations } from "./locale"

export const BILLING_MESSAGES = {
  stripe_managed: {
    en: "The payment provider manages this subscription.",
    es: "El proveedor de pagos gestiona esta suscripción.",
    fr: "Le prestataire de paiement gère cet abonnement.",
    vi: "Nhà cung cấp thanh toán quản lý gói đăng ký này.",
  },
  offline_disabled: {
    en: "Bank-transfer orders are switched off.",
    es: "Los pedidos por transferencia están desactivados.",
    fr: "Les commandes par virement sont désactivées.",
    vi: "Đặt đơn bằng chuyển khoản đang tắt.",
  },
  order_already_open: {
    en: "The store already has an open order.",
    es: "La tienda ya tiene un pedido abierto.",
    fr: "La boutique a déjà une commande en cours.",
    vi: "Cửa hàng đã có một đơn đang mở.",
  },
  no_subscription: {
    en: "The store has no subscription.",
    es: "La tienda no tiene suscripción.",
    fr: "La boutique n’a pas d’abonnement.",
    vi: "Cửa hàng không có gói đăng ký.",
  },
  illegal_transition: {
    en: "This is not possible in the current status.",
    es: "Esto no es posible en el estado actual.",
    fr: "Ce n’est pas possible dans l’état actuel.",
    vi: "Không thể thực hiện ở trạng thái hiện tại.",
  },
  order_not_pending: {
    en: "The order is no longer pending.",
    es: "El pedido ya no está pendiente.",
    fr: "La commande n’est plus en attente.",
    vi: "Đơn không còn ở trạng thái chờ.",
  },
  card_disabled: {
    en: "Payment by card is not set up.",
    es: "El pago con tarjeta no está configurado.",
    fr: "Le paiement par carte n’est pas configuré.",
    vi: "Chưa thiết lập thanh toán bằng thẻ.",
  },
  provider_unreachable: {
    en: "The payment provider could not be asked. Try again in a moment.",
    es: "No se pudo consultar al proveedor de pagos. Inténtelo de nuevo en un momento.",
    fr: "Le prestataire de paiement n’a pas pu être joint. Réessayez dans un instant.",
    vi: "Không thể liên hệ nhà cung cấp thanh toán. Hãy thử lại sau giây lát.",
  },
  plan_too_small: {
    en: "The store uses more than this plan allows.",
    es: "La tienda usa más de lo que permite este plan.",
    fr: "La boutique utilise plus que ce forfait ne permet.",
    vi: "Cửa hàng đang dùng nhiều hơn mức gói này cho phép.",
  },
  usage_unavailable: {
    en: "The store's usage could not be counted.",
    es: "No se pudo calcular el uso de la tienda.",
    fr: "L’utilisation de la boutique n’a pas pu être calculée.",
    vi: "Không thể tính mức sử dụng của cửa hàng.",
  },
} satisfies Record<string, Translations>
