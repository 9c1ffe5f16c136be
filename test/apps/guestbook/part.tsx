// Storefront part of the guestbook.
import { eq } from "drizzle-orm"
import type { Translations } from "../../../src/core/i18n/locale"
import { createListLoader } from "../../../src/storefront/list"
import type { StorefrontPart } from "../../../src/storefront/part"
import { type Entry, selectEntries } from "./service"
import { guestbookEntries } from "./tables"

const GUESTBOOK: Translations = { en: "Guestbook", es: "Libro de visitas", fr: "Livre d’or", vi: "Sổ lưu bút" }

const joinNames = (entries: readonly Entry[]) => entries.map(({ name }) => name).join(", ")

export const part: StorefrontPart = {
  path: "guestbook",
  menu: GUESTBOOK,
  section: ({ siteId: site }) => ({
    reads: [selectEntries({ site })],
    load: ([rows = []]) => ({
      path: "guestbook",
      title: GUESTBOOK,
      viewAll: GUESTBOOK,
      callToAction: GUESTBOOK,
      image: null,
      body: () => <p>{joinNames(rows as Entry[])}</p>,
    }),
  }),
  list: createListLoader<Entry>(
    "guestbook",
    (db, { limit, offset }) =>
      db
        .select({ id: guestbookEntries.id, name: guestbookEntries.name })
        .from(guestbookEntries)
        .where(eq(guestbookEntries.status, "published"))
        .orderBy(guestbookEntries.id)
        .limit(limit)
        .offset(offset),
    (entries) => () => ({
      meta: { title: "Guestbook", description: "All entries", path: "/guestbook" },
      body: (
        <>
          <h1>All entries</h1>
          <p>{joinNames(entries)}</p>
        </>
      ),
    }),
  ),
  single: ({ siteId: site }, slug) => ({
    reads: [selectEntries({ site })],
    load: ([rows = []]) =>
      (rows as Entry[]).some(({ name }) => name === slug)
        ? () => ({ meta: { title: slug, description: slug, path: null }, body: <h1>{slug}</h1> })
        : null,
  }),
}
