// Creates, updates and deletes tags: `saveTag` for operators, the others for the API.
import { eq, getTableColumns } from "drizzle-orm"
import type { Ctx } from "../../../core/context"
import type { Input } from "../../../core/http/input"
import type { Precondition } from "../../../core/http/precondition"
import { Refusal } from "../../../core/http/refusal"
import { auditChanges, compareResources } from "../../../core/write/changes"
import { retryOnConflict, WriteConflict } from "../../../core/write/commit"
import { commitSite } from "../../../core/write/site-commit"
import { postTags, tags } from "../../../db/schema/sites/posts"
import { inSite } from "../../../db/site-scope"
import { abortUnlessTouched } from "../../../db/write"
import { isEmpty } from "../../../lib/is-empty"
import { foldCase } from "../../case-folding"
import { authorizeEditor, commitAsEditor, type EditorCtx } from "../../editor"
import type { SiteRef } from "../../site"
import { resourceTag } from "../caching"
import { changesOf, idOfSlug, isUnchanged, timeOfUpdate } from "../changes"
import { deriveSlug } from "../fields"
import { type SaveTag, type TagRow, tagResource, type UpdateTag } from "./schemas"
import { selectTag } from "./service"

/** Builds the columns of a new tag. */
const toNewRow = (
  ctx: Ctx,
  slug: string,
  { name, description = null }: { name: string; description?: string | null },
) => ({
  slug,
  name,
  nameKey: foldCase(name),
  description,
  createdAt: ctx.now,
  updatedAt: ctx.now,
})

/**
 * Creates a tag, or replaces the one with the same slug, for an operator.
 * @param options `isNew`: refuse a slug that is taken
 * @throws Refusal `validation_failed` for a slug that is taken, or a title that yields none
 */
export async function saveTag(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SaveTag>,
  options: { isNew: boolean } = { isNew: false },
): Promise<TagRow & { isNew: boolean }> {
  const slug = deriveSlug(input)
  if (slug === null) throw input.reject("slug", "required")
  const { createdAt, ...set } = toNewRow(ctx, slug, input.complete({ slug: null }))
  const row = inSite(site.id)
    .insert(tags)
    .values({ ...set, createdAt })
  const [[existing], [tag]] = await commitSite(ctx, site, {
    writes: [
      site.db.select({ id: tags.id }).from(tags).where(eq(tags.slug, slug)),
      (options.isNew ? row : row.onConflictDoUpdate({ target: [tags.siteId, tags.slug], set })).returning(
        getTableColumns(tags),
      ),
    ],
    auditLog: [{ subject: "tag", id: idOfSlug(tags, site.id, slug), action: "saved", after: { slug, name: set.name } }],
  }).catch((cause) => {
    throw options.isNew && cause instanceof WriteConflict ? input.reject("slug", "duplicate") : cause
  })
  if (!tag) throw new Error("The tag was not stored")
  return { ...tag, isNew: existing === undefined }
}

const readOf = ({ site }: EditorCtx, segment: string) => selectTag({ site: site.id }, segment)

const selectBySlug = ({ db }: SiteRef, slug = "") => db.select({ id: tags.id }).from(tags).where(eq(tags.slug, slug))

/**
 * Creates a tag.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `validation_failed` for a slug that is taken, or
 *   a name that yields none
 */
export async function createTag(callerCtx: EditorCtx, input: Input<typeof SaveTag>): Promise<TagRow> {
  const { site } = callerCtx
  const slug = deriveSlug(input) ?? ""
  const { ctx, results } = await authorizeEditor(callerCtx, [selectBySlug(site, slug)])
  const isTaken = results[0].length > 0
  const fields = input.complete({ slug: deriveSlug(input) === null ? "required" : isTaken ? "taken" : null })
  const [, [tag]] = await commitAsEditor(
    ctx,
    [
      inSite(site.id)
        .insert(tags)
        .values(toNewRow(ctx, slug, fields)),
      readOf(ctx, slug),
    ],
    [{ subject: "tag", id: idOfSlug(tags, site.id, slug), action: "saved", after: { slug, name: fields.name } }],
  ).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("slug", "taken") : cause
  })
  if (!tag) throw new Error("The tag was not stored")
  return tag
}

/**
 * Updates the given fields of a tag.
 * @param segment its id or slug
 * @param precondition of an `If-Match` header
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`;
 *   `validation_failed` for a slug that is taken
 */
export const updateTag = (
  callerCtx: EditorCtx,
  segment: string,
  input: Input<typeof UpdateTag>,
  precondition?: Precondition,
): Promise<TagRow> =>
  retryOnConflict(async () => {
    const { ctx, results } = await authorizeEditor(callerCtx, [
      readOf(callerCtx, segment),
      selectBySlug(callerCtx.site, input.valid.slug),
    ])
    const tag = await assertVersion(results[0], precondition)
    const isTaken = results[1].some(({ id }) => id !== tag.id)
    const changes = changesOf<TagRow>(tag, input.complete({ slug: isTaken ? "taken" : null }))
    if (isEmpty(changes)) return tag
    const { slug, name } = { ...tag, ...changes }
    const values = { ...changes, nameKey: foldCase(name), updatedAt: timeOfUpdate(ctx.now, tag) }
    const [, , [updated]] = await commitAsEditor(
      ctx,
      [
        inSite(ctx.site.id).update(tags).set(values).where(isUnchanged(tags, tag)),
        abortUnlessTouched,
        readOf(ctx, String(tag.id)),
      ],
      [
        {
          subject: "tag",
          id: tag.id,
          action: "saved",
          ...auditChanges(compareResources(tagResource(tag), tagResource({ ...tag, ...changes }), []), {
            before: { slug: tag.slug, name: tag.name },
            after: { slug, name },
          }),
        },
      ],
    )
    return updated ?? { ...tag, ...values }
  })

/**
 * Deletes a tag. Posts lose it.
 * @param segment its id or slug
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`
 */
export const deleteTag = (callerCtx: EditorCtx, segment: string, precondition?: Precondition): Promise<void> =>
  retryOnConflict(async () => {
    const { ctx, results } = await authorizeEditor(callerCtx, [readOf(callerCtx, segment)])
    const tag = await assertVersion(results[0], precondition)
    const { id, slug, name } = tag
    const scope = inSite(ctx.site.id)
    await commitAsEditor(
      ctx,
      [
        scope.remove(tags).where(isUnchanged(tags, tag)),
        abortUnlessTouched,
        scope.remove(postTags).where(eq(postTags.tagId, id)),
      ],
      [{ subject: "tag", id, action: "deleted", before: { slug, name } }],
    )
  })

/** Checks that a tag was found, and `If-Match` against its ETag. */
async function assertVersion([tag]: readonly TagRow[], precondition: Precondition | undefined): Promise<TagRow> {
  if (!tag) throw new Refusal("not_found")
  if (precondition) precondition(await resourceTag(tagResource(tag)))
  return tag
}
