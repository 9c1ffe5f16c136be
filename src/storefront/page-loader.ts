// What a visitor's address stands for, read from the store's site database: one round trip a page, whatever is on it.
import { batch, type SiteDatabase } from "../db/client"
import { contentPage } from "./content-pages/page"
import { onePage, pageLinks } from "./content-pages/queries"
import type { ContentPage, MenuEntry, PageLink } from "./data"
import { journal } from "./journal/part"
import { countPublished } from "./list"
import { home } from "./pages/home"
import type { Wanted } from "./parse-route"
import type { Page, Place, Reading, Section, StorefrontPart } from "./part"
import { PAGES } from "./paths"

/** What is read for a visit. */
interface Found {
  menu: MenuEntry[]
  pages: PageLink[]
  /** Null when nothing is there. */
  page: Page | null
}

const countPosts = countPublished("posts")

/**
 * Reads what was asked for, and what stands around it.
 * @param db the store's site database
 * @param parts of the store's storefront, in the order of the menu
 * @param wanted null for an address that no page has
 */
export async function readShop(
  db: SiteDatabase,
  place: Place,
  parts: readonly StorefrontPart[],
  wanted: Wanted | null,
): Promise<Found> {
  const reading = wanted && readingOf(place, parts, wanted)
  const site = place.siteId
  const [pages, counts, ...answers] = await batch(db, [
    pageLinks({ site }),
    countPosts({ site }),
    ...(reading?.reads ?? []),
  ])
  const hasPosts = (counts[0]?.total ?? 0) > 0
  return {
    menu: parts.filter((part) => part !== journal || hasPosts).map(({ path, menu: name }) => ({ path, name })),
    pages,
    page: reading?.found(answers) ?? null,
  }
}

function readingOf(place: Place, parts: readonly StorefrontPart[], wanted: Wanted): Reading<Page> | null {
  if (wanted.kind === "home") return readHome(place, parts)
  if (wanted.part === PAGES) return wanted.kind === "single" ? readPage(place, wanted.slug) : null
  const part = parts.find(({ path }) => path === wanted.part)
  if (!part) return null
  return wanted.kind === "list" ? part.list(place, wanted.page) : part.single(place, wanted.slug)
}

/** The front page: the sections of all parts, each given the answers of its own reads. */
function readHome(place: Place, parts: readonly StorefrontPart[]): Reading<Page> {
  const readings = parts.flatMap((part) => part.section?.(place) ?? [])
  return {
    reads: readings.flatMap(({ reads }) => reads),
    found(answers) {
      const rest = [...answers]
      const sections = readings.map(({ reads, found }) => found(rest.splice(0, reads.length)))
      return home(sections.filter((section): section is Section => section !== null))
    },
  }
}

const readPage = ({ siteId: site }: Place, slug: string): Reading<Page> => ({
  reads: [onePage({ site }, slug)],
  found: ([pages]) => (pages?.[0] ? contentPage(pages[0] as ContentPage) : null),
})
