// Creates, updates and deletes pages: `savePage` for operators, the others for the API. Triggers store the version that
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
import { pages } from "../../../db/schema/sites/pages"
import { inSite } from "../../../db/site-scope"
import { abortUnlessTouched } from "../../../db/write"
import { isEmpty } from "../../../lib/is-empty"
import { foldCase } from "../../case-folding"
import { authorizeEditor, commitAsEditor, type EditorCtx } from "../../editor"
import type { SiteRef } from "../../site"
import { resourceTag } from "../caching"
import { changesOf, idOfSlug, isUnchanged, savedBy, timeOfUpdate } from "../changes"
import { deriveSlug } from "../fields"
import { selectRevision } from "../revisions"
import { type PageRow, pageResource, type SavePage, type UpdatePage } from "./schemas"
import { selectPage } from "./service"

/** Builds the columns of a new page. */
function toNewRow(ctx: Ctx, slug: string, fields: z.output<typeof SavePage>) {
  const { name, description = null, content, image = null, template, status } = fields
  const columns = { slug, name, nameKey: foldCase(name), description, content, image, template, status }
  return { ...columns, ...savedBy(ctx), createdAt: ctx.now, updatedAt: ctx.now }
}

/**
 * Creates a page, or replaces the one with the same slug, for an operator.
 * @param options `isNew`: refuse a slug that is taken
 * @throws Refusal `validation_failed` for a slug that is taken, or a title that yields none
 */
export const savePage = (
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SavePage>,
  options: { isNew: boolean } = { isNew: false },
): Promise<PageRow & { isNew: boolean }> =>
  retryOnConflict(async () => {
    const slug = deriveSlug(input)
    if (slug === null) throw input.reject("slug", "required")
    const newRow = toNewRow(ctx, slug, input.complete({ slug: null }))
    const [existing] = await site.db.select().from(pages).where(eq(pages.slug, slug))
    if (existing && options.isNew) throw input.reject("slug", "duplicate")
    const { createdAt, ...set } = newRow
    const saved = existing && { ...existing, ...set, updatedAt: timeOfUpdate(ctx.now, existing) }
    const id = idOfSlug(pages, site.id, slug)
    const [[page]] = await commitSite(ctx, site, {
      writes: [
        (saved
          ? inSite(site.id)
              .update(pages)
              .set({ ...set, updatedAt: saved.updatedAt })
              .where(isUnchanged(pages, existing))
          : inSite(site.id).insert(pages).values(newRow)
        ).returning(getTableColumns(pages)),
        abortUnlessTouched,
      ],
      auditLog: [{ subject: "page", id, action: "saved", after: { slug, name: set.name } }],
      events: saved ? pageEvents(existing, saved) : pageEvents(null, { ...newRow, id: 0, siteId: site.id }, id),
    })
    if (!page) throw new Error("The page was not stored")
    return { ...page, isNew: existing === undefined }
  })

/**
 * Returns the event of a change: drafts raise none, and a draft that is published raises `published` only.
 * @param before null for a new page
 * @param after null for a deleted page
 * @param id the id of a new page
 */
function pageEvents(before: PageRow | null, after: PageRow | null, id?: SQL): ShopEventDraft[] {
  const isPublished = (page: PageRow | null) => page?.status === "published"
  if (before && !after)
    return isPublished(before) ? [{ type: "shop.page.deleted", data: { page: pageResource(before) } }] : []
  if (!after) return []
  const page = pageResource(after)
  if (!before || !isPublished(before))
    return isPublished(after)
      ? [{ type: "shop.page.published", data: { page }, ...(id && { fill: { "$.data.page.id": id } }) }]
      : []
  const changes = compareResources(pageResource(before), page, ["updated_at"])
  return isEmpty(changes) ? [] : [{ type: "shop.page.updated", data: { page, changes } }]
}

const readOf = ({ site }: EditorCtx, segment: string) => selectPage({ site: site.id, includeUnpublished: 1 }, segment)

const selectBySlug = ({ db }: SiteRef, slug = "") => db.select({ id: pages.id }).from(pages).where(eq(pages.slug, slug))

/**
 * Creates a page.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `validation_failed` for a slug that is taken, or
 *   a title that yields none
 */
export async function createPage(callerCtx: EditorCtx, input: Input<typeof SavePage>): Promise<PageRow> {
  const { site } = callerCtx
  const slug = deriveSlug(input) ?? ""
  const { ctx, results } = await authorizeEditor(callerCtx, [selectBySlug(site, slug)])
  const isTaken = results[0].length > 0
  const fields = input.complete({ slug: deriveSlug(input) === null ? "required" : isTaken ? "taken" : null })
  const row = toNewRow(ctx, slug, fields)
  const id = idOfSlug(pages, site.id, slug)
  const [, [page]] = await commitAsEditor(
    ctx,
    [inSite(site.id).insert(pages).values(row), readOf(ctx, slug)],
    [{ subject: "page", id, action: "saved", after: { slug, name: fields.name } }],
    pageEvents(null, { ...row, id: 0, siteId: site.id }, id),
  ).catch((cause) => {
    throw cause instanceof WriteConflict ? input.reject("slug", "taken") : cause
  })
  if (!page) throw new Error("The page was not stored")
  return page
}

/**
 * Updates the given fields of a page.
 * @param segment its id or slug
 * @param precondition of an `If-Match` header
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`;
 *   `validation_failed` for a slug that is taken
 */
export const updatePage = (
  callerCtx: EditorCtx,
  segment: string,
  input: Input<typeof UpdatePage>,
  precondition?: Precondition,
): Promise<PageRow> =>
  retryOnConflict(async () => {
    const { ctx, results } = await authorizeEditor(callerCtx, [
      readOf(callerCtx, segment),
      selectBySlug(callerCtx.site, input.valid.slug),
    ])
    const page = await assertVersion(results[0], precondition)
    const isTaken = results[1].some(({ id }) => id !== page.id)
    return commitUpdate(ctx, page, input.complete({ slug: isTaken ? "taken" : null }))
  })

/**
 * Restores the texts, the image and the template of a revision. The version that it replaces becomes a revision.
 * @param segment the page's id or slug
 * @param number the revision's number
 * @throws Refusal as `updatePage`; `not_found` for an unknown revision
 */
export const restorePage = (
  callerCtx: EditorCtx,
  segment: string,
  number: string,
  precondition?: Precondition,
): Promise<PageRow> =>
  retryOnConflict(async () => {
    const { ctx, results } = await authorizeEditor(callerCtx, [
      readOf(callerCtx, segment),
      selectRevision(callerCtx.site, "page", segment, number),
    ])
    const page = await assertVersion(results[0], precondition)
    const [revision] = results[1]
    if (!revision) throw new Refusal("not_found")
    const { name, description, content, image, template } = revision
    return commitUpdate(ctx, page, { name, description, content, image, template: template ?? page.template })
  })

/** Commits the columns that differ from a page's. */
async function commitUpdate(ctx: EditorCtx, page: PageRow, columns: Partial<PageRow>): Promise<PageRow> {
  const changes = changesOf(page, columns)
  if (isEmpty(changes)) return page
  const { slug, name } = { ...page, ...changes }
  const values = { ...changes, nameKey: foldCase(name), ...savedBy(ctx), updatedAt: timeOfUpdate(ctx.now, page) }
  const [, , [updated]] = await commitAsEditor(
    ctx,
    [
      inSite(ctx.site.id).update(pages).set(values).where(isUnchanged(pages, page)),
      abortUnlessTouched,
      readOf(ctx, String(page.id)),
    ],
    [
      {
        subject: "page",
        id: page.id,
        action: "saved",
        ...auditChanges(compareResources(pageResource(page), pageResource({ ...page, ...values }), ["updated_at"]), {
          before: { slug: page.slug, name: page.name },
          after: { slug, name },
        }),
      },
    ],
    pageEvents(page, { ...page, ...values }),
  )
  return updated ?? { ...page, ...values }
}

/**
 * Deletes a page.
 * @param segment its id or slug
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`
 */
export const deletePage = (callerCtx: EditorCtx, segment: string, precondition?: Precondition): Promise<void> =>
  retryOnConflict(async () => {
    const { ctx, results } = await authorizeEditor(callerCtx, [readOf(callerCtx, segment)])
    const page = await assertVersion(results[0], precondition)
    const { id, slug, name } = page
    await commitAsEditor(
      ctx,
      [inSite(ctx.site.id).remove(pages).where(isUnchanged(pages, page)), abortUnlessTouched],
      [{ subject: "page", id, action: "deleted", before: { slug, name } }],
      pageEvents(page, null),
    )
  })

/** Checks that a page was found, and `If-Match` against its ETag. */
async function assertVersion([page]: readonly PageRow[], precondition: Precondition | undefined): Promise<PageRow> {
  if (!page) throw new Refusal("not_found")
  if (precondition) precondition(await resourceTag(pageResource(page)))
  return page
}
