// A user's picture: an image by its bytes, kept among the site's files.
import { and, eq } from "drizzle-orm"
import { invalid } from "../../core/refusal"
import { users } from "../../db/schema/sites/users"
import { SNIFFED_BYTES, sniffMediaType } from "../../lib/media-type"
import { ulid } from "../../lib/ulid"
import { AVATARS, objectKey } from "../files"
import { authed, type UserCtx } from "../user"
import { avatarUrl } from "./schemas"

const MAX_KILOBYTES = 5 * 1024

/** Pictures that every browser shows, and their extensions. SVG is none of them: it is a document that can run scripts. */
const PICTURES: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
}

/**
 * Replaces the user's picture.
 * @param file the form's `avatar`: a file, or whatever was sent instead of one
 * @throws Refusal `unauthenticated`, then `validation_failed` for anything but a picture of at most 5 MB
 */
export async function updateAvatar(ctx: UserCtx, file: unknown): Promise<{ avatar: string | null }> {
  const { db, id: siteId } = ctx.site
  const { user } = await authed(ctx)
  if (file === undefined || file === null || file === "") throw invalid("avatar", "required")
  if (!(file instanceof File)) throw invalid("avatar", "file")
  if (file.size > MAX_KILOBYTES * 1024) throw invalid("avatar", "max_kilobytes", { max: MAX_KILOBYTES })
  const contentType = sniffMediaType(new Uint8Array(await file.slice(0, SNIFFED_BYTES).arrayBuffer()), "")
  const extension = PICTURES[contentType]
  if (!extension) throw invalid("avatar", "image")
  const path = `${AVATARS}${ulid(ctx.now)}.${extension}`
  const bucket = ctx.env.MEDIA
  await bucket.put(objectKey(siteId, path), file.stream(), { httpMetadata: { contentType } })
  const own = and(eq(users.siteId, siteId), eq(users.id, user.id))
  // The picture that this one replaces is read where it is replaced, so that of two uploads at once neither leaves one behind.
  const [before] = await db.batch([
    db.select({ avatar: users.avatar }).from(users).where(own),
    db.update(users).set({ avatar: path, updatedAt: ctx.now }).where(own),
  ])
  const old = before[0]?.avatar
  if (old) ctx.after(bucket.delete(objectKey(siteId, old)))
  return { avatar: avatarUrl(ctx, { avatar: path }) }
}
