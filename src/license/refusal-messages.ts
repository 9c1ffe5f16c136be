// Messages that the license manager sends to client software, in four languages. Clients show them to users, and some
// compare the English ones, so they are part of the API.

export const LANGUAGES = ["en", "es", "fr", "vi"] as const
export type Language = (typeof LANGUAGES)[number]

type Translations = Readonly<Record<Language, string>>

/** `formatMessage` replaces names in braces with parameters. */
export const MESSAGES = {
  connected: {
    en: "Connection successful.",
    es: "Conexión correcta.",
    fr: "Connexion réussie.",
    vi: "Kết nối thành công.",
  },
  activated: { en: "Activated.", es: "Activada.", fr: "Activée.", vi: "Đã kích hoạt." },
  verified: { en: "Verified.", es: "Verificada.", fr: "Vérifiée.", vi: "Đã xác minh." },
  deactivated: { en: "Deactivated.", es: "Desactivada.", fr: "Désactivée.", vi: "Đã hủy kích hoạt." },
  license_valid: {
    en: "Your license is valid.",
    es: "Su licencia es válida.",
    fr: "Votre licence est valide.",
    vi: "Giấy phép của bạn hợp lệ.",
  },
  license_code_invalid: {
    en: "Your license code is invalid.",
    es: "Su código de licencia no es válido.",
    fr: "Votre code de licence n’est pas valide.",
    vi: "Mã giấy phép của bạn không hợp lệ.",
  },
  license_blocked: {
    en: "Your license is blocked.",
    es: "Su licencia está bloqueada.",
    fr: "Votre licence est bloquée.",
    vi: "Giấy phép của bạn đã bị khóa.",
  },
  license_expired: {
    en: "Your license has expired.",
    es: "Su licencia ha caducado.",
    fr: "Votre licence a expiré.",
    vi: "Giấy phép của bạn đã hết hạn.",
  },
  parallel_uses_reached: {
    en: "Your license has reached the maximum number of parallel uses.",
    es: "Su licencia ha alcanzado el número máximo de usos simultáneos.",
    fr: "Votre licence a atteint le nombre maximal d’utilisations simultanées.",
    vi: "Giấy phép của bạn đã đạt số lượt sử dụng đồng thời tối đa.",
  },
  domain_not_allowed: {
    en: "This license can only be used for the following domain(s): {domains}",
    es: "Esta licencia solo puede usarse en los siguientes dominios: {domains}",
    fr: "Cette licence ne peut être utilisée que pour les domaines suivants : {domains}",
    vi: "Giấy phép này chỉ có thể dùng cho các tên miền sau: {domains}",
  },
  ip_not_allowed: {
    en: "Your license is not valid for this IP.",
    es: "Su licencia no es válida para esta IP.",
    fr: "Votre licence n’est pas valide pour cette adresse IP.",
    vi: "Giấy phép của bạn không hợp lệ với địa chỉ IP này.",
  },
  license_not_held: {
    en: "License is invalid or not assigned to you.",
    es: "La licencia no es válida o no está asignada a usted.",
    fr: "La licence n’est pas valide ou ne vous est pas attribuée.",
    vi: "Giấy phép không hợp lệ hoặc không được cấp cho bạn.",
  },
  marketplace_unavailable: {
    en: "The marketplace could not be reached. Please try again later.",
    es: "No se pudo contactar con el mercado. Inténtelo de nuevo más tarde.",
    fr: "La place de marché est injoignable. Veuillez réessayer plus tard.",
    vi: "Không thể kết nối với sàn giao dịch. Vui lòng thử lại sau.",
  },
  update_available: {
    en: "Version {version} is available.",
    es: "La versión {version} está disponible.",
    fr: "La version {version} est disponible.",
    vi: "Đã có phiên bản {version}.",
  },
  up_to_date: {
    en: "You have the latest version.",
    es: "Ya tiene la última versión.",
    fr: "Vous avez déjà la dernière version.",
    vi: "Bạn đang dùng phiên bản mới nhất.",
  },
  product_not_found: {
    en: "Product not found.",
    es: "Producto no encontrado.",
    fr: "Produit introuvable.",
    vi: "Không tìm thấy sản phẩm.",
  },
  no_version: {
    en: "No version has been released.",
    es: "No se ha publicado ninguna versión.",
    fr: "Aucune version n’a été publiée.",
    vi: "Chưa có phiên bản nào được phát hành.",
  },
  api_key_invalid: {
    en: "The API key is missing or invalid.",
    es: "Falta la clave de API o no es válida.",
    fr: "La clé d’API est absente ou n’est pas valide.",
    vi: "Khóa API bị thiếu hoặc không hợp lệ.",
  },
  api_key_forbidden: {
    en: "The API key does not permit this.",
    es: "La clave de API no permite esta operación.",
    fr: "La clé d’API n’autorise pas cette opération.",
    vi: "Khóa API không cho phép thao tác này.",
  },
  api_key_expired: {
    en: "The API key has expired.",
    es: "La clave de API ha caducado.",
    fr: "La clé d’API a expiré.",
    vi: "Khóa API đã hết hạn.",
  },
  not_found: { en: "Not found.", es: "No encontrado.", fr: "Introuvable.", vi: "Không tìm thấy." },
  method_not_allowed: {
    en: "This method is not allowed here.",
    es: "Este método no está permitido aquí.",
    fr: "Cette méthode n’est pas autorisée ici.",
    vi: "Phương thức này không được phép ở đây.",
  },
  bad_request: {
    en: "The request could not be read.",
    es: "No se pudo leer la solicitud.",
    fr: "La requête est illisible.",
    vi: "Không thể đọc yêu cầu.",
  },
  too_large: {
    en: "The request is too large.",
    es: "La solicitud es demasiado grande.",
    fr: "La requête est trop volumineuse.",
    vi: "Yêu cầu quá lớn.",
  },
  unsupported_media_type: {
    en: "The request's content type is not supported.",
    es: "El tipo de contenido de la solicitud no es compatible.",
    fr: "Le type de contenu de la requête n’est pas pris en charge.",
    vi: "Loại nội dung của yêu cầu không được hỗ trợ.",
  },
  temporarily_unavailable: {
    en: "The service is temporarily unavailable. Try again in a few seconds.",
    es: "El servicio no está disponible temporalmente. Inténtelo de nuevo en unos segundos.",
    fr: "Le service est temporairement indisponible. Réessayez dans quelques secondes.",
    vi: "Dịch vụ tạm thời không khả dụng. Vui lòng thử lại sau vài giây.",
  },
  server_error: {
    en: "Something went wrong on our side.",
    es: "Algo ha fallado por nuestra parte.",
    fr: "Une erreur s’est produite de notre côté.",
    vi: "Đã xảy ra lỗi ở phía chúng tôi.",
  },
  license_not_found: {
    en: "License not found.",
    es: "Licencia no encontrada.",
    fr: "Licence introuvable.",
    vi: "Không tìm thấy giấy phép.",
  },
  no_license_found: {
    en: "No corresponding license was found.",
    es: "No se encontró ninguna licencia correspondiente.",
    fr: "Aucune licence correspondante n’a été trouvée.",
    vi: "Không tìm thấy giấy phép tương ứng.",
  },
  product_activated: {
    en: "The product is active.",
    es: "El producto está activo.",
    fr: "Le produit est actif.",
    vi: "Sản phẩm đang hoạt động.",
  },
  product_deactivated: {
    en: "The product is inactive.",
    es: "El producto está inactivo.",
    fr: "Le produit est inactif.",
    vi: "Sản phẩm không hoạt động.",
  },
  product_created: {
    en: "The product was created.",
    es: "Se creó el producto.",
    fr: "Le produit a été créé.",
    vi: "Đã tạo sản phẩm.",
  },
  license_created: {
    en: "The license was created.",
    es: "Se creó la licencia.",
    fr: "La licence a été créée.",
    vi: "Đã tạo giấy phép.",
  },
  license_updated: {
    en: "The license was updated.",
    es: "Se actualizó la licencia.",
    fr: "La licence a été mise à jour.",
    vi: "Đã cập nhật giấy phép.",
  },
  license_deleted: {
    en: "The license was deleted.",
    es: "Se eliminó la licencia.",
    fr: "La licence a été supprimée.",
    vi: "Đã xóa giấy phép.",
  },
  license_now_blocked: {
    en: "The license was blocked.",
    es: "Se bloqueó la licencia.",
    fr: "La licence a été bloquée.",
    vi: "Đã khóa giấy phép.",
  },
  license_now_unblocked: {
    en: "The license was unblocked.",
    es: "Se desbloqueó la licencia.",
    fr: "La licence a été débloquée.",
    vi: "Đã mở khóa giấy phép.",
  },
  activations_ended: {
    en: "All activations of the license were ended.",
    es: "Se finalizaron todas las activaciones de la licencia.",
    fr: "Il a été mis fin à toutes les activations de la licence.",
    vi: "Đã hủy mọi kích hoạt của giấy phép.",
  },
  rate_limited: {
    en: "Too many requests. Please try again later.",
    es: "Demasiadas solicitudes. Inténtelo de nuevo más tarde.",
    fr: "Trop de requêtes. Veuillez réessayer plus tard.",
    vi: "Quá nhiều yêu cầu. Vui lòng thử lại sau.",
  },
} as const satisfies Record<string, Translations>

export type MessageCode = keyof typeof MESSAGES
declare module "../core/http/refusal" {
  interface OwnMessages {
    license: MessageCode
  }
}

export type MessageParams = Readonly<Record<string, string>>

const LANGUAGE_NAMES: Readonly<Record<string, Language>> = {
  english: "en",
  spanish: "es",
  french: "fr",
  vietnamese: "vi",
}

/**
 * Parses the `X-API-LANGUAGE` header.
 *
 * @param header a code with or without a region (`fr`, `fr-CA`, `fr_FR`) or an English name (`french`);
 *   case-insensitive.
 * @returns the language; English for anything else.
 */
export function parseLanguage(header: string | null | undefined): Language {
  const name = (header ?? "").trim().toLowerCase().split(/[-_]/, 1)[0] ?? ""
  return LANGUAGES.find((language) => language === name || LANGUAGE_NAMES[name] === language) ?? "en"
}

/**
 * Formats a message.
 *
 * @param params replaces the names in braces.
 */
export const formatMessage = (code: MessageCode, language: Language, params: MessageParams = {}): string =>
  MESSAGES[code][language].replace(/\{(\w+)\}/g, (placeholder, name: string) => params[name] ?? placeholder)
