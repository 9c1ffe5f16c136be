// The verbs of a tag.
import { and, eq, getTableColumns, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import type { Page } from "../../../core/page"
import { Refusal } from "../../../core/refusal"
import { commitSite } from "../../../core/site-commit"
import { countedAt } from "../../../core/site-totals"
import { batch } from "../../../db/client"
import { tags } from "../../../db/schema/sites/posts"
import { insert } from "../../../db/write"
import { fold } from "../../fold"
import type { SiteCtx, SiteRef } from "../../site"
import { replica } from "../caching"
import { named, slugOf } from "../fields"
import { readPlainPage } from "../listing"
import type { ListTags, SaveTag } from "./schemas"

type Tag = typeof tags.$inferSelect

/** A page of tags. */
export const listTags = (ctx: SiteCtx, input: z.output<typeof ListTags>): Promise<Page<Tag>> =>
  readPlainPage(replica(ctx), tags, getTableColumns(tags), input, {
    total: countedAt(ctx.site.id, "tags"),
    ids: sql`select ${tags.id} from ${tags} where ${eq(tags.siteId, ctx.site.id)}`,
  })

/** @throws Refusal `not_found` */
export async function readTag(ctx: SiteCtx, segment: string): Promise<Tag> {
  const db = replica(ctx)
  const [[tag]] = await batch(db, [
    db
      .select()
      .from(tags)
      .where(and(eq(tags.siteId, ctx.site.id), named(tags, segment))),
  ])
  if (!tag) throw new Refusal("not_found")
  return tag
}

/** Creates a tag, or replaces the one of that slug. */
export async function saveTag(ctx: Ctx, site: SiteRef, input: z.output<typeof SaveTag>): Promise<Tag> {
  const values = { name: input.name, nameKey: fold(input.name), description: input.description ?? null }
  const { id: siteId } = site
  const slug = slugOf(input)
  const own = sql`(select ${tags.id} from ${tags} where ${and(eq(tags.siteId, siteId), eq(tags.slug, slug))})`
  const [[tag]] = await commitSite(ctx, site, {
    writes: [
      insert(tags)
        .values({ siteId, slug, ...values, createdAt: ctx.now, updatedAt: ctx.now })
        .onConflictDoUpdate({ target: [tags.siteId, tags.slug], set: { ...values, updatedAt: ctx.now } })
        .returning(getTableColumns(tags)),
    ],
    trail: [{ subject: "tag", id: own, deed: "saved", after: { slug, name: input.name } }],
  })
  if (!tag) throw new Error("The tag was not stored")
  return tag
}
