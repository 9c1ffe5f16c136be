// Manifest of the galleries app: ordered collections of pictures.
import { localize } from "../../core/i18n/locale"
import type { AppManifest } from "../definition"
import type * as docs from "./docs"
import type * as tables from "./tables"

declare module "../../db/schema/sites/counters" {
  interface SiteLists {
    galleries: true
  }
}

export const galleries: AppManifest<typeof tables, typeof docs> = {
  slug: "galleries",
  name: "Galleries",
  localName: localize("Galleries", "Galerías", "Galeries", "Bộ sưu tập"),
  description: localize(
    "Galleries of pictures in the shop.",
    "Galerías de imágenes en la tienda.",
    "Des galeries d’images dans la boutique.",
    "Bộ sưu tập ảnh trong cửa hàng.",
  ),
  requires: [],
  api: { paths: { galleries: "Picture galleries." }, routes: async () => [(await import("./routes")).galleries] },
  storefront: async () => (await import("./storefront/part")).galleriesPart,
  tables: {
    galleries: { visibility: "public", counters: [{ list: "galleries", by: "status" }] },
    // Pictures are replaced, never updated.
    pictures: { visibility: { publicColumns: [] }, counters: [] },
  },
  migrations: ["0003_app_tables.sql", "0004_app_triggers.sql", "0011_content_versions.sql", "0018_held_sites.sql"],
  samples: async () => (await import("./seed")).sampleGalleries,
}
