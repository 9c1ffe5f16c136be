// Previews of pictures in media lists. There are no resized copies, so only small originals have one.
import { eq } from "drizzle-orm"
import { mediaStore } from "../../core/storage/media"
import { mediaFiles } from "../../db/schema/sites/media"
import { objectKey } from "../files"
import type { MediaCtx } from "../site"

/** Larger pictures have no preview. */
const MAX_PREVIEW_BYTES = 500_000

/** Bitmap formats, which cannot contain scripts. */
const PREVIEW_MEDIA_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]

type FileInfo = Pick<typeof mediaFiles.$inferSelect, "mimeType" | "size">

/** Whether lists show a preview of a file. */
export const hasPreview = ({ mimeType, size }: FileInfo): boolean =>
  PREVIEW_MEDIA_TYPES.includes(mimeType) && size <= MAX_PREVIEW_BYTES

/** Reads the bytes of a preview, also of a trashed file; null for a file without a preview. */
export async function readPreview(ctx: MediaCtx, id: number): Promise<{ body: ReadableStream; type: string } | null> {
  const { db, id: site } = ctx.site
  const [file] = await db.select().from(mediaFiles).where(eq(mediaFiles.id, id))
  const object = file && hasPreview(file) ? await mediaStore(ctx.env).get(objectKey(site, file.path)) : null
  return file && object ? { body: object.body, type: file.mimeType } : null
}
