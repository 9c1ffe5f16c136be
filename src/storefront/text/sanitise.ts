// Rebuilds staff-written HTML from an allow-list: everything that is not on it is left out, and what is left is escaped.
import { decodeReferences, type HtmlToken, htmlTokens } from "./html-tokens"
import { safeImage, safeLink } from "./safe-url"

/** Elements that may stay, each with the attributes it may keep beside `lang`, `dir` and `title`. */
const ALLOWED: Record<string, readonly string[]> = {
  ...group("p div h2 h3 h4 h5 h6 ul dl dt dd li pre figure figcaption summary table caption thead tbody tfoot tr"),
  ...group("span strong b em i u s del ins sub sup mark small abbr cite q code kbd samp var br hr"),
  blockquote: [],
  a: ["href"],
  details: ["open"],
  img: ["src", "alt", "width", "height"],
  ol: ["start", "reversed"],
  td: ["colspan", "rowspan"],
  th: ["colspan", "rowspan", "scope"],
  time: ["datetime"],
}

const RENAMED: Record<string, string> = {
  h1: "h2",
  strike: "s",
  acronym: "abbr",
  center: "div",
  section: "div",
  article: "div",
}
const VOID = new Set(["br", "hr", "img"])

/** Elements that go with all that is in them; any other unknown element goes alone and its content stays. */
const DROPPED = new Set(
  "script style title textarea xmp iframe noembed noframes noscript svg math object template select video audio canvas".split(
    " ",
  ),
)

const BLOCK = new Set(
  "p div h2 h3 h4 h5 h6 ul ol dl pre blockquote figure figcaption details summary table hr".split(" "),
)

/** Elements that mean nothing outside of another. */
const PARENT: Record<string, readonly string[]> = {
  li: ["ul", "ol"],
  dt: ["dl"],
  dd: ["dl"],
  figcaption: ["figure"],
  summary: ["details"],
  ...group("caption thead tbody tfoot tr", ["table"]),
  td: ["tr"],
  th: ["tr"],
}

/** What an opening tag ends when it was left open, looked for no further out than the element's parent. */
const ENDS: Record<string, readonly string[]> = {
  a: ["a"],
  li: ["li"],
  ...group("dt dd", ["dt", "dd"]),
  ...group("td th", ["td", "th"]),
  tr: ["tr"],
  ...group("thead tbody tfoot", ["caption", "thead", "tbody", "tfoot"]),
}

/** Deep enough for any article, shallow enough for any browser. */
const MAX_DEPTH = 40

/**
 * Markup that is safe to stand in a page: balanced, of known elements and attributes only, with links to the web, mail
 * and telephones. Headings start at `h2`, since the page has its own `h1`.
 * @param source HTML of any quality, written by staff or pasted from anywhere
 */
export function sanitise(source: string): string {
  const open: string[] = []
  let out = ""

  const closeThrough = (index: number) => {
    while (open.length > index) out += `</${open.pop()}>`
  }
  const endImplied = (name: string) => {
    const paragraph = BLOCK.has(name) ? open.lastIndexOf("p") : -1
    if (paragraph >= 0) closeThrough(paragraph)
    const ends = ENDS[name]
    if (!ends) return
    const outermost = open.findLastIndex((element) => PARENT[name]?.includes(element))
    const left = open.findIndex((element, index) => index > outermost && ends.includes(element))
    if (left >= 0) closeThrough(left)
  }

  for (const token of keptTokens(source)) {
    if (token.kind === "text") {
      out += escapeText(token.text)
      continue
    }
    const name = RENAMED[token.name] ?? token.name
    const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined
    if (!allowed) continue
    if (token.kind === "close") {
      const index = open.lastIndexOf(name)
      if (index >= 0) closeThrough(index)
      continue
    }
    const parents = PARENT[name]
    if (open.length >= MAX_DEPTH || (parents && !parents.some((parent) => open.includes(parent)))) continue
    const attributes = attributesOf(name, allowed, token.attributes)
    if (attributes === null) continue
    endImplied(name)
    out += `<${name}${attributes}>`
    if (!VOID.has(name)) open.push(name)
  }
  closeThrough(0)
  return out
}

/**
 * @param source HTML or plain text
 * @returns the words a reader would see, on one line, not escaped
 */
export function plainText(source: string): string {
  let text = ""
  for (const token of keptTokens(source)) {
    if (token.kind === "text") text += decodeReferences(token.text)
    else if (BLOCK.has(RENAMED[token.name] ?? token.name) || ["br", "li", "td", "th"].includes(token.name)) text += " "
  }
  return text.replace(/\s+/g, " ").trim()
}

/** The tokens outside of dropped elements. */
function* keptTokens(source: string): Generator<HtmlToken> {
  let dropping: { name: string; depth: number } | null = null
  for (const token of htmlTokens(source)) {
    if (!dropping) {
      if (token.kind !== "open" || !DROPPED.has(token.name)) yield token
      else if (!token.selfClosing || !["svg", "math"].includes(token.name)) dropping = { name: token.name, depth: 1 }
    } else if (token.kind !== "text" && token.name === dropping.name) {
      dropping.depth += token.kind === "open" ? 1 : -1
      if (dropping.depth === 0) dropping = null
    }
  }
}

/** The attributes as they are written out, or null when the element is nothing without one that was refused. */
function attributesOf(name: string, allowed: readonly string[], given: Map<string, string>): string | null {
  let written = ""
  for (const attribute of [...allowed, "lang", "dir", "title"]) {
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

/** Character references that are well formed stay; every other `&`, and all that could be markup, is escaped. */
function escapeText(text: string): string {
  return text
    .replace(/&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});)/gi, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
}

function escapeAttribute(value: string): string {
  return value
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}

function group(names: string, value: readonly string[] = []): Record<string, readonly string[]> {
  return Object.fromEntries(names.split(" ").map((name) => [name, value]))
}
