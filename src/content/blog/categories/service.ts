// The verbs of a category.
import { and, eq, getTableColumns, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import { type FieldFaults, Refusal } from "../../../core/http/refusal"
import { commitSite } from "../../../core/write/site-commit"
import { categories } from "../../../db/schema/sites/posts"
import { insert } from "../../../db/write"
import { fold } from "../../case-folding"
import type { SiteCtx, SiteRef } from "../../site"
import { replica } from "../caching"
import { madeSlug } from "../fields"
import { pageOfCategories, readCategory as read } from "./queries"
import type { ListCategories, SaveCategory } from "./schemas"

/** A page of categories. */
export const listCategories = (ctx: SiteCtx, input: z.output<typeof ListCategories>) =>
  pageOfCategories(replica(ctx), ctx.site.id, input)

/** @throws Refusal `not_found` */
export const readCategory = (ctx: SiteCtx, segment: string) => read(replica(ctx), ctx.site.id, segment)

/**
 * Creates a category, or replaces the one of that slug.
 * @throws Refusal `validation_failed` for a parent that the site does not have, or that stands under the category itself, and for
 *   a title that makes no slug
 */
export async function saveCategory(ctx: Ctx, site: SiteRef, input: z.output<typeof SaveCategory>) {
  const { id: siteId } = site
  const slug = madeSlug(input)
  const parentId = input.parent ? await parentOf(site, input.parent, slug) : 0
  const fields: FieldFaults = {}
  if (slug === null) fields.slug = [{ rule: "required" }]
  if (parentId === null) fields.parent = [{ rule: "selected" }]
  if (slug === null || parentId === null) throw new Refusal("validation_failed", { fields })
  const values = { name: input.name, nameKey: fold(input.name), description: input.description ?? null, parentId }
  const own = sql`(select ${categories.id} from ${categories} where ${and(eq(categories.siteId, siteId), eq(categories.slug, slug))})`
  const [[category]] = await commitSite(ctx, site, {
    writes: [
      insert(categories)
        .values({ siteId, slug, ...values, createdAt: ctx.now, updatedAt: ctx.now })
        .onConflictDoUpdate({ target: [categories.siteId, categories.slug], set: { ...values, updatedAt: ctx.now } })
        .returning(getTableColumns(categories)),
    ],
    trail: [{ subject: "category", id: own, deed: "saved", after: { slug, name: input.name } }],
  })
  if (!category) throw new Error("The category was not stored")
  return category
}

/** The id of the category `parent`, if `slug` may stand under it; else null. */
async function parentOf({ db, id }: SiteRef, parent: string, slug: string | null): Promise<number | null> {
  const line = sql`(
    with recursive line (id, parent_id, slug) as (
      select id, parent_id, slug from categories where site_id = ${id} and slug = ${parent}
      union
      select above.id, above.parent_id, above.slug from categories above join line on above.id = line.parent_id
      where above.site_id = ${id}
    ) select slug from line
  )`
  const [found] = await db
    .select({ id: categories.id, circular: sql<number | null>`${slug} in ${line}` })
    .from(categories)
    .where(and(eq(categories.siteId, id), eq(categories.slug, parent)))
  return found && !found.circular ? found.id : null
}
