// Queries posts with their relations, in one batch each.
import { and, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import type { SiteDatabase } from "../../../db/client"
import { type PreparedRead, param, type Query } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { isNotScheduled, isScheduled, scheduledTotal } from "../../../db/scheduled-posts"
import { categories, postCategories, posts, postTags, tags } from "../../../db/schema/sites/posts"
import { users } from "../../../db/schema/sites/users"
import { foundById } from "../../../db/site-scope"
import { isIndexed, toSearchExpression } from "../../../db/text-search"
import { fullName } from "../../../lib/full-name"
import { type FileCtx, fileUrl } from "../../files"
import type { SiteCtx } from "../../site"
import { prepareList, type Source } from "../listing"
import { type FullRow, INCLUDES, type Include, type ListPosts, type PostWithRelations } from "./schemas"

type List = z.output<typeof ListPosts>

const { searchText: _, ...allColumns } = getTableColumns(posts)

/** Columns of a post in a list: those that its resource and its relations need. */
export const listColumns = {
  id: posts.id,
  name: posts.name,
  slug: posts.slug,
  description: posts.description,
  image: posts.image,
  status: posts.status,
  isFeatured: posts.isFeatured,
  authorId: posts.authorId,
  publishedAt: posts.publishedAt,
  createdAt: posts.createdAt,
  updatedAt: posts.updatedAt,
}

/** The part of a request that determines the SQL of a page of posts, besides its order. */
interface Shape {
  isScheduled: boolean
  search: "none" | "indexed" | "short"
  category: boolean
  tag: boolean
  featured: boolean | null
  include: Include[]
}

const site = param("site")

const readList = prepareList<PostWithRelations["post"], Shape>({
  table: posts,
  rows: (db, isOnPage, order) =>
    db
      .select(listColumns)
      .from(foundById(posts))
      .where(isOnPage)
      .orderBy(...order),
  source: buildSource,
  related: (ids, { include }) => include.map((relation) => (db) => RELATIONS[relation](db, ids)),
})

/** Reads a page of posts with the included relations. */
export async function queryPosts(ctx: SiteCtx, db: SiteDatabase, input: List): Promise<Page<PostWithRelations>> {
  const { search, category_id: category, tag_id: tag, featured = null } = input
  const isScheduled = input.status === "scheduled"
  const shape: Shape = {
    isScheduled,
    search: search ? (isIndexed(search) ? "indexed" : "short") : "none",
    category: category !== undefined,
    tag: tag !== undefined,
    featured,
    include: [...input.include],
  }
  const values = {
    site: ctx.site.id,
    status: isScheduled ? "published" : input.status,
    now: input.status === "published" || isScheduled ? ctx.now.getTime() : NEVER,
    category,
    tag,
    term: search,
    phrase: search && toSearchExpression(ctx.site.id, search),
  }
  const { rows, total, related } = await readList(db, input, values, shape)
  return { rows: rows.map(createAssembler(ctx, input.include, related)), total }
}

/** A time at which no post is scheduled for later, for the lists of drafts. */
const NEVER = Number.MAX_SAFE_INTEGER

/** Parameters of the reads of one post. */
interface PostParams {
  site: string
  /** In milliseconds since 1970. */
  now: number
  /** 1 to find drafts and scheduled posts too. */
  includeUnpublished: number
}

const isVisible = (isMatch: SQL): SQL =>
  sql`${isMatch} and (${param("includeUnpublished")} = 1 or ${posts.status} = 'published'
    and (${posts.publishedAt} is null or ${posts.publishedAt} <= ${param("now")}))`

const selectPost = prepareReadByIdOrSlug<FullRow, PostParams>(posts, (db, isMatch) =>
  db.select(allColumns).from(posts).where(isVisible(isMatch)),
)

/** The prepared reads of one post's relations. */
const selectRelations = Object.fromEntries(
  INCLUDES.map((relation) => [
    relation,
    prepareReadByIdOrSlug<unknown, PostParams>(posts, (db, isMatch) =>
      RELATIONS[relation](
        db,
        sql`select ${posts.id} from ${posts} where ${posts.siteId} = ${site} and ${isVisible(isMatch)}`,
      ),
    ),
  ]),
)

/** Builds the reads of one post and of relations, for `assemblePost`. */
export const postReads = (
  { now, site: { id: site } }: Pick<SiteCtx, "now"> & { readonly site: Pick<SiteCtx["site"], "id"> },
  segment: string,
  { include, includeUnpublished }: { include: readonly Include[]; includeUnpublished: boolean },
): [PreparedRead<FullRow>, ...PreparedRead[]] => {
  const params = { site, now: now.getTime(), includeUnpublished: Number(includeUnpublished) }
  return [
    selectPost(params, segment),
    ...include.flatMap((relation) => selectRelations[relation]?.(params, segment) ?? []),
  ]
}

/**
 * Assembles a post from the results of `postReads`.
 * @throws Refusal `not_found`
 */
export function assemblePost(
  ctx: FileCtx,
  include: readonly Include[],
  [rows, ...related]: readonly unknown[],
): PostWithRelations<FullRow> {
  const [post] = rows as FullRow[]
  if (!post) throw new Refusal("not_found")
  return createAssembler<FullRow>(ctx, new Set(include), related)(post)
}

/** Whether the public may read a post. */
export const isPublic = ({ status, publishedAt }: FullRow, now: Date): boolean =>
  status === "published" && (publishedAt === null || publishedAt <= now)

/** Builds the source of a list. Lists with a filter other than the status select and count the matching rows. */
function buildSource({
  isScheduled: onlyScheduled,
  search,
  category: hasCategory,
  tag: hasTag,
  featured,
}: Shape): Source {
  const hasStatus = and(eq(posts.siteId, site), eq(posts.status, param("status")))
  const own = and(hasStatus, onlyScheduled ? isScheduled() : isNotScheduled())
  const from = (tables: SQL, ...conditions: (SQL | undefined)[]): Source => {
    const where = and(own, ...conditions)
    return {
      ids: sql`select ${posts.id} from ${tables} where ${where}`,
      total: sql`(select count(*) from ${tables} where ${where})`,
      isIndexed: false,
    }
  }
  const category = hasCategory ? inCategory() : undefined
  const tag = hasTag ? inTag() : undefined
  const isFeatured = featured === null ? undefined : eq(posts.isFeatured, featured)
  // `cross join` forces SQLite to read the matches first in either order.
  if (search === "indexed") {
    const matches = sql`posts_search match ${param("phrase")}`
    return from(
      sql`posts_search cross join ${posts} on ${posts.id} = posts_search.rowid`,
      matches,
      category,
      tag,
      isFeatured,
    )
  }
  const term = search === "short" ? sql`instr(${posts.nameKey}, ${param("term")}) > 0` : undefined
  if (hasCategory) {
    const isLinked = and(eq(postCategories.siteId, site), eq(postCategories.categoryId, param("category")))
    const tables = sql`${postCategories} cross join ${posts} on ${posts.id} = ${postCategories.postId}`
    return from(tables, isLinked, tag, term, isFeatured)
  }
  if (hasTag) {
    const isLinked = and(eq(postTags.siteId, site), eq(postTags.tagId, param("tag")))
    return from(sql`${postTags} cross join ${posts} on ${posts.id} = ${postTags.postId}`, isLinked, term, isFeatured)
  }
  if (featured) return from(sql`${posts} indexed by posts_featured`, sql`${posts.isFeatured} = 1`, term)
  if (term || isFeatured || onlyScheduled) return from(sql`${posts}`, term, isFeatured)
  return {
    ids: sql`select ${posts.id} from ${posts} where ${own}`,
    total: sql`(${selectSiteCounter(site, "posts", param("status"))} - ${scheduledTotal()})`,
    isIndexed: true,
  }
}

const inCategory = (): SQL =>
  sql`${posts.id} in (select ${postCategories.postId} from ${postCategories}
    where ${and(eq(postCategories.siteId, site), eq(postCategories.categoryId, param("category")))})`

const inTag = (): SQL =>
  sql`${posts.id} in (select ${postTags.postId} from ${postTags}
    where ${and(eq(postTags.siteId, site), eq(postTags.tagId, param("tag")))})`

/** `cross join` forces SQLite to go from the posts to their relations in either order. */
export const RELATIONS: Record<Include, (db: SiteDatabase, ids: SQL) => Query<unknown>> = {
  categories: (db, ids) =>
    db
      .select({ postId: postCategories.postId, ...reference(categories) })
      .from(postCategories)
      .crossJoin(categories)
      .where(and(sql`${postCategories.postId} in (${ids})`, eq(categories.id, postCategories.categoryId)))
      .orderBy(categories.nameKey, categories.id),
  tags: (db, ids) =>
    db
      .select({ postId: postTags.postId, ...reference(tags) })
      .from(postTags)
      .crossJoin(tags)
      .where(and(sql`${postTags.postId} in (${ids})`, eq(tags.id, postTags.tagId)))
      .orderBy(tags.nameKey, tags.id),
  author: (db, ids) =>
    db
      .select({ id: users.id, firstName: users.firstName, lastName: users.lastName, avatar: users.avatar })
      .from(users)
      .where(
        inArray(
          users.id,
          sql`(select ${posts.authorId} from ${posts} where +${posts.siteId} = ${site} and ${posts.id} in (${ids}))`,
        ),
      ),
}

const reference = (table: typeof categories | typeof tags) => ({
  id: table.id,
  name: table.name,
  slug: table.slug,
  description: table.description,
})

type ReferenceRow = NonNullable<PostWithRelations["categories"]>[number] & { postId: number }
/** The columns of a post's author. */
export type AuthorRow = Pick<typeof users.$inferSelect, "id" | "firstName" | "lastName" | "avatar">

/** Creates a function that attaches to a post its relations from the results of a batch. */
export function createAssembler<Row extends PostWithRelations["post"]>(
  ctx: FileCtx,
  include: ReadonlySet<Include>,
  results: unknown[],
) {
  const rowsByRelation = new Map([...include].map((relation, index) => [relation, results[index]]))
  const referencesIn = (relation: "categories" | "tags") => {
    const rows = rowsByRelation.get(relation) as ReferenceRow[] | undefined
    const byPost = rows && Map.groupBy(rows, ({ postId }) => postId)
    return (post: Row) =>
      byPost && (byPost.get(post.id) ?? []).map(({ id, name, slug, description }) => ({ id, name, slug, description }))
  }
  const categoriesOf = referencesIn("categories")
  const tagsOf = referencesIn("tags")
  const authors = rowsByRelation.get("author") as AuthorRow[] | undefined
  return (post: Row): PostWithRelations<Row> => {
    const author = authors?.find((user) => user.id === post.authorId)
    return {
      post,
      categories: categoriesOf(post),
      tags: tagsOf(post),
      author: authors && (author ? authorOf(ctx, author) : null),
    }
  }
}

/** Builds the author of a post's resource. */
export const authorOf = (ctx: FileCtx, user: AuthorRow) => ({
  id: user.id,
  name: fullName(user),
  avatar: user.avatar && fileUrl(ctx, user.avatar),
})
