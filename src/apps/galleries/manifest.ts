// Manifest of the galleries app: ordered collections of pictures.
import type { AppDefinition } from "../definition"

declare module "../../db/schema/sites/counters" {
  interface SiteLists {
    galleries: true
  }
}

export const galleries: AppDefinition = {
  slug: "galleries",
  name: "Galleries",
  requires: [],
  api: { paths: { galleries: "Picture galleries." }, routes: async () => [(await import("./routes")).galleries] },
  storefront: async () => (await import("./storefront/part")).galleriesPart,
  counters: { site: ["galleries"] },
  tables: ["galleries", "pictures"],
  migrations: ["0003_app_tables.sql", "0004_app_triggers.sql", "0011_content_versions.sql", "0018_held_sites.sql"],
  samples: async () => (await import("./seed")).sampleGalleries,
}
