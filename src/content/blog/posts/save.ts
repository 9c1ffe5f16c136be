// Creates, updates and deletes posts: `savePost` for operators, the others for the API. Triggers store the version that
// an update replaces (db/schema/sites/revisions.ts).
import { eq, getTableColumns, type SQL } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import type { Input } from "../../../core/http/input"
import type { Precondition } from "../../../core/http/precondition"
import { Refusal } from "../../../core/http/refusal"
import { auditChanges, compareResources } from "../../../core/write/changes"
import { retryOnConflict, WriteConflict } from "../../../core/write/commit"
import { commitSite } from "../../../core/write/site-commit"
import type { ShopEventDraft } from "../../../core/write/site-events"
import { batch, type Results } from "../../../db/client"
import { postCategories, posts, postTags } from "../../../db/schema/sites/posts"
import { inSite } from "../../../db/site-scope"
import { abortUnlessTouched } from "../../../db/write"
import { getFallbackHost } from "../../../env"
import { isEmpty } from "../../../lib/is-empty"
import { foldCase } from "../../case-folding"
import { authorizeEditor, commitAsEditor, type EditorCtx } from "../../editor"
import type { SiteCtx, SiteRef } from "../../site"
import { resourceTag } from "../caching"
import { changesOf, idOfSlug, isUnchanged, savedBy, timeOfUpdate } from "../changes"
import { deriveSlug, toSearchText } from "../fields"
import { selectRevision } from "../revisions"
import { assemblePost, authorOf, postReads } from "./queries"
import { linkWrites, referenceReads, resolveReferences } from "./references"
import { type FullRow, INCLUDES, type PostWithRelations, postResource, type SavePost, type UpdatePost } from "./schemas"

type LoadedPost = PostWithRelations<FullRow>

/** Converts the fields of an input to columns; absent ones are undefined. */
const toColumns = (fields: z.output<typeof UpdatePost>) => ({
  slug: fields.slug,
  name: fields.name,
  description: fields.description,
  content: fields.content,
  image: fields.image,
  status: fields.status,
  isFeatured: fields.featured,
  publishedAt: fields.published_at,
  createdAt: fields.created_at,
})

/** Builds the columns that posts are sorted and searched by. */
const sortAndSearchColumns = ({ name, description, content }: Pick<FullRow, "name" | "description" | "content">) => ({
  nameKey: foldCase(name),
  searchText: [name, description ?? "", content].map(toSearchText).join("\n"),
})

/** Builds the columns of a new post. */
function toNewRow(ctx: Ctx, slug: string, fields: z.output<typeof SavePost>, authorId: number | null) {
  const { description = null, image = null, created_at = ctx.now, published_at = null } = fields
  const columns = { ...toColumns(fields), isFeatured: fields.featured, description, image, slug, authorId }
  const dates = { publishedAt: published_at, createdAt: created_at, updatedAt: ctx.now }
  const { name, content, status } = fields
  return {
    ...columns,
    ...dates,
    name,
    content,
    status,
    ...sortAndSearchColumns({ name, description, content }),
    ...savedBy(ctx),
  }
}

/**
 * Creates a post, or replaces the one with the same slug, for an operator. Its creation date and the date of its
 * publication are unchanged unless the input has them.
 * @returns the post's row
 * @throws Refusal `validation_failed` for an author, category or tag that the site does not have, and for a title that
 *   yields no slug
 * @param options `isNew`: refuse a slug that is taken
 */
export const savePost = (
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SavePost>,
  options: { isNew: boolean } = { isNew: false },
): Promise<typeof posts.$inferSelect & { isNew: boolean }> =>
  retryOnConflict(async () => {
    const siteCtx = { ...ctx, site: { ...site, hostname: getFallbackHost(ctx.settings, site.id) } }
    const slug = deriveSlug(input)
    const references = referenceReads(site, input.valid, slug)
    const reads = postReads(siteCtx, slug ?? "", { include: INCLUDES, includeUnpublished: true })
    const [authors, categories, tags, [sameSlug], ...current] = await batch(site.db, [...references, ...reads])
    const slugError = slug === null ? "required" : null
    const {
      values: fields,
      author = null,
      ...links
    } = resolveReferences(input, { authors, categories, tags }, slugError)
    if (sameSlug && options.isNew) throw input.reject("slug", "duplicate")
    const newRow = toNewRow(ctx, slug ?? "", fields, author?.id ?? null)
    const before = sameSlug ? assemblePost(siteCtx, INCLUDES, current) : null
    const { createdAt, publishedAt, ...replaced } = newRow
    const set = {
      ...replaced,
      ...(before && { updatedAt: timeOfUpdate(ctx.now, before.post) }),
      ...(fields.created_at && { createdAt }),
      ...(fields.published_at !== undefined && { publishedAt }),
    }
    const after = {
      post: before ? { ...before.post, ...set } : { ...newRow, id: 0, siteId: site.id },
      categories: links.categories ?? [],
      tags: links.tags ?? [],
      author: author && authorOf(siteCtx, author),
    }
    const postId = idOfSlug(posts, site.id, newRow.slug)
    const [[post]] = await commitSite(ctx, site, {
      writes: [
        (before
          ? inSite(site.id).update(posts).set(set).where(isUnchanged(posts, before.post))
          : inSite(site.id).insert(posts).values(newRow)
        ).returning(getTableColumns(posts)),
        abortUnlessTouched,
        ...linkWrites(site.id, postId, links),
      ],
      auditLog: [
        { subject: "post", id: postId, action: "saved", after: { slug, name: fields.name, status: fields.status } },
      ],
      events: postEvents(before, after, before ? undefined : postId),
    })
    if (!post) throw new Error("The post was not stored")
    return { ...post, isNew: before === null }
  })

/**
 * Returns the event of a change: drafts raise none, and a draft that is published raises `published` only.
 * @param before null for a new post
 * @param after null for a deleted post
 * @param id the id of a new post
 */
function postEvents(before: LoadedPost | null, after: LoadedPost | null, id?: SQL): ShopEventDraft[] {
  const isPublished = (loaded: LoadedPost | null) => loaded?.post.status === "published"
  if (before && !after)
    return isPublished(before) ? [{ type: "shop.post.deleted", data: { post: postResource(before) } }] : []
  if (!after) return []
  const post = postResource(after)
  if (!before || !isPublished(before))
    return isPublished(after)
      ? [{ type: "shop.post.published", data: { post }, ...(id && { fill: { "$.data.post.id": id } }) }]
      : []
  const changes = compareResources(postResource(before), post, ["updated_at"])
  return isEmpty(changes) ? [] : [{ type: "shop.post.updated", data: { post, changes } }]
}

/** Reads any post with all relations. */
const readsOf = (ctx: SiteCtx, segment: string) =>
  postReads(ctx, segment, { include: INCLUDES, includeUnpublished: true })

/**
 * Creates a post. Its author is the caller, unless the input names another user.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `validation_failed` for a slug that is taken or a
 *   title that yields none, and for an author, category or tag that the site does not have
 */
export async function createPost(callerCtx: EditorCtx, input: Input<typeof SavePost>): Promise<LoadedPost> {
  const { site } = callerCtx
  const slug = deriveSlug(input)
  const { ctx, user, results } = await authorizeEditor(callerCtx, referenceReads(site, input.valid, slug))
  const [authors, categories, tags, [sameSlug]] = results
  const slugError = slug === null ? "required" : sameSlug ? "taken" : null
  const references = resolveReferences(input, { authors, categories, tags }, slugError)
  const { values: fields, author = user, ...links } = references
  const row = toNewRow(ctx, slug ?? "", fields, author?.id ?? null)
  const { name, status } = row
  const postId = idOfSlug(posts, site.id, row.slug)
  const linked = linkWrites(site.id, postId, links)
  const [, ...written] = await commitAsEditor(
    ctx,
    [inSite(site.id).insert(posts).values(row), ...linked, ...readsOf(ctx, row.slug)],
    [{ subject: "post", id: postId, action: "saved", after: { slug, name, status } }],
    postEvents(
      null,
      {
        post: { ...row, id: 0, siteId: site.id },
        categories: links.categories ?? [],
        tags: links.tags ?? [],
        author: author && authorOf(ctx, author),
      },
      postId,
    ),
  ).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("slug", "taken") : cause
  })
  return assemblePost(ctx, INCLUDES, written.slice(linked.length))
}

/**
 * Updates the given fields of a post.
 * @param segment its id or slug
 * @param precondition of an `If-Match` header
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`;
 *   `validation_failed` for a slug that is taken, and for an author, category or tag that the site does not have
 */
export const updatePost = (
  callerCtx: EditorCtx,
  segment: string,
  input: Input<typeof UpdatePost>,
  precondition?: Precondition,
): Promise<LoadedPost> =>
  retryOnConflict(async () => {
    const { site } = callerCtx
    const current = readsOf(callerCtx, segment)
    const { ctx, results } = await authorizeEditor(callerCtx, [
      ...current,
      ...referenceReads(site, input.valid, input.valid.slug),
    ])
    const loaded = assemblePost(ctx, INCLUDES, results.slice(0, current.length))
    await assertVersion(loaded, precondition)
    const [authors, categories, tags, sameSlug] = results.slice(current.length) as Results<
      ReturnType<typeof referenceReads>
    >
    const isTaken = sameSlug.some(({ id }) => id !== loaded.post.id)
    const references = resolveReferences(input, { authors, categories, tags }, isTaken ? "taken" : null)
    const { values: fields, author, ...links } = references
    const columns = { ...toColumns(fields), authorId: author === null ? null : author?.id }
    return commitUpdate(ctx, loaded, columns, { ...links, author: author && authorOf(ctx, author) })
  })

/** The relations of a post after an update; those that are undefined are unchanged. */
type Relations = { [Relation in "categories" | "tags" | "author"]?: LoadedPost[Relation] | undefined }

/** Commits the columns and relations that differ from a post's. */
async function commitUpdate(
  ctx: EditorCtx,
  loaded: LoadedPost,
  columns: Partial<FullRow>,
  relations: Relations = {},
): Promise<LoadedPost> {
  const { post } = loaded
  const changes = changesOf(post, columns)
  const { categories = loaded.categories, tags = loaded.tags, author = loaded.author } = relations
  const after = { post: { ...post, ...changes }, categories, tags, author }
  const links = {
    categories: hasSameIds(loaded.categories, categories) ? undefined : categories,
    tags: hasSameIds(loaded.tags, tags) ? undefined : tags,
  }
  if (isEmpty(changes) && !links.categories && !links.tags) return loaded
  const { slug, name, status, ...rest } = { ...post, ...changes }
  const values = {
    ...changes,
    ...(!isEmpty(changes) && { ...sortAndSearchColumns({ ...rest, name }), ...savedBy(ctx) }),
    updatedAt: timeOfUpdate(ctx.now, post),
  }
  const writes = [
    inSite(ctx.site.id).update(posts).set(values).where(isUnchanged(posts, post)),
    abortUnlessTouched,
    ...linkWrites(ctx.site.id, post.id, links),
  ]
  const results = await commitAsEditor(
    ctx,
    [...writes, ...readsOf(ctx, String(post.id))],
    [
      {
        subject: "post",
        id: post.id,
        action: "saved",
        ...auditChanges(compareResources(postResource(loaded), postResource(after), ["updated_at"]), {
          before: { slug: post.slug, name: post.name, status: post.status },
          after: { slug, name, status },
        }),
      },
    ],
    postEvents(loaded, { ...after, post: { ...after.post, updatedAt: values.updatedAt } }),
  )
  return assemblePost(ctx, INCLUDES, results.slice(writes.length))
}

const hasSameIds = (present: readonly { id: number }[] = [], next: readonly { id: number }[] = []): boolean =>
  present.length === next.length && present.every(({ id }) => next.some((other) => other.id === id))

/**
 * Restores the texts and the image of a revision. The version that it replaces becomes a revision.
 * @param segment the post's id or slug
 * @param number the revision's number
 * @throws Refusal as `updatePost`; `not_found` for an unknown revision
 */
export const restorePost = (
  callerCtx: EditorCtx,
  segment: string,
  number: string,
  precondition?: Precondition,
): Promise<LoadedPost> =>
  retryOnConflict(async () => {
    const { ctx, results } = await authorizeEditor(callerCtx, [
      selectRevision(callerCtx.site, "post", segment, number),
      ...readsOf(callerCtx, segment),
    ])
    const [[revision], ...current] = results
    const loaded = assemblePost(ctx, INCLUDES, current)
    if (!revision) throw new Refusal("not_found")
    await assertVersion(loaded, precondition)
    const { name, description, content, image } = revision
    return commitUpdate(ctx, loaded, { name, description, content, image })
  })

/**
 * Deletes a post.
 * @param segment its id or slug
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`
 */
export const deletePost = (callerCtx: EditorCtx, segment: string, precondition?: Precondition): Promise<void> =>
  retryOnConflict(async () => {
    const { ctx, results } = await authorizeEditor(callerCtx, readsOf(callerCtx, segment))
    const loaded = assemblePost(ctx, INCLUDES, results)
    await assertVersion(loaded, precondition)
    const { id, slug, name } = loaded.post
    const scope = inSite(ctx.site.id)
    await commitAsEditor(
      ctx,
      [
        scope.remove(posts).where(isUnchanged(posts, loaded.post)),
        abortUnlessTouched,
        scope.remove(postCategories).where(eq(postCategories.postId, id)),
        scope.remove(postTags).where(eq(postTags.postId, id)),
      ],
      [{ subject: "post", id, action: "deleted", before: { slug, name } }],
      postEvents(loaded, null),
    )
  })

/** Checks `If-Match` against the ETags that a read of the post has, without and with its author. */
async function assertVersion(loaded: LoadedPost, precondition: Precondition | undefined): Promise<void> {
  if (!precondition) return
  const { author: _, ...withoutAuthor } = loaded
  precondition(...(await Promise.all([withoutAuthor, loaded].map((post) => resourceTag(postResource(post))))))
}
