// Galleries on the storefront: their pages, and the newest of them on the front page.
import { listOf } from "../../../storefront/list"
import type { Section, StorefrontPart } from "../../../storefront/part"
import { type Gallery, PATH, type Picture } from "./data"
import { galleriesPage } from "./galleries"
import { galleryPage } from "./gallery"
import { GalleryGrid } from "./grid"
import { latest, oneGallery, picturesOf, selectGalleries } from "./queries"
import { ALL_GALLERIES, ENTER, GALLERIES } from "./strings"

export const galleriesPart: StorefrontPart = {
  path: PATH,
  menu: GALLERIES,
  section: ({ siteId: site }) => ({
    reads: [latest({ site })],
    found: ([galleries = []]) => (galleries.length ? galleriesSection(galleries as Gallery[]) : null),
  }),
  list: listOf<Gallery>(
    "galleries",
    (db, { limit, offset }, direction) =>
      selectGalleries(db, direction === "backward")
        .limit(limit)
        .offset(offset),
    galleriesPage,
  ),
  single: ({ siteId: site }, slug) => ({
    reads: [oneGallery({ site }, slug), picturesOf({ site }, slug)],
    found([galleries, pictures = []]) {
      const gallery = galleries?.[0]
      return gallery ? galleryPage(gallery as Gallery, pictures as Picture[]) : null
    },
  }),
}

/** The newest galleries on the front page. */
export const galleriesSection = (galleries: Gallery[]): Section => ({
  path: PATH,
  title: GALLERIES,
  all: ALL_GALLERIES,
  invitation: ENTER,
  image: galleries.find((gallery) => gallery.image)?.image ?? null,
  body: () => <GalleryGrid galleries={galleries} />,
})
