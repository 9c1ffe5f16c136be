import { sql } from "drizzle-orm"
import type { Sentence } from "../../../src/core/i18n/locale"
import { compiled, given } from "../../../src/db/prepared"
import { siteCounters } from "../../../src/db/schema/sites/counters"
import { listOf } from "../../../src/storefront/list"
import type { StorefrontPart } from "../../../src/storefront/part"

const GUESTBOOK: Sentence = { en: "Guestbook", es: "Libro de visitas", fr: "Livre d’or", vi: "Sổ lưu bút" }

interface Entry {
  name: string
}

const entries = compiled<Entry, { site: string }>((db) =>
  db
    .select({ name: sql<string>`name`.as("name") })
    .from(sql`guestbook_entries`)
    .where(sql`site_id = ${given("site")}`),
)

export const part: StorefrontPart = {
  path: "guestbook",
  menu: GUESTBOOK,
  section: ({ siteId: site }) => ({
    reads: [entries({ site })],
    found: ([rows = []]) => ({
      path: "guestbook",
      title: GUESTBOOK,
      all: GUESTBOOK,
      invitation: GUESTBOOK,
      image: null,
      body: () => <p>{(rows as Entry[]).map(({ name }) => name).join(", ")}</p>,
    }),
  }),
  list: listOf<Entry>(
    "guestbook",
    (db, { limit, offset }) =>
      db
        .select({ name: siteCounters.list })
        .from(siteCounters)
        .where(sql`${siteCounters.siteId} = ${given("site")} and ${siteCounters.list} = 'guestbook'`)
        .limit(limit)
        .offset(offset),
    () => () => ({
      meta: { title: "Guestbook", description: "All of it", path: "/guestbook" },
      body: <h1>All of it</h1>,
    }),
  ),
  single: ({ siteId: site }, slug) => ({
    reads: [entries({ site })],
    found: ([rows = []]) =>
      (rows as Entry[]).some(({ name }) => name === slug)
        ? () => ({ meta: { title: slug, description: slug, path: null }, body: <h1>{slug}</h1> })
        : null,
  }),
}
