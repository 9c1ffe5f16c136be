// Selects the keys that encrypt and decrypt license data.
import type { Ctx } from "../../core/context"
import { decryptKey, type LicenseSettings } from "../settings"
import type { Bytes } from "./base64"
import { KEY_SIZES, type Key, type KeySize } from "./cipher"
import { CIPHERS, type CipherName, parseContainerKey } from "./ciphers"
import type { DecryptionKeys } from "./decrypt"

/**
 * Returns every key that license data may be encrypted with: the vendor's own keys, newest first, then the keys derived
 * from the current, previous and retired APP_KEYs.
 */
export async function getDecryptionKeys(
  ctx: Pick<Ctx, "settings">,
  settings: LicenseSettings,
): Promise<DecryptionKeys> {
  const legacy = settings.lm_legacy_encryption_key
  const { current, previous } = ctx.settings.APP_KEY
  return {
    modern: [
      ...(await decryptKeys(ctx, settings.lm_license_encryption_key)),
      ...(await deriveKeys(current)),
      ...(previous ? await deriveKeys(previous) : []),
      ...(await decryptKeys(ctx, settings.lm_retired_keys)),
    ],
    legacy: legacy === null ? null : await decryptKey(ctx, legacy),
  }
}

/**
 * Returns the cipher and key for new license data: the vendor's newest key of the cipher's key length, or else the key
 * derived from APP_KEY.
 */
export async function getEncryptionKey(
  ctx: Pick<Ctx, "settings">,
  settings: LicenseSettings,
): Promise<{ cipher: CipherName; key: Key }> {
  const cipher = settings.lm_license_encryption_cipher
  const { keyBytes } = CIPHERS[cipher]
  const vendorKey = (await decryptKeys(ctx, settings.lm_license_encryption_key)).find((key) => key.length === keyBytes)
  return { cipher, key: vendorKey ?? (await deriveKey(ctx.settings.APP_KEY.current, keyBytes)) }
}

/**
 * Derives the container keys of an APP_KEY, encoded for `parseContainerKey`, to retain them when that APP_KEY is
 * rotated out.
 */
export const deriveEncodedKeys = async (applicationKey: Bytes): Promise<string[]> =>
  (await deriveKeys(applicationKey)).map((key) => `base64:${key.toBase64()}`)

const deriveKeys = (applicationKey: Bytes): Promise<Key[]> =>
  Promise.all(KEY_SIZES.map((size) => deriveKey(applicationKey, size)))

async function decryptKeys(ctx: Pick<Ctx, "settings">, encrypted: readonly string[]): Promise<Key[]> {
  const texts = await Promise.all(encrypted.map((text) => decryptKey(ctx, text)))
  return texts.map((text) => parseContainerKey(text ?? "")).filter((key) => key !== null)
}

/** Derives a key with HKDF-SHA256 (RFC 5869), so that APP_KEY itself never encrypts containers. */
async function deriveKey(applicationKey: Bytes, length: KeySize): Promise<Key> {
  const material = await crypto.subtle.importKey("raw", applicationKey, "HKDF", false, ["deriveBits"])
  const info = new TextEncoder().encode(`license container ${length}`)
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, material, length * 8))
}
