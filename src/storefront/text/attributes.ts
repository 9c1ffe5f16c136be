// Decides which attributes of an allowed element stay, and writes them out escaped.
import { ALLOWED } from "./allow-list"
import { safeImage, safeLink } from "./safe-url"

/**
 * @param name of an allowed element
 * @param given its attributes as staff wrote them, decoded
 * @returns the attributes as they are written out, each after a space; null when the element is nothing without one that
 *   was refused
 */
export function attributesOf(name: string, given: Map<string, string>): string | null {
  let written = ""
  for (const attribute of [...(ALLOWED[name] ?? []), "lang", "dir", "title"]) {
    const value = checked(attribute, given.get(attribute) ?? DEFAULTS[attribute])
    if (value !== null) written += ` ${attribute}="${escapeAttribute(value)}"`
    else if (attribute === "href" || attribute === "src") return null
  }
  if (name === "img") return `${written} loading="lazy" decoding="async"`
  return name === "a" ? `${written} rel="noopener"` : written
}

/** A picture without words is read out by its file name; with empty ones it is passed over. */
const DEFAULTS: Record<string, string> = { alt: "" }

const NUMBER = /^\d{1,4}$/
const FORM: Record<string, RegExp> = {
  width: NUMBER,
  height: NUMBER,
  colspan: /^\d{1,2}$/,
  rowspan: /^\d{1,2}$/,
  start: /^-?\d{1,6}$/,
  scope: /^(col|row)$/i,
  dir: /^(ltr|rtl|auto)$/i,
  lang: /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i,
}

function checked(attribute: string, value: string | undefined): string | null {
  if (value === undefined) return null
  if (attribute === "href") return safeLink(value)
  if (attribute === "src") return safeImage(value)
  if (attribute === "open" || attribute === "reversed") return ""
  const form = FORM[attribute]
  return form && !form.test(value) ? null : value
}

function escapeAttribute(value: string): string {
  return value
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
