// Statements about galleries, each limited to its site.
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import type { ContentSite } from "../../content/site"
import { compiledPages } from "../../core/list/page"
import { countedAt } from "../../core/list/site-totals"
import { given } from "../../db/prepared"
import { compiledByName } from "../../db/prepared-by-slug"
import { galleries, pictures } from "../../db/schema/sites/galleries"
import { insertSelect, remove } from "../../db/write"
import type { Gallery, Picture } from "./schemas"

/** The statements that read a page of galleries, the newest first. */
export const pagesOf = compiledPages<Gallery, { site: string; status: Gallery["status"] }>(
  countedAt(given("site"), "galleries", given("status")),
  (db, { limit, offset }, direction) =>
    db
      .select()
      .from(galleries)
      .where(and(eq(galleries.siteId, given("site")), eq(galleries.status, given("status"))))
      .orderBy(direction === "forward" ? desc(galleries.id) : asc(galleries.id))
      .limit(limit)
      .offset(offset),
)

/** The statements that read one gallery and its pictures. */
export const selectGallery = ({ id }: ContentSite, segment: string) =>
  [galleryOf({ site: id }, segment), picturesOf({ site: id }, segment)] as const

const isOfSite = (isIt: SQL) => and(eq(galleries.siteId, given("site")), isIt)

const galleryOf = compiledByName<Gallery, { site: string }>(galleries, (db, isIt) =>
  db.select().from(galleries).where(isOfSite(isIt)),
)

const picturesOf = compiledByName<Picture, { site: string }>(galleries, (db, isIt) =>
  db
    .select({ image: pictures.image, caption: pictures.caption })
    .from(pictures)
    .where(
      and(
        eq(pictures.siteId, given("site")),
        inArray(pictures.galleryId, sql`(select ${galleries.id} from ${galleries} where ${isOfSite(isIt)})`),
      ),
    )
    .orderBy(pictures.position),
)

/** The statement that finds which of some slugs are taken. */
export const selectSlugs = ({ db, id }: ContentSite, slugs: string[]) =>
  db
    .select({ slug: galleries.slug })
    .from(galleries)
    .where(
      and(
        eq(galleries.siteId, id),
        inArray(galleries.slug, sql`(select value from json_each(${JSON.stringify(slugs)}))`),
      ),
    )

/**
 * The writes that give a gallery other pictures than it has.
 * @param galleryId an expression, since a gallery that is just being made has its id inside the batch only
 */
export const replacePictures = (
  { id }: Pick<ContentSite, "id">,
  galleryId: SQL | number,
  shown: readonly { image: string; caption?: string | null | undefined }[],
) =>
  [
    remove(pictures).where(and(eq(pictures.siteId, id), sql`${pictures.galleryId} = ${galleryId}`)),
    insertSelect(
      pictures,
      {
        siteId: id,
        galleryId: galleryId,
        position: sql`key`,
        image: sql`json_extract(value, '$.image')`,
        caption: sql`json_extract(value, '$.caption')`,
      },
      sql`from json_each(${JSON.stringify(shown)}) where ${galleryId} is not null`,
    ),
  ] as const

/** The id of the gallery of a slug, as SQL. */
export const idOf = ({ id }: ContentSite, slug: string): SQL =>
  sql`(select ${galleries.id} from ${galleries} where ${and(eq(galleries.siteId, id), eq(galleries.slug, slug))})`
