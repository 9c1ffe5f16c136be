// Lists a site's posts, pages, categories and tags for operators and staff, and reads the fields of the console's
// forms.

import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm"
import { Refusal } from "../../core/http/refusal"
import { selectSiteCounter } from "../../core/list/site-totals"
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
  id: number
  slug: string
  name: string
  /** Null for categories and tags. */
  status: (typeof STATUSES)[number] | null
  /** Null for anything but posts. */
  publishedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Rows that a search reads of each status. */
export const MAX_SEARCHED_CONTENT = 5_000

export interface ContentQuery {
  page: number
  /** Those of every status if omitted. Categories and tags have none; only posts are scheduled. */
  status?: (typeof STATUSES)[number] | "scheduled" | undefined
  /** A part of the title, case-folded. */
  search?: string | undefined
  sort_by?: "id" | "name" | "created_at" | "updated_at"
  order?: "asc" | "desc"
}

interface ContentList {
  rows: ListedRow[]
  hasMore: boolean
  /** Whether items beyond those that a search reads may match. */
  isIncomplete: boolean
}

/** Lists a page of one kind, newest first by default. A search reads the first items of the list's order. */
export async function listContent(
  { db, id, now }: SiteRef & { now: Date },
  kind: ContentKind,
  { page, status: only, search, sort_by = "id", order = "desc" }: ContentQuery,
): Promise<ContentList> {
  const table = { posts, pages, categories, tags }[kind]
  const { slug, name, createdAt, updatedAt } = table
  const [limit, offset] = [CONTENT_PAGE_SIZE + 1, (page - 1) * CONTENT_PAGE_SIZE]
  const direction = order === "asc" ? asc : desc
  const sortColumn = { id: table.id, name: table.nameKey, created_at: createdAt, updated_at: updatedAt }[sort_by]
  const sorted = sql.join([direction(sortColumn), direction(table.id)], sql`, `)
  const scanLimit = search ? MAX_SEARCHED_CONTENT : limit + offset
  const status = "status" in table ? table.status : null
  const own = eq(table.siteId, id)
  // The indexes of posts and pages are by status: the first of each status, then the first of those.
  const sources =
    only === "scheduled"
      ? [sql`${posts} indexed by posts_scheduled where ${and(own, isScheduledAt(now))}`]
      : (status ? (only ? [only] : STATUSES) : [null]).map(
          (value) =>
            sql`${table} where ${and(
              own,
              status && value ? eq(status, value) : undefined,
              kind === "posts" && only === "published" ? hasAppeared(now) : undefined,
            )}`,
        )
  const scans = sources.map(
    (source) => sql`select * from (select ${table.id}, ${table.nameKey}, ${createdAt}, ${updatedAt}
      from ${source} order by ${sorted} limit ${scanLimit})`,
  )
  const matches = search ? sql`instr(${table.nameKey}, ${search}) > 0` : sql`true`
  const pageIds = sql`select ${table.id} from (${sql.join(scans, sql` union all `)}) as ${table}
    where ${matches} order by ${sorted} limit ${limit} offset ${offset}`
  const [rows, [counted]] = await batch(db, [
    db
      .select({
        id: table.id,
        slug,
        name,
        status: sql<ListedRow["status"]>`${status ?? sql`null`}`.as("status"),
        publishedAt: "publishedAt" in table ? table.publishedAt : sql<null>`null`.as("published_at"),
        createdAt,
        updatedAt,
      })
      .from(foundById(table))
      .where(sql`${table.id} in (${pageIds})`)
      .orderBy(direction(sortColumn), direction(table.id)),
    db.select({ total: largestTotal(id, kind) }).from(sql`(select 1)`),
  ])
  return {
    rows: rows.slice(0, CONTENT_PAGE_SIZE),
    hasMore: rows.length > CONTENT_PAGE_SIZE,
    isIncomplete: search !== undefined && (counted?.total ?? 0) > MAX_SEARCHED_CONTENT,
  }
}

/** The condition of the index `posts_scheduled`, and that the date is still to come. */
const isScheduledAt = (now: Date): SQL =>
  sql`${posts.publishedAt} > ${posts.updatedAt} and ${posts.publishedAt} > ${now.getTime()} and ${posts.status} = 'published'`

const hasAppeared = (now: Date): SQL => sql`coalesce(${posts.publishedAt}, 0) <= ${now.getTime()}`

/** The number of items of the most frequent status. */
const largestTotal = (siteId: string, kind: ContentKind): SQL<number> =>
  kind === "posts" || kind === "pages"
    ? sql<number>`max(${sql.join(
        STATUSES.map((status) => selectSiteCounter(siteId, kind, status)),
        sql`, `,
      )})`
    : sql<number>`${selectSiteCounter(siteId, kind)}`

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
