// Storefront part of the galleries app: its pages and its section on the front page.
import { createSitemapLoader } from "../../../storefront/crawlers/sitemap"
import { createListLoader } from "../../../storefront/list"
import type { Section, StorefrontPart } from "../../../storefront/part"
import { type Gallery, PATH, type Picture } from "./data"
import { renderGalleriesPage } from "./galleries"
import { renderGalleryPage } from "./gallery"
import { GalleryGrid } from "./grid"
import {
  selectGalleriesForSitemap,
  selectGallery,
  selectLatestGalleries,
  selectPictures,
  selectPublishedGalleries,
} from "./queries"
import { ALL_GALLERIES, GALLERIES, VIEW_GALLERIES } from "./strings"

export const galleriesPart: StorefrontPart = {
  path: PATH,
  menu: GALLERIES,
  section: ({ siteId: site }) => ({
    reads: [selectLatestGalleries({ site })],
    load: ([galleries = []]) => (galleries.length ? toGalleriesSection(galleries as Gallery[]) : null),
  }),
  list: createListLoader<Gallery>(
    "galleries",
    (db, { limit, offset }, direction) =>
      selectPublishedGalleries(db, direction === "backward")
        .limit(limit)
        .offset(offset),
    renderGalleriesPage,
  ),
  sitemap: createSitemapLoader(PATH, "galleries", selectGalleriesForSitemap),
  single: ({ siteId: site }, slug) => ({
    reads: [selectGallery({ site }, slug), selectPictures({ site }, slug)],
    load([galleries, pictures = []]) {
      const gallery = galleries?.[0]
      return gallery ? renderGalleryPage(gallery as Gallery, pictures as Picture[]) : null
    },
  }),
}

/** Builds the front page section with the latest galleries. */
export const toGalleriesSection = (galleries: Gallery[]): Section => ({
  path: PATH,
  title: GALLERIES,
  viewAll: ALL_GALLERIES,
  callToAction: VIEW_GALLERIES,
  image: galleries.find((gallery) => gallery.image)?.image ?? null,
  body: () => <GalleryGrid galleries={galleries} />,
})
