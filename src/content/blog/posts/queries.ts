// Reads of posts: one batch each, whatever is included.
import { and, eq, getTableColumns, inArray, type Placeholder, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { countedAt } from "../../../core/list/site-totals"
import { batch, type SiteDatabase } from "../../../db/client"
import { given, type Query } from "../../../db/prepared"
import { compiledByName } from "../../../db/prepared-by-slug"
import { categories, postCategories, posts, postTags, tags } from "../../../db/schema/sites/posts"
import { users } from "../../../db/schema/sites/users"
import { fileUrl } from "../../files"
import type { SiteCtx } from "../../site"
import { compiledList, type Source } from "../listing"
import { INCLUDES, type Include, type ListPosts, type PostFacts } from "./schemas"

type List = z.output<typeof ListPosts>

const { searchText: _, ...full } = getTableColumns(posts)
const { content: __, ...listed } = full

/** What decides how a page of posts is read, beside its order. */
interface Shape {
  search: "none" | "indexed" | "short"
  category: boolean
  tag: boolean
  featured: boolean | null
  include: Include[]
}

const site = given("site")

const readList = compiledList<PostFacts["post"], Shape>({
  table: posts,
  columns: listed,
  source: sourceOf,
  related: (ids, { include }) => include.map((relation) => (db) => RELATIONS[relation](db, ids)),
})

/** A page of posts with what is to be included. */
export async function pageOfPosts(ctx: SiteCtx, db: SiteDatabase, input: List): Promise<Page<PostFacts>> {
  const { search, category_id: category, tag_id: tag, featured = null } = input
  const shape: Shape = {
    search: search ? (isIndexed(search) ? "indexed" : "short") : "none",
    category: category !== undefined,
    tag: tag !== undefined,
    featured,
    include: [...input.include],
  }
  const values = {
    site: ctx.site.id,
    status: input.status,
    category,
    tag,
    term: search,
    phrase: search && matching(ctx.site.id, search),
  }
  const { rows, total, related } = await readList(db, input, values, shape)
  return { rows: rows.map(relater(ctx, input.include, related)), total }
}

type Single = PostFacts["post"] & { content: string }

const published = (all: SQL | Placeholder) => sql`(${posts.status} = 'published' or ${all} = 1)`

const isVisible = (isIt: SQL): SQL => sql`${posts.siteId} = ${site} and ${isIt} and ${published(given("all"))}`

const onePost = compiledByName<Single, object>(posts, (db, isIt) => db.select(full).from(posts).where(isVisible(isIt)))

/** What is read with one post, composed once. */
const relationsOfOne = Object.fromEntries(
  INCLUDES.map((relation) => [
    relation,
    compiledByName<unknown, object>(posts, (db, isIt) =>
      RELATIONS[relation](db, sql`select ${posts.id} from ${posts} where ${isVisible(isIt)}`),
    ),
  ]),
)

/**
 * One post with its categories and tags, and its author when asked for.
 * @param segment its id or slug
 * @param include beside categories and tags
 * @param unpublished whether it may be another than a published one
 * @throws Refusal `not_found`
 */
export async function readPost(
  ctx: SiteCtx,
  db: SiteDatabase,
  segment: string,
  { include, unpublished }: { include: ReadonlySet<Include>; unpublished: boolean },
) {
  const wanted = new Set<Include>([...include, "categories", "tags"])
  const values = { site: ctx.site.id, all: Number(unpublished) }
  const [rows, ...related] = await batch(db, [
    onePost(values, segment),
    ...[...wanted].flatMap((relation) => relationsOfOne[relation]?.(values, segment) ?? []),
  ])
  const [post] = rows as Single[]
  if (!post) throw new Refusal("not_found")
  return relater<Single>(ctx, wanted, related)(post)
}

/** Where a list comes from. One filtered by anything but its status is found by its matches, and these are counted. */
function sourceOf({ search, category: inOne, tag: underOne, featured }: Shape): Source {
  const own = and(eq(posts.siteId, site), eq(posts.status, given("status")))
  const from = (tables: SQL, ...conditions: (SQL | undefined)[]): Source => {
    const where = and(own, ...conditions)
    return {
      ids: sql`select ${posts.id} from ${tables} where ${where}`,
      total: sql`(select count(*) from ${tables} where ${where})`,
      indexed: false,
    }
  }
  const category = inOne ? inCategory() : undefined
  const tag = underOne ? inTag() : undefined
  const highlight = featured === null ? undefined : eq(posts.isFeatured, featured)
  // `cross join` holds SQLite to reading the matches first, whatever the order asked for.
  if (search === "indexed") {
    const matches = sql`posts_search match ${given("phrase")}`
    return from(
      sql`posts_search cross join ${posts} on ${posts.id} = posts_search.rowid`,
      matches,
      category,
      tag,
      highlight,
    )
  }
  const term = search === "short" ? sql`instr(${posts.searchText}, ${given("term")}) > 0` : undefined
  if (inOne) {
    const stands = and(eq(postCategories.siteId, site), eq(postCategories.categoryId, given("category")))
    const tables = sql`${postCategories} cross join ${posts} on ${posts.id} = ${postCategories.postId}`
    return from(tables, stands, tag, term, highlight)
  }
  if (underOne) {
    const stands = and(eq(postTags.siteId, site), eq(postTags.tagId, given("tag")))
    return from(sql`${postTags} cross join ${posts} on ${posts.id} = ${postTags.postId}`, stands, term, highlight)
  }
  if (featured) return from(sql`${posts} indexed by posts_featured`, sql`${posts.isFeatured} = 1`, term)
  if (term || highlight) return from(sql`${posts}`, term, highlight)
  return {
    ids: sql`select ${posts.id} from ${posts} where ${own}`,
    total: countedAt(site, "posts", given("status")),
    indexed: true,
  }
}

const inCategory = (): SQL =>
  sql`${posts.id} in (select ${postCategories.postId} from ${postCategories}
    where ${and(eq(postCategories.siteId, site), eq(postCategories.categoryId, given("category")))})`

const inTag = (): SQL =>
  sql`${posts.id} in (select ${postTags.postId} from ${postTags}
    where ${and(eq(postTags.siteId, site), eq(postTags.tagId, given("tag")))})`

/** The index holds runs of three characters; a shorter term is looked for in every post of the site. */
const isIndexed = (term: string): boolean => [...term].length >= 3

const matching = (siteId: string, term: string): string =>
  `{site} : "<${siteId}>" AND {text} : "${term.replaceAll('"', '""')}"`

/** `cross join` again: the posts lead to what they stand in, never the other way round, whatever the order asked for. */
const RELATIONS: Record<Include, (db: SiteDatabase, ids: SQL) => Query<unknown>> = {
  categories: (db, ids) =>
    db
      .select({ postId: postCategories.postId, ...reference(categories) })
      .from(postCategories)
      .crossJoin(categories)
      .where(
        and(
          eq(postCategories.siteId, site),
          sql`${postCategories.postId} in (${ids})`,
          eq(categories.id, postCategories.categoryId),
        ),
      )
      .orderBy(categories.nameKey, categories.id),
  tags: (db, ids) =>
    db
      .select({ postId: postTags.postId, ...reference(tags) })
      .from(postTags)
      .crossJoin(tags)
      .where(and(eq(postTags.siteId, site), sql`${postTags.postId} in (${ids})`, eq(tags.id, postTags.tagId)))
      .orderBy(tags.nameKey, tags.id),
  author: (db, ids) =>
    db
      .select({ id: users.id, firstName: users.firstName, lastName: users.lastName, avatar: users.avatar })
      .from(users)
      .where(
        and(
          eq(users.siteId, site),
          inArray(users.id, sql`(select ${posts.authorId} from ${posts} where ${posts.id} in (${ids}))`),
        ),
      ),
}

const reference = (table: typeof categories | typeof tags) => ({
  id: table.id,
  name: table.name,
  slug: table.slug,
  description: table.description,
})

type ReferenceRow = NonNullable<PostFacts["categories"]>[number] & { postId: number }
type AuthorRow = Pick<typeof users.$inferSelect, "id" | "firstName" | "lastName" | "avatar">

/** Gives each post its part of what `relations` read. */
function relater<Row extends PostFacts["post"]>(ctx: SiteCtx, include: ReadonlySet<Include>, answers: unknown[]) {
  const found = new Map([...include].map((relation, index) => [relation, answers[index]]))
  const referencesIn = (relation: "categories" | "tags") => {
    const rows = found.get(relation) as ReferenceRow[] | undefined
    const byPost = rows && Map.groupBy(rows, ({ postId }) => postId)
    return (post: Row) =>
      byPost && (byPost.get(post.id) ?? []).map(({ id, name, slug, description }) => ({ id, name, slug, description }))
  }
  const categoriesOf = referencesIn("categories")
  const tagsOf = referencesIn("tags")
  const authors = found.get("author") as AuthorRow[] | undefined
  return (post: Row): PostFacts<Row> => {
    const author = authors?.find((user) => user.id === post.authorId)
    return {
      post,
      categories: categoriesOf(post),
      tags: tagsOf(post),
      author: authors && (author ? authorOf(ctx, author) : null),
    }
  }
}

const authorOf = (ctx: SiteCtx, user: AuthorRow) => ({
  id: user.id,
  name: `${user.firstName} ${user.lastName}`.trim(),
  avatar: user.avatar && fileUrl(ctx, user.avatar),
})
