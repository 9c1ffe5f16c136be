// Strings of the product pages.
import type { Translations } from "../../../core/i18n/locale"

export const SHOP: Translations = {
  en: "Shop",
  es: "Tienda",
  fr: "Boutique",
  vi: "Cửa hàng",
}

export const LATEST_PRODUCTS: Translations = {
  en: "Latest products",
  es: "Últimos productos",
  fr: "Nouveautés",
  vi: "Sản phẩm mới",
}

export const VIEW_PRODUCTS: Translations = {
  en: "View products",
  es: "Ver los productos",
  fr: "Voir les produits",
  vi: "Xem sản phẩm",
}

export const ALL_PRODUCTS: Translations = {
  en: "All products",
  es: "Todos los productos",
  fr: "Tous les produits",
  vi: "Tất cả sản phẩm",
}

export const RELATED: Translations = {
  en: "You may also like",
  es: "También te puede gustar",
  fr: "Vous aimerez aussi",
  vi: "Có thể bạn cũng thích",
}

export const NO_PRODUCTS: Translations = {
  en: "No products yet. Check back soon.",
  es: "Aún no hay productos. Vuelve pronto.",
  fr: "Aucun produit pour le moment. Revenez bientôt.",
  vi: "Chưa có sản phẩm nào. Hãy quay lại sau.",
}
