// Audit entries as the API shows them; `core/audit` makes them.
import * as z from "zod"
import { pageQuery } from "../../core/page"

export const ListEntries = z.object(pageQuery)

export const AuditEntryResource = z
  .object({
    id: z.int(),
    type: z.string(),
    from_status: z.string().nullable(),
    to_status: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    actor: z.object({ type: z.string(), id: z.int().nullable(), name: z.string() }),
    created_at: z.string(),
  })
  .meta({ id: "AuditEntry" })
