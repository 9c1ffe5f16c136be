// Manifest of the reviews app: product reviews by users.
import { localize } from "../../core/i18n/locale"
import type { AppManifest } from "../definition"
import { ecommerce } from "../ecommerce/manifest"
import type * as docs from "./docs"
import type * as tables from "./tables"

declare module "../../db/schema/sites/counters" {
  interface RowLists {
    reviews: true
    hidden_reviews: true
  }
}

export const reviews: AppManifest<typeof tables, typeof docs> = {
  slug: "reviews",
  name: "Reviews",
  localName: localize("Reviews", "Reseñas", "Avis", "Đánh giá"),
  description: localize(
    "Customers rate the products that they bought.",
    "Los clientes valoran los productos que han comprado.",
    "Les clients notent les produits qu’ils ont achetés.",
    "Khách hàng đánh giá các sản phẩm đã mua.",
  ),
  requires: [ecommerce.slug],
  api: { paths: { reviews: "Product reviews." }, routes: async () => [(await import("./routes")).reviews] },
  accounts: async () => (await import("./accounts")).reviewAccounts,
  itemSection: { part: "products", load: async () => (await import("./storefront/section")).reviewSection },
  visitorPages: { paths: ["reviews"], load: async () => (await import("./storefront/pages")).reviewPages },
  tables: {
    reviews: {
      visibility: "public",
      counters: [
        { list: "reviews", per: "productId", by: "rating", only: { column: "status", value: "published" } },
        { list: "hidden_reviews", per: "productId", only: { column: "status", value: "hidden" } },
      ],
      deletedWith: { table: "products", column: "productId" },
    },
  },
  migrations: [
    "0003_app_tables.sql",
    "0004_app_triggers.sql",
    "0018_held_sites.sql",
    "0034_customers_reviews_messages.sql",
    "0035_public_reviews.sql",
  ],
}
