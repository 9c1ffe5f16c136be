// Queries for galleries, each limited to one site.
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { ContentSite } from "../../content/site"
import { prepareSitePages } from "../../core/list/page"
import { selectSiteCounter } from "../../core/list/site-totals"
import { param } from "../../db/prepared"
import { prepareReadByIdOrSlug } from "../../db/prepared-by-slug"
import { inSite } from "../../db/site-scope"
import type { Gallery, Picture } from "./schemas"
import { galleries, pictures } from "./tables"

/** Selects a page of galleries, newest first. */
export const selectPages = prepareSitePages<Gallery, { site: string; status: Gallery["status"] }>(
  selectSiteCounter(param("site"), "galleries", param("status")),
  (db, { limit, offset }, direction) =>
    db
      .select()
      .from(galleries)
      .where(eq(galleries.status, param("status")))
      .orderBy(direction === "forward" ? desc(galleries.id) : asc(galleries.id))
      .limit(limit)
      .offset(offset),
)

/** Selects a gallery and its pictures. */
export const selectGallery = ({ id }: ContentSite, segment: string) =>
  [selectGalleryRow({ site: id }, segment), selectPictures({ site: id }, segment)] as const

const selectGalleryRow = prepareReadByIdOrSlug<Gallery, { site: string }>(galleries, (db, matchesIdOrSlug) =>
  db.select().from(galleries).where(matchesIdOrSlug),
)

const selectPictures = prepareReadByIdOrSlug<Picture, { site: string }>(galleries, (db, matchesIdOrSlug) =>
  db
    .select({ image: pictures.image, caption: pictures.caption })
    .from(pictures)
    .where(
      inArray(
        pictures.galleryId,
        sql`(select ${galleries.id} from ${galleries} where ${and(eq(galleries.siteId, param("site")), matchesIdOrSlug)})`,
      ),
    )
    .orderBy(pictures.position),
)

/** Selects which of the given slugs are taken. */
export const selectSlugs = ({ db }: ContentSite, slugs: string[]) =>
  db
    .select({ slug: galleries.slug })
    .from(galleries)
    .where(inArray(galleries.slug, sql`(select value from json_each(${JSON.stringify(slugs)}))`))

/**
 * Builds the writes that replace a gallery's pictures.
 * @param galleryId may be an expression, since the id of a new gallery is only known inside the batch
 */
export const replacePictures = (
  { id }: Pick<ContentSite, "id">,
  galleryId: SQL | number,
  newPictures: readonly { image: string; caption?: string | null | undefined }[],
) =>
  [
    inSite(id).remove(pictures).where(sql`${pictures.galleryId} = ${galleryId}`),
    inSite(id).insertSelect(
      pictures,
      {
        galleryId: galleryId,
        position: sql`key`,
        image: sql`json_extract(value, '$.image')`,
        caption: sql`json_extract(value, '$.caption')`,
      },
      sql`from json_each(${JSON.stringify(newPictures)}) where ${galleryId} is not null`,
    ),
  ] as const

/** SQL expression for the id of the gallery with a slug. */
export const selectIdBySlug = ({ id }: ContentSite, slug: string): SQL =>
  sql`(select ${galleries.id} from ${galleries} where ${and(eq(galleries.siteId, id), eq(galleries.slug, slug))})`
