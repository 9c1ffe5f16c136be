// Filters the attributes of an allowed element and serializes them escaped.
import { ALLOWED_ELEMENTS } from "./allow-list"
import { safeImage, safeLink } from "./safe-url"

/**
 * Serializes the allowed attributes of an element.
 * @param name an allowed element
 * @param attributes its attributes with character references decoded
 * @returns the attributes, each with a leading space; null when a required attribute was rejected, so that the element
 *   is dropped
 */
export function renderAttributes(name: string, attributes: Map<string, string>): string | null {
  let html = ""
  for (const attribute of [...(ALLOWED_ELEMENTS[name] ?? []), "lang", "dir", "title"]) {
    const value = cleanValue(attribute, attributes.get(attribute) ?? DEFAULTS[attribute])
    if (value !== null) html += ` ${attribute}="${escapeAttribute(value)}"`
    else if (attribute === "href" || attribute === "src") return null
  }
  if (name === "img") return `${html} loading="lazy" decoding="async"`
  return name === "a" ? `${html} rel="noopener"` : html
}

/** Screen readers read the file name of a picture without `alt`, and skip a picture with an empty one. */
const DEFAULTS: Record<string, string> = { alt: "" }

const NUMBER = /^\d{1,4}$/
const PATTERNS: Record<string, RegExp> = {
  width: NUMBER,
  height: NUMBER,
  colspan: /^\d{1,2}$/,
  rowspan: /^\d{1,2}$/,
  start: /^-?\d{1,6}$/,
  scope: /^(col|row)$/i,
  dir: /^(ltr|rtl|auto)$/i,
  lang: /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i,
}

function cleanValue(attribute: string, value: string | undefined): string | null {
  if (value === undefined) return null
  // lint: the names of attributes are open
  if (attribute === "href") return safeLink(value)
  if (attribute === "src") return safeImage(value)
  if (attribute === "open" || attribute === "reversed") return ""
  const pattern = PATTERNS[attribute]
  return pattern && !pattern.test(value) ? null : value
}

function escapeAttribute(value: string): string {
  return value
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
