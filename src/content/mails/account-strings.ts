// Strings of account mails. The Worker only imports the types: it reads the strings from assets/, where
// `npm run static-files` writes them.
import type { Translations } from "../../core/i18n/locale"
import type { AccountMailPurpose } from "../../db/schema/sites/account-mails"

export interface AccountMailStrings {
  title: Translations
  body: Translations
  /** The body where users can sign in without a confirmed address. */
  optionalBody?: Translations
  action?: Translations
  lifetime?: Translations
  disclaimer: Translations
}

export const ACCOUNT_MAILS: Record<AccountMailPurpose, AccountMailStrings> = {
  verify: {
    title: {
      en: "Confirm your email address",
      es: "Confirme su dirección de correo",
      fr: "Confirmez votre adresse e-mail",
      vi: "Xác nhận địa chỉ email của bạn",
    },
    body: {
      en: "Thanks for signing up at :site. Confirm this address to sign in.",
      es: "Gracias por registrarse en :site. Confirme esta dirección para iniciar sesión.",
      fr: "Merci de vous être inscrit sur :site. Confirmez cette adresse pour vous connecter.",
      vi: "Cảm ơn bạn đã đăng ký tại :site. Hãy xác nhận địa chỉ này để đăng nhập.",
    },
    optionalBody: {
      en: "Confirm this address to find the orders you placed at :site without an account.",
      es: "Confirme esta dirección para encontrar los pedidos que hizo en :site sin cuenta.",
      fr: "Confirmez cette adresse pour retrouver les commandes que vous avez passées sur :site sans compte.",
      vi: "Hãy xác nhận địa chỉ này để xem các đơn hàng bạn đã đặt tại :site khi chưa có tài khoản.",
    },
    action: {
      en: "Confirm my address",
      es: "Confirmar mi dirección",
      fr: "Confirmer mon adresse",
      vi: "Xác nhận địa chỉ của tôi",
    },
    lifetime: {
      en: "This link expires in 24 hours.",
      es: "Este enlace caduca en 24 horas.",
      fr: "Ce lien expire dans 24 heures.",
      vi: "Liên kết này hết hạn sau 24 giờ.",
    },
    disclaimer: {
      en: "If you didn't sign up, don't open the link. It would show the orders you placed with this address to the person who did.",
      es: "Si no se ha registrado, no abra el enlace. De lo contrario, quien lo hizo podría ver los pedidos que usted hizo con esta dirección.",
      fr: "Si vous ne vous êtes pas inscrit, n’ouvrez pas le lien. Sinon, la personne qui l’a fait pourrait voir les commandes que vous avez passées avec cette adresse.",
      vi: "Nếu bạn không đăng ký, đừng mở liên kết. Nếu không, người đã đăng ký có thể xem các đơn hàng bạn đã đặt bằng địa chỉ này.",
    },
  },
  reset: {
    title: {
      en: "Reset your password",
      es: "Restablezca su contraseña",
      fr: "Réinitialisez votre mot de passe",
      vi: "Đặt lại mật khẩu của bạn",
    },
    body: {
      en: "We received a request to reset the password of your account at :site. If an app asks you for a token, enter :token",
      es: "Hemos recibido una solicitud para restablecer la contraseña de su cuenta en :site. Si una aplicación le pide un token, introduzca :token",
      fr: "Nous avons reçu une demande de réinitialisation du mot de passe de votre compte sur :site. Si une application vous demande un jeton, saisissez :token",
      vi: "Chúng tôi đã nhận được yêu cầu đặt lại mật khẩu cho tài khoản của bạn tại :site. Nếu ứng dụng yêu cầu mã, hãy nhập :token",
    },
    action: {
      en: "Reset password",
      es: "Restablecer contraseña",
      fr: "Réinitialiser le mot de passe",
      vi: "Đặt lại mật khẩu",
    },
    lifetime: {
      en: "The link and the token expire in 60 minutes and can be used only once.",
      es: "El enlace y el token solo se pueden usar una vez y caducan en 60 minutos.",
      fr: "Le lien et le jeton ne peuvent être utilisés qu’une seule fois et expirent dans 60 minutes.",
      vi: "Liên kết và mã chỉ dùng được một lần và hết hạn sau 60 phút.",
    },
    disclaimer: {
      en: "If you didn't request this, ignore this email. Your password won't change.",
      es: "Si no lo ha solicitado, ignore este correo. Su contraseña no cambiará.",
      fr: "Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail. Votre mot de passe ne changera pas.",
      vi: "Nếu bạn không yêu cầu, hãy bỏ qua email này. Mật khẩu của bạn sẽ không thay đổi.",
    },
  },
  invite: {
    title: {
      en: "You've been invited to :site",
      es: "Le han invitado a :site",
      fr: "Vous êtes invité à rejoindre :site",
      vi: "Bạn được mời tham gia :site",
    },
    body: {
      en: "An owner of :site invited you to join its staff. Accept the invitation to choose your password.",
      es: "Un propietario de :site le ha invitado a unirse a su equipo. Acepte la invitación para elegir su contraseña.",
      fr: "Un propriétaire de :site vous invite à rejoindre son équipe. Acceptez l’invitation pour choisir votre mot de passe.",
      vi: "Chủ sở hữu của :site mời bạn tham gia đội ngũ nhân viên. Hãy chấp nhận lời mời để đặt mật khẩu.",
    },
    action: {
      en: "Accept invitation",
      es: "Aceptar la invitación",
      fr: "Accepter l’invitation",
      vi: "Chấp nhận lời mời",
    },
    lifetime: {
      en: "This link expires in 72 hours and can be used only once.",
      es: "Este enlace caduca en 72 horas y solo se puede usar una vez.",
      fr: "Ce lien expire dans 72 heures et ne peut être utilisé qu’une seule fois.",
      vi: "Liên kết này hết hạn sau 72 giờ và chỉ dùng được một lần.",
    },
    disclaimer: {
      en: "If you didn't expect this invitation, ignore this email.",
      es: "Si no esperaba esta invitación, ignore este correo.",
      fr: "Si vous n’attendiez pas cette invitation, ignorez cet e-mail.",
      vi: "Nếu bạn không chờ lời mời này, hãy bỏ qua email này.",
    },
  },
  email_changed: {
    title: {
      en: "Your email address was changed",
      es: "Su dirección de correo ha cambiado",
      fr: "Votre adresse e-mail a été modifiée",
      vi: "Địa chỉ email của bạn đã được thay đổi",
    },
    body: {
      en: "The email address of your account at :site was changed. You can no longer sign in with this address.",
      es: "La dirección de correo de su cuenta en :site ha cambiado. Ya no podrá iniciar sesión con esta dirección.",
      fr: "L’adresse e-mail de votre compte sur :site a été modifiée. Vous ne pouvez plus vous connecter avec cette adresse.",
      vi: "Địa chỉ email của tài khoản của bạn tại :site đã được thay đổi. Bạn không thể đăng nhập bằng địa chỉ này nữa.",
    },
    disclaimer: {
      en: "If you didn't make this change, someone else knows your password. Contact the site immediately.",
      es: "Si no ha hecho este cambio, otra persona conoce su contraseña. Póngase en contacto con el sitio de inmediato.",
      fr: "Si vous n’avez pas fait ce changement, quelqu’un d’autre connaît votre mot de passe. Contactez immédiatement le site.",
      vi: "Nếu bạn không thực hiện thay đổi này, người khác đã biết mật khẩu của bạn. Hãy liên hệ ngay với trang web.",
    },
  },
  contact_email: {
    title: {
      en: "Confirm the contact address of :site",
      es: "Confirme la dirección de contacto de :site",
      fr: "Confirmez l’adresse de contact de :site",
      vi: "Xác nhận địa chỉ liên hệ của :site",
    },
    body: {
      en: "The staff of :site entered this address for emails about its orders and messages. Confirm it to receive all of them.",
      es: "El personal de :site ha indicado esta dirección para los correos sobre sus pedidos y mensajes. Confírmela para recibirlos todos.",
      fr: "L’équipe de :site a indiqué cette adresse pour les e-mails relatifs à ses commandes et à ses messages. Confirmez-la pour tous les recevoir.",
      vi: "Nhân viên của :site đã nhập địa chỉ này để nhận email về đơn hàng và tin nhắn. Hãy xác nhận địa chỉ để nhận tất cả email đó.",
    },
    action: {
      en: "Confirm address",
      es: "Confirmar la dirección",
      fr: "Confirmer l’adresse",
      vi: "Xác nhận địa chỉ",
    },
    lifetime: {
      en: "This link expires in 72 hours and can be used only once.",
      es: "Este enlace caduca en 72 horas y solo se puede usar una vez.",
      fr: "Ce lien expire dans 72 heures et ne peut être utilisé qu’une seule fois.",
      vi: "Liên kết này hết hạn sau 72 giờ và chỉ dùng được một lần.",
    },
    disclaimer: {
      en: "If you don't work for this shop, ignore this email. This address then receives only a few emails from it.",
      es: "Si no trabaja para esta tienda, ignore este correo. En ese caso, esta dirección solo recibirá unos pocos correos de ella.",
      fr: "Si vous ne travaillez pas pour cette boutique, ignorez cet e-mail. Cette adresse ne recevra alors que peu d’e-mails de sa part.",
      vi: "Nếu bạn không làm việc cho cửa hàng này, hãy bỏ qua email này. Khi đó, địa chỉ này chỉ nhận được một số ít email từ cửa hàng.",
    },
  },
}
