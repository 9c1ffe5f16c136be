// Uploads avatars. The image type is detected from the bytes; avatars count towards the site's storage.
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm"
import { addressLimits, assertNotRefused, type Limit, takeTokens } from "../../core/http/rate-limit"
import { httpError, invalid, Refusal } from "../../core/http/refusal"
import { mediaStore } from "../../core/storage/media"
import { mediaOrphans } from "../../db/schema/sites/media"
import { users } from "../../db/schema/sites/users"
import { inSite } from "../../db/site-scope"
import { abortUnlessTouched } from "../../db/write"
import { GrowingBuffer } from "../../lib/growing-buffer"
import { SNIFFED_BYTES, sniffMediaType } from "../../lib/media-type"
import { boundaryOf, MultipartError, type Part, readMultipart } from "../../lib/multipart"
import { addMs, DAY, HOUR } from "../../lib/time"
import { newAvatarPath, objectKey } from "../files"
import { abandonUpload, avatarStorageLeft, storageLeft, storageLimit } from "../media/storage"
import { authenticate, type UserCtx, writeAsUser } from "../user"
import { avatarUrl } from "./schemas"

const MAX_KILOBYTES = 5 * 1024
const MAX_BYTES = MAX_KILOBYTES * 1024

/** File extensions of the accepted image types. SVG is excluded: an SVG document can run scripts. */
const EXTENSIONS: Record<string, string> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
}

/** Larger than `MAX_BYTES`, so that an image slightly too large gets a field error instead of 413. */
const MAX_FORM_BYTES = 8_000_000

const MAX_PARTS = 20

/** Age at which the sweep deletes the bytes of an upload that never completed. */
const UPLOAD_TTL = DAY

const HOURLY_UPLOADS_PER_LOGIN = 10
const HOURLY_UPLOADS_PER_NETWORK_AND_SITE = 60
const HOURLY_UPLOADS_PER_NETWORK = 120

/**
 * Counts an upload against the limits of the caller's token and network. Call it before reading the body.
 * @throws Refusal `rate_limited`
 */
export async function countAvatarUpload({ env, log, site, address, caller }: UserCtx): Promise<void> {
  const limits: Limit[] = [
    ...addressLimits(`avatar-ip:${site.id}`, address ?? "unknown", HOURLY_UPLOADS_PER_NETWORK_AND_SITE, HOUR),
    ...addressLimits("avatar-ip", address ?? "unknown", HOURLY_UPLOADS_PER_NETWORK, HOUR),
    // Keyed by the secret's hash: a forged token with a valid id would use up another user's limit.
    { name: `avatar-login:${site.id}:${caller.token?.hash}`, limit: HOURLY_UPLOADS_PER_LOGIN, windowMs: HOUR },
  ]
  assertNotRefused(env, limits)
  await takeTokens(env, log, limits)
}

/** The form's `avatar` field: a file's bytes, `text` for a text field, null when it is absent. */
type AvatarField = Uint8Array<ArrayBuffer> | "text" | null

/**
 * Reads the form's `avatar` field from the stream, and stops buffering an image once it is too large.
 * @throws Refusal `http_error` 413 for a form that is too large, 400 for one that cannot be parsed
 */
export async function readAvatar(
  contentType: string | undefined,
  body: ReadableStream<Uint8Array> | null,
): Promise<AvatarField> {
  const boundary = boundaryOf(contentType)
  if (!boundary || !body) throw httpError(400)
  let field: AvatarField = null
  try {
    for await (const part of readMultipart(body, boundary, { parts: MAX_PARTS, bytes: MAX_FORM_BYTES })) {
      if (part.name !== "avatar" || field) continue
      if (part.filename !== null) field = await readBytes(part)
      else field = (await part.read()) ? "text" : null
    }
  } catch (cause) {
    throw cause instanceof MultipartError ? httpError(cause.reason === "too_large" ? 413 : 400) : cause
  }
  return field
}

/** Reads a file's bytes, up to one byte beyond the maximum. */
async function readBytes(part: Part): Promise<Uint8Array<ArrayBuffer>> {
  const file = new GrowingBuffer(MAX_BYTES + 1)
  for (let bytes = await part.read(); bytes; bytes = await part.read()) file.append(bytes)
  return file.bytes
}

const sniffImageType = (picture: Uint8Array): string => sniffMediaType(picture.subarray(0, SNIFFED_BYTES), "")

/** Returns the refusal of an invalid avatar; null for a valid one. */
function validateAvatar(field: AvatarField): Refusal | null {
  if (field === null) return invalid("avatar", "required")
  if (field === "text") return invalid("avatar", "file")
  if (field.length > MAX_BYTES) return invalid("avatar", "max_kilobytes", { max: MAX_KILOBYTES })
  return Object.hasOwn(EXTENSIONS, sniffImageType(field)) ? null : invalid("avatar", "image")
}

/**
 * Replaces the user's avatar.
 * @param field the form's `avatar` field, from `readAvatar`
 * @returns the new avatar's URL
 * @throws Refusal `unauthenticated`; `validation_failed` for anything but an image of at most 5 MB; `limit_reached` for
 *   one that the plan's storage has no room for
 */
export async function updateAvatar(ctx: UserCtx, field: AvatarField): Promise<{ avatar: string | null }> {
  const siteId = ctx.site.id
  const refusal = validateAvatar(field)
  if (refusal || !(field instanceof Uint8Array)) {
    // Authentication errors take precedence over field errors.
    await authenticate(ctx)
    throw refusal
  }
  const contentType = sniffImageType(field)
  const path = newAvatarPath(ctx.now, EXTENSIONS[contentType] ?? "")
  const bucket = mediaStore(ctx.env)
  // Recorded as an orphan until the user's row has it, so the sweep finds the bytes of a failed upload.
  const limit = storageLimit(ctx)
  const orphan = { path, dueAt: addMs(ctx.now, UPLOAD_TTL), reservedBytes: limit ? field.length : null }
  const [reserved] = await writeAsUser(ctx, (userId) => [
    inSite(siteId)
      .insertSelect(
        mediaOrphans,
        orphan,
        limit
          ? sql`where ${storageLeft(siteId, limit)} >= ${field.length} and ${avatarStorageLeft(siteId, limit, userId)} >= ${field.length}`
          : sql`where true`,
      )
      .returning(),
  ])
  if (!reserved.length) throw new Refusal("limit_reached")
  try {
    await bucket.put(objectKey(siteId, path), field, contentType)
    const previous = await replaceAvatar(ctx, path, field.length)
    if (previous) ctx.inBackground(bucket.delete([objectKey(siteId, previous)]))
  } catch (cause) {
    ctx.inBackground(abandonUpload(ctx, path))
    throw cause
  }
  return { avatar: avatarUrl(ctx, { avatar: path }) }
}

/**
 * Points the user's row to a stored avatar.
 * @param size in bytes
 * @returns the path of the replaced avatar; null for none
 * @throws Refusal `unauthenticated`; WriteConflict when the sweep has deleted the bytes
 */
async function replaceAvatar(ctx: UserCtx, path: string, size: number): Promise<string | null> {
  const { db, id: siteId } = ctx.site
  const isReserved = and(eq(mediaOrphans.path, path), isNull(mediaOrphans.sweptAt))
  // Read in the batch that replaces it, so concurrent uploads leave no avatar behind.
  const [before] = await writeAsUser(ctx, (userId) => {
    const own = eq(users.id, userId)
    return [
      db.select({ avatar: users.avatar }).from(users).where(own),
      inSite(siteId).remove(mediaOrphans).where(isReserved),
      abortUnlessTouched,
      inSite(siteId).insertSelect(
        mediaOrphans,
        { path: sql`${users.avatar}`, dueAt: ctx.now },
        sql`from ${users} where ${and(eq(users.siteId, siteId), own, isNotNull(users.avatar))}`,
      ),
      inSite(siteId).update(users).set({ avatar: path, avatarSize: size, updatedAt: ctx.now }).where(own),
    ] as const
  })
  return before[0]?.avatar ?? null
}
