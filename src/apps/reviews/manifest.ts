// Manifest of the reviews app: product reviews by users.
import type { AppManifest } from "../definition"
import { ecommerce } from "../ecommerce/manifest"
import type * as docs from "./docs"
import type * as tables from "./tables"

declare module "../../db/schema/sites/counters" {
  interface RowLists {
    reviews: true
  }
}

export const reviews: AppManifest<typeof tables, typeof docs> = {
  slug: "reviews",
  name: "Reviews",
  requires: [ecommerce.slug],
  api: { paths: { reviews: "Product reviews." }, routes: async () => [(await import("./routes")).reviews] },
  accounts: async () => (await import("./accounts")).reviewAccounts,
  itemSection: { part: "products", load: async () => (await import("./storefront/section")).reviewSection },
  visitorPages: { paths: ["reviews"], load: async () => (await import("./storefront/pages")).reviewPages },
  tables: {
    reviews: {
      visibility: "public",
      counters: [{ list: "reviews", per: "productId", by: "rating" }],
      deletedWith: { table: "products", column: "productId" },
    },
  },
  migrations: ["0003_app_tables.sql", "0004_app_triggers.sql", "0018_held_sites.sql", "0034_public_reviews.sql"],
}
