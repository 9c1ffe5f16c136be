// The success messages of the account endpoints in four languages.
import { type Locale, type Translations, translate } from "../../core/i18n/locale"

const MESSAGES = {
  registered: {
    en: "Your account has been created.",
    es: "Su cuenta ha sido creada.",
    fr: "Votre compte a été créé.",
    vi: "Tài khoản của bạn đã được tạo.",
  },
  registered_unverified: {
    en: "Your account has been created. Please follow the link that we have sent to your email address.",
    es: "Su cuenta ha sido creada. Siga el enlace que le hemos enviado a su dirección de correo.",
    fr: "Votre compte a été créé. Suivez le lien que nous avons envoyé à votre adresse e-mail.",
    vi: "Tài khoản của bạn đã được tạo. Vui lòng mở liên kết chúng tôi đã gửi đến email của bạn.",
  },
  logged_out: {
    en: "You have been logged out.",
    es: "Ha cerrado la sesión.",
    fr: "Vous avez été déconnecté.",
    vi: "Bạn đã đăng xuất.",
  },
  reset_mailed: {
    en: "If an account exists for this address, we have sent a link to reset the password.",
    es: "Si existe una cuenta con esta dirección, le hemos enviado un enlace para restablecer la contraseña.",
    fr: "Si un compte existe pour cette adresse, nous avons envoyé un lien de réinitialisation du mot de passe.",
    vi: "Nếu địa chỉ này có tài khoản, chúng tôi đã gửi liên kết đặt lại mật khẩu.",
  },
  password_reset: {
    en: "Your password has been reset.",
    es: "Su contraseña ha sido restablecida.",
    fr: "Votre mot de passe a été réinitialisé.",
    vi: "Mật khẩu của bạn đã được đặt lại.",
  },
  verification_mailed: {
    en: "If this address still needs to be confirmed, we have sent a new link.",
    es: "Si esta dirección aún no está confirmada, le hemos enviado un nuevo enlace.",
    fr: "Si cette adresse n’est pas encore confirmée, nous avons envoyé un nouveau lien.",
    vi: "Nếu địa chỉ này chưa được xác nhận, chúng tôi đã gửi một liên kết mới.",
  },
  account_deleted: {
    en: "Your account has been deleted.",
    es: "Su cuenta ha sido eliminada.",
    fr: "Votre compte a été supprimé.",
    vi: "Tài khoản của bạn đã được xóa.",
  },
  password_changed: {
    en: "Your password has been changed. Please log in again.",
    es: "Su contraseña ha sido cambiada. Inicie sesión de nuevo.",
    fr: "Votre mot de passe a été modifié. Veuillez vous reconnecter.",
    vi: "Mật khẩu của bạn đã được thay đổi. Vui lòng đăng nhập lại.",
  },
} satisfies Record<string, Translations>

/** Returns the localized success message of an account endpoint. */
export const accountMessage = (message: keyof typeof MESSAGES, locale: Locale): string =>
  translate(MESSAGES[message], locale)
