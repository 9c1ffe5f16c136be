// Strings of the pages of customers' accounts.
import { localize } from "../../../core/i18n/locale"

export const SIGN_IN = localize("Sign in", "Iniciar sesión", "Se connecter", "Đăng nhập")
export const SIGN_OUT = localize("Sign out", "Cerrar sesión", "Se déconnecter", "Đăng xuất")
export const CREATE_ACCOUNT = localize("Create account", "Crear una cuenta", "Créer un compte", "Tạo tài khoản")
export const HAVE_ACCOUNT = localize(
  "Already have an account? Sign in",
  "¿Ya tiene una cuenta? Inicie sesión",
  "Vous avez déjà un compte ? Connectez-vous",
  "Đã có tài khoản? Đăng nhập",
)
export const FORGOT_PASSWORD = localize(
  "Forgot your password?",
  "¿Olvidó su contraseña?",
  "Mot de passe oublié ?",
  "Quên mật khẩu?",
)
export const EMAIL = localize("Email", "Correo electrónico", "E-mail", "Email")
export const PASSWORD = localize("Password", "Contraseña", "Mot de passe", "Mật khẩu")
export const CODE = localize(
  "Two-factor code",
  "Código de verificación",
  "Code de vérification",
  "Mã xác thực hai yếu tố",
)
export const CURRENT_PASSWORD = localize(
  "Current password",
  "Contraseña actual",
  "Mot de passe actuel",
  "Mật khẩu hiện tại",
)
export const NEW_PASSWORD = localize("New password", "Contraseña nueva", "Nouveau mot de passe", "Mật khẩu mới")
export const NAME = localize("Name", "Nombre", "Nom", "Họ tên")
export const PHONE = localize("Phone", "Teléfono", "Téléphone", "Điện thoại")
export const PROFILE = localize("Profile", "Perfil", "Profil", "Hồ sơ")
export const CHANGE_PASSWORD = localize(
  "Change password",
  "Cambiar la contraseña",
  "Changer de mot de passe",
  "Đổi mật khẩu",
)
export const SAVE = localize("Save", "Guardar", "Enregistrer", "Lưu")
export const SAVED = localize(
  "Your changes were saved.",
  "Se han guardado los cambios.",
  "Modifications enregistrées.",
  "Đã lưu thay đổi.",
)
export const PASSWORD_CHANGED = localize(
  "Your password was changed and you were signed out everywhere. Sign in with the new one.",
  "Se ha cambiado su contraseña y se han cerrado todas sus sesiones. Inicie sesión con la nueva.",
  "Votre mot de passe a été modifié et vous avez été déconnecté partout. Connectez-vous avec le nouveau.",
  "Mật khẩu đã được đổi và bạn đã được đăng xuất ở mọi nơi. Hãy đăng nhập bằng mật khẩu mới.",
)
export const DELETE_ACCOUNT = localize("Delete account", "Eliminar la cuenta", "Supprimer le compte", "Xóa tài khoản")
export const ACCOUNT_DELETED = localize(
  "Your account was deleted.",
  "Se ha eliminado su cuenta.",
  "Votre compte a été supprimé.",
  "Tài khoản của bạn đã được xóa.",
)
export const RESEND_CONFIRMATION = localize(
  "Didn’t get the confirmation email?",
  "¿No ha recibido el correo de confirmación?",
  "Vous n’avez pas reçu l’e-mail de confirmation ?",
  "Chưa nhận được email xác nhận?",
)
export const PASSWORD_FOR_EMAIL = localize(
  "Only needed to change your email.",
  "Solo hace falta para cambiar el correo.",
  "Nécessaire seulement pour changer d’e-mail.",
  "Chỉ cần khi đổi email.",
)
export const MIN_PASSWORD = localize(
  "At least 8 characters.",
  "Al menos 8 caracteres.",
  "Au moins 8 caractères.",
  "Ít nhất 8 ký tự.",
)
export const LEAVE_EMPTY = localize(
  "Leave this field empty",
  "Deje este campo vacío",
  "Laissez ce champ vide",
  "Để trống trường này",
)
