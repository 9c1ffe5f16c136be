// Request and response schemas of media files.

import * as z from "zod"
import { emptyAsNull, queryFlag, queryNumber, text, withLookups } from "../../../core/http/validation"
import type { mediaFiles } from "../../../db/schema/sites/media"
import { sanitiseFileName } from "../../../lib/file-name"
import { formatTimestamp } from "../../../lib/time"
import { fileUrl } from "../../files"
import type { MediaCtx } from "../../site"
import { bulkIds, folderId, queryFolderId } from "../ids"

/** A number, capped at `max`. */
const atMost = (max: number) => queryNumber().transform((value) => Math.min(value, max))

export const ListFiles = z.object({
  folder_id: queryFolderId,
  page: atMost(1_000_000).default(1),
  limit: atMost(100).meta({ description: "Items per page; values above 100 count as 100." }).default(10),
  /** Lists the trash instead. */
  trashed: queryFlag.optional(),
})

export const UpdateFile = withLookups(
  z.object({
    name: text({ max: 1000 }).transform(sanitiseFileName).optional(),
    folder_id: folderId.optional(),
    alt: emptyAsNull(text({ max: 300 })),
  }),
  "folder_id",
)

/** Form fields in addition to the file. */
export const UploadFields = z.object({ folder_id: folderId.default(0) })

export const DeleteFiles = withLookups(z.object({ files: bulkIds }), "files")

export const FileResource = z
  .object({
    id: z.int(),
    name: z.string(),
    url: z.string(),
    size: z.int(),
    mime_type: z.string(),
    alt: z.string().nullable(),
    folder_id: z.int(),
    created_at: z.string(),
  })
  .meta({ id: "MediaFile" })

export type FileRow = typeof mediaFiles.$inferSelect

export const fileResource = (ctx: MediaCtx, file: FileRow): z.input<typeof FileResource> => ({
  id: file.id,
  name: file.name,
  url: fileUrl(ctx, file.path),
  size: file.size,
  mime_type: file.mimeType,
  alt: file.alt,
  folder_id: file.folderId,
  created_at: formatTimestamp(file.createdAt),
})
