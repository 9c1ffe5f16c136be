// The messages of the control plane's error codes, in four languages. Clients rely on the codes; the messages
// are for people.

import type { ConsoleCode, ContentCode, HttpErrorStatus, RefusalCode } from "../core/http/refusal"
import { BILLING_MESSAGES } from "../core/i18n/billing-messages"
import type { Translations } from "../core/i18n/locale"

/** The codes that the control plane, the operator commands and the pages of the platform render. */
export type PlatformCode = Exclude<RefusalCode, Exclude<ContentCode, "not_scheduled"> | ConsoleCode>

/**
 * Messages by code. `validation_failed` uses the message of its first field, `http_error` the message of its status
 * below.
 */
export const MESSAGES: Record<Exclude<PlatformCode, "validation_failed" | "http_error">, Translations> = {
  ...BILLING_MESSAGES,
  not_scheduled: {
    en: "Only a scheduled notification can be cancelled; this one is :status_name.",
    es: "Solo se puede cancelar una notificación programada; esta está en estado :status_name.",
    fr: "Seule une notification programmée peut être annulée ; celle-ci est à l’état :status_name.",
    vi: "Chỉ có thể hủy thông báo đã lên lịch; thông báo này đang ở trạng thái :status_name.",
  },
  last_admin: {
    en: "The last admin can neither be removed nor made a viewer.",
    es: "El último administrador no se puede eliminar ni convertir en lector.",
    fr: "Le dernier administrateur ne peut être ni supprimé ni rétrogradé en lecteur.",
    vi: "Không thể xóa quản trị viên cuối cùng hoặc chuyển thành người chỉ xem.",
  },
  own_account: {
    en: "You cannot remove yourself or change your own role. Ask another admin.",
    es: "No puede eliminarse ni cambiar su propia función. Pídaselo a otro administrador.",
    fr: "Vous ne pouvez ni vous supprimer ni changer votre propre rôle. Demandez à un autre administrateur.",
    vi: "Bạn không thể tự xóa mình hoặc tự đổi vai trò của mình. Hãy nhờ quản trị viên khác.",
  },
  api_disabled: {
    en: "The platform API is disabled.",
    es: "La API de la plataforma está desactivada.",
    fr: "L’API de la plateforme est désactivée.",
    vi: "API của nền tảng đang tắt.",
  },
  unauthenticated: {
    en: "An API key is required.",
    es: "Se requiere una clave de API.",
    fr: "Une clé d’API est requise.",
    vi: "Cần có khóa API.",
  },
  invalid_key: {
    en: "The API key is invalid.",
    es: "La clave de API no es válida.",
    fr: "La clé d’API est invalide.",
    vi: "Khóa API không hợp lệ.",
  },
  key_revoked: {
    en: "The API key has been revoked.",
    es: "La clave de API ha sido revocada.",
    fr: "La clé d’API a été révoquée.",
    vi: "Khóa API đã bị thu hồi.",
  },
  key_expired: {
    en: "The API key has expired.",
    es: "La clave de API ha caducado.",
    fr: "La clé d’API a expiré.",
    vi: "Khóa API đã hết hạn.",
  },
  insufficient_scope: {
    en: "The API key lacks the :scope scope.",
    es: "La clave de API no tiene el permiso :scope.",
    fr: "La clé d’API n’a pas l’autorisation :scope.",
    vi: "Khóa API thiếu quyền :scope.",
  },
  forbidden: {
    en: "This action is not permitted.",
    es: "Esta acción no está permitida.",
    fr: "Cette action n’est pas autorisée.",
    vi: "Hành động này không được phép.",
  },
  not_found: {
    en: "Not found.",
    es: "No encontrado.",
    fr: "Introuvable.",
    vi: "Không tìm thấy.",
  },
  method_not_allowed: {
    en: "This method is not allowed here.",
    es: "Este método no está permitido aquí.",
    fr: "Cette méthode n’est pas autorisée ici.",
    vi: "Phương thức này không được phép ở đây.",
  },
  rate_limited: {
    en: "Too many requests. Try again in :seconds seconds.",
    es: "Demasiadas solicitudes. Inténtelo de nuevo en :seconds segundos.",
    fr: "Trop de requêtes. Réessayez dans :seconds secondes.",
    vi: "Quá nhiều yêu cầu. Hãy thử lại sau :seconds giây.",
  },
  precondition_failed: {
    en: "The resource was changed since you read it. Read it again and repeat the change.",
    es: "El recurso ha cambiado desde que lo leyó. Vuelva a leerlo y repita el cambio.",
    fr: "La ressource a été modifiée depuis que vous l’avez lue. Relisez-la et recommencez la modification.",
    vi: "Tài nguyên đã thay đổi kể từ khi bạn đọc. Hãy đọc lại rồi thực hiện lại thay đổi.",
  },
  idempotency_mismatch: {
    en: "This Idempotency-Key was used with another request.",
    es: "Esta Idempotency-Key se usó con otra solicitud.",
    fr: "Cette Idempotency-Key a servi pour une autre requête.",
    vi: "Idempotency-Key này đã được dùng cho một yêu cầu khác.",
  },
  idempotency_in_progress: {
    en: "The first request with this Idempotency-Key is still running.",
    es: "La primera solicitud con esta Idempotency-Key sigue en curso.",
    fr: "La première requête avec cette Idempotency-Key est encore en cours.",
    vi: "Yêu cầu đầu tiên với Idempotency-Key này vẫn đang chạy.",
  },
  temporarily_unavailable: {
    en: "The service is temporarily unavailable. Try again in a few seconds.",
    es: "El servicio no está disponible temporalmente. Inténtelo de nuevo en unos segundos.",
    fr: "Le service est temporairement indisponible. Réessayez dans quelques secondes.",
    vi: "Dịch vụ tạm thời không khả dụng. Vui lòng thử lại sau vài giây.",
  },
  server_error: {
    en: "Something went wrong. Quote request :request_id when you report it.",
    es: "Algo ha fallado. Indique la solicitud :request_id al informar de ello.",
    fr: "Une erreur est survenue. Citez la requête :request_id en la signalant.",
    vi: "Đã xảy ra lỗi. Hãy nêu yêu cầu :request_id khi báo lỗi.",
  },
  subdomain_reserved: {
    en: "This subdomain is reserved.",
    es: "Este subdominio está reservado.",
    fr: "Ce sous-domaine est réservé.",
    vi: "Tên miền phụ này được dành riêng.",
  },
  subdomain_taken: {
    en: "This subdomain is already taken.",
    es: "Este subdominio ya está en uso.",
    fr: "Ce sous-domaine est déjà pris.",
    vi: "Tên miền phụ này đã được sử dụng.",
  },
  not_provisioned: {
    en: "The store is not provisioned yet.",
    es: "La tienda aún no está aprovisionada.",
    fr: "La boutique n’est pas encore provisionnée.",
    vi: "Cửa hàng chưa được khởi tạo xong.",
  },
  no_tenant: {
    en: "The subscription's store no longer exists.",
    es: "La tienda de la suscripción ya no existe.",
    fr: "La boutique de cet abonnement n’existe plus.",
    vi: "Cửa hàng của gói đăng ký không còn tồn tại.",
  },
  plan_unavailable: {
    en: "The plan is not available.",
    es: "El plan no está disponible.",
    fr: "Le forfait n’est pas disponible.",
    vi: "Gói này không khả dụng.",
  },
  confirm_mismatch: {
    en: "The confirmation does not match the store id.",
    es: "La confirmación no coincide con el identificador de la tienda.",
    fr: "La confirmation ne correspond pas à l’identifiant de la boutique.",
    vi: "Nội dung xác nhận không khớp với mã cửa hàng.",
  },
  still_provisioning: {
    en: "The store is still being provisioned.",
    es: "La tienda aún se está aprovisionando.",
    fr: "La boutique est en cours de provisionnement.",
    vi: "Cửa hàng vẫn đang được khởi tạo.",
  },
  plan_upgrade_required: {
    en: "The store's plan does not allow custom domains.",
    es: "El plan de la tienda no permite dominios propios.",
    fr: "Le forfait de la boutique n’autorise pas les domaines personnalisés.",
    vi: "Gói của cửa hàng không cho phép tên miền riêng.",
  },
  limit_reached: {
    en: "The store has reached its limit of custom domains.",
    es: "La tienda ha alcanzado su límite de dominios propios.",
    fr: "La boutique a atteint sa limite de domaines personnalisés.",
    vi: "Cửa hàng đã đạt giới hạn số tên miền riêng.",
  },
  already_taken: {
    en: "This domain is registered to another store.",
    es: "Este dominio está registrado en otra tienda.",
    fr: "Ce domaine est enregistré pour une autre boutique.",
    vi: "Tên miền này đã được đăng ký cho cửa hàng khác.",
  },
  verify_first: {
    en: "The domain has to be verified first.",
    es: "Primero hay que verificar el dominio.",
    fr: "Le domaine doit d’abord être vérifié.",
    vi: "Tên miền phải được xác minh trước.",
  },
  not_removable: {
    en: "This domain cannot be removed.",
    es: "Este dominio no se puede eliminar.",
    fr: "Ce domaine ne peut pas être retiré.",
    vi: "Không thể gỡ tên miền này.",
  },
  not_entitled: {
    en: "The store's plan does not include this app.",
    es: "El plan de la tienda no incluye esta aplicación.",
    fr: "Le forfait de la boutique n’inclut pas cette application.",
    vi: "Gói của cửa hàng không bao gồm ứng dụng này.",
  },
  requirement_not_entitled: {
    en: "The store's plan does not include an app that this one requires.",
    es: "El plan de la tienda no incluye una aplicación que esta requiere.",
    fr: "Le forfait de la boutique n’inclut pas une application requise par celle-ci.",
    vi: "Gói của cửa hàng không bao gồm ứng dụng mà ứng dụng này cần.",
  },
  still_required: {
    en: "Another enabled app requires this one.",
    es: "Otra aplicación activa requiere esta.",
    fr: "Une autre application activée requiert celle-ci.",
    vi: "Một ứng dụng đang bật khác cần ứng dụng này.",
  },
  theme_not_entitled: {
    en: "The store's plan does not include this theme.",
    es: "El plan de la tienda no incluye este tema.",
    fr: "Le forfait de la boutique n’inclut pas ce thème.",
    vi: "Gói của cửa hàng không bao gồm giao diện này.",
  },
  theme_requirement_not_entitled: {
    en: "The store's plan does not include an app that this theme requires.",
    es: "El plan de la tienda no incluye una aplicación que este tema requiere.",
    fr: "Le forfait de la boutique n’inclut pas une application requise par ce thème.",
    vi: "Gói của cửa hàng không bao gồm ứng dụng mà giao diện này cần.",
  },
  theme_unavailable: {
    en: "This theme is not available.",
    es: "Este tema no está disponible.",
    fr: "Ce thème n’est pas disponible.",
    vi: "Giao diện này không khả dụng.",
  },
  same_plan: {
    en: "The store is already on this plan.",
    es: "La tienda ya tiene este plan.",
    fr: "La boutique a déjà ce forfait.",
    vi: "Cửa hàng đang dùng gói này.",
  },
  no_plan: {
    en: "The subscription has no plan.",
    es: "La suscripción no tiene plan.",
    fr: "L’abonnement n’a pas de forfait.",
    vi: "Gói đăng ký không gắn với gói nào.",
  },
  store_unavailable: {
    en: "The store has no database yet, it is being moved to another one, or it cannot be reached.",
    es: "La tienda aún no tiene base de datos, se está trasladando a otra o no se puede acceder a ella.",
    fr: "La boutique n’a pas encore de base de données, elle est en cours de transfert vers une autre, ou elle est inaccessible.",
    vi: "Cửa hàng chưa có cơ sở dữ liệu, đang được chuyển sang cơ sở dữ liệu khác, hoặc không thể truy cập.",
  },
  recovery_running: {
    en: "A recovery of this endpoint is already in progress.",
    es: "Ya hay una recuperación de este endpoint en curso.",
    fr: "Une récupération de cet endpoint est déjà en cours.",
    vi: "Đang có một lượt khôi phục của endpoint này.",
  },
  cursor_expired: {
    en: "The events after this cursor are no longer available.",
    es: "Los eventos posteriores a este cursor ya no están disponibles.",
    fr: "Les événements qui suivent ce curseur ne sont plus disponibles.",
    vi: "Các sự kiện sau con trỏ này không còn khả dụng.",
  },
  delivery_not_retryable: {
    en: "This delivery cannot be retried now.",
    es: "Esta entrega no se puede reintentar ahora.",
    fr: "Cet envoi ne peut pas être relancé maintenant.",
    vi: "Không thể gửi lại lượt gửi này lúc này.",
  },
  clock_behind: {
    en: "The store's billing was changed after that moment.",
    es: "La facturación de la tienda cambió después de ese momento.",
    fr: "La facturation de la boutique a changé après ce moment.",
    vi: "Việc thanh toán của cửa hàng đã thay đổi sau thời điểm đó.",
  },
  invalid_signature: {
    en: "The signature is missing or doesn't match the message.",
    es: "Falta la firma o no corresponde al mensaje.",
    fr: "La signature manque ou ne correspond pas au message.",
    vi: "Thiếu chữ ký hoặc chữ ký không khớp với thông điệp này.",
  },
  prefix_locked: {
    en: "The prefix can't be changed after the first document has been issued.",
    es: "El prefijo no se puede cambiar una vez emitido el primer documento.",
    fr: "Le préfixe ne peut plus être modifié après l’émission du premier document.",
    vi: "Không thể đổi tiền tố sau khi chứng từ đầu tiên đã được phát hành.",
  },
}

/**
 * `already_taken` for a domain that the other store has not verified: anyone who can set the record may take it over.
 */
export const TAKEN_UNVERIFIED: Translations = {
  en: "This domain is registered to another store, which has not verified it. Set the TXT record :record to :value and attach it again to take it over.",
  es: "Este dominio está registrado en otra tienda, que no lo ha verificado. Cree el registro TXT :record con el valor :value y vuelva a añadir el dominio para quedarse con él.",
  fr: "Ce domaine est enregistré pour une autre boutique, qui ne l’a pas vérifié. Donnez à l’enregistrement TXT :record la valeur :value et ajoutez le domaine à nouveau pour le reprendre.",
  vi: "Tên miền này đã được đăng ký cho cửa hàng khác nhưng cửa hàng đó chưa xác minh. Hãy đặt bản ghi TXT :record thành :value rồi thêm lại để nhận tên miền.",
}

/**
 * `already_taken` for a domain that the other store has verified: it can be taken over through DNS, after a grace
 * period.
 */
export const TAKEN_VERIFIED: Translations = {
  en: "This domain is verified by another store. If it is yours, set the TXT record :record to :value, remove the other store's value, and attach the domain again; it passes to you :hours hours later.",
  es: "Otra tienda ha verificado este dominio. Si es suyo, cree el registro TXT :record con el valor :value, elimine el valor de la otra tienda y vuelva a añadir el dominio; será suyo :hours horas después.",
  fr: "Ce domaine est vérifié par une autre boutique. S’il est à vous, donnez à l’enregistrement TXT :record la valeur :value, supprimez la valeur de l’autre boutique et ajoutez le domaine à nouveau ; il vous reviendra :hours heures plus tard.",
  vi: "Tên miền này đã được cửa hàng khác xác minh. Nếu tên miền là của bạn, hãy đặt bản ghi TXT :record thành :value, xóa giá trị của cửa hàng kia và thêm lại tên miền; sau :hours giờ tên miền sẽ thuộc về bạn.",
}

/** `not_found` on another host than the central one. */
export const WRONG_HOST: Translations = {
  en: "Not found. The control plane is served on :central only.",
  es: "No encontrado. El plano de control solo está disponible en :central.",
  fr: "Introuvable. Le plan de contrôle n’est disponible que sur :central.",
  vi: "Không tìm thấy. API điều khiển chỉ có trên :central.",
}

/** Messages of `http_error`, by status. */
export const HTTP_ERROR_MESSAGES: Record<HttpErrorStatus, Translations> = {
  400: {
    en: "The body is not valid JSON.",
    es: "El cuerpo no es JSON válido.",
    fr: "Le corps n’est pas du JSON valide.",
    vi: "Nội dung không phải là JSON hợp lệ.",
  },
  413: {
    en: "The body is too large.",
    es: "El cuerpo es demasiado grande.",
    fr: "Le corps est trop volumineux.",
    vi: "Nội dung quá lớn.",
  },
  415: {
    en: "The body must be JSON (Content-Type: application/json).",
    es: "El cuerpo debe ser JSON (Content-Type: application/json).",
    fr: "Le corps doit être du JSON (Content-Type: application/json).",
    vi: "Nội dung phải là JSON (Content-Type: application/json).",
  },
}
