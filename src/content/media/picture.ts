// Small pictures of a library, for lists that show them as they are.
import { and, eq } from "drizzle-orm"
import { mediaFiles } from "../../db/schema/sites/media"
import { objectKey } from "../files"
import type { MediaCtx } from "../site"

/** Bytes of a picture that a list may show whole: there are no smaller copies. */
const MOST = 500_000

/** Kinds that are pixels and nothing else. */
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]

type Described = Pick<typeof mediaFiles.$inferSelect, "mimeType" | "size">

/** Whether a list may show a file. */
export const isPicture = ({ mimeType, size }: Described): boolean => TYPES.includes(mimeType) && size <= MOST

/** The bytes of a picture, trashed or not; null for what is none, and for one that a list may not show. */
export async function readPicture(ctx: MediaCtx, id: number): Promise<{ body: ReadableStream; type: string } | null> {
  const { db, id: site } = ctx.site
  const [file] = await db
    .select()
    .from(mediaFiles)
    .where(and(eq(mediaFiles.siteId, site), eq(mediaFiles.id, id)))
  const object = file && isPicture(file) ? await ctx.env.MEDIA.get(objectKey(site, file.path)) : null
  return file && object ? { body: object.body, type: file.mimeType } : null
}
