// Reads tags for the API.
import { eq, sql } from "drizzle-orm"
import type * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { batch } from "../../../db/client"
import { param } from "../../../db/prepared"
import { prepareReadByIdOrSlug } from "../../../db/prepared-by-slug"
import { tags } from "../../../db/schema/sites/posts"
import { foundById } from "../../../db/site-scope"
import type { SiteCtx } from "../../site"
import { getReplica } from "../caching"
import { prepareList } from "../listing"
import type { ListTags, TagRow } from "./schemas"

const site = param("site")

const belongsToSite = eq(tags.siteId, site)

const readList = prepareList<TagRow>({
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
export const listTags = (ctx: SiteCtx, input: z.output<typeof ListTags>): Promise<Page<TagRow>> =>
  readList(getReplica(ctx), input, { site: ctx.site.id }, {})

/** Selects a tag by id or slug. */
export const selectTag = prepareReadByIdOrSlug<TagRow, { site: string }>(tags, (db, isMatch) =>
  db.select().from(tags).where(isMatch),
)

/**
 * Reads one tag by id or slug.
 * @throws Refusal `not_found`
 */
export async function readTag(ctx: SiteCtx, segment: string): Promise<TagRow> {
  const [[tag]] = await batch(getReplica(ctx), [selectTag({ site: ctx.site.id }, segment)])
  if (!tag) throw new Refusal("not_found")
  return tag
}
