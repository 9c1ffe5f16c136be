// Request and response schemas of media folders.

import * as z from "zod"
import { queryFlag, text, violates, withLookups } from "../../../core/http/validation"
import type { mediaFolders } from "../../../db/schema/sites/media"
import { sanitiseFileName } from "../../../lib/file-name"
import { toNfc } from "../../../lib/text"
import { formatTimestamp } from "../../../lib/time"
import { FileResource } from "../files/schemas"
import { bulkIds, folderId, queryFolderId } from "../ids"

/** Characters without a special meaning in paths. */
const SAFE = '[^<>:"|?*/\\\\\\s.\\p{C}]+'

const name = text({ max: 120 })
  .transform(toNfc)
  .refine((value) => sanitiseFileName(value) === value, violates("format"))
  .meta({ pattern: `^${SAFE}(?:(?: |\\.+)${SAFE})*$` })

export const ListFolders = z.object({
  folder_id: queryFolderId,
  /** Lists the trash instead. */
  trashed: queryFlag.optional(),
})

export const CreateFolder = withLookups(z.object({ name, parent_id: folderId.default(0) }), "name", "parent_id")

export const UpdateFolder = withLookups(
  z.object({ name: name.optional(), parent_id: folderId.optional() }),
  "name",
  "parent_id",
)

export const DeleteFolders = withLookups(z.object({ folders: bulkIds }), "folders")

export const FolderResource = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    parent_id: z.int(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "MediaFolder" })

export const FolderWithFiles = FolderResource.extend({ files: z.array(FileResource) }).meta({
  id: "MediaFolderWithFiles",
})

export const folderResource = (folder: typeof mediaFolders.$inferSelect): z.input<typeof FolderResource> => ({
  id: folder.id,
  name: folder.name,
  slug: folder.slug,
  parent_id: folder.parentId,
  created_at: formatTimestamp(folder.createdAt),
  updated_at: formatTimestamp(folder.updatedAt),
})
