// Which keys license data is written with, and which it is read with.
import type { Ctx } from "../../core/context"
import { type LicenseSettings, openKey } from "../settings"
import { CIPHERS, type CipherName, containerKey, type Key } from "./ciphers"
import type { LicenseKeys } from "./open"

/**
 * Every key that license data may have been made with: the vendor's own, the newest first, then those that come of the
 * application's key.
 */
export async function readingKeys(ctx: Pick<Ctx, "settings">, settings: LicenseSettings): Promise<LicenseKeys> {
  const legacy = settings.lm_legacy_encryption_key
  return {
    modern: [...(await vendorKeys(ctx, settings)), await derivedKey(ctx, 32), await derivedKey(ctx, 16)],
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
  const own = (await vendorKeys(ctx, settings)).find((key) => key.length === keyBytes)
  return { cipher, key: own ?? (await derivedKey(ctx, keyBytes)) }
}

async function vendorKeys(ctx: Pick<Ctx, "settings">, settings: LicenseSettings): Promise<Key[]> {
  const texts = await Promise.all(settings.lm_license_encryption_key.map((sealed) => openKey(ctx, sealed)))
  return texts.map((text) => containerKey(text ?? "")).filter((key) => key !== null)
}

/** HKDF-SHA256 (RFC 5869): the application's key itself stays with what it already encrypts. */
async function derivedKey({ settings }: Pick<Ctx, "settings">, length: 16 | 32): Promise<Key> {
  const material = await crypto.subtle.importKey("raw", settings.APP_KEY, "HKDF", false, ["deriveBits"])
  const info = new TextEncoder().encode(`license container ${length}`)
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, material, length * 8))
}
