// Manifest of the guestbook, an app of the tests with a table, an API, a storefront part and a usage counter.
import type { AppManifest } from "../../../src/apps/definition"
import type * as docs from "./docs"
import type * as tables from "./tables"

declare module "../../../src/db/schema/sites/counters" {
  interface SiteLists {
    guestbook: true
  }
}

export const guestbook: AppManifest<typeof tables, typeof docs> = {
  slug: "guestbook",
  name: "Guestbook",
  requires: [],
  api: { paths: { guestbook: "Entries by visitors." }, routes: async () => [(await import("./routes")).routes] },
  storefront: async () => (await import("./part")).part,
  usage: { guestbook_entries: { counter: "guestbook" } },
  tables: {
    guestbook_entries: { visibility: "public", counters: [{ list: "guestbook", by: "status" }] },
  },
  migrations: ["0099_guestbook.sql"],
}
