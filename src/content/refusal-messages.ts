// The messages of the content API's refusals in four languages.

import type { ContentCode, HttpErrorStatus } from "../core/http/refusal"
import { BILLING_MESSAGES } from "../core/i18n/billing-messages"
import type { Translations } from "../core/i18n/locale"

/** The codes that the content API and the pages of a store render. */
export type ContentApiCode =
  | Exclude<ContentCode, "not_scheduled">
  | keyof typeof BILLING_MESSAGES
  | "api_disabled"
  | "delivery_not_retryable"
  | "forbidden"
  | "http_error"
  | "idempotency_mismatch"
  | "invalid_key"
  | "limit_reached"
  | "method_not_allowed"
  | "not_entitled"
  | "not_found"
  | "precondition_failed"
  | "rate_limited"
  | "server_error"
  | "store_unavailable"
  | "temporarily_unavailable"
  | "unauthenticated"
  | "validation_failed"

const UNREADABLE: Translations = {
  en: "The request could not be read.",
  es: "No se pudo leer la solicitud.",
  fr: "La requête n’a pas pu être lue.",
  vi: "Không thể đọc yêu cầu.",
}

export const MESSAGES: Record<Exclude<ContentApiCode, "http_error">, Translations> = {
  ...BILLING_MESSAGES,
  store_unavailable: {
    en: "This store is not available at the moment.",
    es: "Esta tienda no está disponible en este momento.",
    fr: "Cette boutique n’est pas disponible pour le moment.",
    vi: "Cửa hàng này hiện không khả dụng.",
  },
  not_entitled: {
    en: "This store's plan does not include API access.",
    es: "El plan de esta tienda no incluye acceso a la API.",
    fr: "Le forfait de cette boutique n’inclut pas l’accès à l’API.",
    vi: "Gói của cửa hàng này không bao gồm quyền truy cập API.",
  },
  api_disabled: {
    en: "The API is disabled.",
    es: "La API está desactivada.",
    fr: "L’API est désactivée.",
    vi: "API đang tắt.",
  },
  invalid_key: {
    en: "The API key is missing or invalid.",
    es: "La clave de API falta o no es válida.",
    fr: "La clé d’API est absente ou invalide.",
    vi: "Khóa API bị thiếu hoặc không hợp lệ.",
  },
  idempotency_mismatch: {
    en: "This Idempotency-Key was used with another request.",
    es: "Esta Idempotency-Key se usó con otra solicitud.",
    fr: "Cette Idempotency-Key a servi pour une autre requête.",
    vi: "Idempotency-Key này đã được dùng cho một yêu cầu khác.",
  },
  invitation_invalid: {
    en: "This invitation has expired, was withdrawn or was already accepted.",
    es: "Esta invitación ha caducado, se ha retirado o ya se ha aceptado.",
    fr: "Cette invitation a expiré, a été retirée ou a déjà été acceptée.",
    vi: "Lời mời này đã hết hạn, đã bị rút lại hoặc đã được chấp nhận.",
  },
  last_owner: {
    en: "A store needs at least one owner.",
    es: "Una tienda necesita al menos un propietario.",
    fr: "Une boutique a besoin d’au moins un propriétaire.",
    vi: "Cửa hàng cần có ít nhất một chủ sở hữu.",
  },
  unpaid_orders: {
    en: "You have too many orders that are not paid yet.",
    es: "Tiene demasiados pedidos pendientes de pago.",
    fr: "Vous avez trop de commandes en attente de paiement.",
    vi: "Bạn có quá nhiều đơn hàng chưa thanh toán.",
  },
  unauthenticated: {
    en: "Unauthenticated.",
    es: "No autenticado.",
    fr: "Non authentifié.",
    vi: "Chưa xác thực.",
  },
  limit_reached: {
    en: "This store has reached a limit of its plan.",
    es: "Esta tienda ha alcanzado un límite de su plan.",
    fr: "Cette boutique a atteint une limite de son forfait.",
    vi: "Cửa hàng này đã đạt đến một giới hạn của gói.",
  },
  delivery_not_retryable: {
    en: "This delivery cannot be retried now.",
    es: "Esta entrega no se puede reintentar ahora.",
    fr: "Cet envoi ne peut pas être relancé maintenant.",
    vi: "Không thể gửi lại lượt gửi này lúc này.",
  },
  forbidden: {
    en: "You may not do this.",
    es: "No puede hacer esto.",
    fr: "Vous ne pouvez pas faire cela.",
    vi: "Bạn không được phép làm điều này.",
  },
  not_found: {
    en: "Not found.",
    es: "No encontrado.",
    fr: "Introuvable.",
    vi: "Không tìm thấy.",
  },
  precondition_failed: {
    en: "This was changed in the meantime. Read it again, then repeat your change.",
    es: "Esto ha cambiado entretanto. Vuelva a leerlo y repita su cambio.",
    fr: "Ceci a été modifié entre-temps. Relisez-le, puis recommencez votre modification.",
    vi: "Nội dung này đã thay đổi trong lúc đó. Hãy đọc lại rồi thực hiện lại thay đổi của bạn.",
  },
  device_not_found: {
    en: "Device token not found",
    es: "No se encontró el token del dispositivo",
    fr: "Jeton d’appareil introuvable",
    vi: "Không tìm thấy mã thiết bị",
  },
  method_not_allowed: {
    en: "This path does not accept that method.",
    es: "Esta ruta no acepta ese método.",
    fr: "Ce chemin n’accepte pas cette méthode.",
    vi: "Đường dẫn này không chấp nhận phương thức đó.",
  },
  rate_limited: {
    en: "Too many attempts. Please try again in :seconds seconds.",
    es: "Demasiados intentos. Vuelva a intentarlo en :seconds segundos.",
    fr: "Trop de tentatives. Réessayez dans :seconds secondes.",
    vi: "Quá nhiều lần thử. Vui lòng thử lại sau :seconds giây.",
  },
  account_disabled: {
    en: "This account is disabled. Contact the shop.",
    es: "Esta cuenta está desactivada. Contacte con la tienda.",
    fr: "Ce compte est désactivé. Contactez la boutique.",
    vi: "Tài khoản này đã bị vô hiệu hóa. Hãy liên hệ cửa hàng.",
  },
  wrong_credentials: {
    en: "These credentials do not match our records.",
    es: "Estas credenciales no coinciden con nuestros registros.",
    fr: "Ces identifiants ne correspondent pas à nos enregistrements.",
    vi: "Thông tin đăng nhập không khớp với dữ liệu của chúng tôi.",
  },
  wrong_password: {
    en: "The current password is incorrect.",
    es: "La contraseña actual no es correcta.",
    fr: "Le mot de passe actuel est incorrect.",
    vi: "Mật khẩu hiện tại không đúng.",
  },
  email_unverified: {
    en: "Please confirm your email address first. We have sent you a link.",
    es: "Confirme primero su dirección de correo: le hemos enviado un enlace.",
    fr: "Confirmez d’abord votre adresse e-mail : nous vous avons envoyé un lien.",
    vi: "Vui lòng xác nhận địa chỉ email trước: chúng tôi đã gửi cho bạn một liên kết.",
  },
  reset_token_invalid: {
    en: "This password reset token is invalid or has expired.",
    es: "Este token para restablecer la contraseña no es válido o ha caducado.",
    fr: "Ce jeton de réinitialisation du mot de passe est invalide ou a expiré.",
    vi: "Mã đặt lại mật khẩu này không hợp lệ hoặc đã hết hạn.",
  },
  /** Without field errors. */
  validation_failed: UNREADABLE,
  temporarily_unavailable: {
    en: "The service is temporarily unavailable. Try again in a few seconds.",
    es: "El servicio no está disponible temporalmente. Inténtelo de nuevo en unos segundos.",
    fr: "Le service est temporairement indisponible. Réessayez dans quelques secondes.",
    vi: "Dịch vụ tạm thời không khả dụng. Vui lòng thử lại sau vài giây.",
  },
  server_error: {
    en: "Something went wrong on our side (:request_id).",
    es: "Algo ha fallado por nuestra parte (:request_id).",
    fr: "Une erreur est survenue de notre côté (:request_id).",
    vi: "Đã xảy ra lỗi ở phía chúng tôi (:request_id).",
  },
}

/** Messages of `http_error`, by status. */
export const HTTP_ERROR_MESSAGES: Record<HttpErrorStatus, Translations> = {
  400: UNREADABLE,
  413: {
    en: "The request is too large.",
    es: "La solicitud es demasiado grande.",
    fr: "La requête est trop volumineuse.",
    vi: "Yêu cầu quá lớn.",
  },
  415: {
    en: "The request's media type is not supported.",
    es: "El tipo de contenido de la solicitud no es compatible.",
    fr: "Le type de contenu de la requête n’est pas pris en charge.",
    vi: "Kiểu nội dung của yêu cầu không được hỗ trợ.",
  },
}

/** Appended to the first of several field errors. */
export const MORE_FIELD_ERRORS: Record<"one" | "many", Translations> = {
  one: {
    en: "(and 1 more error)",
    es: "(y 1 error más)",
    fr: "(et 1 autre erreur)",
    vi: "(và 1 lỗi khác)",
  },
  many: {
    en: "(and :count more errors)",
    es: "(y :count errores más)",
    fr: "(et :count autres erreurs)",
    vi: "(và :count lỗi khác)",
  },
}
