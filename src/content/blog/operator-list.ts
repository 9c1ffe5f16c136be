// What a site's own people have written, as an operator lists and edits it, whatever its state.
import { and, asc, desc, eq, inArray, type SQL, sql } from "drizzle-orm"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { pages } from "../../db/schema/sites/pages"
import { categories, postCategories, posts, postTags, tags } from "../../db/schema/sites/posts"
import { users } from "../../db/schema/sites/users"
import type { SiteRef } from "../site"
import { STATUSES } from "./fields"

export const WRITTEN_PAGE = 50

/** One of the four kinds of thing a site has written. */
export type Written = "posts" | "pages" | "categories" | "tags"

interface ListedRow {
  slug: string
  name: string
  /** Null for what has none: categories and tags. */
  status: string | null
  createdAt: Date
  updatedAt: Date
}

/** A page of them, the newest first, and whether older ones follow. */
export async function listWritten(
  { db, id }: SiteRef,
  kind: Written,
  page: number,
): Promise<{ rows: ListedRow[]; more: boolean }> {
  const table = { posts, pages, categories, tags }[kind]
  const { slug, name, createdAt, updatedAt } = table
  const [limit, offset] = [WRITTEN_PAGE + 1, (page - 1) * WRITTEN_PAGE]
  const status = "status" in table ? table.status : null
  const newest = (own: SQL | undefined, most: number, from = 0) =>
    sql`select id from (select ${table.id} as id from ${table} where ${own} order by ${desc(table.id)} limit ${most} offset ${from})`
  const shown = status
    ? // The index has them by status: of each the newest, and of those the newest.
      sql`select id from (${sql.join(
        STATUSES.map((one) => newest(and(eq(table.siteId, id), eq(status, one)), limit + offset)),
        sql` union all `,
      )}) order by id desc limit ${limit} offset ${offset}`
    : newest(eq(table.siteId, id), limit, offset)
  const rows = await db
    .select({ slug, name, status: sql<string | null>`${status ?? sql`null`}`, createdAt, updatedAt })
    .from(table)
    .where(inArray(table.id, sql`(${shown})`))
    .orderBy(desc(table.id))
  return { rows: rows.slice(0, WRITTEN_PAGE), more: rows.length > WRITTEN_PAGE }
}

/**
 * One of them with the fields of its form.
 * @throws Refusal `not_found`
 */
export async function readWritten(
  { db, id }: SiteRef,
  kind: Written,
  slug: string,
): Promise<Record<string, string | null>> {
  const found = await { posts: readPost, pages: readPage, categories: readCategory, tags: readTag }[kind](
    { db, id },
    slug,
  )
  if (!found) throw new Refusal("not_found")
  return found
}

type Of = Pick<SiteRef, "db" | "id">

async function readPost({ db, id }: Of, slug: string) {
  const own = and(eq(posts.siteId, id), eq(posts.slug, slug))
  const postId = sql`(select ${posts.id} from ${posts} where ${own})`
  const [[post], inCategories, withTags, [author]] = await batch(db, [
    db.select().from(posts).where(own),
    db
      .select({ slug: categories.slug })
      .from(postCategories)
      .innerJoin(categories, eq(categories.id, postCategories.categoryId))
      .where(and(eq(postCategories.siteId, id), sql`${postCategories.postId} = ${postId}`))
      .orderBy(asc(categories.slug)),
    db
      .select({ slug: tags.slug })
      .from(postTags)
      .innerJoin(tags, eq(tags.id, postTags.tagId))
      .where(and(eq(postTags.siteId, id), sql`${postTags.postId} = ${postId}`))
      .orderBy(asc(tags.slug)),
    db
      .select({ email: users.email })
      .from(users)
      .where(and(eq(users.siteId, id), sql`${users.id} = (select ${posts.authorId} from ${posts} where ${own})`)),
  ])
  if (!post) return null
  const slugs = (rows: { slug: string }[]) => rows.map((row) => row.slug).join(", ")
  return {
    slug: post.slug,
    name: post.name,
    description: post.description,
    content: post.content,
    image: post.image,
    status: post.status,
    featured: String(post.isFeatured),
    author: author?.email ?? null,
    categories: slugs(inCategories),
    tags: slugs(withTags),
  }
}

async function readPage({ db, id }: Of, slug: string) {
  const [page] = await db
    .select()
    .from(pages)
    .where(and(eq(pages.siteId, id), eq(pages.slug, slug)))
  if (!page) return null
  const { name, description, content, image, template, status } = page
  return { slug, name, description, content, image, template, status }
}

async function readCategory({ db, id }: Of, slug: string) {
  const [category] = await db
    .select()
    .from(categories)
    .where(and(eq(categories.siteId, id), eq(categories.slug, slug)))
  if (!category) return null
  const [parent] = category.parentId
    ? await db.select({ slug: categories.slug }).from(categories).where(eq(categories.id, category.parentId))
    : []
  return { slug, name: category.name, description: category.description, parent: parent?.slug ?? null }
}

async function readTag({ db, id }: Of, slug: string) {
  const [tag] = await db
    .select()
    .from(tags)
    .where(and(eq(tags.siteId, id), eq(tags.slug, slug)))
  return tag ? { slug, name: tag.name, description: tag.description } : null
}
