// Decrypts the license data that clients send, in the current and the legacy format.
import type { Key } from "./ciphers"
import { decryptContainer } from "./container"
import { decryptLegacyFile, type LegacyPayload } from "./legacy"
import type { ContainerPayload } from "./php-array"

/** In characters. A legacy file with the longest possible names has about 3 000. */
const MAX_INPUT_LENGTH = 8_192

export interface DecryptionKeys {
  /** Container keys of 16 or 32 bytes. All are tried, so replaced keys can stay for decryption. */
  modern: readonly Key[]
  /** The secret of legacy files; null when there are none. */
  legacy: string | null
}

export type DecryptedLicense = ({ kind: "modern" } & ContainerPayload) | ({ kind: "legacy" } & LegacyPayload)

/**
 * Decrypts license data: a container or a legacy file.
 *
 * @param data untrusted: the text itself, or `{license_file: text}` as an object or as JSON.
 * @returns null when it is not license data, was altered, or was encrypted with an unknown key. Never throws.
 */
export async function decryptLicense(data: unknown, keys: DecryptionKeys): Promise<DecryptedLicense | null> {
  const text = extractLicenseText(data)
  if (text === null) return null

  for (const key of keys.modern) {
    const payload = await decryptContainer(text, key)
    if (payload) return { kind: "modern", ...payload }
  }
  const payload = keys.legacy === null ? null : await decryptLegacyFile(text, keys.legacy)
  return payload && { kind: "legacy", ...payload }
}

/** Returns the text, unwrapped if necessary; null when there is none or it is too long. */
function extractLicenseText(data: unknown): string | null {
  const inner = unwrapLicenseFile(data)
  if (typeof inner !== "string" || inner.length > MAX_INPUT_LENGTH) return null
  const text = inner.trim()
  if (!text.startsWith("{")) return text
  try {
    const file = unwrapLicenseFile(JSON.parse(text))
    return typeof file === "string" ? file.trim() : null
  } catch {
    return null
  }
}

const unwrapLicenseFile = (data: unknown): unknown =>
  typeof data === "object" && data !== null && "license_file" in data ? data.license_file : data
