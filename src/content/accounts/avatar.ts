// A user's picture: an image by its bytes, kept among the site's files.
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm"
import { httpFault, invalid, type Refusal } from "../../core/refusal"
import { mediaOrphans } from "../../db/schema/sites/media"
import { users } from "../../db/schema/sites/users"
import { abortUnlessTouched, insert, insertSelect, remove, update } from "../../db/write"
import { SNIFFED_BYTES, sniffMediaType } from "../../lib/media-type"
import { boundaryOf, MultipartFault, type Part, readMultipart } from "../../lib/multipart"
import { DAY, later } from "../../lib/time"
import { avatarPath, objectKey } from "../files"
import { asUser, authed, type UserCtx } from "../user"
import { avatarUrl } from "./schemas"

const MAX_KILOBYTES = 5 * 1024
const MAX_BYTES = MAX_KILOBYTES * 1024

/** Pictures that every browser shows, and their extensions. SVG is none of them: it is a document that can run scripts. */
const PICTURES: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
}

/** Larger than any picture we take, so that one a little too large is told so, field by field. */
const MAX_BODY = 8_000_000

const MAX_PARTS = 20

/** How long a picture may be on its way before the sweep takes its bytes for lost. */
const LONGEST = DAY

/** What a form's `avatar` brought: a file's bytes, `text` for what is no file, null for nothing. */
type Given = Uint8Array<ArrayBuffer> | "text" | null

/**
 * Reads the form's `avatar` as it arrives; of a picture that is too large no more than it takes to know.
 * @throws Refusal `http_error` 415 for another media type than a form's, 413 for one that is too large, 400 for one that cannot
 *   be read
 */
export async function readAvatar(
  contentType: string | undefined,
  body: ReadableStream<Uint8Array> | null,
): Promise<Given> {
  if (!/^multipart\/form-data\s*;/i.test(contentType ?? "")) throw httpFault(415)
  const boundary = boundaryOf(contentType)
  if (!boundary || !body) throw httpFault(400)
  let given: Given = null
  try {
    for await (const part of readMultipart(body, boundary, { parts: MAX_PARTS, bytes: MAX_BODY })) {
      if (part.name !== "avatar" || given) continue
      if (part.filename !== null) given = await bytesOf(part)
      else given = (await part.read()) ? "text" : null
    }
  } catch (cause) {
    throw cause instanceof MultipartFault ? httpFault(cause.reason === "too_large" ? 413 : 400) : cause
  }
  return given
}

/** A file's bytes, up to the first that is too many. */
async function bytesOf(part: Part): Promise<Uint8Array<ArrayBuffer>> {
  const held = new Uint8Array(MAX_BYTES + 1)
  let size = 0
  for (let bytes = await part.read(); bytes; bytes = await part.read()) {
    const room = bytes.subarray(0, held.length - size)
    held.set(room, size)
    size += room.length
  }
  return held.subarray(0, size)
}

const mediaTypeOf = (picture: Uint8Array): string => sniffMediaType(picture.subarray(0, SNIFFED_BYTES), "")

/** Why what was given is no picture; null for one that is. */
function refusalOf(given: Given): Refusal | null {
  if (given === null) return invalid("avatar", "required")
  if (given === "text") return invalid("avatar", "file")
  if (given.length > MAX_BYTES) return invalid("avatar", "max_kilobytes", { max: MAX_KILOBYTES })
  return Object.hasOwn(PICTURES, mediaTypeOf(given)) ? null : invalid("avatar", "image")
}

/**
 * Replaces the user's picture.
 * @param given the form's `avatar`
 * @throws Refusal `unauthenticated`, then `validation_failed` for anything but a picture of at most 5 MB
 */
export async function updateAvatar(ctx: UserCtx, given: Given): Promise<{ avatar: string | null }> {
  const { db, id: siteId } = ctx.site
  const refused = refusalOf(given)
  if (refused || !(given instanceof Uint8Array)) {
    // Who may not do it is told that first.
    await authed(ctx)
    throw refused
  }
  const contentType = mediaTypeOf(given)
  const path = avatarPath(ctx.now, PICTURES[contentType] ?? "")
  const bucket = ctx.env.MEDIA
  // Noted among the orphans until the user has it, so that whatever ends this halfway, the sweep finds the bytes.
  await asUser(ctx, () => [insert(mediaOrphans).values({ siteId, path, dueAt: later(ctx.now, LONGEST) })])
  await bucket.put(objectKey(siteId, path), given, { httpMetadata: { contentType } })
  const noted = and(eq(mediaOrphans.siteId, siteId), eq(mediaOrphans.path, path), isNull(mediaOrphans.sweptAt))
  // The picture that this one replaces is read where it is replaced, so that of two uploads at once neither leaves one behind.
  const [before] = await asUser(ctx, (userId) => {
    const own = and(eq(users.siteId, siteId), eq(users.id, userId))
    return [
      db.select({ avatar: users.avatar }).from(users).where(own),
      remove(mediaOrphans).where(noted),
      abortUnlessTouched,
      insertSelect(
        mediaOrphans,
        { siteId, path: sql`${users.avatar}`, dueAt: ctx.now },
        sql`from ${users} where ${and(own, isNotNull(users.avatar))}`,
      ),
      update(users).set({ avatar: path, updatedAt: ctx.now }).where(own),
    ] as const
  })
  const old = before[0]?.avatar
  if (old) ctx.after(bucket.delete(objectKey(siteId, old)))
  return { avatar: avatarUrl(ctx, { avatar: path }) }
}
