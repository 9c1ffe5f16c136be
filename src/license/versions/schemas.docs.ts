// Documents the API fields of versions.
import { documentFields } from "../../core/http/field-docs"
import { CreateVersion, UpdateVersion, VersionResource } from "./schemas"

const version = { description: "Version number.", example: "1.5.0" }
const versionId = { description: "Public id, which clients download by.", example: "ACME-SEO-1.5.0" }
const fields = {
  summary: { description: "Summary of the changes.", example: "Titles in four languages." },
  changelog: { description: "Changelog as HTML.", example: "<ul><li>Titles in four languages</li></ul>" },
  released_at: {
    description: "Release date; null for an unreleased version, which clients are not offered.",
    example: "2026-09-01T00:00:00+00:00",
  },
  is_active: { description: "Whether clients are offered the version." },
}

documentFields(CreateVersion, {
  version,
  version_id: { ...versionId, description: "Public id; generated when omitted." },
  ...fields,
})

documentFields(UpdateVersion, { version, ...fields })

documentFields(VersionResource, {
  version_id: versionId,
  product_reference_id: { description: "Reference id of the product.", example: "ACME-SEO" },
  version,
  ...fields,
  main_file: {
    description: "Size in bytes and media type of the main file.",
    example: { size: 482_113, type: "application/zip" },
  },
  sql_file: { description: "Size in bytes and media type of the SQL file.", example: null },
})
