// Creates, updates and deletes categories: `saveCategory` for operators, the others for the API.
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm"
import type { Ctx } from "../../../core/context"
import type { Input } from "../../../core/http/input"
import type { Precondition } from "../../../core/http/precondition"
import { auditChanges, compareResources } from "../../../core/write/changes"
import { retryOnConflict } from "../../../core/write/commit"
import { commitSite } from "../../../core/write/site-commit"
import { batch } from "../../../db/client"
import { parseIdOrSlug } from "../../../db/prepared-by-slug"
import { categories, postCategories } from "../../../db/schema/sites/posts"
import { inSite } from "../../../db/site-scope"
import { abortUnlessTouched, abortWhere, type Write } from "../../../db/write"
import { isEmpty } from "../../../lib/is-empty"
import { foldCase } from "../../case-folding"
import { authorizeEditor, commitAsEditor, type EditorCtx } from "../../editor"
import type { SiteRef } from "../../site"
import { resourceTag } from "../caching"
import { changesOf, idOfSlug, isUnchanged, timeOfUpdate } from "../changes"
import { deriveSlug } from "../fields"
import { assembleCategory, categoryReads } from "./queries"
import { type CategoryWithChildren, categoryResource, type SaveCategory, type UpdateCategory } from "./schemas"

type Row = CategoryWithChildren["category"]

/** Selects the category that an input names as the parent, with the ids and slugs of its ancestors and itself. */
function selectParent({ db, id: siteId }: SiteRef, parent: string | null | undefined) {
  const { by, name } = parseIdOrSlug(parent ?? "")
  return db
    .select({
      id: categories.id,
      ancestors: sql<string>`(
        with recursive ancestors (id, parent_id, slug) as (
          select id, parent_id, slug from categories as origin
          where origin.site_id = ${siteId} and origin.${sql.identifier(by)} = ${name}
          union
          select parent.id, parent.parent_id, parent.slug from categories as parent
          join ancestors on parent.id = ancestors.parent_id where parent.site_id = ${siteId}
        ) select json_group_array(json_array(id, slug)) from ancestors
      )`,
    })
    .from(categories)
    .where(eq(categories[by], name))
}

/**
 * Aborts the batch when another request has deleted a category's new parent since `selectParent`, or has moved it below
 * the category. Writes nothing without a new parent: a category of an older cycle must stay editable.
 */
const guardParent = (siteId: string, categoryId: SQL | number, parentId: number | undefined): Write[] =>
  parentId
    ? [
        abortWhere(sql`where not exists (
          select 1 from categories where ${and(eq(categories.siteId, siteId), eq(categories.id, parentId))}
        )`),
        abortWhere(sql`from (
          with recursive ancestors (id) as (
            select parent_id from categories as origin where origin.site_id = ${siteId} and origin.id = ${categoryId}
            union
            select parent.parent_id from categories as parent
            join ancestors on parent.id = ancestors.id where parent.site_id = ${siteId}
          ) select id from ancestors where id = ${categoryId}
        )`),
      ]
    : []

/**
 * Decides the id of a category's parent.
 * @param parent the field of the input
 * @param found the result of `selectParent`
 * @param category the category's id or slug; null for a new one
 * @returns 0 for none; null for an unknown category, and for one that is below the category itself; undefined if the
 *   input has no such field
 */
function resolveParent(
  parent: string | null | undefined,
  [found]: readonly { id: number; ancestors: string }[],
  category: number | string | null,
): number | null | undefined {
  if (parent === undefined) return undefined
  if (parent === null) return 0
  if (!found) return null
  const ancestors = JSON.parse(found.ancestors) as [id: number, slug: string][]
  return ancestors.flat().some((name) => name === category) ? null : found.id
}

/** Builds the columns of a new category. */
const toNewRow = (
  ctx: Ctx,
  slug: string,
  parentId: number,
  { name, description = null }: { name: string; description?: string | null },
) => ({ slug, name, nameKey: foldCase(name), description, parentId, createdAt: ctx.now, updatedAt: ctx.now })

const selectBySlug = ({ db }: SiteRef, slug: string | null | undefined) =>
  db
    .select({ id: categories.id })
    .from(categories)
    .where(eq(categories.slug, slug ?? ""))

/**
 * Creates a category, or replaces the one with the same slug, for an operator.
 * @throws Refusal `validation_failed` for a parent that does not exist or is a descendant of the category, and for a
 *   title that yields no slug
 * @param options `isNew`: refuse a slug that is taken
 */
export const saveCategory = (
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SaveCategory>,
  options: { isNew: boolean } = { isNew: false },
) =>
  retryOnConflict(async () => {
    const slug = deriveSlug(input)
    const [sameSlug, found] = await batch(site.db, [selectBySlug(site, slug), selectParent(site, input.valid.parent)])
    const parentId = resolveParent(input.valid.parent, found, slug)
    const fields = input.complete({
      slug: slug === null ? "required" : options.isNew && sameSlug.length ? "duplicate" : null,
      parent: parentId === null ? "selected" : null,
    })
    const { createdAt, ...set } = toNewRow(ctx, slug ?? "", parentId ?? 0, fields)
    const row = inSite(site.id)
      .insert(categories)
      .values({ ...set, createdAt })
    const id = idOfSlug(categories, site.id, set.slug)
    const [[existing], [category]] = await commitSite(ctx, site, {
      writes: [
        selectBySlug(site, set.slug),
        (options.isNew ? row : row.onConflictDoUpdate({ target: [categories.siteId, categories.slug], set })).returning(
          getTableColumns(categories),
        ),
        ...guardParent(site.id, id, set.parentId),
      ],
      auditLog: [{ subject: "category", id, action: "saved", after: { slug, name: set.name } }],
    })
    if (!category) throw new Error("The category was not stored")
    return { ...category, isNew: existing === undefined }
  })

/**
 * Creates a category.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`; `validation_failed` for a slug that is taken, a
 *   name that yields none, and an unknown parent
 */
export const createCategory = (
  callerCtx: EditorCtx,
  input: Input<typeof SaveCategory>,
): Promise<CategoryWithChildren> =>
  retryOnConflict(async () => {
    const { site } = callerCtx
    const derived = deriveSlug(input)
    const slug = derived ?? ""
    const { ctx, results } = await authorizeEditor(callerCtx, [
      selectBySlug(site, slug),
      selectParent(site, input.valid.parent),
    ])
    const parentId = resolveParent(input.valid.parent, results[1], null)
    const fields = input.complete({
      slug: derived === null ? "required" : results[0].length ? "taken" : null,
      parent: parentId === null ? "selected" : null,
    })
    const newRow = toNewRow(ctx, slug, parentId ?? 0, fields)
    const id = idOfSlug(categories, site.id, slug)
    const [, row, children] = await commitAsEditor(
      ctx,
      [
        inSite(site.id).insert(categories).values(newRow),
        ...categoryReads(site.id, slug),
        ...guardParent(site.id, id, newRow.parentId),
      ],
      [{ subject: "category", id, action: "saved", after: { slug, name: fields.name } }],
    )
    return assembleCategory([row, children])
  })

/**
 * Updates the given fields of a category.
 * @param segment its id or slug
 * @param precondition of an `If-Match` header
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`;
 *   `validation_failed` for a slug that is taken, and for a parent that does not exist or is a descendant
 */
export const updateCategory = (
  callerCtx: EditorCtx,
  segment: string,
  input: Input<typeof UpdateCategory>,
  precondition?: Precondition,
): Promise<CategoryWithChildren> =>
  retryOnConflict(async () => {
    const { site } = callerCtx
    const { ctx, results } = await authorizeEditor(callerCtx, [
      ...categoryReads(site.id, segment),
      selectBySlug(site, input.valid.slug),
      selectParent(site, input.valid.parent),
    ])
    const loaded = await assertVersion([results[0], results[1]], precondition)
    const { category } = loaded
    const parentId = resolveParent(input.valid.parent, results[3], category.id)
    const { parent: _, ...fields } = input.complete({
      slug: results[2].some(({ id }) => id !== category.id) ? "taken" : null,
      parent: parentId === null ? "selected" : null,
    })
    const changes = changesOf<Row>(category, { ...fields, ...(parentId != null && { parentId }) })
    if (isEmpty(changes)) return loaded
    const { slug, name } = { ...category, ...changes }
    const after = { ...loaded, category: { ...category, ...changes } }
    const values = { ...changes, nameKey: foldCase(name), updatedAt: timeOfUpdate(ctx.now, category) }
    const [, , row, children] = await commitAsEditor(
      ctx,
      [
        inSite(site.id).update(categories).set(values).where(isUnchanged(categories, category)),
        abortUnlessTouched,
        ...categoryReads(site.id, String(category.id)),
        ...guardParent(site.id, category.id, changes.parentId),
      ],
      [
        {
          subject: "category",
          id: category.id,
          action: "saved",
          ...auditChanges(compareResources(categoryResource(loaded), categoryResource(after), []), {
            before: { slug: category.slug, name: category.name },
            after: { slug, name },
          }),
        },
      ],
    )
    return assembleCategory([row, children])
  })

/**
 * Deletes a category. Posts lose it, and its subcategories move to its parent.
 * @param segment its id or slug
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`, `precondition_failed`
 */
export const deleteCategory = (callerCtx: EditorCtx, segment: string, precondition?: Precondition): Promise<void> =>
  retryOnConflict(async () => {
    const { site } = callerCtx
    const { ctx, results } = await authorizeEditor(callerCtx, categoryReads(site.id, segment))
    const { category } = await assertVersion(results, precondition)
    const { id, slug, name, parentId } = category
    const scope = inSite(site.id)
    await commitAsEditor(
      ctx,
      [
        scope.remove(categories).where(isUnchanged(categories, category)),
        abortUnlessTouched,
        scope.update(categories).set({ parentId }).where(eq(categories.parentId, id)),
        scope.remove(postCategories).where(eq(postCategories.categoryId, id)),
      ],
      [{ subject: "category", id, action: "deleted", before: { slug, name } }],
    )
  })

/** Checks that a category was found, and `If-Match` against its ETag. */
async function assertVersion(
  found: readonly [Row[], Row[]],
  precondition: Precondition | undefined,
): Promise<CategoryWithChildren> {
  const loaded = assembleCategory(found)
  if (precondition) precondition(await resourceTag(categoryResource(loaded)))
  return loaded
}
