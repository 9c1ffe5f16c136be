// The request and response schemas of a user's settings.
import * as z from "zod"
import { shortText, violates } from "../../core/http/validation"
import type { userSettings as table } from "../../db/schema/sites/settings"

type Row = typeof table.$inferSelect

/** Settings of a user without a settings row. */
export const DEFAULT_SETTINGS = {
  biometricEnabled: false,
  notificationEnabled: true,
  language: "en",
  currency: "USD",
  theme: "light",
  timezone: "UTC",
} as const satisfies Omit<Row, "userId" | "siteId">

const BOOLEAN_SPELLINGS = new Map<unknown, boolean>([
  ...[true, 1, "1", "true"].map((value) => [value, true] as const),
  ...[false, 0, "0", "false"].map((value) => [value, false] as const),
])

/** A boolean in JSON, in any spelling that existing clients send. */
const flag = z
  .unknown()
  .refine((value) => BOOLEAN_SPELLINGS.has(value), violates("boolean"))
  .transform((value) => BOOLEAN_SPELLINGS.get(value) ?? false)

/** A language tag (RFC 5646) in its common forms: `en`, `pt-BR`, `zh-Hant-TW`, `pt_BR`. */
const language = shortText(64).regex(/^[a-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$/)

/** An ISO 4217 code. */
export const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((value) => value.toUpperCase())

/** A name in the IANA time zone database. */
export const timezone = shortText(64).refine(isTimezone, violates("selected"))

/** Returns whether a name is in the IANA time zone database. */
function isTimezone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && !!new Intl.DateTimeFormat("en", { timeZone: name })
  } catch {
    return false
  }
}

export const UpdateSettings = z.object({
  biometric_enabled: flag.optional(),
  notification_enabled: flag.optional(),
  language: language.optional(),
  currency: currency.optional(),
  theme: z.enum(["light", "dark", "auto"]).optional(),
  timezone: timezone.optional(),
})

export const UserSettings = z
  .object({
    biometric_enabled: z.boolean(),
    notification_enabled: z.boolean(),
    language: z.string(),
    currency: z.string(),
    theme: z.enum(["light", "dark", "auto"]),
    timezone: z.string(),
  })
  .meta({ id: "UserSettings" })

/** Returns all six settings, with the defaults for a user without a row. */
export function userSettings(row: Omit<Row, "userId" | "siteId"> | null | undefined): z.input<typeof UserSettings> {
  const { biometricEnabled, notificationEnabled, language, currency, theme, timezone } = row ?? DEFAULT_SETTINGS
  return {
    biometric_enabled: biometricEnabled,
    notification_enabled: notificationEnabled,
    language,
    currency,
    theme,
    timezone,
  }
}
