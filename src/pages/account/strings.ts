// What the pages behind mailed links say.
import { type Locale, type Sentence, say } from "../../core/i18n/locale"

const WORDS = {
  confirmed: {
    en: "Your address is confirmed",
    es: "Su dirección está confirmada",
    fr: "Votre adresse est confirmée",
    vi: "Địa chỉ của bạn đã được xác nhận",
  },
  confirmed_body: {
    en: "You can log in now.",
    es: "Ya puede iniciar sesión.",
    fr: "Vous pouvez maintenant vous connecter.",
    vi: "Bạn có thể đăng nhập ngay bây giờ.",
  },
  dead_link: {
    en: "This link does not work any more",
    es: "Este enlace ya no funciona",
    fr: "Ce lien ne fonctionne plus",
    vi: "Liên kết này không còn hoạt động",
  },
  dead_link_body: {
    en: "It has been used, replaced by a newer one, or is too old. Ask for another one where you asked for this one.",
    es: "Ya se usó, fue sustituido por otro más reciente o es demasiado antiguo. Pida otro donde pidió este.",
    fr: "Il a servi, a été remplacé par un plus récent ou est trop ancien. Demandez-en un autre là où vous avez demandé celui-ci.",
    vi: "Liên kết đã được dùng, đã có liên kết mới hơn hoặc đã quá cũ. Hãy yêu cầu lại ở nơi bạn đã yêu cầu.",
  },
  forgot: {
    en: "Forgot your password?",
    es: "¿Olvidó su contraseña?",
    fr: "Mot de passe oublié ?",
    vi: "Quên mật khẩu?",
  },
  forgot_body: {
    en: "We send a link to your address that lets you choose a new one.",
    es: "Enviamos a su dirección un enlace con el que podrá elegir una nueva.",
    fr: "Nous envoyons à votre adresse un lien qui permet d'en choisir un nouveau.",
    vi: "Chúng tôi sẽ gửi đến địa chỉ của bạn một liên kết để chọn mật khẩu mới.",
  },
  email: { en: "E-mail", es: "Correo electrónico", fr: "E-mail", vi: "Email" },
  send: { en: "Send the link", es: "Enviar el enlace", fr: "Envoyer le lien", vi: "Gửi liên kết" },
  choose: {
    en: "Choose a new password",
    es: "Elija una nueva contraseña",
    fr: "Choisissez un nouveau mot de passe",
    vi: "Chọn mật khẩu mới",
  },
  password: { en: "New password", es: "Nueva contraseña", fr: "Nouveau mot de passe", vi: "Mật khẩu mới" },
  again: {
    en: "New password, again",
    es: "Nueva contraseña, otra vez",
    fr: "Nouveau mot de passe, encore une fois",
    vi: "Nhập lại mật khẩu mới",
  },
  save: { en: "Save", es: "Guardar", fr: "Enregistrer", vi: "Lưu" },
  changed: {
    en: "Your password is changed",
    es: "Su contraseña ha sido cambiada",
    fr: "Votre mot de passe est modifié",
    vi: "Mật khẩu của bạn đã được thay đổi",
  },
  changed_body: {
    en: "You have been logged out everywhere. Log in with the new password.",
    es: "Se ha cerrado su sesión en todas partes. Inicie sesión con la nueva contraseña.",
    fr: "Vous avez été déconnecté partout. Connectez-vous avec le nouveau mot de passe.",
    vi: "Bạn đã được đăng xuất ở mọi nơi. Hãy đăng nhập bằng mật khẩu mới.",
  },
} satisfies Record<string, Sentence>

/** A word of the pages in one language. */
export const word = (name: keyof typeof WORDS, locale: Locale): string => say(WORDS[name], locale)
