// Strings of the front page.
import { createTranslator, localize, type Translations } from "../../core/i18n/locale"
import { COMMON_STRINGS } from "../kit/strings"

const STRINGS = {
  ...COMMON_STRINGS,
  sign_up: localize("Create your store", "Crear una tienda", "Créer une boutique", "Tạo cửa hàng"),
  see_demo: localize("See a demo store", "Ver una tienda de ejemplo", "Voir une boutique de démo", "Xem cửa hàng mẫu"),
  documentation: localize("Documentation", "Documentación", "Documentation", "Tài liệu"),
  hero: localize(
    "Open your online store today",
    "Abra hoy su tienda en línea",
    "Ouvrez votre boutique en ligne dès aujourd'hui",
    "Mở cửa hàng trực tuyến ngay hôm nay",
  ),
  hero_body: localize(
    "Pick a name and a theme, and your store is online in minutes at its own address.",
    "Elija un nombre y un tema, y su tienda estará en línea en minutos con su propia dirección.",
    "Choisissez un nom et un thème : votre boutique est en ligne en quelques minutes, à sa propre adresse.",
    "Chọn tên và giao diện, cửa hàng của bạn sẽ hoạt động sau vài phút tại địa chỉ riêng.",
  ),
  themes_title: localize("Themes", "Temas", "Thèmes", "Giao diện"),
  themes_body: localize(
    "The same store in each theme. Every theme has palettes of its own.",
    "La misma tienda en cada tema. Cada tema tiene sus propias paletas.",
    "La même boutique dans chaque thème. Chaque thème a ses propres palettes.",
    "Cùng một cửa hàng trong từng giao diện. Mỗi giao diện có bảng màu riêng.",
  ),
  theme_picture: localize(
    "A store in the theme :theme",
    "Una tienda con el tema :theme",
    "Une boutique avec le thème :theme",
    "Cửa hàng dùng giao diện :theme",
  ),
  palettes: localize("Palettes: :list", "Paletas: :list", "Palettes : :list", "Bảng màu: :list"),
  no_plans: localize(
    "No plans are available yet.",
    "Todavía no hay planes disponibles.",
    "Aucun forfait n'est disponible pour le moment.",
    "Hiện chưa có gói nào.",
  ),
  trial: localize(
    ":days-day free trial",
    ":days días de prueba gratis",
    ":days jours d'essai gratuit",
    "Dùng thử miễn phí :days ngày",
  ),
  choose: localize("Choose :plan", "Elegir :plan", "Choisir :plan", "Chọn :plan"),
  questions: localize("Questions and answers", "Preguntas y respuestas", "Questions et réponses", "Hỏi và đáp"),
  q_trial: localize(
    "What happens when the free trial ends?",
    "¿Qué pasa cuando termina la prueba gratuita?",
    "Que se passe-t-il à la fin de l'essai gratuit ?",
    "Điều gì xảy ra khi hết thời gian dùng thử?",
  ),
  a_trial: localize(
    "We email you before it ends. If you haven't set up a payment by then, your store closes to visitors until you do.",
    "Le avisamos por correo antes. Si para entonces no ha indicado cómo pagar, su tienda se cierra a los visitantes hasta que lo haga.",
    "Nous vous écrivons avant la fin. Si aucun paiement n'est prévu à cette date, votre boutique est fermée aux visiteurs jusqu'à ce que vous en choisissiez un.",
    "Chúng tôi gửi email cho bạn trước khi hết hạn. Nếu đến lúc đó bạn chưa thiết lập thanh toán, cửa hàng sẽ đóng với khách cho đến khi bạn thực hiện.",
  ),
  q_payment: localize("How do I pay?", "¿Cómo se paga?", "Comment payer ?", "Thanh toán như thế nào?"),
  a_payment_card: localize(
    "By card, on your store's billing page.",
    "Con tarjeta, en la página de facturación de su tienda.",
    "Par carte, sur la page de facturation de votre boutique.",
    "Bằng thẻ, tại trang thanh toán của cửa hàng.",
  ),
  a_payment_transfer: localize(
    "By bank transfer, on your store's billing page.",
    "Por transferencia, en la página de facturación de su tienda.",
    "Par virement, sur la page de facturation de votre boutique.",
    "Bằng chuyển khoản, tại trang thanh toán của cửa hàng.",
  ),
  a_payment_both: localize(
    "By card or by bank transfer, on your store's billing page.",
    "Con tarjeta o por transferencia, en la página de facturación de su tienda.",
    "Par carte ou par virement, sur la page de facturation de votre boutique.",
    "Bằng thẻ hoặc chuyển khoản, tại trang thanh toán của cửa hàng.",
  ),
  q_domain: localize(
    "Can I use my own domain?",
    "¿Puedo usar mi propio dominio?",
    "Puis-je utiliser mon propre domaine ?",
    "Tôi có thể dùng tên miền riêng không?",
  ),
  a_domain: localize(
    "Yes, with these plans: :plans. Every store also has an address of ours.",
    "Sí, con estos planes: :plans. Además, cada tienda tiene una dirección nuestra.",
    "Oui, avec ces forfaits : :plans. Chaque boutique a aussi une adresse chez nous.",
    "Có, với các gói: :plans. Mỗi cửa hàng cũng có một địa chỉ của chúng tôi.",
  ),
  q_data: localize(
    "What happens to my data if I stop?",
    "¿Qué pasa con mis datos si lo dejo?",
    "Que deviennent mes données si j'arrête ?",
    "Dữ liệu của tôi sẽ ra sao nếu tôi dừng lại?",
  ),
  a_data: localize(
    "A store that is cancelled or not paid for closes, and its data is kept for :days days. You can reopen it until then; after that it is deleted.",
    "Una tienda cancelada o impagada se cierra, y sus datos se conservan :days días. Hasta entonces puede reabrirla; después se eliminan.",
    "Une boutique annulée ou impayée est fermée et ses données sont conservées :days jours. Vous pouvez la rouvrir d'ici là ; ensuite elles sont supprimées.",
    "Cửa hàng bị hủy hoặc chưa thanh toán sẽ đóng, dữ liệu được giữ trong :days ngày. Bạn có thể mở lại trong thời gian đó; sau đó dữ liệu sẽ bị xóa.",
  ),
  q_api: localize("Is there an API?", "¿Hay una API?", "Y a-t-il une API ?", "Có API không?"),
  a_api: localize(
    "Yes, for websites, mobile apps and integrations, with signed webhooks.",
    "Sí, para sitios web, aplicaciones móviles e integraciones, con webhooks firmados.",
    "Oui, pour les sites, les applications mobiles et les intégrations, avec des webhooks signés.",
    "Có, cho website, ứng dụng di động và tích hợp, kèm webhook có chữ ký.",
  ),
  theme_atelier: localize(
    "Quiet and light: paper tones, a serif typeface and space around few things.",
    "Tranquilo y claro: tonos de papel, letra con serifa y espacio alrededor de pocas cosas.",
    "Calme et clair : tons de papier, caractères à empattements et de l'espace autour de peu de choses.",
    "Tĩnh lặng và sáng: tông giấy, chữ có chân và nhiều khoảng trống.",
  ),
  theme_nocturne: localize(
    "Dark and editorial: large letters, and lists ruled like a magazine.",
    "Oscuro y editorial: letras grandes y listas con líneas, como en una revista.",
    "Sombre et éditorial : grandes lettres et listes à filets, comme dans un magazine.",
    "Tối và đậm chất tạp chí: chữ lớn, danh sách kẻ dòng.",
  ),
  theme_bazaar: localize(
    "Warm and colorful: a striped awning, outlined cards and price tags.",
    "Cálido y colorido: un toldo a rayas, fichas con contorno y etiquetas de precio.",
    "Chaleureux et coloré : un auvent rayé, des cartes à contour et des étiquettes de prix.",
    "Ấm áp và nhiều màu: mái hiên sọc, thẻ có viền và nhãn giá.",
  ),
  theme_vitrine: localize(
    "Pictures first: a wide image, and galleries next to the products.",
    "Primero las imágenes: una foto amplia, y galerías junto a los productos.",
    "Les images d'abord : une grande photo, et des galeries à côté des produits.",
    "Hình ảnh là chính: một ảnh lớn và thư viện ảnh bên cạnh sản phẩm.",
  ),
} satisfies Record<string, Translations>

type Key = keyof typeof STRINGS

/** Looks up a string of the front page. */
export const t = createTranslator(STRINGS)

/** The description of a theme; null for a theme without one in the reader's language. */
export const themeDescriptionKey = (slug: string): Key | null => {
  const key = `theme_${slug}`
  return Object.hasOwn(STRINGS, key) ? (key as Key) : null
}
