// Detects a file's media type from its first bytes (based on the WHATWG MIME Sniffing Standard), not from its name or
// headers.

type Signature = [type: string, offset: number, bytes: string]

/** Signatures in Latin-1; longer ones come before those they contain. */
const SIGNATURES: Signature[] = [
  ["image/png", 0, "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", 0, "\xff\xd8\xff"],
  ["image/gif", 0, "GIF87a"],
  ["image/gif", 0, "GIF89a"],
  ["image/webp", 8, "WEBPVP"],
  ["image/avif", 4, "ftypavif"],
  ["image/avif", 4, "ftypavis"],
  ["image/heic", 4, "ftypheic"],
  ["image/heic", 4, "ftypheix"],
  ["image/heif", 4, "ftypmif1"],
  ["video/quicktime", 4, "ftypqt"],
  ["audio/mp4", 4, "ftypM4A"],
  ["video/mp4", 4, "ftyp"],
  ["image/tiff", 0, "II*\0"],
  ["image/tiff", 0, "MM\0*"],
  ["image/bmp", 0, "BM"],
  ["image/x-icon", 0, "\0\0\x01\0"],
  ["application/pdf", 0, "%PDF-"],
  ["video/webm", 0, "\x1aE\xdf\xa3"],
  ["audio/wav", 8, "WAVEfmt"],
  ["video/x-msvideo", 8, "AVI "],
  ["audio/flac", 0, "fLaC"],
  ["audio/mpeg", 0, "ID3"],
  ["audio/mpeg", 0, "\xff\xfb"],
  ["audio/aac", 0, "\xff\xf1"],
  ["audio/ogg", 0, "OggS"],
  ["audio/midi", 0, "MThd"],
  ["font/woff", 0, "wOFF"],
  ["font/woff2", 0, "wOF2"],
  ["font/otf", 0, "OTTO"],
  ["font/ttf", 0, "\0\x01\0\0"],
  ["application/zip", 0, "PK\x03\x04"],
  ["application/zip", 0, "PK\x05\x06"],
  ["application/gzip", 0, "\x1f\x8b\x08"],
  ["application/x-7z-compressed", 0, "7z\xbc\xaf\x27\x1c"],
  ["application/vnd.rar", 0, "Rar!\x1a\x07"],
]

/**
 * Formats within a zip archive or plain text, which only the extension distinguishes; browsers execute none of them.
 */
const BY_EXTENSION: Record<string, Record<string, string>> = {
  "application/zip": {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".epub": "application/epub+zip",
  },
  "text/plain": { ".csv": "text/csv", ".md": "text/markdown", ".json": "application/json" },
}

/** Number of leading bytes that detection needs. */
export const SNIFFED_BYTES = 2048

/**
 * Detects the media type of a file.
 * @param start its first bytes; SNIFFED_BYTES of them or the whole file
 * @param extension with the dot and in lower case; distinguishes formats with equal bytes, never one that a browser
 *   executes
 * @returns `application/octet-stream` for unknown binary data
 */
export function sniffMediaType(start: Uint8Array, extension: string): string {
  const head = start.subarray(0, SNIFFED_BYTES)
  const latin = String.fromCharCode(...head)
  const signed = SIGNATURES.find(([, offset, bytes]) => latin.startsWith(bytes, offset))?.[0]
  const found = signed ?? textType(head)
  return BY_EXTENSION[found]?.[extension] ?? found
}

function textType(head: Uint8Array): string {
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)
  const text = new TextDecoder(utf16 ? (head[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8").decode(head)
  const markup = markupType(text)
  if (markup) return markup
  // The last character may be incomplete.
  const whole = text.replace(/\ufffd{1,3}$/, "")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters distinguish binary data from text
  return /[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/.test(whole) ? "application/octet-stream" : "text/plain"
}

/** Detects HTML, SVG and other XML by the first tag (WHATWG MIME Sniffing, section 7.1). */
function markupType(text: string): string | null {
  const visible = text.replace(/^\ufeff/, "").trimStart()
  if (!visible.startsWith("<")) return null
  if (/<svg[\s>:/]/i.test(visible)) return "image/svg+xml"
  const html =
    /^<(!--|!doctype html|html|head|body|script|iframe|style|title|table|div|br|img|font|h1|p|a|b)([\s>/]|$)/i
  if (html.test(visible)) return "text/html"
  return visible.startsWith("<?xml") ? "text/xml" : null
}
