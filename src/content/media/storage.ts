// The storage that a site's plan allows: what it holds, what uploads in progress reserve, and releasing a reservation.
import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm"
import { countedAt } from "../../core/list/site-totals"
import { writeUnaudited } from "../../core/write/commit"
import { mediaOrphans } from "../../db/schema/sites/media"
import { users } from "../../db/schema/sites/users"
import { update } from "../../db/write"
import { MEGABYTE } from "../../lib/megabyte"
import type { MediaCtx } from "../site"
import { requestSweep } from "./sweep"

/** Bytes that the site's plan allows for its files; 0 for no limit. */
export const storageLimit = ({ site }: MediaCtx): number => (site.subscription?.plan?.limits.storage_mb ?? 0) * MEGABYTE

/**
 * The bytes that are left of a limit, less what uploads in progress have reserved.
 * @param limit in bytes
 */
export const storageLeft = (siteId: string, limit: number): SQL =>
  sql`(${limit} - ${countedAt(siteId, "media_bytes")} - (select coalesce(sum(${mediaOrphans.reservedBytes}), 0) from ${mediaOrphans}
    where ${and(eq(mediaOrphans.siteId, siteId), gt(mediaOrphans.reservedBytes, 0))}))`

/** The share of a plan's storage that all avatars of a site may take, so that visitors never fill it; at least one large avatar. */
const AVATAR_SHARE = 0.1
const MIN_AVATAR_BYTES = 5 * MEGABYTE

/**
 * The bytes that are left of the avatars' share, when the avatar of one user is replaced.
 * @param limit of the plan's storage, in bytes
 */
export const avatarShareLeft = (siteId: string, limit: number, userId: SQL<number>): SQL =>
  sql`(${Math.max(Math.floor(limit * AVATAR_SHARE), MIN_AVATAR_BYTES)} - ${countedAt(siteId, "avatar_bytes")}
    + coalesce((select ${users.avatarSize} from ${users} where ${users.id} = ${userId}), 0))`

/** Leaves the bytes of a failed upload to the sweep, and releases what it reserved. Does nothing once a row has taken the bytes over. */
export async function abandonUpload(ctx: MediaCtx, path: string): Promise<void> {
  const { db, id, database } = ctx.site
  await writeUnaudited({ db }, "an upload that failed", [
    update(mediaOrphans)
      .set({ dueAt: ctx.now, reservedBytes: null })
      .where(and(eq(mediaOrphans.siteId, id), eq(mediaOrphans.path, path), isNull(mediaOrphans.sweptAt))),
  ])
  requestSweep(ctx, database)
}
