// Strings of the cart and of the checkout.
import { localize } from "../../../../core/i18n/locale"

export const ADD_TO_CART = localize("Add to cart", "Añadir al carrito", "Ajouter au panier", "Thêm vào giỏ hàng")

export const QUANTITY = localize("Quantity", "Cantidad", "Quantité", "Số lượng")

export const CART = localize("Cart", "Carrito", "Panier", "Giỏ hàng")

export const EMPTY_CART = localize(
  "Your cart is empty.",
  "Su carrito está vacío.",
  "Votre panier est vide.",
  "Giỏ hàng của bạn đang trống.",
)

export const UPDATE = localize("Update", "Actualizar", "Mettre à jour", "Cập nhật")

export const REMOVE = localize("Remove", "Quitar", "Retirer", "Xóa")

export const CHECKOUT = localize("Checkout", "Tramitar el pedido", "Finaliser la commande", "Thanh toán")

export const CONTINUE_SHOPPING = localize(
  "Continue shopping",
  "Seguir comprando",
  "Continuer mes achats",
  "Tiếp tục mua sắm",
)

export const SHIPPING_LATER = localize(
  "Shipping and taxes are calculated at checkout.",
  "Los gastos de envío y los impuestos se calculan al tramitar el pedido.",
  "Les frais de livraison et les taxes sont calculés lors du passage de la commande.",
  "Phí vận chuyển và thuế được tính khi thanh toán.",
)

export const CART_FULL = localize(
  "Your cart has room for 50 different products. Remove one to add another.",
  "En su carrito caben 50 productos distintos. Quite uno para añadir otro.",
  "Votre panier peut contenir 50 produits différents. Retirez-en un pour en ajouter un autre.",
  "Giỏ hàng chứa tối đa 50 sản phẩm khác nhau. Hãy xóa một sản phẩm để thêm sản phẩm khác.",
)

export const NOT_A_QUANTITY = localize(
  "Enter a quantity between 1 and :max.",
  "Introduzca una cantidad entre 1 y :max.",
  "Saisissez une quantité entre 1 et :max.",
  "Nhập số lượng từ 1 đến :max.",
)

export const MAX_PER_ORDER = localize(
  "The largest quantity per order is :max.",
  "La cantidad máxima por pedido es :max.",
  "La quantité maximale par commande est de :max.",
  "Số lượng tối đa trong mỗi đơn hàng là :max.",
)

export const ITEMS_GONE = localize(
  "Some products are no longer available and were removed from your cart.",
  "Algunos productos ya no están disponibles y se han quitado de su carrito.",
  "Certains produits ne sont plus disponibles et ont été retirés de votre panier.",
  "Một số sản phẩm không còn bán và đã được xóa khỏi giỏ hàng của bạn.",
)

export const PRICE_CHANGED = localize(
  "The price changed from :before to :now.",
  "El precio ha cambiado de :before a :now.",
  "Le prix est passé de :before à :now.",
  "Giá đã thay đổi từ :before thành :now.",
)

export const ONLY_LEFT = localize(
  "Only :left left.",
  "Solo quedan :left.",
  "Il n’en reste que :left.",
  "Chỉ còn :left.",
)

export const SOLD_OUT = localize("Sold out.", "Agotado.", "Épuisé.", "Đã hết hàng.")

export const OTHER_SHIPPING_CURRENCY = localize(
  "This product can't be ordered, because its price isn't in the shop's currency.",
  "Este producto no se puede pedir, porque su precio no está en la moneda de la tienda.",
  "Ce produit ne peut pas être commandé, car son prix n’est pas dans la devise de la boutique.",
  "Không thể đặt sản phẩm này vì giá không theo loại tiền của cửa hàng.",
)

export const OTHER_CURRENCY = localize(
  "This product is sold in another currency. Order it separately.",
  "Este producto se vende en otra moneda. Pídalo por separado.",
  "Ce produit est vendu dans une autre devise. Commandez-le séparément.",
  "Sản phẩm này được bán bằng loại tiền khác. Hãy đặt riêng.",
)

export const BLOCKED_CART = localize(
  "These products can't be ordered like this. Change the quantity or remove them from your cart.",
  "Estos productos no se pueden pedir así. Cambie la cantidad o quítelos de su carrito.",
  "Ces produits ne peuvent pas être commandés ainsi. Modifiez la quantité ou retirez-les de votre panier.",
  "Không thể đặt các sản phẩm này như hiện tại. Hãy đổi số lượng hoặc xóa chúng khỏi giỏ hàng.",
)

export const CONTACT = localize("Contact", "Contacto", "Coordonnées", "Liên hệ")

export const EMAIL = localize("Email", "Correo electrónico", "E-mail", "Email")

export const NAME = localize("Name", "Nombre", "Nom", "Họ tên")

export const PHONE = localize("Phone", "Teléfono", "Téléphone", "Điện thoại")

export const ADDRESS = localize("Address", "Dirección", "Adresse", "Địa chỉ")

export const LINE1 = localize("Street and number", "Calle y número", "Rue et numéro", "Số nhà và đường")

export const LINE2 = localize("Apartment, floor", "Piso, puerta", "Appartement, étage", "Căn hộ, tầng")

export const CITY = localize("City", "Ciudad", "Ville", "Thành phố")

export const STATE = localize("State or province", "Provincia o estado", "Région", "Tỉnh hoặc bang")

export const POSTAL_CODE = localize("Postal code", "Código postal", "Code postal", "Mã bưu chính")

export const COUNTRY = localize("Country", "País", "Pays", "Quốc gia")

export const ADDRESS_HINT = localize(
  "Not needed if you pick up your order.",
  "No hace falta si recoge su pedido.",
  "Inutile si vous retirez votre commande.",
  "Không cần nếu bạn tự đến nhận hàng.",
)

export const DELIVERY = localize("Delivery", "Entrega", "Livraison", "Giao hàng")

export const FREE = localize("Free", "Gratis", "Gratuit", "Miễn phí")

export const PAYMENT_METHOD = localize("Payment", "Pago", "Paiement", "Thanh toán")

export const BANK_TRANSFER = localize("Bank transfer", "Transferencia bancaria", "Virement bancaire", "Chuyển khoản")

export const ON_DELIVERY = localize(
  "Pay on delivery",
  "Pago contra reembolso",
  "Paiement à la livraison",
  "Thanh toán khi nhận hàng",
)

export const PAYMENT_LATER = localize(
  "The shop will tell you how to pay.",
  "La tienda le indicará cómo pagar.",
  "La boutique vous indiquera comment payer.",
  "Cửa hàng sẽ hướng dẫn bạn cách thanh toán.",
)

export const NOTE = localize("Note", "Nota", "Note", "Ghi chú")

export const YOUR_ORDER = localize("Your order", "Su pedido", "Votre commande", "Đơn hàng của bạn")

export const PLACE_ORDER = localize("Place order", "Hacer el pedido", "Passer la commande", "Đặt hàng")

export const EDIT_CART = localize("Edit cart", "Editar el carrito", "Modifier le panier", "Sửa giỏ hàng")

export const TERMS = localize(
  "Please read before you order:",
  "Lea esto antes de hacer su pedido:",
  "À lire avant de commander :",
  "Vui lòng đọc trước khi đặt hàng:",
)

export const CHECK_FIELDS = localize(
  "Your order was not placed. Please check the marked fields.",
  "No se ha hecho su pedido. Revise los campos marcados.",
  "Votre commande n’a pas été passée. Vérifiez les champs signalés.",
  "Đơn hàng chưa được đặt. Vui lòng kiểm tra các trường được đánh dấu.",
)

export const TOTAL_CHANGED = localize(
  "The total has changed. Your order was not placed. Please check it and place it again.",
  "El total ha cambiado. No se ha hecho su pedido. Revíselo y vuelva a hacerlo.",
  "Le total a changé. Votre commande n’a pas été passée. Vérifiez-la et passez-la de nouveau.",
  "Tổng tiền đã thay đổi. Đơn hàng chưa được đặt. Vui lòng kiểm tra và đặt lại.",
)

export const SHOP_IS_FULL = localize(
  "This shop cannot take orders at the moment. Please contact the shop.",
  "Esta tienda no puede aceptar pedidos en este momento. Póngase en contacto con ella.",
  "Cette boutique ne peut pas prendre de commandes pour le moment. Veuillez la contacter.",
  "Cửa hàng này hiện không thể nhận đơn hàng. Vui lòng liên hệ với cửa hàng.",
)

export const ORDER_AGAIN = localize(
  "This form was already used for another order. Check your order and place it again.",
  "Este formulario ya se usó para otro pedido. Revise su pedido y vuelva a hacerlo.",
  "Ce formulaire a déjà servi pour une autre commande. Vérifiez votre commande et passez-la de nouveau.",
  "Biểu mẫu này đã được dùng cho một đơn hàng khác. Hãy kiểm tra và đặt lại.",
)

export const ACCOUNT_NEEDED = localize(
  "This shop takes orders from customers with an account only.",
  "Esta tienda solo acepta pedidos de clientes con cuenta.",
  "Cette boutique n’accepte que les commandes des clients qui ont un compte.",
  "Cửa hàng này chỉ nhận đơn hàng của khách hàng có tài khoản.",
)
