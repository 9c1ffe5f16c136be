// Service functions of tags.

import { and, eq, getTableColumns, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { WriteConflict } from "../../../core/write/commit"
import { commitSite } from "../../../core/write/site-commit"
import { batch } from "../../../db/client"
import { param } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { tags } from "../../../db/schema/sites/posts"
import { foundById, inSite } from "../../../db/site-scope"
import { foldCase } from "../../case-folding"
import type { SiteCtx, SiteRef } from "../../site"
import { getReplica } from "../caching"
import { deriveSlug } from "../fields"
import { prepareList } from "../listing"
import type { ListTags, SaveTag } from "./schemas"

type Tag = typeof tags.$inferSelect

const site = param("site")

const belongsToSite = eq(tags.siteId, site)

const readList = prepareList<Tag>({
  table: tags,
  rows: (db, isOnPage, order) =>
    db
      .select()
      .from(foundById(tags))
      .where(isOnPage)
      .orderBy(...order),
  source: () => ({
    total: selectSiteCounter(site, "tags"),
    ids: sql`select ${tags.id} from ${tags} where ${belongsToSite}`,
    isIndexed: true,
  }),
})

/** Lists a page of tags. */
export const listTags = (ctx: SiteCtx, input: z.output<typeof ListTags>): Promise<Page<Tag>> =>
  readList(getReplica(ctx), input, { site: ctx.site.id }, {})

const selectTag = prepareReadByIdOrSlug<Tag, { site: string }>(tags, (db, isMatch) =>
  db.select().from(tags).where(isMatch),
)

/**
 * Reads one tag by id or slug.
 * @throws Refusal `not_found`
 */
export async function readTag(ctx: SiteCtx, segment: string): Promise<Tag> {
  const [[tag]] = await batch(getReplica(ctx), [selectTag({ site: ctx.site.id }, segment)])
  if (!tag) throw new Refusal("not_found")
  return tag
}

/**
 * Creates a tag, or replaces the one with the same slug.
 * @param options `isNew`: refuse a slug that is taken
 * @throws Refusal `validation_failed` for a slug that is taken, or a title that yields none
 */
export async function saveTag(
  ctx: Ctx,
  site: SiteRef,
  input: Input<typeof SaveTag>,
  options: { isNew: boolean } = { isNew: false },
): Promise<Tag & { isNew: boolean }> {
  const slug = deriveSlug(input)
  if (slug === null) throw input.reject("slug", "required")
  const { name, description = null } = input.complete({ slug: null })
  const values = { name, nameKey: foldCase(name), description }
  const { id: siteId } = site
  const id = sql`(select ${tags.id} from ${tags} where ${and(eq(tags.siteId, siteId), eq(tags.slug, slug))})`
  const row = inSite(siteId)
    .insert(tags)
    .values({ slug, ...values, createdAt: ctx.now, updatedAt: ctx.now })
  const [[existing], [tag]] = await commitSite(ctx, site, {
    writes: [
      site.db.select({ id: tags.id }).from(tags).where(eq(tags.slug, slug)),
      (options.isNew
        ? row
        : row.onConflictDoUpdate({ target: [tags.siteId, tags.slug], set: { ...values, updatedAt: ctx.now } })
      ).returning(getTableColumns(tags)),
    ],
    auditLog: [{ subject: "tag", id, action: "saved", after: { slug, name } }],
  }).catch((cause) => {
    throw options.isNew && cause instanceof WriteConflict ? input.reject("slug", "duplicate") : cause
  })
  if (!tag) throw new Error("The tag was not stored")
  return { ...tag, isNew: existing === undefined }
}
