// Request and response schemas of the update metadata for WordPress.
import * as z from "zod"
import { text } from "../../core/http/validation"
import { optionalParameter } from "../fields"
import { licenseCode } from "../licenses/schemas"

export const WordPressQuery = z.object({
  license_code: optionalParameter(licenseCode),
  client_name: optionalParameter(text({ max: 255 })),
  /** Sent by plugin-update-checker; empty while the plugin's version is unknown. */
  installed_version: optionalParameter(text({ max: 100 })),
})

/** Texts of the details window, as HTML. */
export const WordPressSections = z.object({ description: z.string(), changelog: z.string() })

/** Metadata of a plugin or theme as plugin-update-checker reads it. */
export const WordPressInfo = z
  .object({
    name: z.string(),
    slug: z.string(),
    version: z.string(),
    last_updated: z.string().nullable(),
    sections: WordPressSections,
    upgrade_notice: z.string().nullable(),
    download_url: z.string().nullable(),
    download_sha256: z.string().nullable(),
    download_signature: z.string().nullable(),
  })
  .meta({ id: "WordPressInfo" })
