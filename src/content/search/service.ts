// Searches the published content of a site: products, posts and pages.
import { and, desc, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { batch, type SiteDatabase } from "../../db/client"
import { param, prepareSiteRead } from "../../db/prepared"
import { pages } from "../../db/schema/sites/pages"
import { foundById } from "../../db/site-scope"
import { isIndexed, toSearchExpression } from "../../db/text-search"
import { formatTimestamp } from "../../lib/time"
import { getReplica } from "../blog/caching"
import { queryPosts } from "../blog/posts/queries"
import type { SiteCtx } from "../site"
import type { FoundPage, FoundProduct, SearchResults } from "./schemas"

/** Results of each kind. */
const MAX_RESULTS = 20

type Product = z.input<typeof FoundProduct>

/** Finds the published products of a site that contain a case-folded term, newest first. */
export type SearchProducts = (db: SiteDatabase, siteId: string, term: string, limit: number) => Promise<Product[]>

interface PageParams {
  site: string
  term: string
  phrase: string
}

const preparePages = (isFound: SQL) =>
  prepareSiteRead<z.input<typeof FoundPage>, PageParams>((db) =>
    db
      .select({
        id: pages.id,
        name: pages.name,
        slug: pages.slug,
        image: pages.image,
        description: pages.description,
      })
      .from(foundById(pages))
      .where(and(sql`+${pages.status} = 'published'`, isFound))
      .orderBy(desc(pages.createdAt), desc(pages.id))
      .limit(MAX_RESULTS),
  )

const selectIndexedPages = preparePages(
  sql`${pages.id} in (select rowid from pages_search where pages_search match ${param("phrase")})`,
)

const selectPages = preparePages(
  sql`${pages.id} in (select ${pages.id} from ${pages} where ${eq(pages.siteId, param("site"))}
    and instr(${pages.nameKey}, ${param("term")}) > 0)`,
)

/**
 * Searches a site: products and posts by all their text, pages by title and summary, and all of them by title only for a
 * term of one or two characters.
 * @param term case-folded; an empty one finds nothing
 * @param searchProducts of the app that has products; null if the site has not enabled it
 */
export async function search(
  ctx: SiteCtx,
  term: string,
  searchProducts: SearchProducts | null,
): Promise<z.input<typeof SearchResults>> {
  if (!term) return { products: [], posts: [], pages: [] }
  const db = getReplica(ctx)
  const list = { page: 1, per_page: MAX_RESULTS, sort_by: "created_at", order: "desc" } as const
  const pageParams = { site: ctx.site.id, term, phrase: toSearchExpression(ctx.site.id, term) }
  const [products, posts, [foundPages]] = await Promise.all([
    searchProducts?.(db, ctx.site.id, term, MAX_RESULTS) ?? [],
    queryPosts(ctx, db, { ...list, status: "published", search: term, include: new Set() }),
    batch(db, [(isIndexed(term) ? selectIndexedPages : selectPages)(pageParams)]),
  ])
  return {
    products,
    posts: posts.rows.map(({ post: { id, name, slug, image, description, createdAt } }) => ({
      id,
      name,
      slug,
      image,
      description,
      created_at: formatTimestamp(createdAt),
    })),
    pages: foundPages,
  }
}
