// Which keys license data is written with, and which it is read with.
import type { Ctx } from "../../core/context"
import { type LicenseSettings, openKey } from "../settings"
import type { Bytes } from "./base64"
import { CIPHERS, type CipherName, containerKey, type Key } from "./ciphers"
import type { LicenseKeys } from "./open"

/**
 * Every key that license data may have been made with: the vendor's own, the newest first, then those that come of the
 * application's key, and of those that were before it.
 */
export async function readingKeys(ctx: Pick<Ctx, "settings">, settings: LicenseSettings): Promise<LicenseKeys> {
  const legacy = settings.lm_legacy_encryption_key
  const { current, previous } = ctx.settings.APP_KEY
  return {
    modern: [
      ...(await openKeys(ctx, settings.lm_license_encryption_key)),
      ...(await derivedKeys(current)),
      ...(previous ? await derivedKeys(previous) : []),
      ...(await openKeys(ctx, settings.lm_retired_keys)),
    ],
    legacy: legacy === null ? null : await openKey(ctx, legacy),
  }
}

/**
 * The cipher that license data is written with, and its key: the vendor's newest of the length that the cipher takes, or
 * else the one that comes of the application's key.
 */
export async function writingKey(
  ctx: Pick<Ctx, "settings">,
  settings: LicenseSettings,
): Promise<{ cipher: CipherName; key: Key }> {
  const cipher = settings.lm_license_encryption_cipher
  const { keyBytes } = CIPHERS[cipher]
  const own = (await openKeys(ctx, settings.lm_license_encryption_key)).find((key) => key.length === keyBytes)
  return { cipher, key: own ?? (await derivedKey(ctx.settings.APP_KEY.current, keyBytes)) }
}

/** The keys that come of an application's key, as texts that `containerKey` reads: kept when that key goes, so that nothing is lost. */
export const derivedTexts = async (applicationKey: Bytes): Promise<string[]> =>
  (await derivedKeys(applicationKey)).map((key) => `base64:${key.toBase64()}`)

const derivedKeys = async (applicationKey: Bytes): Promise<Key[]> => [
  await derivedKey(applicationKey, 32),
  await derivedKey(applicationKey, 16),
]

async function openKeys(ctx: Pick<Ctx, "settings">, sealed: readonly string[]): Promise<Key[]> {
  const texts = await Promise.all(sealed.map((text) => openKey(ctx, text)))
  return texts.map((text) => containerKey(text ?? "")).filter((key) => key !== null)
}

/** HKDF-SHA256 (RFC 5869): the application's key itself stays with what it already encrypts. */
async function derivedKey(applicationKey: Bytes, length: 16 | 32): Promise<Key> {
  const material = await crypto.subtle.importKey("raw", applicationKey, "HKDF", false, ["deriveBits"])
  const info = new TextEncoder().encode(`license container ${length}`)
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, material, length * 8))
}
