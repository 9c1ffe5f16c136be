// Decides which addresses written by staff may stand in a page.

const LINK_SCHEMES = new Set(["http", "https", "mailto", "tel"])
const IMAGE_SCHEMES = new Set(["http", "https"])

/**
 * @param address as written, character references decoded
 * @returns the address for an `href`, or null when its scheme is not one for links
 */
export function safeLink(address: string): string | null {
  return withScheme(address, LINK_SCHEMES)
}

/**
 * @param address of a picture, relative or absolute; null is passed on
 * @returns the address for a `src`, or null when there is none or it is not one of the web
 */
export function safeImage(address: string | null): string | null {
  return address && withScheme(address, IMAGE_SCHEMES)
}

function withScheme(address: string, schemes: Set<string>): string | null {
  // Browsers pass over line breaks and tabs inside an address and over control characters before it.
  const plain = address
    .replace(/\p{Cc}/gu, "")
    .trim()
    .replaceAll(" ", "%20")
  if (!plain) return null
  // Whatever else the eye does not see is passed over too when looking for a scheme: it is never part of one.
  const scheme = /^([^/?#\\]*?):/.exec(plain.replace(/[\p{C}\p{Z}]/gu, ""))?.[1]
  if (scheme !== undefined && !schemes.has(scheme.toLowerCase())) return null
  return plain
}
