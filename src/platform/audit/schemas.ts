// Schemas of audit entries; `core/write/audit` creates them.
import * as z from "zod"
import { pageQuery } from "../../core/http/pagination"
import { queryNumber, queryText, queryTimestamp } from "../../core/http/validation"
import { STORE_AUDIT_TYPES } from "../../db/schema/central/audit"

export const ListEntries = z.object(pageQuery)

export const AuditEntryResource = z
  .object({
    id: z.int(),
    type: z.enum(STORE_AUDIT_TYPES),
    from_status: z.string().nullable(),
    to_status: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    actor: z.object({ type: z.string(), id: z.int().nullable(), name: z.string() }),
    created_at: z.string(),
  })
  .meta({ id: "AuditEntry" })

/** The position of the newest entries in the archive. */
export const ARCHIVE_START = "start"

/** Filters of an audit log search; an empty field does not filter. */
export const SearchAuditLog = z.object({
  actor: queryText,
  interface: z
    .enum(["", "api", "console", "cli", "system"])
    .optional()
    .transform((value) => value || undefined),
  type: queryText,
  store: queryText,
  q: queryText,
  since: queryTimestamp,
  until: queryTimestamp,
  page: queryNumber(100_000).default(1),
  /** A position in the archive; absent for the entries in the database. */
  archive: z
    .string()
    .regex(/^(start|[0-9a-f]{2}-\d{1,9})$/)
    .optional(),
})
