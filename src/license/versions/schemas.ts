// Request and response schemas for versions.
import * as z from "zod"
import { multilineText, text, withLookups } from "../../core/http/validation"
import type { licenseVersions } from "../../db/schema/central/licenses"
import { formatTimestamp } from "../../lib/time"
import { clearable, date, flag, optional } from "../fields"
import type { Product } from "../products/schemas"

export type Version = typeof licenseVersions.$inferSelect

const versionNumber = text({ max: 64 }).pipe(z.string().regex(/^v?\d+\.\d+(\.\d+)?(-[\w-]+)?$/))

/** Letters, digits, `-`, `_` and `.`. It is a path segment, so `.` and `..` are not allowed. */
const versionId = text({ max: 64 }).pipe(z.string().regex(/^(?!\.{1,2}$)[\w.-]+$/))

const editableFields = {
  summary: clearable(multilineText({ max: 10_000 })),
  changelog: clearable(multilineText({ max: 200_000 })),
  released_at: clearable(date()),
  is_active: optional(flag()),
}

export const CreateVersion = withLookups(
  z.object({ version: versionNumber, version_id: optional(versionId), ...editableFields }),
  "version",
  "version_id",
)

/** The version id cannot change, because clients download by it: a sent `version_id` is ignored. */
export const UpdateVersion = withLookups(z.object({ version: optional(versionNumber), ...editableFields }), "version")

const fileResource = z.object({ size: z.int(), type: z.string() }).nullable()

export const VersionResource = z
  .object({
    id: z.int(),
    version_id: z.string(),
    product_reference_id: z.string(),
    version: z.string(),
    released_at: z.string().nullable(),
    summary: z.string().nullable(),
    changelog: z.string().nullable(),
    main_file: fileResource,
    sql_file: fileResource,
    is_active: z.boolean(),
  })
  .meta({ id: "LicenseVersion" })

export const versionResource = (version: Version, product: Product): z.input<typeof VersionResource> => ({
  id: version.id,
  version_id: version.versionId,
  product_reference_id: product.referenceId,
  version: version.version,
  released_at: formatTimestamp(version.releasedAt),
  summary: version.summary,
  changelog: version.changelog,
  main_file: version.mainFile && { size: version.mainFile.size, type: version.mainFile.type },
  sql_file: version.sqlFile && { size: version.sqlFile.size, type: version.sqlFile.type },
  is_active: version.isActive,
})
