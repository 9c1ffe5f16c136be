// Strings of sign-up, the store finder and error pages.
import { createTranslator, localize, type Translations } from "../../core/i18n/locale"
import { COMMON_STRINGS } from "../kit/strings"

const STRINGS = {
  ...COMMON_STRINGS,
  sign_up: localize("Sign up", "Crear una tienda", "Créer une boutique", "Đăng ký"),
  signup_title: localize("Create your store", "Cree su tienda", "Créez votre boutique", "Tạo cửa hàng của bạn"),
  signup_body: localize(
    "It takes a minute. We'll email you a link to choose a password and open your store.",
    "Solo lleva un minuto. Le enviaremos un correo con un enlace para elegir una contraseña y abrir su tienda.",
    "Cela prend une minute. Nous vous enverrons un lien pour choisir un mot de passe et ouvrir votre boutique.",
    "Chỉ mất một phút. Chúng tôi sẽ gửi email có liên kết để bạn chọn mật khẩu và mở cửa hàng.",
  ),
  signup_body_unverified: localize(
    "It takes a minute, and your store opens right away.",
    "Solo lleva un minuto, y su tienda se abre al instante.",
    "Cela prend une minute, et votre boutique ouvre aussitôt.",
    "Chỉ mất một phút, và cửa hàng của bạn mở ngay.",
  ),
  store_name: localize("Store name", "Nombre de la tienda", "Nom de la boutique", "Tên cửa hàng"),
  address: localize("Store address", "Dirección de la tienda", "Adresse de la boutique", "Địa chỉ cửa hàng"),
  address_hint: localize(
    "Letters, numbers and hyphens.",
    "Letras, números y guiones.",
    "Lettres, chiffres et traits d'union.",
    "Chữ cái, chữ số và dấu gạch nối.",
  ),
  address_available: localize(
    "That address is available.",
    "Esa dirección está disponible.",
    "Cette adresse est disponible.",
    "Bạn có thể dùng địa chỉ này.",
  ),
  address_taken: localize(
    "That address is taken.",
    "Esa dirección ya está en uso.",
    "Cette adresse est déjà prise.",
    "Địa chỉ này đã có người dùng.",
  ),
  password_hint: localize(
    "At least 8 characters.",
    "Al menos 8 caracteres.",
    "Au moins 8 caractères.",
    "Ít nhất 8 ký tự.",
  ),
  password_entered: localize(
    "We kept the password you entered. Leave this empty to use it.",
    "Hemos conservado la contraseña que escribió. Deje este campo vacío para usarla.",
    "Nous avons conservé le mot de passe saisi. Laissez ce champ vide pour l'utiliser.",
    "Chúng tôi đã giữ mật khẩu bạn nhập. Để trống trường này để dùng lại.",
  ),
  theme: localize("Theme", "Tema", "Thème", "Giao diện"),
  theme_later: localize("Choose later", "Elegir más tarde", "Choisir plus tard", "Chọn sau"),
  coupon: localize("Coupon code", "Código de cupón", "Code promo", "Mã ưu đãi"),
  check_inbox: localize(
    "Check your inbox",
    "Revise su correo",
    "Consultez votre boîte de réception",
    "Kiểm tra hộp thư của bạn",
  ),
  reserved_body: localize(
    "We've reserved :host for you. Open the link we sent to :email to choose a password and open your store.",
    "Hemos reservado :host para usted. Abra el enlace que enviamos a :email para elegir una contraseña y abrir su tienda.",
    "Nous avons réservé :host pour vous. Ouvrez le lien envoyé à :email pour choisir un mot de passe et ouvrir votre boutique.",
    "Chúng tôi đã giữ địa chỉ :host cho bạn. Hãy mở liên kết được gửi đến :email để chọn mật khẩu và mở cửa hàng.",
  ),
  confirm_title: localize("One last step", "Un último paso", "Une dernière étape", "Bước cuối cùng"),
  confirm_body: localize(
    "Check the details, then choose the password you'll sign in with.",
    "Compruebe los datos y elija la contraseña con la que iniciará sesión.",
    "Vérifiez les informations, puis choisissez le mot de passe avec lequel vous vous connecterez.",
    "Hãy kiểm tra thông tin, rồi chọn mật khẩu bạn sẽ dùng để đăng nhập.",
  ),
  confirm_not_requested: localize(
    "Didn't request this store? Close this page and nothing will be created.",
    "¿No ha solicitado esta tienda? Cierre esta página y no se creará nada.",
    "Vous n'avez pas demandé cette boutique ? Fermez cette page : rien ne sera créé.",
    "Bạn không yêu cầu cửa hàng này? Hãy đóng trang này và sẽ không có gì được tạo.",
  ),
  confirm: localize("Open my store", "Abrir mi tienda", "Ouvrir ma boutique", "Mở cửa hàng của tôi"),
  preparing_title: localize(
    "We're setting up your store",
    "Estamos preparando su tienda",
    "Nous préparons votre boutique",
    "Chúng tôi đang chuẩn bị cửa hàng của bạn",
  ),
  preparing_body: localize(
    "This page refreshes automatically.",
    "Esta página se actualiza automáticamente.",
    "Cette page s'actualise automatiquement.",
    "Trang này sẽ tự động cập nhật.",
  ),
  ready_title: localize(
    "Your store is ready",
    "Su tienda está lista",
    "Votre boutique est prête",
    "Cửa hàng của bạn đã sẵn sàng",
  ),
  admin: localize("Run your store", "Administrar su tienda", "Gérer votre boutique", "Quản lý cửa hàng"),
  view_store: localize("View your store", "Ver su tienda", "Voir votre boutique", "Xem cửa hàng"),
  billing: localize("Plan and billing", "Plan y facturación", "Forfait et facturation", "Gói và thanh toán"),
  failed_title: localize("Something went wrong", "Algo ha salido mal", "Une erreur s'est produite", "Đã xảy ra lỗi"),
  failed_body: localize(
    "We couldn't create your store. Our team has been notified and will try again.",
    "No hemos podido crear su tienda. Nuestro equipo ha recibido un aviso y volverá a intentarlo.",
    "Nous n'avons pas pu créer votre boutique. Notre équipe a été prévenue et va réessayer.",
    "Chúng tôi không thể tạo cửa hàng của bạn. Đội ngũ của chúng tôi đã được thông báo và sẽ thử lại.",
  ),
  link_expired_body: localize(
    "It has expired, or the address is no longer reserved. Please sign up again.",
    "Ha caducado o la dirección ya no está reservada. Regístrese de nuevo.",
    "Il a expiré ou l'adresse n'est plus réservée. Veuillez vous inscrire à nouveau.",
    "Liên kết đã hết hạn hoặc địa chỉ không còn được giữ. Vui lòng đăng ký lại.",
  ),
  find_store_title: localize(
    "Find your store",
    "Encuentre su tienda",
    "Retrouvez votre boutique",
    "Tìm cửa hàng của bạn",
  ),
  find_store_body: localize(
    "Enter the email address you signed up with. We'll email you links to your stores.",
    "Escriba el correo con el que se registró. Le enviaremos los enlaces a sus tiendas.",
    "Saisissez l'adresse e-mail de votre inscription. Nous vous enverrons les liens vers vos boutiques.",
    "Nhập email bạn đã dùng để đăng ký. Chúng tôi sẽ gửi cho bạn liên kết đến các cửa hàng của bạn.",
  ),
  send_links: localize("Send links", "Enviar enlaces", "Envoyer les liens", "Gửi liên kết"),
  links_sent_body: localize(
    "If there are stores for :email, you'll receive an email shortly.",
    "Si hay tiendas asociadas a :email, recibirá un correo en breve.",
    "Si des boutiques sont associées à :email, vous recevrez un e-mail sous peu.",
    "Nếu có cửa hàng gắn với :email, bạn sẽ sớm nhận được email.",
  ),
  check_fields: localize(
    "Check the highlighted fields.",
    "Revise los campos resaltados.",
    "Vérifiez les champs signalés.",
    "Vui lòng kiểm tra các trường được đánh dấu.",
  ),
  status: localize("Status", "Estado", "État du service", "Trạng thái"),
  documentation: localize("Documentation", "Documentación", "Documentation", "Tài liệu"),
  not_found_body: localize(
    "The address may be mistyped, or the page was moved.",
    "Puede que la dirección esté mal escrita o que la página se haya movido.",
    "L'adresse est peut-être mal saisie, ou la page a été déplacée.",
    "Có thể địa chỉ bị gõ sai hoặc trang đã được chuyển đi.",
  ),
  not_found: localize("Page not found", "Página no encontrada", "Page introuvable", "Không tìm thấy trang"),
  home: localize("Back to home", "Volver al inicio", "Retour à l'accueil", "Về trang chủ"),
} satisfies Record<string, Translations>

/** Looks up a string of these pages. */
export const t = createTranslator(STRINGS)
