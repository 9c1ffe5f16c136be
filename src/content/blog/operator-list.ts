// Lists a site's posts, pages, categories and tags for operators, and reads the fields of their edit forms.

import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { pages } from "../../db/schema/sites/pages"
import { categories, postCategories, posts, postTags, tags } from "../../db/schema/sites/posts"
import { users } from "../../db/schema/sites/users"
import { foundById } from "../../db/site-scope"
import type { SiteRef } from "../site"
import { STATUSES } from "./fields"

export const CONTENT_PAGE_SIZE = 50

/** A kind of blog content. */
export type ContentKind = "posts" | "pages" | "categories" | "tags"

interface ListedRow {
  slug: string
  name: string
  /** Null for categories and tags. */
  status: (typeof STATUSES)[number] | null
  createdAt: Date
  updatedAt: Date
}

/** Lists a page of one kind, newest first, and whether older ones follow. */
export async function listContent(
  { db, id }: SiteRef,
  kind: ContentKind,
  page: number,
): Promise<{ rows: ListedRow[]; hasMore: boolean }> {
  const table = { posts, pages, categories, tags }[kind]
  const { slug, name, createdAt, updatedAt } = table
  const [limit, offset] = [CONTENT_PAGE_SIZE + 1, (page - 1) * CONTENT_PAGE_SIZE]
  const status = "status" in table ? table.status : null
  const newest = (own: SQL | undefined, count: number, from = 0) =>
    sql`select id from (select ${table.id} as id from ${table} where ${own} order by ${desc(table.id)} limit ${count} offset ${from})`
  const pageIds = status
    ? // The index is by status: select the newest of each status, then the newest of those.
      sql`select id from (${sql.join(
        STATUSES.map((value) => newest(and(eq(table.siteId, id), eq(status, value)), limit + offset)),
        sql` union all `,
      )}) order by id desc limit ${limit} offset ${offset}`
    : newest(eq(table.siteId, id), limit, offset)
  const rows = await db
    .select({ slug, name, status: sql<ListedRow["status"]>`${status ?? sql`null`}`, createdAt, updatedAt })
    .from(foundById(table))
    .where(sql`${table.id} in (${pageIds})`)
    .orderBy(desc(table.id))
  return { rows: rows.slice(0, CONTENT_PAGE_SIZE), hasMore: rows.length > CONTENT_PAGE_SIZE }
}

/**
 * Reads one item as the values of its edit form.
 * @throws Refusal `not_found`
 */
export async function readContentFields(
  { db, id }: SiteRef,
  kind: ContentKind,
  slug: string,
): Promise<Record<string, string | null>> {
  const fields = await { posts: readPost, pages: readPage, categories: readCategory, tags: readTag }[kind](
    { db, id },
    slug,
  )
  if (!fields) throw new Refusal("not_found")
  return fields
}

type SiteRows = Pick<SiteRef, "db" | "id">

async function readPost({ db, id }: SiteRows, slug: string) {
  const own = and(eq(posts.siteId, id), eq(posts.slug, slug))
  const postId = sql`(select ${posts.id} from ${posts} where ${own})`
  const [[post], inCategories, withTags, [author]] = await batch(db, [
    db.select().from(posts).where(eq(posts.slug, slug)),
    db
      .select({ slug: categories.slug })
      .from(postCategories)
      .innerJoin(categories, eq(categories.id, postCategories.categoryId))
      .where(sql`${postCategories.postId} = ${postId}`)
      .orderBy(asc(categories.slug)),
    db
      .select({ slug: tags.slug })
      .from(postTags)
      .innerJoin(tags, eq(tags.id, postTags.tagId))
      .where(sql`${postTags.postId} = ${postId}`)
      .orderBy(asc(tags.slug)),
    db
      .select({ email: users.email })
      .from(users)
      .where(sql`${users.id} = (select ${posts.authorId} from ${posts} where ${own})`),
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

async function readPage({ db }: SiteRows, slug: string) {
  const [page] = await db.select().from(pages).where(eq(pages.slug, slug))
  if (!page) return null
  const { name, description, content, image, template, status } = page
  return { slug, name, description, content, image, template, status }
}

async function readCategory({ db }: SiteRows, slug: string) {
  const [category] = await db.select().from(categories).where(eq(categories.slug, slug))
  if (!category) return null
  const [parent] = category.parentId
    ? await db.select({ slug: categories.slug }).from(categories).where(eq(categories.id, category.parentId))
    : []
  return { slug, name: category.name, description: category.description, parent: parent?.slug ?? null }
}

async function readTag({ db }: SiteRows, slug: string) {
  const [tag] = await db.select().from(tags).where(eq(tags.slug, slug))
  return tag ? { slug, name: tag.name, description: tag.description } : null
}
