// The response schema of revisions.
import * as z from "zod"
import type { revisions } from "../../db/schema/sites/revisions"
import { formatTimestamp } from "../../lib/time"

export const Revision = z
  .object({
    n: z.int(),
    created_at: z.string(),
    author: z.object({ id: z.int().nullable(), name: z.string() }).nullable(),
    name: z.string(),
  })
  .meta({ id: "Revision" })

export type ListedRevision = Pick<
  typeof revisions.$inferSelect,
  "number" | "name" | "savedById" | "savedByName" | "createdAt"
>

export const revisionResource = (row: ListedRevision): z.input<typeof Revision> => ({
  n: row.number,
  created_at: formatTimestamp(row.createdAt),
  author: row.savedByName === null ? null : { id: row.savedById, name: row.savedByName },
  name: row.name,
})
