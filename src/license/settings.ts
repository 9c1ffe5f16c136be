// The license manager's own settings, `lm_*`, which an operator changes while it runs. Encryption keys are kept under the
// application's key and are never shown.
import { inArray, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../core/context"
import { shortText } from "../core/http/validation"
import { commit } from "../core/write/commit"
import { read } from "../db/client"
import { compiled } from "../db/prepared"
import { settings } from "../db/schema/central/settings"
import { insert, type Write } from "../db/write"
import type { Env } from "../env"
import { decrypt, encrypt } from "../lib/cipher"
import { SECOND } from "../lib/time"
import { CIPHERS, type CipherName, containerKey } from "./encryption/ciphers"

const cipherNames = Object.keys(CIPHERS) as [CipherName, ...CipherName[]]

const schema = z.object({
  lm_requests_rate_limiting_period: z.int().min(1).max(1_000_000).default(3000),
  lm_requests_rate_limiting_method: z.enum(["ip_address", "api_key", "api_key_ip_address"]).default("ip_address"),
  lm_license_encryption_cipher: z.enum(cipherNames).default("aes-256-gcm"),
  /** Container keys under the application's key, the newest first: what was written with an older one stays readable. */
  lm_license_encryption_key: z.array(z.string()).default([]),
  /** The secret of legacy files under the application's key. */
  lm_legacy_encryption_key: z.string().nullable().default(null),
  /** Container keys that came of application keys that are gone, under the one of today: read with, never written with. */
  lm_retired_keys: z.array(z.string()).default([]),
})

/** The settings as they are stored. */
export type LicenseSettings = z.output<typeof schema>

/** The options of the operator's command: a cipher by name, keys in plain text, an empty text to remove one. */
export const SaveSettings = z
  .object({
    lm_requests_rate_limiting_period: z.coerce.number().pipe(schema.shape.lm_requests_rate_limiting_period.unwrap()),
    lm_requests_rate_limiting_method: schema.shape.lm_requests_rate_limiting_method.unwrap(),
    lm_license_encryption_cipher: schema.shape.lm_license_encryption_cipher.unwrap(),
    lm_license_encryption_key: shortText(200).refine((text) => text === "" || containerKey(text) !== null),
    lm_legacy_encryption_key: shortText(1000),
  })
  .partial()

const NAMES = Object.keys(schema.shape) as (keyof LicenseSettings)[]

/** The statement that reads the settings; `settingsFrom` reads its answer. */
export const selectSettings = compiled<typeof settings.$inferSelect, object>((db) =>
  db.select().from(settings).where(inArray(settings.name, NAMES)),
)

/** The settings in the answer of `selectSettings`; what was never set has its default. */
export const settingsFrom = (rows: readonly { name: string; value: unknown }[]): LicenseSettings =>
  schema.parse(Object.fromEntries(rows.map(({ name, value }) => [name, value])))

/** How long an isolate trusts what it read, so that a flood of requests is refused without asking the database. */
const TRUSTED_MS = 5 * SECOND

const memory = new WeakMap<D1Database, { settings: LicenseSettings; until: number }>()

/** The settings this isolate read a moment ago, or null. */
export function recalledSettings(env: Env): LicenseSettings | null {
  const known = memory.get(env.DB)
  return known && Date.now() < known.until ? known.settings : null
}

/** Remembers what was just read. */
export function rememberSettings(env: Env, read: LicenseSettings): LicenseSettings {
  memory.set(env.DB, { settings: read, until: Date.now() + TRUSTED_MS })
  return read
}

/** Forgets what was read; the next request reads again. */
export const forgetSettings = (env: Env): boolean => memory.delete(env.DB)

/**
 * Changes the settings that are given; other isolates follow within five seconds.
 * @returns all settings as they may be shown
 */
export async function saveSettings(ctx: Ctx, input: z.output<typeof SaveSettings>) {
  const known = settingsFrom(await read(ctx.db, selectSettings({})))
  const next = { ...known, ...input, ...(await sealedKeys(ctx, known, input)) } as LicenseSettings
  const given = NAMES.filter((name) => name in input)
  const pick = (read: LicenseSettings) => Object.fromEntries(given.map((name) => [name, shown(read)[name]]))
  if (given.length) {
    await commit(ctx, {
      writes: given.map((name) => save(name, next[name])),
      trail: [
        { audit: { subject: "license_settings", deed: "saved", id: "lm", before: pick(known), after: pick(next) } },
      ],
    })
  }
  forgetSettings(ctx.env)
  return shown(next)
}

/** The keys that are given, under the application's key; a container key comes before those that were there. */
async function sealedKeys(ctx: Ctx, known: LicenseSettings, input: z.output<typeof SaveSettings>) {
  const { lm_license_encryption_key: container, lm_legacy_encryption_key: legacy } = input
  const seal = (text: string) => encrypt(ctx.settings.APP_KEY, text)
  return {
    ...(container !== undefined && {
      lm_license_encryption_key: container ? [await seal(container), ...known.lm_license_encryption_key] : [],
    }),
    ...(legacy !== undefined && { lm_legacy_encryption_key: legacy ? await seal(legacy) : null }),
  }
}

function save(name: keyof LicenseSettings, value: unknown): Write {
  const [newest] = name === "lm_license_encryption_key" ? (value as string[]) : []
  // Of two that add a key at one moment each leaves the other's: what was written with it must stay readable.
  const added = sql`(select json_group_array(value) from
    (select ${newest} as value union all select value from json_each(${settings.value})))`
  return insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value: newest ? added : sql`excluded.value` } })
}

/** The writes that keep container keys, given in plain text, for reading what was made with them. */
export async function retireWrites(ctx: Ctx, keys: readonly string[]): Promise<Write[]> {
  const sealed = await Promise.all(keys.map((key) => encrypt(ctx.settings.APP_KEY, key)))
  const added = sql`(select json_group_array(value) from
    (select value from json_each(${settings.value}) union all select value from json_each(${JSON.stringify(sealed)})))`
  return [
    insert(settings)
      .values({ name: "lm_retired_keys" satisfies keyof LicenseSettings, value: sealed })
      .onConflictDoUpdate({ target: settings.name, set: { value: added } }),
  ]
}

const shown = (read: LicenseSettings) => ({
  ...read,
  lm_license_encryption_key: `${read.lm_license_encryption_key.length} set`,
  lm_legacy_encryption_key: read.lm_legacy_encryption_key ? "set" : "not set",
  lm_retired_keys: `${read.lm_retired_keys.length} set`,
})

/** A stored key in plain text, or null when it was stored under another application key. */
export const openKey = (ctx: Pick<Ctx, "settings">, sealed: string): Promise<string | null> =>
  decrypt(ctx.settings.APP_KEY, sealed)
