// What a shop's pages have to say.
import type { Sentence } from "../../../core/i18n/locale"

export const SHOP: Sentence = {
  en: "Shop",
  es: "Tienda",
  fr: "Boutique",
  vi: "Cửa hàng",
}

export const FEATURED: Sentence = {
  en: "In the shop",
  es: "En la tienda",
  fr: "En boutique",
  vi: "Trong cửa hàng",
}

export const VISIT: Sentence = {
  en: "Visit the shop",
  es: "Visitar la tienda",
  fr: "Visiter la boutique",
  vi: "Vào cửa hàng",
}

export const ALL_PRODUCTS: Sentence = {
  en: "All products",
  es: "Todos los productos",
  fr: "Tous les produits",
  vi: "Tất cả sản phẩm",
}

export const RELATED: Sentence = {
  en: "More from the shop",
  es: "Más de la tienda",
  fr: "Aussi en boutique",
  vi: "Thêm từ cửa hàng",
}

export const NO_PRODUCTS: Sentence = {
  en: "The shelves are being filled. Come back soon.",
  es: "Estamos llenando los estantes. Vuelve pronto.",
  fr: "Les étagères se remplissent. Revenez bientôt.",
  vi: "Các kệ hàng đang được lấp đầy. Hẹn sớm gặp lại.",
}
