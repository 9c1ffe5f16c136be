// Strings of the pages that mailed links lead to.
import { createTranslator, localize, type Translations } from "../../core/i18n/locale"
import { COMMON_STRINGS } from "../kit/strings"

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
  confirm_email: localize(
    "Confirm your email",
    "Confirme su correo",
    "Confirmez votre adresse e-mail",
    "Xác nhận email của bạn",
  ),
  confirm_email_body: localize(
    "Enter your email and we'll send you a link to confirm it.",
    "Escriba su correo y le enviaremos un enlace para confirmarlo.",
    "Saisissez votre e-mail et nous vous enverrons un lien pour le confirmer.",
    "Nhập email của bạn và chúng tôi sẽ gửi liên kết để xác nhận.",
  ),
  send_confirmation: localize("Send confirmation link", "Enviar enlace", "Envoyer le lien", "Gửi liên kết xác nhận"),
  join: localize("Join the staff", "Únase al equipo", "Rejoignez l'équipe", "Tham gia đội ngũ nhân viên"),
  join_body: localize(
    "Enter your name and choose a password for your account.",
    "Escriba su nombre y elija una contraseña para su cuenta.",
    "Saisissez votre nom et choisissez un mot de passe pour votre compte.",
    "Nhập tên của bạn và đặt mật khẩu cho tài khoản.",
  ),
  name: localize("Name", "Nombre", "Nom", "Tên"),
  accept_invitation: localize(
    "Accept invitation",
    "Aceptar la invitación",
    "Accepter l'invitation",
    "Chấp nhận lời mời",
  ),
  joined: localize("Welcome to the team", "Bienvenido al equipo", "Bienvenue dans l'équipe", "Chào mừng bạn"),
  joined_body: localize(
    "Your account is ready. You can sign in with your email and password.",
    "Su cuenta está lista. Puede iniciar sesión con su correo y su contraseña.",
    "Votre compte est prêt. Vous pouvez vous connecter avec votre e-mail et votre mot de passe.",
    "Tài khoản của bạn đã sẵn sàng. Bạn có thể đăng nhập bằng email và mật khẩu.",
  ),
  invitation_invalid: localize(
    "This invitation is no longer valid",
    "Esta invitación ya no es válida",
    "Cette invitation n'est plus valable",
    "Lời mời này không còn hiệu lực",
  ),
  invitation_invalid_body: localize(
    "It has expired, was withdrawn or was already accepted. Ask an owner of the store to invite you again.",
    "Ha caducado, se ha retirado o ya se ha aceptado. Pida a un propietario de la tienda que le invite de nuevo.",
    "Elle a expiré, a été retirée ou a déjà été acceptée. Demandez à un propriétaire de la boutique de vous inviter à nouveau.",
    "Lời mời đã hết hạn, bị rút lại hoặc đã được chấp nhận. Hãy nhờ chủ cửa hàng mời bạn lại.",
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
