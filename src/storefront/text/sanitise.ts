// Sanitises staff-written HTML: rebuilds it from an allow-list and escapes the rest.
import {
  ALLOWED_ELEMENTS,
  BLOCK_ELEMENTS,
  canonicalName,
  DROPPED_ELEMENTS,
  IMPLICITLY_CLOSED,
  REQUIRED_PARENTS,
  VOID_ELEMENTS,
} from "./allow-list"
import { renderAttributes } from "./attributes"
import { decodeReferences, type HtmlToken, htmlTokens } from "./html-tokens"

/** Maximum nesting depth: enough for any article, and safe for every browser. */
const MAX_DEPTH = 40

/**
 * Returns markup that is safe to embed in a page: balanced, with allowed elements and attributes only, and with links
 * to http, https, mailto and tel only. Headings start at `h2`, since the page has its own `h1`.
 * @param source HTML of any quality, written by staff or pasted from elsewhere
 */
export function sanitise(source: string): string {
  const open: string[] = []
  let out = ""

  const closeDownTo = (index: number) => {
    while (open.length > index) out += `</${open.pop()}>`
  }
  const closeImplied = (name: string) => {
    const paragraph = BLOCK_ELEMENTS.has(name) ? open.lastIndexOf("p") : -1
    if (paragraph >= 0) closeDownTo(paragraph)
    const ends = IMPLICITLY_CLOSED[name]
    if (!ends) return
    const outermost = open.findLastIndex((element) => REQUIRED_PARENTS[name]?.includes(element))
    const left = open.findIndex((element, index) => index > outermost && ends.includes(element))
    if (left >= 0) closeDownTo(left)
  }

  for (const token of allowedTokens(source)) {
    if (token.kind === "text") {
      out += escapeText(token.text)
      continue
    }
    const name = canonicalName(token.name)
    if (!Object.hasOwn(ALLOWED_ELEMENTS, name)) continue
    if (token.kind === "close") {
      const index = open.lastIndexOf(name)
      if (index >= 0) closeDownTo(index)
      continue
    }
    const parents = REQUIRED_PARENTS[name]
    if (open.length >= MAX_DEPTH || (parents && !parents.some((parent) => open.includes(parent)))) continue
    const attributes = renderAttributes(name, token.attributes)
    if (attributes === null) continue
    closeImplied(name)
    out += `<${name}${attributes}>`
    if (!VOID_ELEMENTS.has(name)) open.push(name)
  }
  closeDownTo(0)
  return out
}

/**
 * Returns the visible text of HTML on one line, not escaped.
 * @param source HTML or plain text
 */
export function plainText(source: string): string {
  let text = ""
  for (const token of allowedTokens(source)) {
    if (token.kind === "text") text += decodeReferences(token.text)
    else if (BLOCK_ELEMENTS.has(canonicalName(token.name)) || ["br", "li", "td", "th"].includes(token.name)) text += " "
  }
  return text.replace(/\s+/g, " ").trim()
}

/** Yields the tokens outside of dropped elements. */
function* allowedTokens(source: string): Generator<HtmlToken> {
  let dropping: { name: string; depth: number } | null = null
  for (const token of htmlTokens(source)) {
    if (!dropping) {
      if (token.kind !== "open" || !DROPPED_ELEMENTS.has(token.name)) yield token
      else if (!token.selfClosing || !["svg", "math"].includes(token.name)) dropping = { name: token.name, depth: 1 }
    } else if (token.kind !== "text" && token.name === dropping.name) {
      dropping.depth += token.kind === "open" ? 1 : -1
      if (dropping.depth === 0) dropping = null
    }
  }
}

/** Escapes markup characters. Well-formed character references are preserved. */
function escapeText(text: string): string {
  return text
    .replace(/&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});)/gi, "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
}
