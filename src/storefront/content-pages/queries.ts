// The pages that staff write, read from the site database.
import { and, eq } from "drizzle-orm"
import { compiled, given } from "../../db/prepared"
import { compiledByName } from "../../db/prepared-by-slug"
import { pages } from "../../db/schema/sites/pages"
import type { ContentPage, PageLink } from "../data"

interface Site {
  site: string
}

/** More entries than a footer can show. */
const LINKS = 20

const published = and(eq(pages.siteId, given("site")), eq(pages.status, "published"))

/** The published pages, as menus link to them. */
export const pageLinks = compiled<PageLink, Site>((db) =>
  db.select({ slug: pages.slug, name: pages.name }).from(pages).where(published).orderBy(pages.id).limit(LINKS),
)

export const onePage = compiledByName<ContentPage, Site>(pages, (db, isIt) =>
  db
    .select({
      slug: pages.slug,
      name: pages.name,
      description: pages.description,
      image: pages.image,
      content: pages.content,
    })
    .from(pages)
    .where(and(published, isIt)),
)
