// What a store's billing page says.
import { type Locale, type Sentence, say } from "../core/locale"

const of = (en: string, es: string, fr: string, vi: string): Sentence => ({ en, es, fr, vi })

const WORDS = {
  skip: of("Skip to the content", "Ir al contenido", "Aller au contenu", "Đến nội dung"),
  billing: of("Billing", "Facturación", "Facturation", "Thanh toán"),
  sign_in: of("Sign in", "Iniciar sesión", "Se connecter", "Đăng nhập"),
  sign_out: of("Sign out", "Cerrar sesión", "Se déconnecter", "Đăng xuất"),
  save: of("Save", "Guardar", "Enregistrer", "Lưu"),
  sign_in_body: of(
    "For the owner of this store, with the address and password of the store.",
    "Para el titular de esta tienda, con la dirección y la contraseña de la tienda.",
    "Pour le propriétaire de cette boutique, avec l'adresse et le mot de passe de la boutique.",
    "Dành cho chủ cửa hàng, bằng địa chỉ và mật khẩu của cửa hàng.",
  ),
  email: of("E-mail", "Correo electrónico", "E-mail", "Email"),
  password: of("Password", "Contraseña", "Mot de passe", "Mật khẩu"),
  not_staff: of(
    "This account is not one of the store's staff.",
    "Esta cuenta no es del personal de la tienda.",
    "Ce compte n'appartient pas au personnel de la boutique.",
    "Tài khoản này không phải của nhân viên cửa hàng.",
  ),
  plan: of("Your plan", "Su plan", "Votre forfait", "Gói của bạn"),
  no_plan: of(
    "This store has no plan.",
    "Esta tienda no tiene plan.",
    "Cette boutique n'a pas de forfait.",
    "Cửa hàng này chưa có gói.",
  ),
  status: of("Status", "Estado", "État", "Trạng thái"),
  trialing: of("On trial", "En prueba", "À l'essai", "Dùng thử"),
  active: of("Active", "Activo", "Actif", "Đang hoạt động"),
  past_due: of("Payment due", "Pago pendiente", "Paiement dû", "Đến hạn thanh toán"),
  suspended: of("Offline", "Fuera de línea", "Hors ligne", "Ngừng hoạt động"),
  cancelled: of("Cancelled", "Cancelado", "Résilié", "Đã hủy"),
  trial_until: of("Trial until", "Prueba hasta", "Essai jusqu'au", "Dùng thử đến"),
  paid_until: of("Paid until", "Pagado hasta", "Payé jusqu'au", "Đã trả đến"),
  offline_on: of("Offline on", "Fuera de línea el", "Hors ligne le", "Ngừng vào"),
  kept_until: of("Data kept until", "Datos hasta", "Données jusqu'au", "Giữ dữ liệu đến"),
  paid_by: of("Paid by", "Forma de pago", "Payé par", "Trả bằng"),
  card: of("Card", "Tarjeta", "Carte", "Thẻ"),
  usage: of("What is used", "Uso", "Utilisation", "Mức sử dụng"),
  products: of("Products", "Productos", "Produits", "Sản phẩm"),
  orders_month: of("Orders this month", "Pedidos este mes", "Commandes ce mois-ci", "Đơn hàng tháng này"),
  storage: of("Storage", "Almacenamiento", "Stockage", "Dung lượng"),
  staff: of("Staff accounts", "Cuentas de personal", "Comptes du personnel", "Tài khoản nhân viên"),
  of_bound: of(":used of :bound", ":used de :bound", ":used sur :bound", ":used trên :bound"),
  plans: of("Plans", "Planes", "Forfaits", "Các gói"),
  now: of("Your plan now", "Su plan actual", "Votre forfait actuel", "Gói hiện tại"),
  by_card: of("Pay by card", "Pagar con tarjeta", "Payer par carte", "Trả bằng thẻ"),
  by_transfer: of("Order · :label", "Pedir · :label", "Commander · :label", "Đặt · :label"),
  portal: of("Change card or cancel", "Cambiar tarjeta o cancelar", "Changer de carte ou résilier", "Đổi thẻ hoặc hủy"),
  open_order: of(
    "Order :reference is open",
    "El pedido :reference está abierto",
    "La commande :reference est en cours",
    "Đơn :reference đang mở",
  ),
  open_order_body: of(
    "Transfer :amount and name :reference. Your plan begins when it has arrived.",
    "Transfiera :amount e indique :reference. Su plan empieza cuando llegue.",
    "Virez :amount en indiquant :reference. Votre forfait commence à réception.",
    "Chuyển :amount và ghi :reference. Gói bắt đầu khi tiền đến.",
  ),
  withdraw: of("Withdraw this order", "Retirar este pedido", "Retirer cette commande", "Rút đơn này"),
  orders: of("Orders", "Pedidos", "Commandes", "Đơn đặt"),
  payments: of("Payments", "Pagos", "Paiements", "Thanh toán đã nhận"),
  nothing_paid: of(
    "Nothing has been paid yet.",
    "Aún no se ha pagado nada.",
    "Rien n'a encore été payé.",
    "Chưa có khoản thanh toán nào.",
  ),
  date: of("Date", "Fecha", "Date", "Ngày"),
  amount: of("Amount", "Importe", "Montant", "Số tiền"),
  number: of("Receipt", "Recibo", "Reçu", "Biên nhận"),
  print: of("Print", "Imprimir", "Imprimer", "In"),
  reference: of("Reference", "Referencia", "Référence", "Mã"),
  pending: of("Open", "Abierto", "En cours", "Đang mở"),
  paid: of("Paid", "Pagado", "Payée", "Đã trả"),
  rejected: of("Rejected", "Rechazado", "Refusée", "Bị từ chối"),
  withdrawn: of("Withdrawn", "Retirado", "Retirée", "Đã rút"),
  thanks: of(
    "Thank you. Your payment is on its way to us; this page shows it in a moment.",
    "Gracias. Su pago está en camino; esta página lo mostrará en un momento.",
    "Merci. Votre paiement est en route ; cette page l'affichera dans un instant.",
    "Cảm ơn. Khoản thanh toán đang được gửi đến; trang này sẽ hiển thị ngay.",
  ),
  go_on: of("On to the payment page", "Ir a la página de pago", "Vers la page de paiement", "Đến trang thanh toán"),
  receipt_for: of("For", "Para", "Pour", "Cho"),
  receipt_plan: of("Plan", "Plan", "Forfait", "Gói"),
  back: of("Back to billing", "Volver a la facturación", "Retour à la facturation", "Về trang thanh toán"),
  elsewhere: of(
    "This request came from another page. Please try again here.",
    "Esta solicitud venía de otra página. Inténtelo de nuevo aquí.",
    "Cette demande venait d'une autre page. Réessayez ici.",
    "Yêu cầu này đến từ trang khác. Vui lòng thử lại tại đây.",
  ),
  unavailable: of(
    "This store cannot be reached at the moment.",
    "No se puede acceder a esta tienda en este momento.",
    "Cette boutique n'est pas joignable pour le moment.",
    "Hiện không thể truy cập cửa hàng này.",
  ),
} satisfies Record<string, Sentence>

type Word = keyof typeof WORDS

/** A word of the page in one language. */
export const word = (name: Word, locale: Locale, facts: Record<string, string | number> = {}): string =>
  say(WORDS[name], locale, facts)
