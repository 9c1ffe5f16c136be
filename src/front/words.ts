// What the platform's own pages say.
import { type Locale, type Sentence, say } from "../core/locale"

const of = (en: string, es: string, fr: string, vi: string): Sentence => ({ en, es, fr, vi })

const WORDS = {
  skip: of("Skip to the content", "Ir al contenido", "Aller au contenu", "Đến nội dung"),
  sign_up: of("Sign up", "Crear una tienda", "Créer une boutique", "Đăng ký"),
  sign_in: of("Sign in", "Iniciar sesión", "Se connecter", "Đăng nhập"),
  hero: of(
    "A shop of your own, open this afternoon.",
    "Su propia tienda, abierta esta misma tarde.",
    "Votre propre boutique, ouverte cet après-midi.",
    "Cửa hàng của riêng bạn, mở ngay chiều nay.",
  ),
  hero_body: of(
    "Choose a name and a look; the address, the pages and the checkout are there when you are. Start with a trial, and pay by card or bank transfer when it suits you.",
    "Elija un nombre y un aspecto; la dirección, las páginas y la caja ya estarán listas. Empiece con una prueba y pague con tarjeta o transferencia cuando le convenga.",
    "Choisissez un nom et un style ; l'adresse, les pages et la caisse sont prêtes avec vous. Commencez par un essai, puis payez par carte ou virement quand cela vous convient.",
    "Chọn tên và giao diện; địa chỉ, các trang và quầy thanh toán đã sẵn sàng. Bắt đầu bằng bản dùng thử và trả bằng thẻ hoặc chuyển khoản khi bạn muốn.",
  ),
  plans: of("Plans", "Planes", "Forfaits", "Các gói"),
  no_plans: of(
    "There is no plan on sale yet.",
    "Aún no hay planes a la venta.",
    "Aucun forfait n'est encore en vente.",
    "Chưa có gói nào được bán.",
  ),
  month: of("a month", "al mes", "par mois", "mỗi tháng"),
  year: of("a year", "al año", "par an", "mỗi năm"),
  free: of("Free", "Gratis", "Gratuit", "Miễn phí"),
  trial: of(":days days to try it", ":days días de prueba", ":days jours d'essai", "dùng thử :days ngày"),
  products: of("Products: :count", "Productos: :count", "Produits : :count", "Sản phẩm: :count"),
  orders_a_month: of(
    "Orders a month: :count",
    "Pedidos al mes: :count",
    "Commandes par mois : :count",
    "Đơn hàng mỗi tháng: :count",
  ),
  storage: of("Storage: :count", "Almacenamiento: :count", "Stockage : :count", "Dung lượng: :count"),
  staff: of(
    "Staff accounts: :count",
    "Cuentas de personal: :count",
    "Comptes du personnel : :count",
    "Tài khoản nhân viên: :count",
  ),
  unlimited: of("unlimited", "sin límite", "illimité", "không giới hạn"),
  custom_domain: of("Your own domain", "Su propio dominio", "Votre propre domaine", "Tên miền riêng"),
  api_access: of("API access", "Acceso a la API", "Accès à l'API", "Truy cập API"),
  remove_branding: of("Without our name", "Sin nuestro nombre", "Sans notre nom", "Không hiển thị tên chúng tôi"),
  choose: of("Start with :plan", "Empezar con :plan", "Commencer avec :plan", "Bắt đầu với :plan"),
  interfaces: of("For developers", "Para desarrolladores", "Pour les développeurs", "Dành cho nhà phát triển"),
  signup_title: of("Open your store", "Abra su tienda", "Ouvrez votre boutique", "Mở cửa hàng của bạn"),
  signup_body: of(
    "It takes a minute. You get a mail with a link, and the store is made when you follow it.",
    "Es un minuto. Recibirá un correo con un enlace y la tienda se creará al seguirlo.",
    "Une minute suffit. Vous recevez un lien par e-mail et la boutique est créée quand vous le suivez.",
    "Chỉ mất một phút. Bạn sẽ nhận thư có liên kết và cửa hàng được tạo khi bạn mở liên kết đó.",
  ),
  store_name: of("Store name", "Nombre de la tienda", "Nom de la boutique", "Tên cửa hàng"),
  address: of("Address", "Dirección", "Adresse", "Địa chỉ"),
  address_hint: of(
    "Letters, digits and hyphens.",
    "Letras, cifras y guiones.",
    "Lettres, chiffres et traits d'union.",
    "Chữ cái, chữ số và dấu gạch nối.",
  ),
  is_free: of(
    "This address is free.",
    "Esta dirección está libre.",
    "Cette adresse est libre.",
    "Địa chỉ này còn trống.",
  ),
  is_taken: of(
    "This address is not to be had.",
    "Esta dirección no está disponible.",
    "Cette adresse n'est pas disponible.",
    "Địa chỉ này không dùng được.",
  ),
  email: of("E-mail", "Correo electrónico", "E-mail", "Email"),
  password: of("Password", "Contraseña", "Mot de passe", "Mật khẩu"),
  password_hint: of("At least 8 characters.", "Al menos 8 caracteres.", "Au moins 8 caractères.", "Ít nhất 8 ký tự."),
  plan: of("Plan", "Plan", "Forfait", "Gói"),
  theme: of("Look", "Aspecto", "Style", "Giao diện"),
  theme_default: of("Choose later", "Elegir más tarde", "Choisir plus tard", "Chọn sau"),
  coupon: of("Coupon", "Cupón", "Code promo", "Mã ưu đãi"),
  optional: of("optional", "opcional", "facultatif", "không bắt buộc"),
  reserved_title: of("Look into your mail", "Mire su correo", "Regardez vos e-mails", "Hãy kiểm tra email"),
  reserved_body: of(
    "The address :host is kept for you. Follow the link in the mail to :email, and the store is made.",
    "La dirección :host está reservada para usted. Siga el enlace del correo a :email y se creará la tienda.",
    "L'adresse :host vous est réservée. Suivez le lien envoyé à :email et la boutique sera créée.",
    "Địa chỉ :host đã được giữ cho bạn. Hãy mở liên kết trong thư gửi đến :email để tạo cửa hàng.",
  ),
  making_title: of(
    "Your store is being made",
    "Su tienda se está creando",
    "Votre boutique est en cours de création",
    "Cửa hàng đang được tạo",
  ),
  making_body: of(
    "This page goes on by itself.",
    "Esta página avanza sola.",
    "Cette page avance d'elle-même.",
    "Trang này sẽ tự chuyển tiếp.",
  ),
  ready_title: of(
    "Your store is open",
    "Su tienda está abierta",
    "Votre boutique est ouverte",
    "Cửa hàng của bạn đã mở",
  ),
  visit: of("Visit it", "Visitarla", "La visiter", "Ghé thăm"),
  manage: of("Plan and billing", "Plan y facturación", "Forfait et facturation", "Gói và thanh toán"),
  failed_title: of("That did not work", "Eso no ha funcionado", "Cela n'a pas fonctionné", "Không thành công"),
  failed_body: of(
    "Your store could not be made. We were told, and it will be tried again.",
    "No se pudo crear su tienda. Nos han avisado y se volverá a intentar.",
    "Votre boutique n'a pas pu être créée. Nous en sommes informés et un nouvel essai aura lieu.",
    "Không thể tạo cửa hàng. Chúng tôi đã được báo và sẽ thử lại.",
  ),
  dead_title: of(
    "This link does not work any more",
    "Este enlace ya no funciona",
    "Ce lien ne fonctionne plus",
    "Liên kết này không còn hoạt động",
  ),
  dead_body: of(
    "It is too old, or the offer has changed. Please sign up again.",
    "Es demasiado antiguo o la oferta ha cambiado. Regístrese de nuevo.",
    "Il est trop ancien ou l'offre a changé. Veuillez vous inscrire à nouveau.",
    "Liên kết đã quá cũ hoặc ưu đãi đã thay đổi. Vui lòng đăng ký lại.",
  ),
  signin_title: of("Where is my store?", "¿Dónde está mi tienda?", "Où est ma boutique ?", "Cửa hàng của tôi ở đâu?"),
  signin_body: of(
    "Enter the address you signed up with. We mail you where your stores are and how to get in.",
    "Escriba la dirección con la que se registró. Le enviaremos dónde están sus tiendas y cómo entrar.",
    "Saisissez l'adresse de votre inscription. Nous vous envoyons où sont vos boutiques et comment y entrer.",
    "Nhập địa chỉ bạn đã đăng ký. Chúng tôi sẽ gửi nơi có các cửa hàng của bạn và cách đăng nhập.",
  ),
  send: of("Send", "Enviar", "Envoyer", "Gửi"),
  sent_body: of(
    "If a store belongs to :email, a mail is on its way.",
    "Si alguna tienda pertenece a :email, hay un correo en camino.",
    "Si une boutique appartient à :email, un e-mail est en route.",
    "Nếu có cửa hàng thuộc về :email thì thư đang được gửi.",
  ),
  fix: of(
    "Please look at the fields that are marked.",
    "Revise los campos marcados.",
    "Vérifiez les champs signalés.",
    "Hãy xem lại các ô được đánh dấu.",
  ),
  not_found: of("There is no such page.", "Esta página no existe.", "Cette page n'existe pas.", "Không có trang này."),
  back: of("To the front page", "A la portada", "Vers l'accueil", "Về trang đầu"),
} satisfies Record<string, Sentence>

export type Word = keyof typeof WORDS

/** A word of the pages in one language. */
export const word = (name: Word, locale: Locale, facts: Record<string, string | number> = {}): string =>
  say(WORDS[name], locale, facts)
