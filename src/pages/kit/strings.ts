// Strings that several page sets share.
import { createTranslator, localize, type Translations } from "../../core/i18n/locale"

export const COMMON_STRINGS = {
  skip: localize("Skip to content", "Ir al contenido", "Aller au contenu", "Chuyển đến nội dung"),
  sign_in: localize("Sign in", "Iniciar sesión", "Se connecter", "Đăng nhập"),
  email: localize("Email", "Correo electrónico", "E-mail", "Email"),
  password: localize("Password", "Contraseña", "Mot de passe", "Mật khẩu"),
  forgot_password: localize(
    "Forgot your password?",
    "¿Olvidó su contraseña?",
    "Mot de passe oublié ?",
    "Quên mật khẩu?",
  ),
  save: localize("Save", "Guardar", "Enregistrer", "Lưu"),
  optional: localize("optional", "opcional", "facultatif", "không bắt buộc"),
  language: localize("Language", "Idioma", "Langue", "Ngôn ngữ"),
  language_hint: localize(
    "Used for our emails and your billing page.",
    "Se usa en nuestros correos y en su página de facturación.",
    "Utilisée pour nos e-mails et votre page de facturation.",
    "Dùng cho email của chúng tôi và trang thanh toán của bạn.",
  ),
  link_expired: localize(
    "This link no longer works",
    "Este enlace ya no es válido",
    "Ce lien n'est plus valide",
    "Liên kết này không còn hiệu lực",
  ),
  plan: localize("Plan", "Plan", "Forfait", "Gói"),
  plans: localize("Plans", "Planes", "Forfaits", "Các gói"),
  free: localize("Free", "Gratis", "Gratuit", "Miễn phí"),
  month: localize("per month", "al mes", "par mois", "mỗi tháng"),
  year: localize("per year", "al año", "par an", "mỗi năm"),
  unlimited: localize("unlimited", "sin límite", "illimité", "không giới hạn"),
  products_limit: localize("Products: :count", "Productos: :count", "Produits : :count", "Sản phẩm: :count"),
  orders_limit: localize(
    "Orders per month: :count",
    "Pedidos al mes: :count",
    "Commandes par mois : :count",
    "Đơn hàng mỗi tháng: :count",
  ),
  storage_limit: localize("Storage: :count", "Almacenamiento: :count", "Stockage : :count", "Dung lượng: :count"),
  staff_limit: localize(
    "Staff accounts: :count",
    "Cuentas de personal: :count",
    "Comptes du personnel : :count",
    "Tài khoản nhân viên: :count",
  ),
  custom_domain: localize("Custom domain", "Dominio propio", "Domaine personnalisé", "Tên miền riêng"),
  api_access: localize("API access", "Acceso a la API", "Accès à l'API", "Truy cập API"),
  remove_branding: localize(
    "No platform branding",
    "Sin la marca de la plataforma",
    "Sans la marque de la plateforme",
    "Không gắn thương hiệu của nền tảng",
  ),
} satisfies Record<string, Translations>

/** Looks up a string that all page sets share. */
export const t = createTranslator(COMMON_STRINGS)
