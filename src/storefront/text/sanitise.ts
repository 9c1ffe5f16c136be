// Rebuilds staff-written HTML from an allow-list: everything that is not on it is left out, and what is left is escaped.
import { ALLOWED, BLOCK, DROPPED, ENDS, knownAs, PARENT, VOID } from "./allow-list"
import { attributesOf } from "./attributes"
import { decodeReferences, type HtmlToken, htmlTokens } from "./html-tokens"

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
    const name = knownAs(token.name)
    if (!Object.hasOwn(ALLOWED, name)) continue
    if (token.kind === "close") {
      const index = open.lastIndexOf(name)
      if (index >= 0) closeThrough(index)
      continue
    }
    const parents = PARENT[name]
    if (open.length >= MAX_DEPTH || (parents && !parents.some((parent) => open.includes(parent)))) continue
    const attributes = attributesOf(name, token.attributes)
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
    else if (BLOCK.has(knownAs(token.name)) || ["br", "li", "td", "th"].includes(token.name)) text += " "
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

/** Character references that are well formed stay; every other `&`, and all that could be markup, is escaped. */
function escapeText(text: string): string {
  return text
    .replace(/&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});)/gi, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
}
