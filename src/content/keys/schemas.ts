// The schemas of a site's API settings and server tokens for operators. No resource contains a key or its hash.

import * as z from "zod"
import { booleanText, commaList, shortText, text, violates, withLookups } from "../../core/http/validation"
import { LOCALES } from "../../core/i18n/locale"
import { NOTIFICATION_FORMATS, type serverTokens, type siteSettings, TOKEN_SCOPES } from "../../db/schema/central/sites"
import { formatTimestamp } from "../../lib/time"

const isOrigin = (value: string): boolean =>
  /^https?:\/\//.test(value) && URL.canParse(value) && new URL(value).origin === value

/** A list of origins of any text. */
export const originList = commaList(shortText(255), { min: 1, max: 50 })

/**
 * Returns the origins that may call the API as they are stored.
 * @param values origins, or only `*` for all
 * @returns null for all; undefined when a value is not an origin
 */
export function toCorsOrigins(values: readonly string[]): string[] | null | undefined {
  if (values.length === 1 && values[0] === "*") return null
  return values.every(isOrigin) ? [...new Set(values)] : undefined
}

const corsOrigins = originList.transform((values, ctx) => {
  const origins = toCorsOrigins(values)
  if (origins !== undefined) return origins
  ctx.addIssue({ code: "custom", ...violates("url") })
  return z.NEVER
})

const settings = z.object({
  api: booleanText.optional().describe("on or off: whether the site's API is enabled"),
  "require-key": booleanText.optional().describe("on or off: whether every request requires the API key"),
  "email-verification": booleanText
    .optional()
    .describe("on or off: whether users must confirm their email address to log in"),
  "cors-origins": corsOrigins
    .optional()
    .describe("Comma-separated origins whose web pages may call the API, such as https://app.example.com; * for all"),
  language: z.enum(LOCALES).optional().describe("en, es, fr or vi: the language of mails to the owner"),
  "media-key-writes": booleanText
    .optional()
    .describe("on or off: whether the API key may change the media library; server tokens always can"),
  "notification-format": z
    .enum(NOTIFICATION_FORMATS)
    .optional()
    .describe(
      "standard, or legacy: the list of notifications and the push messages that apps of the PHP platform expect",
    ),
})

export const UpdateSiteSettings = withLookups(settings, "require-key")

export const settingsResource = (row: typeof siteSettings.$inferSelect) => ({
  site: row.siteId,
  api: row.apiEnabled,
  "require-key": row.keyRequired,
  "email-verification": row.emailVerification,
  "cors-origins": row.corsOrigins ?? ["*"],
  language: row.language ?? "en",
  "media-key-writes": row.keyWritesMedia ?? true,
  "notification-format": row.notificationFormat ?? "standard",
  api_key_prefix: row.apiKeyPrefix,
})

/** The version of a site's settings. */
export const settingsTag = (row: typeof siteSettings.$inferSelect): string => JSON.stringify(settingsResource(row))

export const CreateServerToken = z.object({
  name: text({ max: 120 }),
  type: z
    .enum(["standard", "internal"])
    .default("standard")
    .describe("standard or internal: the rate limit of its requests"),
  scopes: commaList(z.enum(TOKEN_SCOPES), { min: 1, max: TOKEN_SCOPES.length })
    .transform((scopes) => TOKEN_SCOPES.filter((scope) => scope === "read" || scopes.includes(scope)))
    .default(["read"])
    .describe("read, or read,write: whether it may change content; every token reads unpublished content"),
})

export const serverTokenResource = (row: typeof serverTokens.$inferSelect) => ({
  id: row.id,
  site: row.siteId,
  name: row.name,
  type: row.type,
  scopes: row.scopes ?? ["read"],
  prefix: row.prefix,
  created_by_name: row.createdByName,
  last_used_at: formatTimestamp(row.lastUsedAt),
  created_at: formatTimestamp(row.createdAt),
})
