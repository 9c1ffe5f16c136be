// Storefront queries for published galleries.
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm"
import type { Slice } from "../../../core/list/page"
import type { SiteDatabase } from "../../../db/client"
import { param, prepareSiteRead } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
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

/** Builds the query for a slice of the published galleries, newest first. */
export const selectGalleriesForSitemap = (
  db: SiteDatabase,
  { limit, offset }: Slice,
  direction: "forward" | "backward",
) => {
  const order = direction === "backward" ? asc : desc
  return db
    .select({ slug: galleries.slug, updatedAt: galleries.updatedAt })
    .from(galleries)
    .where(isPublished)
    .orderBy(order(galleries.id))
    .limit(limit)
    .offset(offset)
}
