// Splits untrusted HTML into text, opening and closing tags, leniently as browsers do. It decides nothing: whoever reads
// the tokens builds new markup from those it knows, so a tag that is split differently than a browser would split it
// can cost some text but never lets anything through.

export type HtmlToken =
  | { kind: "text"; text: string }
  | { kind: "open"; name: string; attributes: Map<string, string>; selfClosing: boolean }
  | { kind: "close"; name: string }

/** Elements whose content is not markup; it is skipped up to their end tag. */
const RAW = new Set(["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript"])

const TAG_NAME = /[a-z][^\s/>]*/iy
const ATTRIBUTE = /[\s/]*([^\s/>][^\s/>=]*)(?:\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s>]*)))?/y
const COMMENT_END = /--!?>/g

/**
 * Every token of a document, in order. Character references stay as written in text and are decoded in attributes;
 * a tag the document ends within is dropped, as the standard has it.
 * @param source HTML of any quality
 */
export function* htmlTokens(source: string): Generator<HtmlToken> {
  const html = source.replaceAll("\0", "")
  const lower = asciiLower(html)
  let at = 0
  while (at < html.length) {
    const tag = nextTag(html, at)
    if (tag > at) yield { kind: "text", text: html.slice(at, tag) }
    if (tag === html.length) return

    if (html[tag + 1] === "!" || html[tag + 1] === "?" || isBogusClose(html, tag)) {
      at = afterComment(html, tag)
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
    if (RAW.has(name)) at = endOfRaw(lower, name, at)
  }
}

/** Lower case that keeps every index in place, which `toLowerCase` does not (`İ` becomes two characters). */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** The next `<` that begins a tag or a comment; any other `<` is text. */
function nextTag(html: string, from: number): number {
  for (let at = html.indexOf("<", from); at >= 0; at = html.indexOf("<", at + 1)) {
    if (/[a-z/!?]/i.test(html[at + 1] ?? "")) return at
  }
  return html.length
}

function isBogusClose(html: string, tag: number): boolean {
  return html[tag + 1] === "/" && !/[a-z]/i.test(html[tag + 2] ?? "")
}

function afterComment(html: string, tag: number): number {
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

function endOfRaw(lower: string, name: string, from: number): number {
  const end = lower.indexOf(`</${name}`, from)
  return end < 0 ? lower.length : end
}

const NAMED: Record<string, string> = {
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

/**
 * @param text with character references
 * @returns the text they stand for; a name not known here stays as written
 */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+);?|#([0-9]+);?|([a-z]+);)/gi, (whole, hex, decimal, name) => {
    if (name) return NAMED[String(name).toLowerCase()] ?? whole
    const point = hex ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10)
    const valid = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
    return valid ? String.fromCodePoint(point) : "\ufffd"
  })
}
