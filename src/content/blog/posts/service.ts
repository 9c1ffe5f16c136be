// Service functions of posts: public reads, and writes by operators.
import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import type { Input } from "../../../core/http/input"
import type { Page } from "../../../core/list/page"
import { WriteConflict } from "../../../core/write/commit"
import { commitSite } from "../../../core/write/site-commit"
import { batch } from "../../../db/client"
import { categories, postCategories, posts, postTags, tags } from "../../../db/schema/sites/posts"
import { users } from "../../../db/schema/sites/users"
import { inSite } from "../../../db/site-scope"
import { foldCase } from "../../case-folding"
import type { SiteCtx, SiteRef } from "../../site"
import { getReplica } from "../caching"
import { deriveSlug, toSearchText } from "../fields"
import { assertServerToken, hasServerToken } from "../server-token"
import { queryPosts, readPost as read } from "./queries"
import type { Include, ListPosts, PostWithRelations, SavePost } from "./schemas"

/**
 * Lists a page of posts.
 * @throws Refusal `unauthenticated`, `forbidden` for a status other than published without a server token
 */
export async function listPosts(ctx: SiteCtx, input: z.output<typeof ListPosts>): Promise<Page<PostWithRelations>> {
  if (input.status !== "published") assertServerToken(ctx)
  return queryPosts(ctx, getReplica(ctx), input)
}

/**
 * Reads one post by id or slug. Unpublished posts require a server token.
 * @throws Refusal `not_found`
 */
export const readPost = (ctx: SiteCtx, segment: string, include: ReadonlySet<Include>) =>
  read(ctx, getReplica(ctx), segment, { include, includeUnpublished: hasServerToken(ctx) })

/**
 * Creates a post, or replaces the one with the same slug. Its creation date is unchanged unless the input has one.
 * @returns the post's row
 * @throws Refusal `validation_failed` for an author, category or tag that the site does not have, and for a title that
 *   yields no slug
 * @param options `isNew`: refuse a slug that is taken
 */
export async function savePost(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SavePost>,
  options: { isNew: boolean } = { isNew: false },
) {
  const { id: siteId } = site
  const { slug, authorId, values: fields } = await resolveReferences(site, input)
  const { name, description = null, content, image = null, status } = fields
  const values = {
    slug,
    name,
    nameKey: foldCase(name),
    description,
    content,
    image,
    status,
    isFeatured: fields.featured,
    authorId,
    searchText: [name, description ?? "", content].map(toSearchText).join("\n"),
    updatedAt: ctx.now,
  }
  const createdAtColumn = fields.created_at && { createdAt: fields.created_at }
  const own = and(eq(posts.siteId, siteId), eq(posts.slug, slug))
  const postId = sql`(select ${posts.id} from ${posts} where ${own})`
  const row = inSite(siteId)
    .insert(posts)
    .values({ createdAt: ctx.now, ...values, ...createdAtColumn })
  const [[existing], rows] = await commitSite(ctx, site, {
    writes: [
      site.db.select({ id: posts.id }).from(posts).where(eq(posts.slug, slug)),
      (options.isNew
        ? row
        : row.onConflictDoUpdate({ target: [posts.siteId, posts.slug], set: { ...values, ...createdAtColumn } })
      ).returning(getTableColumns(posts)),
      inSite(siteId).remove(postCategories).where(sql`${postCategories.postId} = ${postId}`),
      inSite(siteId).insertSelect(
        postCategories,
        { categoryId: sql`${categories.id}`, postId },
        sql`from ${categories} where ${and(eq(categories.siteId, siteId), inArray(categories.slug, jsonList(fields.categories)))}`,
      ),
      inSite(siteId).remove(postTags).where(sql`${postTags.postId} = ${postId}`),
      inSite(siteId).insertSelect(
        postTags,
        { tagId: sql`${tags.id}`, postId },
        sql`from ${tags} where ${and(eq(tags.siteId, siteId), inArray(tags.slug, jsonList(fields.tags)))}`,
      ),
    ],
    auditLog: [{ subject: "post", id: postId, action: "saved", after: { slug, name, status } }],
  }).catch((cause) => {
    throw options.isNew && cause instanceof WriteConflict ? input.reject("slug", "duplicate") : cause
  })
  const [post] = rows
  if (!post) throw new Error("The post was not stored")
  return { ...post, isNew: existing === undefined }
}

/** Binds a list of any length as one parameter. */
const jsonList = (values: string[]) => sql`(select value from json_each(${JSON.stringify(values)}))`

/**
 * Resolves a post's author, and checks its slug, categories and tags.
 * @returns the values, its slug and its author's id
 * @throws Refusal `validation_failed` with every invalid field
 */
async function resolveReferences(
  { db }: SiteRef,
  input: Input<typeof SavePost>,
): Promise<{ slug: string; authorId: number | null; values: z.output<typeof SavePost> }> {
  const slug = deriveSlug(input)
  const { categories: categorySlugs = [], tags: tagSlugs = [] } = input.valid
  const author = input.valid.author?.toLowerCase() ?? ""
  const [authors, knownCategories, knownTags] = await batch(db, [
    db.select({ id: users.id }).from(users).where(eq(users.emailKey, author)),
    db
      .select({ slug: categories.slug })
      .from(categories)
      .where(inArray(categories.slug, jsonList(categorySlugs))),
    db
      .select({ slug: tags.slug })
      .from(tags)
      .where(inArray(tags.slug, jsonList(tagSlugs))),
  ])
  const values = input.complete({
    slug: slug === null ? "required" : null,
    author: author && !authors.length ? "selected" : null,
    categories: knownCategories.length < categorySlugs.length ? "selected" : null,
    tags: knownTags.length < tagSlugs.length ? "selected" : null,
  })
  return { slug: slug ?? "", authorId: authors[0]?.id ?? null, values }
}
