// Statements about galleries, each limited to its site.
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import { named } from "../../content/blog/fields"
import type { ContentSite } from "../../content/site"
import { type PageRequest, pageStatements } from "../../core/page"
import { countedAt } from "../../core/site-totals"
import { galleries, pictures } from "../../db/schema/sites/galleries"
import { insertSelect, remove } from "../../db/write"

/** The gallery that a path names, at this site. */
const isGallery = ({ id }: ContentSite, segment: string) => and(eq(galleries.siteId, id), named(galleries, segment))

/** The statements that read a page of galleries, the newest first. */
export const selectPage = ({ db, id }: ContentSite, input: PageRequest & { status: "published" | "draft" }) =>
  pageStatements(db, input, countedAt(id, "galleries", input.status), ({ limit, offset }, direction) =>
    db
      .select()
      .from(galleries)
      .where(and(eq(galleries.siteId, id), eq(galleries.status, input.status)))
      .orderBy(direction === "forward" ? desc(galleries.id) : asc(galleries.id))
      .limit(limit)
      .offset(offset),
  )

/** The statements that read one gallery and its pictures. */
export const selectGallery = (site: ContentSite, segment: string) =>
  [
    site.db.select().from(galleries).where(isGallery(site, segment)),
    site.db
      .select({ image: pictures.image, caption: pictures.caption })
      .from(pictures)
      .where(
        and(
          eq(pictures.siteId, site.id),
          inArray(
            pictures.galleryId,
            sql`(select ${galleries.id} from ${galleries} where ${isGallery(site, segment)})`,
          ),
        ),
      )
      .orderBy(pictures.position),
  ] as const

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
