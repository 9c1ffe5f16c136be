// Storefront queries for published galleries.
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm"
import type { SiteDatabase } from "../../../db/client"
import { param, prepareSiteRead } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { selectSitemapEntries } from "../../../storefront/crawlers/queries"
import { galleries, pictures } from "../tables"
import type { Gallery, Picture } from "./data"

interface SiteParams {
  site: string
}

const LATEST_COUNT = 3

const isPublished = eq(galleries.status, "published")

const columns = {
  id: galleries.id,
  slug: galleries.slug,
  name: galleries.name,
  description: galleries.description,
  image: galleries.image,
}

/** Builds the query for published galleries, newest first. */
export const selectPublishedGalleries = (db: SiteDatabase, backward = false) =>
  db
    .select(columns)
    .from(galleries)
    .where(isPublished)
    .orderBy(backward ? asc(galleries.id) : desc(galleries.id))
    .$dynamic()

export const selectLatestGalleries = prepareSiteRead<Gallery, SiteParams>((db) =>
  selectPublishedGalleries(db).limit(LATEST_COUNT),
)

export const selectGallery = prepareReadByIdOrSlug<Gallery, SiteParams>(galleries, (db, matchesIdOrSlug) =>
  db.select(columns).from(galleries).where(and(isPublished, matchesIdOrSlug)),
)

/** Selects the pictures of a gallery in order. */
export const selectPictures = prepareReadByIdOrSlug<Picture, SiteParams>(galleries, (db, matchesIdOrSlug) =>
  db
    .select({ image: pictures.image, caption: pictures.caption })
    .from(pictures)
    .where(
      inArray(
        pictures.galleryId,
        sql`(select ${galleries.id} from ${galleries} where ${and(eq(galleries.siteId, param("site")), isPublished, matchesIdOrSlug)})`,
      ),
    )
    .orderBy(pictures.position),
)

/** The published galleries for the sitemap. */
export const selectGalleriesForSitemap = selectSitemapEntries(galleries, galleries.updatedAt, isPublished, galleries.id)
