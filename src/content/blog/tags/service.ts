// The verbs of a tag.
import { and, eq, getTableColumns, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../../core/context"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { countedAt } from "../../../core/list/site-totals"
import { commitSite } from "../../../core/write/site-commit"
import { batch } from "../../../db/client"
import { given } from "../../../db/prepared"
import { compiledByName } from "../../../db/prepared-by-slug"
import { tags } from "../../../db/schema/sites/posts"
import { insert } from "../../../db/write"
import { fold } from "../../case-folding"
import type { SiteCtx, SiteRef } from "../../site"
import { replica } from "../caching"
import { slugOf } from "../fields"
import { compiledList } from "../listing"
import type { ListTags, SaveTag } from "./schemas"

type Tag = typeof tags.$inferSelect

const site = given("site")

const own = eq(tags.siteId, site)

const readList = compiledList<Tag>({
  table: tags,
  columns: getTableColumns(tags),
  source: () => ({
    total: countedAt(site, "tags"),
    ids: sql`select ${tags.id} from ${tags} where ${own}`,
    indexed: true,
  }),
})

/** A page of tags. */
export const listTags = (ctx: SiteCtx, input: z.output<typeof ListTags>): Promise<Page<Tag>> =>
  readList(replica(ctx), input, { site: ctx.site.id }, {})

const oneTag = compiledByName<Tag, { site: string }>(tags, (db, isIt) => db.select().from(tags).where(and(own, isIt)))

/** @throws Refusal `not_found` */
export async function readTag(ctx: SiteCtx, segment: string): Promise<Tag> {
  const [[tag]] = await batch(replica(ctx), [oneTag({ site: ctx.site.id }, segment)])
  if (!tag) throw new Refusal("not_found")
  return tag
}

/** Creates a tag, or replaces the one of that slug. */
export async function saveTag(ctx: Ctx, site: SiteRef, input: z.output<typeof SaveTag>): Promise<Tag> {
  const values = { name: input.name, nameKey: fold(input.name), description: input.description ?? null }
  const { id: siteId } = site
  const slug = slugOf(input)
  const id = sql`(select ${tags.id} from ${tags} where ${and(eq(tags.siteId, siteId), eq(tags.slug, slug))})`
  const [[tag]] = await commitSite(ctx, site, {
    writes: [
      insert(tags)
        .values({ siteId, slug, ...values, createdAt: ctx.now, updatedAt: ctx.now })
        .onConflictDoUpdate({ target: [tags.siteId, tags.slug], set: { ...values, updatedAt: ctx.now } })
        .returning(getTableColumns(tags)),
    ],
    trail: [{ subject: "tag", id, deed: "saved", after: { slug, name: input.name } }],
  })
  if (!tag) throw new Error("The tag was not stored")
  return tag
}
