// Tokenizes untrusted HTML into text, opening and closing tags, as leniently as browsers do. It filters nothing: the
// sanitiser builds new markup from the tokens it knows, so a tag split differently than in a browser can lose text but
// never lets markup through.

export type HtmlToken =
  | { kind: "text"; text: string }
  | { kind: "open"; name: string; attributes: Map<string, string>; selfClosing: boolean }
  | { kind: "close"; name: string }

/** Elements whose content is not markup. The tokenizer skips it up to the end tag. */
const RAW_TEXT_ELEMENTS = new Set([
  "script",
  "style",
  "title",
  "textarea",
  "xmp",
  "iframe",
  "noembed",
  "noframes",
  "noscript",
])

const TAG_NAME = /[a-z][^\s/>]*/iy
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s>]*)))?/y
const COMMENT_END = /--!?>/g

/**
 * Yields the tokens of a document in order. Character references are decoded in attributes but not in text. A tag cut
 * off by the end of the document is dropped, as in the HTML standard.
 * @param source HTML of any quality
 */
export function* htmlTokens(source: string): Generator<HtmlToken> {
  const html = source.replaceAll("\0", "")
  const lower = asciiLower(html)
  let at = 0
  while (at < html.length) {
    const tag = findTag(html, at)
    if (tag > at) yield { kind: "text", text: html.slice(at, tag) }
    if (tag === html.length) return

    if (html[tag + 1] === "!" || html[tag + 1] === "?" || isBogusClose(html, tag)) {
      at = skipComment(html, tag)
      continue
    }
    const closing = html[tag + 1] === "/"
    TAG_NAME.lastIndex = tag + (closing ? 2 : 1)
    const name = asciiLower(TAG_NAME.exec(html)?.[0] ?? "")
    const { attributes, end } = readAttributes(html, TAG_NAME.lastIndex)
    if (end >= html.length) return
    at = end + 1
    if (closing) {
      yield { kind: "close", name }
      continue
    }
    yield { kind: "open", name, attributes, selfClosing: html[end - 1] === "/" }
    if (name === "plaintext") return
    if (RAW_TEXT_ELEMENTS.has(name)) at = findRawTextEnd(lower, name, at)
  }
}

/** Lower-cases ASCII letters only: `toLowerCase` would shift indexes (`İ` becomes two characters). */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** Finds the next `<` that begins a tag or a comment; any other `<` is text. */
function findTag(html: string, from: number): number {
  for (let at = html.indexOf("<", from); at >= 0; at = html.indexOf("<", at + 1)) {
    if (/[a-z/!?]/i.test(html[at + 1] ?? "")) return at
  }
  return html.length
}

function isBogusClose(html: string, tag: number): boolean {
  return html[tag + 1] === "/" && !/[a-z]/i.test(html[tag + 2] ?? "")
}

function skipComment(html: string, tag: number): number {
  if (!html.startsWith("<!--", tag)) {
    const end = html.indexOf(">", tag)
    return end < 0 ? html.length : end + 1
  }
  COMMENT_END.lastIndex = tag + 2
  return COMMENT_END.exec(html) ? COMMENT_END.lastIndex : html.length
}

function readAttributes(html: string, from: number): { attributes: Map<string, string>; end: number } {
  const attributes = new Map<string, string>()
  let at = from
  for (;;) {
    ATTRIBUTE.lastIndex = at
    const match = ATTRIBUTE.exec(html)
    if (!match) break
    at = ATTRIBUTE.lastIndex
    const name = asciiLower(match[1] ?? "")
    if (!attributes.has(name)) attributes.set(name, decodeReferences(match[2] ?? match[3] ?? match[4] ?? ""))
  }
  while (/[\s/]/.test(html[at] ?? "")) at++
  return { attributes, end: at }
}

function findRawTextEnd(lower: string, name: string, from: number): number {
  const end = lower.indexOf(`</${name}`, from)
  return end < 0 ? lower.length : end
}

const NAMED_REFERENCES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  colon: ":",
  sol: "/",
  bsol: "\\",
  lpar: "(",
  rpar: ")",
  tab: "\t",
  newline: "\n",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  euro: "€",
  shy: "",
}

/** Decodes the character references in a text. Unknown names are left unchanged. */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+);?|#([0-9]+);?|([a-z]+);)/gi, (whole, hex, decimal, name) => {
    if (name) return NAMED_REFERENCES[String(name).toLowerCase()] ?? whole
    const point = hex ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10)
    const valid = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    return valid ? String.fromCodePoint(point) : "\ufffd"
  })
}
