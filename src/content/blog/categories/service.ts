// Service functions of categories.
import { and, eq, getTableColumns, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import type { Input } from "../../../core/http/input"
import { WriteConflict } from "../../../core/write/commit"
import { commitSite } from "../../../core/write/site-commit"
import { categories } from "../../../db/schema/sites/posts"
import { inSite } from "../../../db/site-scope"
import { foldCase } from "../../case-folding"
import type { SiteCtx, SiteRef } from "../../site"
import { getReplica } from "../caching"
import { deriveSlug } from "../fields"
import { queryCategories, readCategory as read } from "./queries"
import type { ListCategories, SaveCategory } from "./schemas"

/** Lists a page of categories. */
export const listCategories = (ctx: SiteCtx, input: z.output<typeof ListCategories>) =>
  queryCategories(getReplica(ctx), ctx.site.id, input)

/**
 * Reads one category by id or slug.
 * @throws Refusal `not_found`
 */
export const readCategory = (ctx: SiteCtx, segment: string) => read(getReplica(ctx), ctx.site.id, segment)

/**
 * Creates a category, or replaces the one with the same slug.
 * @throws Refusal `validation_failed` for a parent that does not exist or is a descendant of the category, and for a
 *   title that yields no slug
 * @param options `isNew`: refuse a slug that is taken
 */
export async function saveCategory(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SaveCategory>,
  options: { isNew: boolean } = { isNew: false },
) {
  const { id: siteId } = site
  const slug = deriveSlug(input)
  const { parent } = input.valid
  const parentId = parent ? await findParentId(site, parent, slug) : 0
  const { name, description = null } = input.complete({
    slug: slug === null ? "required" : null,
    parent: parentId === null ? "selected" : null,
  })
  if (slug === null || parentId === null) throw new Error("An invalid category passed the validation")
  const values = { name, nameKey: foldCase(name), description, parentId }
  const own = sql`(select ${categories.id} from ${categories} where ${and(eq(categories.siteId, siteId), eq(categories.slug, slug))})`
  const row = inSite(siteId)
    .insert(categories)
    .values({ slug, ...values, createdAt: ctx.now, updatedAt: ctx.now })
  const [[existing], [category]] = await commitSite(ctx, site, {
    writes: [
      site.db.select({ id: categories.id }).from(categories).where(eq(categories.slug, slug)),
      (options.isNew
        ? row
        : row.onConflictDoUpdate({
            target: [categories.siteId, categories.slug],
            set: { ...values, updatedAt: ctx.now },
          })
      ).returning(getTableColumns(categories)),
    ],
    auditLog: [{ subject: "category", id: own, action: "saved", after: { slug, name } }],
  }).catch((cause) => {
    throw options.isNew && cause instanceof WriteConflict ? input.reject("slug", "duplicate") : cause
  })
  if (!category) throw new Error("The category was not stored")
  return { ...category, isNew: existing === undefined }
}

/** Finds the id of the category `parent`; null when it does not exist or is `slug` or one of its descendants. */
async function findParentId({ db, id }: SiteRef, parent: string, slug: string | null): Promise<number | null> {
  const ancestors = sql`(
    with recursive ancestors (id, parent_id, slug) as (
      select id, parent_id, slug from categories where site_id = ${id} and slug = ${parent}
      union
      select parent.id, parent.parent_id, parent.slug from categories parent join ancestors on parent.id = ancestors.parent_id
      where parent.site_id = ${id}
    ) select slug from ancestors
  )`
  const [row] = await db
    .select({ id: categories.id, isCircular: sql<number | null>`${slug} in ${ancestors}` })
    .from(categories)
    .where(eq(categories.slug, parent))
  return row && !row.isCircular ? row.id : null
}
