// Reads posts for the API: published ones for everyone, all of them for server tokens and staff.
import type * as z from "zod"
import { Refusal } from "../../../core/http/refusal"
import type { Page } from "../../../core/list/page"
import { batch } from "../../../db/client"
import type { SiteCtx } from "../../site"
import { getReplica } from "../caching"
import { assertReadsUnpublished, mayReadUnpublished, readsUnpublished } from "../unpublished"
import { assemblePost, isPublic, postReads, queryPosts } from "./queries"
import type { FullRow, Include, ListPosts, PostWithRelations } from "./schemas"

/**
 * Lists a page of posts.
 * @throws Refusal `unauthenticated`, `forbidden` for a status other than published, unless the caller has a server
 *   token or is staff
 */
export async function listPosts(ctx: SiteCtx, input: z.output<typeof ListPosts>): Promise<Page<PostWithRelations>> {
  if (input.status === "published") return queryPosts(ctx, getReplica(ctx), input)
  if (!mayReadUnpublished(ctx)) await assertReadsUnpublished(ctx)
  const [, page] = await Promise.all([assertReadsUnpublished(ctx), queryPosts(ctx, getReplica(ctx), input)])
  return page
}

/**
 * Reads one post by id or slug. Unpublished and scheduled posts require a server token or staff.
 * @throws Refusal `not_found`
 */
export async function readPost(
  ctx: SiteCtx,
  segment: string,
  include: ReadonlySet<Include>,
): Promise<PostWithRelations<FullRow>> {
  const relations = [...new Set<Include>([...include, "categories", "tags"])]
  const includeUnpublished = mayReadUnpublished(ctx)
  const [isAllowed, results] = await Promise.all([
    includeUnpublished && readsUnpublished(ctx),
    batch(getReplica(ctx), postReads(ctx, segment, { include: relations, includeUnpublished })),
  ])
  const loaded = assemblePost(ctx, relations, results)
  if (!isAllowed && !isPublic(loaded.post, ctx.now)) throw new Refusal("not_found")
  return loaded
}
