// Reads of posts: one batch each, whatever is included.
import { and, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Page } from "../../../core/page"
import { Refusal } from "../../../core/refusal"
import { batch, type SiteDatabase, type Statement } from "../../../db/client"
import { categories, postCategories, posts, postTags, tags } from "../../../db/schema/sites/posts"
import { users } from "../../../db/schema/sites/users"
import { fileUrl } from "../../files"
import { countedAt } from "../../pagination"
import type { SiteCtx } from "../../site"
import { named } from "../fields"
import { orderBy, pageIds, pageOf, type Source, selectTotal } from "../listing"
import type { Include, ListPosts, PostFacts } from "./schemas"

type List = z.output<typeof ListPosts>

const { searchText: _, ...full } = getTableColumns(posts)
const { content: __, ...listed } = full

/** A page of posts with what is to be included. */
export async function pageOfPosts(ctx: SiteCtx, db: SiteDatabase, input: List): Promise<Page<PostFacts>> {
  const source = sourceOf(ctx.site.id, input)
  const ids = pageIds(posts, source, input)
  const [totals, rows, ...related] = await batch(db, [
    selectTotal(db, source.total),
    db
      .select(listed)
      .from(posts)
      .where(sql`${posts.id} in (${ids})`)
      .orderBy(...orderBy(posts, input)),
    ...relations(db, ctx.site.id, ids, input.include),
  ])
  const page = pageOf<PostFacts["post"]>(totals, rows)
  const relate = relater(ctx, input.include, related)
  return { total: page.total, rows: page.rows.map(relate) }
}

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
  const where = and(
    eq(posts.siteId, ctx.site.id),
    named(posts, segment),
    unpublished ? undefined : eq(posts.status, "published"),
  )
  const wanted = new Set<Include>([...include, "categories", "tags"])
  const ids = sql`select ${posts.id} from ${posts} where ${where}`
  const [rows, ...related] = (await batch(db, [
    db.select(full).from(posts).where(where),
    ...relations(db, ctx.site.id, ids, wanted),
  ])) as [(PostFacts["post"] & { content: string })[], ...unknown[]]
  const [post] = rows
  if (!post) throw new Refusal("not_found")
  return relater<PostFacts["post"] & { content: string }>(ctx, wanted, related)(post)
}

/** Where a list comes from. One filtered by anything but its status is found by its matches, and these are counted. */
function sourceOf(siteId: string, { status, category_id, tag_id, search, featured }: List): Source {
  const own = and(eq(posts.siteId, siteId), eq(posts.status, status))
  const from = (tables: SQL, ...conditions: (SQL | undefined)[]): Source => {
    const where = and(own, ...conditions)
    return {
      ids: sql`select ${posts.id} from ${tables} where ${where}`,
      total: sql`(select count(*) from ${tables} where ${where})`,
      indexed: false,
    }
  }
  const category = category_id ? inCategory(siteId, category_id) : undefined
  const tag = tag_id ? inTag(siteId, tag_id) : undefined
  const highlight = featured === undefined ? undefined : eq(posts.isFeatured, featured)
  // `cross join` holds SQLite to reading the matches first, whatever the order asked for.
  if (search && isIndexed(search)) {
    const matches = sql`posts_search match ${matching(siteId, search)}`
    return from(
      sql`posts_search cross join ${posts} on ${posts.id} = posts_search.rowid`,
      matches,
      category,
      tag,
      highlight,
    )
  }
  const term = search ? sql`instr(${posts.searchText}, ${search}) > 0` : undefined
  if (category_id) {
    const stands = and(eq(postCategories.siteId, siteId), eq(postCategories.categoryId, category_id))
    const tables = sql`${postCategories} cross join ${posts} on ${posts.id} = ${postCategories.postId}`
    return from(tables, stands, tag, term, highlight)
  }
  if (tag_id) {
    const stands = and(eq(postTags.siteId, siteId), eq(postTags.tagId, tag_id))
    return from(sql`${postTags} cross join ${posts} on ${posts.id} = ${postTags.postId}`, stands, term, highlight)
  }
  if (featured) return from(sql`${posts} indexed by posts_featured`, sql`${posts.isFeatured} = 1`, term)
  if (term || highlight) return from(sql`${posts}`, term, highlight)
  return {
    ids: sql`select ${posts.id} from ${posts} where ${own}`,
    total: countedAt(siteId, "posts", status),
    indexed: true,
  }
}

const inCategory = (siteId: string, id: number): SQL =>
  sql`${posts.id} in (select ${postCategories.postId} from ${postCategories}
    where ${and(eq(postCategories.siteId, siteId), eq(postCategories.categoryId, id))})`

const inTag = (siteId: string, id: number): SQL =>
  sql`${posts.id} in (select ${postTags.postId} from ${postTags}
    where ${and(eq(postTags.siteId, siteId), eq(postTags.tagId, id))})`

/** The index holds runs of three characters; a shorter term is looked for in every post of the site. */
const isIndexed = (term: string): boolean => [...term].length >= 3

const matching = (siteId: string, term: string): string =>
  `{site} : "<${siteId}>" AND {text} : "${term.replaceAll('"', '""')}"`

/** The statements that read relations of the posts whose ids a subquery finds, in the order of the set. */
const relations = (db: SiteDatabase, siteId: string, ids: SQL, include: ReadonlySet<Include>): Statement[] =>
  [...include].map((relation) => RELATIONS[relation](db, siteId, ids))

/** `cross join` again: the posts lead to what they stand in, never the other way round, whatever the order asked for. */
const RELATIONS: Record<Include, (db: SiteDatabase, siteId: string, ids: SQL) => Statement> = {
  categories: (db, siteId, ids) =>
    db
      .select({ postId: postCategories.postId, ...reference(categories) })
      .from(postCategories)
      .crossJoin(categories)
      .where(
        and(
          eq(postCategories.siteId, siteId),
          sql`${postCategories.postId} in (${ids})`,
          eq(categories.id, postCategories.categoryId),
        ),
      )
      .orderBy(categories.nameKey, categories.id),
  tags: (db, siteId, ids) =>
    db
      .select({ postId: postTags.postId, ...reference(tags) })
      .from(postTags)
      .crossJoin(tags)
      .where(and(eq(postTags.siteId, siteId), sql`${postTags.postId} in (${ids})`, eq(tags.id, postTags.tagId)))
      .orderBy(tags.nameKey, tags.id),
  author: (db, siteId, ids) =>
    db
      .select({ id: users.id, firstName: users.firstName, lastName: users.lastName, avatar: users.avatar })
      .from(users)
      .where(
        and(
          eq(users.siteId, siteId),
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
  const references = (relation: "categories" | "tags", post: Row) => {
    const rows = found.get(relation) as ReferenceRow[] | undefined
    return rows?.filter((row) => row.postId === post.id).map(({ postId: _, ...row }) => row)
  }
  const authors = found.get("author") as AuthorRow[] | undefined
  return (post: Row): PostFacts<Row> => {
    const author = authors?.find((user) => user.id === post.authorId)
    return {
      post,
      categories: references("categories", post),
      tags: references("tags", post),
      author: authors && (author ? authorOf(ctx, author) : null),
    }
  }
}

const authorOf = (ctx: SiteCtx, user: AuthorRow) => ({
  id: user.id,
  name: `${user.firstName} ${user.lastName}`.trim(),
  avatar: user.avatar && fileUrl(ctx, user.avatar),
})
