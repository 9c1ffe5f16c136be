// Filters the URLs in staff-written content by their scheme.

const LINK_SCHEMES = new Set(["http", "https", "mailto", "tel"])
const IMAGE_SCHEMES = new Set(["http", "https"])

/**
 * Cleans the URL of a link.
 * @param address URL as written, with character references decoded
 * @returns the value for `href`, or null when its scheme is not allowed in links
 */
export function safeLink(address: string): string | null {
  return cleanUrl(address, LINK_SCHEMES)
}

/**
 * Cleans the URL of a picture.
 * @param address relative or absolute URL, or null
 * @returns the value for `src`, or null when there is no URL or its scheme is neither http nor https
 */
export function safeImage(address: string | null): string | null {
  return address && cleanUrl(address, IMAGE_SCHEMES)
}

function cleanUrl(address: string, schemes: Set<string>): string | null {
  // Browsers ignore line breaks and tabs inside a URL, and control characters before it.
  const plain = address
    .replace(/\p{Cc}/gu, "")
    .trim()
    .replaceAll(" ", "%20")
  if (!plain) return null
  // Other invisible characters are also ignored when looking for the scheme, since a scheme cannot contain them.
  const scheme = /^([^/?#\\]*?):/.exec(plain.replace(/[\p{C}\p{Z}]/gu, ""))?.[1]
  if (scheme !== undefined && !schemes.has(scheme.toLowerCase())) return null
  return plain
}
