// What the account endpoints say when all went well.
import { type Locale, type Sentence, say } from "../../core/i18n/locale"

const WORDS = {
  registered: {
    en: "Your account has been created.",
    es: "Su cuenta ha sido creada.",
    fr: "Votre compte a été créé.",
    vi: "Tài khoản của bạn đã được tạo.",
  },
  registered_unverified: {
    en: "Your account has been created. Please follow the link that we have sent to your e-mail address.",
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
    en: "If the address has an account, a link to reset the password is on its way.",
    es: "Si la dirección tiene una cuenta, se ha enviado un enlace para restablecer la contraseña.",
    fr: "Si l'adresse a un compte, un lien de réinitialisation du mot de passe a été envoyé.",
    vi: "Nếu địa chỉ này có tài khoản, một liên kết đặt lại mật khẩu đã được gửi.",
  },
  password_reset: {
    en: "Your password has been reset.",
    es: "Su contraseña ha sido restablecida.",
    fr: "Votre mot de passe a été réinitialisé.",
    vi: "Mật khẩu của bạn đã được đặt lại.",
  },
  verification_mailed: {
    en: "If the address waits to be confirmed, a new link is on its way.",
    es: "Si la dirección está por confirmar, se ha enviado un nuevo enlace.",
    fr: "Si l'adresse attend d'être confirmée, un nouveau lien a été envoyé.",
    vi: "Nếu địa chỉ đang chờ xác nhận, một liên kết mới đã được gửi.",
  },
  password_changed: {
    en: "Your password has been changed. Please log in again.",
    es: "Su contraseña ha sido cambiada. Inicie sesión de nuevo.",
    fr: "Votre mot de passe a été modifié. Veuillez vous reconnecter.",
    vi: "Mật khẩu của bạn đã được thay đổi. Vui lòng đăng nhập lại.",
  },
} satisfies Record<string, Sentence>

/** @param message which */
export const accountMessage = (message: keyof typeof WORDS, locale: Locale): string => say(WORDS[message], locale)
