// Manifest of the contact app: messages from users to a site's staff.
import { localize } from "../../core/i18n/locale"
import type { AppManifest } from "../definition"
import type * as docs from "./docs"
import type * as tables from "./tables"

declare module "../../db/schema/sites/counters" {
  interface SiteLists {
    contact: true
  }
}

export const contact: AppManifest<typeof tables, typeof docs> = {
  slug: "contact",
  name: "Contact",
  localName: localize("Contact", "Contacto", "Contact", "Liên hệ"),
  description: localize(
    "A contact form in the shop, and its messages in the admin.",
    "Un formulario de contacto en la tienda, y sus mensajes en la administración.",
    "Un formulaire de contact dans la boutique, et ses messages dans l’administration.",
    "Biểu mẫu liên hệ trong cửa hàng, và tin nhắn của biểu mẫu trong trang quản trị.",
  ),
  requires: [],
  api: { paths: { contact: "Messages to staff." }, routes: async () => [(await import("./routes")).contact] },
  visitorPages: {
    paths: ["contact"],
    footerLinks: [{ href: "/contact", name: localize("Contact", "Contacto", "Contact", "Liên hệ") }],
    load: async () => (await import("./storefront/pages")).contactPages,
  },
  accounts: async () => (await import("./accounts")).contactAccounts,
  tables: {
    contact_messages: { visibility: "private", counters: [{ list: "contact", by: "status" }] },
  },
  migrations: [
    "0003_app_tables.sql",
    "0004_app_triggers.sql",
    "0018_held_sites.sql",
    "0033_guest_orders.sql",
    "0034_customers_reviews_messages.sql",
  ],
}
