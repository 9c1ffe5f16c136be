// The verbs of a page.
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
import { pages } from "../../../db/schema/sites/pages"
import { insert } from "../../../db/write"
import { fold } from "../../case-folding"
import type { SiteCtx, SiteRef } from "../../site"
import { assertServer, isServer } from "../audience"
import { replica } from "../caching"
import { slugOf } from "../fields"
import { compiledList } from "../listing"
import type { ListPages, PageRow, SavePage } from "./schemas"

const { content: _, ...listed } = getTableColumns(pages)

const site = given("site")

const own = eq(pages.siteId, site)

const status = given("status")

const readList = compiledList<Omit<PageRow, "content">>({
  table: pages,
  columns: listed,
  source: () => ({
    total: countedAt(site, "pages", status),
    ids: sql`select ${pages.id} from ${pages} where ${and(own, eq(pages.status, status))}`,
    indexed: true,
  }),
})

/**
 * A page of pages.
 * @throws Refusal `unauthenticated`, `forbidden` for a status other than published without a server token
 */
export async function listPages(
  ctx: SiteCtx,
  input: z.output<typeof ListPages>,
): Promise<Page<Omit<PageRow, "content">>> {
  if (input.status !== "published") assertServer(ctx)
  return readList(replica(ctx), input, { site: ctx.site.id, status: input.status }, {})
}

const onePage = compiledByName<PageRow, { site: string; all: number }>(pages, (db, isIt) =>
  db
    .select()
    .from(pages)
    .where(and(own, isIt, sql`(${pages.status} = 'published' or ${given("all")} = 1)`)),
)

/**
 * One page, by id or slug; one that is not published only for a server.
 * @throws Refusal `not_found`
 */
export async function readPage(ctx: SiteCtx, segment: string): Promise<PageRow> {
  const [[page]] = await batch(replica(ctx), [onePage({ site: ctx.site.id, all: Number(isServer(ctx)) }, segment)])
  if (!page) throw new Refusal("not_found")
  return page
}

/** Creates a page, or replaces the one of that slug. */
export async function savePage(ctx: Ctx, site: SiteRef, input: z.output<typeof SavePage>): Promise<PageRow> {
  const { name, description = null, content, image = null, template, status } = input
  const values = { name, nameKey: fold(name), description, content, image, template, status, updatedAt: ctx.now }
  const { id: siteId } = site
  const slug = slugOf(input)
  const id = sql`(select ${pages.id} from ${pages} where ${and(eq(pages.siteId, siteId), eq(pages.slug, slug))})`
  const [[page]] = await commitSite(ctx, site, {
    writes: [
      insert(pages)
        .values({ siteId, slug, ...values, createdAt: ctx.now })
        .onConflictDoUpdate({ target: [pages.siteId, pages.slug], set: values })
        .returning(getTableColumns(pages)),
    ],
    trail: [{ subject: "page", id, deed: "saved", after: { slug, name: input.name } }],
  })
  if (!page) throw new Error("The page was not stored")
  return page
}
