// Manifest of the contact app: messages from users to a site's staff.
import type { AppDefinition } from "../definition"

declare module "../../db/schema/sites/counters" {
  interface SiteLists {
    contact: true
  }
}

export const contact: AppDefinition = {
  slug: "contact",
  name: "Contact",
  requires: [],
  api: { paths: { contact: "Messages to staff." }, routes: async () => [(await import("./routes")).contact] },
  counters: { site: ["contact"] },
  tables: ["contact_messages"],
  migrations: ["0003_app_tables.sql", "0004_app_triggers.sql", "0018_held_sites.sql"],
}
