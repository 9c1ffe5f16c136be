// What the storefront shows of galleries, read from the site database.
import { and, asc, desc, eq, inArray, sql } from "drizzle-orm"
import type { SiteDatabase } from "../../../db/client"
import { compiled, given } from "../../../db/prepared"
import { compiledByName } from "../../../db/prepared-by-slug"
import { galleries, pictures } from "../../../db/schema/sites/galleries"
import type { Gallery, Picture } from "./data"

interface Site {
  site: string
}

const LATEST = 3

const published = and(eq(galleries.siteId, given("site")), eq(galleries.status, "published"))

const columns = {
  id: galleries.id,
  slug: galleries.slug,
  name: galleries.name,
  description: galleries.description,
  image: galleries.image,
}

/** Published galleries, the newest first. */
export const selectGalleries = (db: SiteDatabase, backward = false) =>
  db
    .select(columns)
    .from(galleries)
    .where(published)
    .orderBy(backward ? asc(galleries.id) : desc(galleries.id))
    .$dynamic()

export const latest = compiled<Gallery, Site>((db) => selectGalleries(db).limit(LATEST))

export const oneGallery = compiledByName<Gallery, Site>(galleries, (db, isIt) =>
  db.select(columns).from(galleries).where(and(published, isIt)),
)

/** The pictures of one gallery, in their order. */
export const picturesOf = compiledByName<Picture, Site>(galleries, (db, isIt) =>
  db
    .select({ image: pictures.image, caption: pictures.caption })
    .from(pictures)
    .where(
      and(
        eq(pictures.siteId, given("site")),
        inArray(pictures.galleryId, sql`(select ${galleries.id} from ${galleries} where ${and(published, isIt)})`),
      ),
    )
    .orderBy(pictures.position),
)
