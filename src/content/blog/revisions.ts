// Earlier versions of posts and pages. Triggers store them (db/schema/sites/revisions.ts).
import { and, desc, eq, sql } from "drizzle-orm"
import { Refusal } from "../../core/http/refusal"
import { batch } from "../../db/client"
import { pages } from "../../db/schema/sites/pages"
import { posts } from "../../db/schema/sites/posts"
import { revisions } from "../../db/schema/sites/revisions"
import type { SiteCtx } from "../site"
import { hasIdOrSlug } from "./fields"
import type { ListedRevision } from "./schemas"
import { assertReadsUnpublished, mayReadUnpublished } from "./unpublished"

type RevisionRow = typeof revisions.$inferSelect

const TABLES = { post: posts, page: pages }

/** Builds the condition for the revisions of a post or page, by its id or slug. */
function isRevisionOf(siteId: string, kind: RevisionRow["kind"], segment: string) {
  const table = TABLES[kind]
  const subject = sql`(select ${table.id} from ${table} where ${and(eq(table.siteId, siteId), hasIdOrSlug(table, segment))})`
  return and(eq(revisions.kind, kind), sql`${revisions.subjectId} = ${subject}`)
}

/**
 * Lists the revisions of a post or page, newest first.
 * @param segment its id or slug
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function listRevisions(
  ctx: SiteCtx,
  kind: RevisionRow["kind"],
  segment: string,
): Promise<ListedRevision[]> {
  if (!mayReadUnpublished(ctx)) await assertReadsUnpublished(ctx)
  const { db, id: siteId } = ctx.site
  const table = TABLES[kind]
  const { number, name, savedById, savedByName, createdAt } = revisions
  const [, [subjects, rows]] = await Promise.all([
    assertReadsUnpublished(ctx),
    batch(db, [
      db.select({ id: table.id }).from(table).where(hasIdOrSlug(table, segment)),
      db
        .select({ number, name, savedById, savedByName, createdAt })
        .from(revisions)
        .where(isRevisionOf(siteId, kind, segment))
        .orderBy(desc(number)),
    ]),
  ])
  if (!subjects.length) throw new Refusal("not_found")
  return rows
}

/**
 * Reads one revision of a post or page, with its text.
 * @param segment the id or slug of the post or page
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`
 */
export async function readRevision(
  ctx: SiteCtx,
  kind: RevisionRow["kind"],
  segment: string,
  number: string,
): Promise<RevisionRow> {
  if (!mayReadUnpublished(ctx)) await assertReadsUnpublished(ctx)
  const [, [revision]] = await Promise.all([
    assertReadsUnpublished(ctx),
    selectRevision(ctx.site, kind, segment, number),
  ])
  if (!revision) throw new Refusal("not_found")
  return revision
}

/**
 * Selects one revision.
 * @param number its number as a path segment; anything else matches no row
 */
export const selectRevision = (
  { db, id }: SiteCtx["site"],
  kind: RevisionRow["kind"],
  segment: string,
  number: string,
) =>
  db
    .select()
    .from(revisions)
    .where(
      and(isRevisionOf(id, kind, segment), eq(revisions.number, /^[1-9]\d{0,8}$/.test(number) ? Number(number) : 0)),
    )
