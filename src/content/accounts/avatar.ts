// Uploads avatars: images by their bytes, stored among the site's files and counted towards its storage.
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm"
import { addressLimits, assertNotRefused, type Limit, spend } from "../../core/http/rate-limit"
import { httpFault, invalid, Refusal } from "../../core/http/refusal"
import { mediaOrphans } from "../../db/schema/sites/media"
import { users } from "../../db/schema/sites/users"
import { abortUnlessTouched, insertSelect, remove, update } from "../../db/write"
import { GrowingBuffer } from "../../lib/growing-buffer"
import { SNIFFED_BYTES, sniffMediaType } from "../../lib/media-type"
import { boundaryOf, MultipartFault, type Part, readMultipart } from "../../lib/multipart"
import { DAY, HOUR, later } from "../../lib/time"
import { avatarPath, objectKey } from "../files"
import { abandonUpload, avatarShareLeft, storageLeft, storageLimit } from "../media/storage"
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

/** Uploads an hour: of one login, of one network at a site, and of one network over all sites. */
const UPLOADS_PER_LOGIN = 10
const UPLOADS_PER_NETWORK = 60
const UPLOADS_PER_NETWORK_OVER_ALL = 120

/**
 * Counts an upload against the caller's login and network, before its body is read.
 * @throws Refusal `rate_limited`
 */
export async function countUpload({ env, log, site, address, caller }: UserCtx): Promise<void> {
  const limits: Limit[] = [
    ...addressLimits(`avatar-ip:${site.id}`, address ?? "unknown", UPLOADS_PER_NETWORK, HOUR),
    ...addressLimits("avatar-ip", address ?? "unknown", UPLOADS_PER_NETWORK_OVER_ALL, HOUR),
    // By the secret's hash: a token's id alone is easily forged, and would use up somebody else's limit.
    { name: `avatar-login:${site.id}:${caller.token?.hash}`, limit: UPLOADS_PER_LOGIN, windowMs: HOUR },
  ]
  assertNotRefused(env, limits)
  await spend(env, log, limits)
}

/** What a form's `avatar` brought: a file's bytes, `text` for what is no file, null for nothing. */
type Given = Uint8Array<ArrayBuffer> | "text" | null

/**
 * Reads the form's `avatar` as it arrives; of a picture that is too large no more than it takes to know.
 * @throws Refusal `http_error` 413 for one that is too large, 400 for one that cannot be read
 */
export async function readAvatar(
  contentType: string | undefined,
  body: ReadableStream<Uint8Array> | null,
): Promise<Given> {
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
  const file = new GrowingBuffer(MAX_BYTES + 1)
  for (let bytes = await part.read(); bytes; bytes = await part.read()) file.append(bytes)
  return file.bytes
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
 * Replaces the user's avatar.
 * @param given the form's `avatar`
 * @returns the new avatar's URL
 * @throws Refusal `unauthenticated`; `validation_failed` for anything but an image of at most 5 MB; `limit_reached` for one that the
 *   plan's storage has no room for
 */
export async function updateAvatar(ctx: UserCtx, given: Given): Promise<{ avatar: string | null }> {
  const siteId = ctx.site.id
  const refused = refusalOf(given)
  if (refused || !(given instanceof Uint8Array)) {
    // Who may not do it is told that first.
    await authed(ctx)
    throw refused
  }
  const contentType = mediaTypeOf(given)
  const path = avatarPath(ctx.now, PICTURES[contentType] ?? "")
  const bucket = ctx.env.MEDIA
  // Noted among the orphans until the user has it, so that the sweep finds the bytes of an upload that died.
  const limit = storageLimit(ctx)
  const note = { siteId, path, dueAt: later(ctx.now, LONGEST), reservedBytes: limit ? given.length : null }
  const [reserved] = await asUser(ctx, (userId) => [
    insertSelect(
      mediaOrphans,
      note,
      limit
        ? sql`where ${storageLeft(siteId, limit)} >= ${given.length} and ${avatarShareLeft(siteId, limit, userId)} >= ${given.length}`
        : sql`where true`,
    ).returning(),
  ])
  if (!reserved.length) throw new Refusal("limit_reached")
  try {
    await bucket.put(objectKey(siteId, path), given, { httpMetadata: { contentType } })
    const old = await replaceAvatar(ctx, path, given.length)
    if (old) ctx.after(bucket.delete(objectKey(siteId, old)))
  } catch (cause) {
    ctx.after(abandonUpload(ctx, path))
    throw cause
  }
  return { avatar: avatarUrl(ctx, { avatar: path }) }
}

/**
 * Gives the user a stored avatar in place of the present one.
 * @param size in bytes
 * @returns the path of the avatar that it replaces; null for none
 * @throws Refusal `unauthenticated`; LostRace when the sweep took the bytes
 */
async function replaceAvatar(ctx: UserCtx, path: string, size: number): Promise<string | null> {
  const { db, id: siteId } = ctx.site
  const noted = and(eq(mediaOrphans.siteId, siteId), eq(mediaOrphans.path, path), isNull(mediaOrphans.sweptAt))
  // Read in the batch that replaces it, so that two uploads at once leave no avatar behind.
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
      update(users).set({ avatar: path, avatarSize: size, updatedAt: ctx.now }).where(own),
    ] as const
  })
  return before[0]?.avatar ?? null
}
