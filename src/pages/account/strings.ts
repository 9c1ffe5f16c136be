// Strings of the pages that mailed links lead to.
import type { Translations } from "../../core/i18n/locale"
import { COMMON_STRINGS, createTranslator, localize } from "../kit/strings"

const STRINGS = {
  ...COMMON_STRINGS,
  owner_sign_in: localize(
    "Store owner: sign in",
    "Propietario: iniciar sesión",
    "Propriétaire : se connecter",
    "Chủ cửa hàng: đăng nhập",
  ),
  to_store: localize("Go to the store", "Ir a la tienda", "Aller à la boutique", "Đến cửa hàng"),
  to_home: localize("Back to home", "Volver al inicio", "Retour à l'accueil", "Về trang chủ"),
  confirmed: localize(
    "Your email is confirmed",
    "Su correo está confirmado",
    "Votre adresse e-mail est confirmée",
    "Email của bạn đã được xác nhận",
  ),
  confirmed_body: localize(
    "You can sign in now.",
    "Ya puede iniciar sesión.",
    "Vous pouvez maintenant vous connecter.",
    "Bạn có thể đăng nhập ngay bây giờ.",
  ),
  link_expired_body: localize(
    "It has expired, was already used, or was replaced by a newer one. Please request a new link.",
    "Ha caducado, ya se ha usado o lo ha sustituido uno más reciente. Solicite un enlace nuevo.",
    "Il a expiré, a déjà été utilisé ou a été remplacé par un plus récent. Veuillez demander un nouveau lien.",
    "Liên kết đã hết hạn, đã được sử dụng hoặc đã có liên kết mới hơn. Vui lòng yêu cầu liên kết mới.",
  ),
  forgot_password_body: localize(
    "Enter your email and we'll send you a link to reset your password.",
    "Escriba su correo y le enviaremos un enlace para restablecer su contraseña.",
    "Saisissez votre e-mail et nous vous enverrons un lien pour réinitialiser votre mot de passe.",
    "Nhập email của bạn và chúng tôi sẽ gửi liên kết để đặt lại mật khẩu.",
  ),
  send_link: localize("Send reset link", "Enviar enlace", "Envoyer le lien", "Gửi liên kết"),
  choose_password: localize(
    "Choose a new password",
    "Elija una nueva contraseña",
    "Choisissez un nouveau mot de passe",
    "Chọn mật khẩu mới",
  ),
  new_password: localize("New password", "Nueva contraseña", "Nouveau mot de passe", "Mật khẩu mới"),
  confirm_password: localize(
    "Confirm new password",
    "Confirme la nueva contraseña",
    "Confirmez le nouveau mot de passe",
    "Nhập lại mật khẩu mới",
  ),
  reset_password: localize(
    "Reset password",
    "Restablecer contraseña",
    "Réinitialiser le mot de passe",
    "Đặt lại mật khẩu",
  ),
  password_changed: localize("Password changed", "Contraseña cambiada", "Mot de passe modifié", "Đã đổi mật khẩu"),
  password_changed_body: localize(
    "You've been signed out everywhere. Sign in with your new password.",
    "Se ha cerrado su sesión en todas partes. Inicie sesión con la nueva contraseña.",
    "Vous avez été déconnecté partout. Connectez-vous avec votre nouveau mot de passe.",
    "Bạn đã được đăng xuất ở mọi nơi. Hãy đăng nhập bằng mật khẩu mới.",
  ),
} satisfies Record<string, Translations>

/** Looks up a string of these pages. */
export const t = createTranslator(STRINGS)
