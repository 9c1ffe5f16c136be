// Reads the license data a client sends, whichever generation of client it is.
import type { Key } from "./ciphers"
import { openContainer } from "./container"
import { type LegacyPayload, openLegacy } from "./legacy"
import type { ContainerPayload } from "./php-array"

/** Longest license data that is looked at, in characters; a legacy file with the longest names has about 3 000. */
const MAX_LENGTH = 8_192

export interface LicenseKeys {
  /** Keys of containers, each 16 or 32 bytes; all are tried, so a key that was replaced can stay for reading. */
  modern: readonly Key[]
  /** The secret of legacy files, or null where none were ever issued. */
  legacy: string | null
}

export type OpenedLicense = ({ kind: "modern" } & ContainerPayload) | ({ kind: "legacy" } & LegacyPayload)

/**
 * Opens license data: a container, or else a legacy file.
 *
 * @param data anything: the text itself, or `{license_file: text}` as an object or as JSON.
 * @returns null for whatever is not license data, was altered, or was made with keys that are not ours. Never throws.
 */
export async function openLicense(data: unknown, keys: LicenseKeys): Promise<OpenedLicense | null> {
  const text = licenseText(data)
  if (text === null) return null

  for (const key of keys.modern) {
    const payload = await openContainer(text, key)
    if (payload) return { kind: "modern", ...payload }
  }
  const payload = keys.legacy === null ? null : await openLegacy(text, keys.legacy)
  return payload && { kind: "legacy", ...payload }
}

/** The text inside the outer form, if there is one; null when it is none, or too long to be decoded. */
function licenseText(data: unknown): string | null {
  const inner = licenseFile(data)
  if (typeof inner !== "string" || inner.length > MAX_LENGTH) return null
  const text = inner.trim()
  if (!text.startsWith("{")) return text
  try {
    const file = licenseFile(JSON.parse(text))
    return typeof file === "string" ? file.trim() : null
  } catch {
    return null
  }
}

const licenseFile = (data: unknown): unknown =>
  typeof data === "object" && data !== null && "license_file" in data ? data.license_file : data
