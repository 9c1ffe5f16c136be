// Manifest of the reviews app: product reviews by users.
import type { AppDefinition } from "../definition"
import { ecommerce } from "../ecommerce/manifest"

declare module "../../db/schema/sites/counters" {
  interface RowLists {
    reviews: true
  }
}

export const reviews: AppDefinition = {
  slug: "reviews",
  name: "Reviews",
  requires: [ecommerce.slug],
  api: { paths: { reviews: "Product reviews." }, routes: async () => [(await import("./routes")).reviews] },
  counters: { row: ["reviews"] },
  tables: ["reviews"],
  migrations: ["0003_app_tables.sql", "0004_app_triggers.sql", "0018_held_sites.sql"],
}
