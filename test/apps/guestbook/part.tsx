// Storefront part of the guestbook.
import { sql } from "drizzle-orm"
import type { Translations } from "../../../src/core/i18n/locale"
import { param, prepareRead } from "../../../src/db/prepared"
import { siteCounters } from "../../../src/db/schema/sites/counters"
import { createListLoader } from "../../../src/storefront/list"
import type { StorefrontPart } from "../../../src/storefront/part"

const GUESTBOOK: Translations = { en: "Guestbook", es: "Libro de visitas", fr: "Livre d’or", vi: "Sổ lưu bút" }

interface Entry {
  name: string
}

const entries = prepareRead<Entry, { site: string }>((db) =>
  db
    .select({ name: sql<string>`name`.as("name") })
    .from(sql`guestbook_entries`)
    .where(sql`site_id = ${param("site")}`),
)

export const part: StorefrontPart = {
  path: "guestbook",
  menu: GUESTBOOK,
  section: ({ siteId: site }) => ({
    reads: [entries({ site })],
    load: ([rows = []]) => ({
      path: "guestbook",
      title: GUESTBOOK,
      viewAll: GUESTBOOK,
      callToAction: GUESTBOOK,
      image: null,
      body: () => <p>{(rows as Entry[]).map(({ name }) => name).join(", ")}</p>,
    }),
  }),
  list: createListLoader<Entry>(
    "guestbook",
    (db, { limit, offset }) =>
      db
        .select({ name: siteCounters.list })
        .from(siteCounters)
        .where(sql`${siteCounters.siteId} = ${param("site")} and ${siteCounters.list} = 'guestbook'`)
        .limit(limit)
        .offset(offset),
    () => () => ({
      meta: { title: "Guestbook", description: "All of it", path: "/guestbook" },
      body: <h1>All of it</h1>,
    }),
  ),
  single: ({ siteId: site }, slug) => ({
    reads: [entries({ site })],
    load: ([rows = []]) =>
      (rows as Entry[]).some(({ name }) => name === slug)
        ? () => ({ meta: { title: slug, description: slug, path: null }, body: <h1>{slug}</h1> })
        : null,
  }),
}
