// Guestbook, an app of the tests: what visitors wrote, listed on the storefront, sent over the API, counted as usage.
import type { Plugin } from "../../../src/apps/definition"

declare module "../../../src/db/schema/sites/counters" {
  interface SiteLists {
    guestbook: true
  }
}

export const guestbook: Plugin = {
  slug: "guestbook",
  name: "Guestbook",
  requires: [],
  api: { paths: { guestbook: "What visitors wrote." }, routes: async () => [(await import("./routes")).routes] },
  storefront: async () => (await import("./part")).part,
  counters: { site: ["guestbook"] },
  usage: { guestbook_entries: { counter: "guestbook" } },
  tables: ["guestbook_entries"],
  migrations: ["0099_guestbook.sql"],
}
