// Manifest of the guestbook, an app of the tests with a storefront part, an API route and a usage counter.
import type { AppDefinition } from "../../../src/apps/definition"

declare module "../../../src/db/schema/sites/counters" {
  interface SiteLists {
    guestbook: true
  }
}

export const guestbook: AppDefinition = {
  slug: "guestbook",
  name: "Guestbook",
  requires: [],
  api: { paths: { guestbook: "Entries by visitors." }, routes: async () => [(await import("./routes")).routes] },
  storefront: async () => (await import("./part")).part,
  counters: { site: ["guestbook"] },
  usage: { guestbook_entries: { counter: "guestbook" } },
  tables: ["guestbook_entries"],
  migrations: ["0099_guestbook.sql"],
}
