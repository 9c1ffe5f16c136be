// Lists the published posts that match filters: ids, authors, categories, tags and dates, each included or excluded.
import { and, eq, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Page } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { param } from "../../../db/prepared"
import { isNotScheduled, scheduledTotal } from "../../../db/scheduled-posts"
import { postCategories, posts, postTags } from "../../../db/schema/sites/posts"
import { foundById } from "../../../db/site-scope"
import { isIndexed, toSearchExpression } from "../../../db/text-search"
import type { SiteCtx } from "../../site"
import { getReplica } from "../caching"
import { prepareList, type Source, toSorting } from "../listing"
import { createAssembler, listColumns, RELATIONS } from "./queries"
import type { FilterPosts, PostWithRelations } from "./schemas"

type Filters = z.output<typeof FilterPosts>

const site = param("site")

/** The relations of every post in the list. */
const RELATED = ["categories", "tags"] as const

const isIn = (column: SQL | typeof posts.id, name: string): SQL =>
  sql`${column} in (select value from json_each(${param(name)}))`

const inCategories = (name: string): SQL =>
  sql`${posts.id} in (select ${postCategories.postId} from ${postCategories}
    where ${and(eq(postCategories.siteId, site), isIn(sql`${postCategories.categoryId}`, name))})`

const inTags = (name: string): SQL =>
  sql`${posts.id} in (select ${postTags.postId} from ${postTags}
    where ${and(eq(postTags.siteId, site), isIn(sql`${postTags.tagId}`, name))})`

const author = sql`coalesce(${posts.authorId}, 0)`

const appearedAt = sql`coalesce(${posts.publishedAt}, ${posts.createdAt})`

/** The condition of each filter. */
const CONDITIONS = {
  include: isIn(posts.id, "include"),
  exclude: sql`not ${isIn(posts.id, "exclude")}`,
  author: isIn(author, "author"),
  author_exclude: sql`not ${isIn(author, "author_exclude")}`,
  categories: inCategories("categories"),
  categories_exclude: sql`not ${inCategories("categories_exclude")}`,
  tags: inTags("tags"),
  tags_exclude: sql`not ${inTags("tags_exclude")}`,
  after: sql`${appearedAt} > ${param("after")}`,
  before: sql`${appearedAt} < ${param("before")}`,
  featured: sql`${posts.isFeatured} = ${param("featured")}`,
  phrase: sql`${posts.id} in (select rowid from posts_search where posts_search match ${param("phrase")})`,
  term: sql`instr(${posts.nameKey}, ${param("term")}) > 0`,
} satisfies Record<string, SQL>

type Condition = keyof typeof CONDITIONS

/** Conditions that find few posts by their id, better than an index of the site. */
const SELECTIVE: readonly Condition[] = ["include", "categories", "tags", "phrase"]

function buildSource({ conditions }: { conditions: Condition[] }): Source {
  const isSelective = conditions.some((name) => SELECTIVE.includes(name))
  const published = isSelective
    ? sql`+${posts.siteId} = ${site} and +${posts.status} = 'published'`
    : sql`${posts.siteId} = ${site} and ${posts.status} = 'published'`
  const where = and(published, isNotScheduled(), ...conditions.map((name) => CONDITIONS[name]))
  return {
    ids: sql`select ${posts.id} from ${posts} where ${where}`,
    total: conditions.length
      ? sql`(select count(*) from ${posts} where ${where})`
      : sql`(${selectSiteCounter(site, "posts", "published")} - ${scheduledTotal()})`,
    isIndexed: conditions.length === 0,
  }
}

const readList = prepareList<PostWithRelations["post"], { conditions: Condition[] }>({
  table: posts,
  rows: (db, isOnPage, order) =>
    db
      .select(listColumns)
      .from(foundById(posts))
      .where(isOnPage)
      .orderBy(...order),
  source: buildSource,
  related: (ids) => RELATED.map((relation) => (db) => RELATIONS[relation](db, ids)),
})

/** Lists a page of the published posts that match all filters, with their categories and tags. */
export async function filterPosts(ctx: SiteCtx, input: Filters): Promise<Page<PostWithRelations>> {
  const { search } = input
  const list = (ids: readonly number[] | undefined) => ids && JSON.stringify(ids)
  const filters: Record<Condition, string | number | undefined> = {
    include: list(input.include),
    exclude: list(input.exclude),
    author: list(input.author),
    author_exclude: list(input.author_exclude),
    categories: list(input.categories),
    categories_exclude: list(input.categories_exclude),
    tags: list(input.tags),
    tags_exclude: list(input.tags_exclude),
    after: input.after?.getTime(),
    before: input.before?.getTime(),
    featured: input.featured === undefined ? undefined : Number(input.featured),
    phrase: search && isIndexed(search) ? toSearchExpression(ctx.site.id, search) : undefined,
    term: search && !isIndexed(search) ? search : undefined,
  }
  const conditions = (Object.keys(filters) as Condition[]).filter((name) => filters[name] !== undefined)
  const values = { ...filters, site: ctx.site.id, now: ctx.now.getTime() }
  const { page, per_page } = input
  const { rows, total, related } = await readList(getReplica(ctx), { page, per_page, ...toSorting(input) }, values, {
    conditions,
  })
  return { rows: rows.map(createAssembler(ctx, new Set(RELATED), related)), total }
}
