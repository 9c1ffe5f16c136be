// Reads and changes the license manager's settings (`lm_*`), which an operator can edit at runtime. Encryption keys are
// stored encrypted with APP_KEY and are never returned.

import { inArray, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../core/context"
import { shortText } from "../core/http/validation"
import { commit } from "../core/write/commit"
import { read } from "../db/client"
import { prepareRead } from "../db/prepared"
import { settings } from "../db/schema/central/settings"
import { insert, type Write } from "../db/write"
import { decrypt, encrypt } from "../lib/cipher"
import { currentMs } from "../lib/clock"
import { isolateState } from "../lib/isolate-state"
import { SECOND } from "../lib/time"
import { CIPHERS, type CipherName, parseContainerKey } from "./encryption/ciphers"

const cipherNames = Object.keys(CIPHERS) as [CipherName, ...CipherName[]]

const schema = z.object({
  lm_requests_rate_limiting_period: z.int().min(1).max(1_000_000).default(3000),
  lm_requests_rate_limiting_method: z.enum(["ip_address", "api_key", "api_key_ip_address"]).default("ip_address"),
  lm_license_encryption_cipher: z.enum(cipherNames).default("aes-256-gcm"),
  /**
   * Container keys, encrypted with APP_KEY, newest first. Older keys stay, so that existing containers remain readable.
   */
  lm_license_encryption_key: z.array(z.string()).default([]),
  /** The secret of legacy license files, encrypted with APP_KEY. */
  lm_legacy_encryption_key: z.string().nullable().default(null),
  /** Container keys derived from former APP_KEYs, encrypted with the current one. Used for decryption only. */
  lm_retired_keys: z.array(z.string()).default([]),
})

/** The stored settings. */
export type LicenseSettings = z.output<typeof schema>

/** Options of the `license-settings` command: keys are in plain text, and an empty string removes one. */
export const SaveSettings = z
  .object({
    lm_requests_rate_limiting_period: z.coerce.number().pipe(schema.shape.lm_requests_rate_limiting_period.unwrap()),
    lm_requests_rate_limiting_method: schema.shape.lm_requests_rate_limiting_method.unwrap(),
    lm_license_encryption_cipher: schema.shape.lm_license_encryption_cipher.unwrap(),
    lm_license_encryption_key: shortText(200).refine((text) => text === "" || parseContainerKey(text) !== null),
    lm_legacy_encryption_key: shortText(1000),
  })
  .partial()

const NAMES = Object.keys(schema.shape) as (keyof LicenseSettings)[]

/** Prepared query for the settings rows; `parseSettings` parses them. */
export const selectSettings = prepareRead<typeof settings.$inferSelect, object>((db) =>
  db.select().from(settings).where(inArray(settings.name, NAMES)),
)

/** Parses the rows of `selectSettings`; missing settings have their defaults. */
export const parseSettings = (rows: readonly { name: string; value: unknown }[]): LicenseSettings =>
  schema.parse(Object.fromEntries(rows.map(({ name, value }) => [name, value])))

/** Per-isolate cache lifetime, so that a flood of requests is rate limited without a database query each. */
const SETTINGS_CACHE_TTL_MS = 5 * SECOND

const cache = isolateState((): { settings: LicenseSettings; expiresAt: number } | null => null)

/** Returns the settings from the isolate's cache, or null. */
export const getCachedSettings = (): LicenseSettings | null =>
  cache.current && currentMs() < cache.current.expiresAt ? cache.current.settings : null

/** Stores the settings in the isolate's cache and returns them. */
export function cacheSettings(settings: LicenseSettings): LicenseSettings {
  cache.current = { settings, expiresAt: currentMs() + SETTINGS_CACHE_TTL_MS }
  return settings
}

/** Clears the isolate's cache; the next request reads from the database. */
export function invalidateCachedSettings(): void {
  cache.current = null
}

const loadSettings = async (ctx: Ctx) => parseSettings(await read(ctx.db, selectSettings({})))

/** Returns the current settings; of encryption keys, only whether they are set. */
export const readLicenseSettings = async (ctx: Ctx) => settingsResource(await loadSettings(ctx))

/**
 * Changes the given settings; other isolates see the change within five seconds.
 * @returns all settings, without key material
 */
export async function saveSettings(ctx: Ctx, input: z.output<typeof SaveSettings>) {
  const current = await loadSettings(ctx)
  const next = { ...current, ...input, ...(await encryptKeys(ctx, current, input)) } as LicenseSettings
  const changedNames = NAMES.filter((name) => name in input)
  const pick = (settings: LicenseSettings) =>
    Object.fromEntries(changedNames.map((name) => [name, settingsResource(settings)[name]]))
  if (changedNames.length) {
    await commit(ctx, {
      writes: changedNames.map((name) => upsertSetting(name, next[name])),
      auditLog: [
        { audit: { subject: "license_settings", action: "saved", id: "lm", before: pick(current), after: pick(next) } },
      ],
    })
  }
  invalidateCachedSettings()
  return settingsResource(next)
}

/** Encrypts the given keys. A new container key is prepended to the existing ones. */
async function encryptKeys(ctx: Ctx, current: LicenseSettings, input: z.output<typeof SaveSettings>) {
  const { lm_license_encryption_key: container, lm_legacy_encryption_key: legacy } = input
  const encryptKey = (text: string) => encrypt(ctx.settings.APP_KEY, text)
  return {
    ...(container !== undefined && {
      lm_license_encryption_key: container ? [await encryptKey(container), ...current.lm_license_encryption_key] : [],
    }),
    ...(legacy !== undefined && { lm_legacy_encryption_key: legacy ? await encryptKey(legacy) : null }),
  }
}

function upsertSetting(name: keyof LicenseSettings, value: unknown): Write {
  const [newest] = name === "lm_license_encryption_key" ? (value as string[]) : []
  // Prepends in SQL, so that two concurrent additions keep both keys: containers written with either must stay
  // readable.
  const prepended = sql`(select json_group_array(value) from
    (select ${newest} as value union all select value from json_each(${settings.value})))`
  return insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value: newest ? prepended : sql`excluded.value` } })
}

/** Builds the writes that store plain-text container keys, encrypted, as retired keys. */
export async function buildRetiredKeyWrites(ctx: Ctx, keys: readonly string[]): Promise<Write[]> {
  const encrypted = await Promise.all(keys.map((key) => encrypt(ctx.settings.APP_KEY, key)))
  const appended = sql`(select json_group_array(value) from
    (select value from json_each(${settings.value}) union all select value from json_each(${JSON.stringify(encrypted)})))`
  return [
    insert(settings)
      .values({ name: "lm_retired_keys" satisfies keyof LicenseSettings, value: encrypted })
      .onConflictDoUpdate({ target: settings.name, set: { value: appended } }),
  ]
}

const settingsResource = (settings: LicenseSettings) => ({
  ...settings,
  lm_license_encryption_key: `${settings.lm_license_encryption_key.length} set`,
  lm_legacy_encryption_key: settings.lm_legacy_encryption_key ? "set" : "not set",
  lm_retired_keys: `${settings.lm_retired_keys.length} set`,
})

/** Decrypts a stored key; null when it was encrypted with an APP_KEY that is no longer configured. */
export const decryptKey = (ctx: Pick<Ctx, "settings">, ciphertext: string): Promise<string | null> =>
  decrypt(ctx.settings.APP_KEY, ciphertext)
