// Strings of the product pages.
import type { Translations } from "../../../core/i18n/locale"

export const SHOP: Translations = {
  en: "Shop",
  es: "Tienda",
  fr: "Boutique",
  vi: "Cửa hàng",
}

export const WHOLE_PICTURE: Translations = {
  en: "View the whole picture",
  es: "Ver la imagen completa",
  fr: "Voir l’image entière",
  vi: "Xem toàn bộ hình ảnh",
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
  es: "También le puede gustar",
  fr: "Vous aimerez aussi",
  vi: "Có thể bạn cũng thích",
}

export const NO_PRODUCTS: Translations = {
  en: "No products yet. Check back soon.",
  es: "Aún no hay productos. Vuelva pronto.",
  fr: "Aucun produit pour le moment. Revenez bientôt.",
  vi: "Chưa có sản phẩm nào. Hãy quay lại sau.",
}

export const NO_MATCHES: Translations = {
  en: "No products match your filters.",
  es: "Ningún producto coincide con los filtros.",
  fr: "Aucun produit ne correspond à vos filtres.",
  vi: "Không có sản phẩm nào phù hợp với bộ lọc.",
}

export const FILTER_AND_SORT: Translations = {
  en: "Filter and sort",
  es: "Filtrar y ordenar",
  fr: "Filtrer et trier",
  vi: "Lọc và sắp xếp",
}

export const SORT_BY: Translations = { en: "Sort by", es: "Ordenar por", fr: "Trier par", vi: "Sắp xếp theo" }

export const NEWEST: Translations = { en: "Newest", es: "Más recientes", fr: "Nouveautés", vi: "Mới nhất" }

export const PRICE_ASCENDING: Translations = {
  en: "Price: low to high",
  es: "Precio: de menor a mayor",
  fr: "Prix croissant",
  vi: "Giá: thấp đến cao",
}

export const PRICE_DESCENDING: Translations = {
  en: "Price: high to low",
  es: "Precio: de mayor a menor",
  fr: "Prix décroissant",
  vi: "Giá: cao đến thấp",
}

export const PRICE_FROM: Translations = { en: "Price from", es: "Precio desde", fr: "Prix min.", vi: "Giá từ" }

export const PRICE_TO: Translations = { en: "Price to", es: "Precio hasta", fr: "Prix max.", vi: "Giá đến" }

export const NOT_A_PRICE: Translations = {
  en: "Enter a price such as 19.90.",
  es: "Introduzca un precio como 19,90.",
  fr: "Saisissez un prix, par exemple 19,90.",
  vi: "Nhập một mức giá, ví dụ 19,90.",
}

export const IN_STOCK: Translations = {
  en: "In stock only",
  es: "Solo en existencias",
  fr: "En stock uniquement",
  vi: "Chỉ còn hàng",
}

export const APPLY: Translations = { en: "Apply", es: "Aplicar", fr: "Appliquer", vi: "Áp dụng" }

export const CLEAR: Translations = {
  en: "Clear filters",
  es: "Quitar filtros",
  fr: "Effacer les filtres",
  vi: "Xóa bộ lọc",
}
