// Storage limits of a site's plan: stored bytes, bytes reserved by uploads in progress, and releasing a reservation.
import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm"
import { selectSiteCounter } from "../../core/list/site-totals"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import { mediaOrphans } from "../../db/schema/sites/media"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { MEGABYTE } from "../../lib/megabyte"
import type { MediaCtx } from "../site"
import { requestSweep } from "./sweep"

/** Returns the storage that the site's plan allows, in bytes; 0 for no limit. */
export const storageLimit = ({ site }: MediaCtx): number => (site.subscription?.plan?.limits.storage_mb ?? 0) * MEGABYTE

/**
 * SQL expression for the available storage, excluding what uploads in progress have reserved.
 * @param limit in bytes
 */
export const storageLeft = (siteId: string, limit: number): SQL =>
  sql`(${limit} - ${selectSiteCounter(siteId, "media_bytes")} - (select coalesce(sum(${mediaOrphans.reservedBytes}), 0) from ${mediaOrphans}
    where ${and(eq(mediaOrphans.siteId, siteId), gt(mediaOrphans.reservedBytes, 0))}))`

/** Share of the plan's storage that avatars may use, so that visitors cannot fill it; at least one large avatar. */
const AVATAR_SHARE = 0.1
const MIN_AVATAR_BYTES = 5 * MEGABYTE

/**
 * SQL expression for the available storage for avatars when one user's avatar is replaced.
 * @param limit storage limit of the plan, in bytes
 */
export const avatarStorageLeft = (siteId: string, limit: number, userId: SQL<number>): SQL =>
  sql`(${Math.max(Math.floor(limit * AVATAR_SHARE), MIN_AVATAR_BYTES)} - ${selectSiteCounter(siteId, "avatar_bytes")}
    + coalesce((select ${users.avatarSize} from ${users} where ${and(eq(users.siteId, siteId), eq(users.id, userId))}), 0))`

/**
 * Marks the bytes of a failed upload for deletion and releases its reservation. Does nothing once a file owns the
 * bytes.
 */
export async function abandonUpload(ctx: MediaCtx, path: string): Promise<void> {
  const { db, id, database } = ctx.site
  await retryTransient(() =>
    writeUnaudited({ db }, "cleanup", [
      inSite(id)
        .update(mediaOrphans)
        .set({ dueAt: ctx.now, reservedBytes: null })
        .where(and(eq(mediaOrphans.path, path), isNull(mediaOrphans.sweptAt))),
    ]),
  )
  requestSweep(ctx, database)
}
