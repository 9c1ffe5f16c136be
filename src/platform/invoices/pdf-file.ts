// Writes PDF files of text in one embedded font (ISO 32000-1). Libraries that embed fonts would add 300 KB to the
// Worker.
import type { PdfFont } from "./pdf-font"

/** A line of text. Lengths are in points, from the lower left corner of the page. */
export interface PdfText {
  text: string
  x: number
  y: number
  size: number
  isBold?: boolean
  /** 0 is black and 1 is white. */
  gray?: number
}

const toHex = (value: number): string => value.toString(16).padStart(4, "0").toUpperCase()
const toUtf16Hex = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => toHex(text.charCodeAt(index))).join("")

/** A text string that may have any character (ISO 32000-1, 7.9.2.2). */
const formatText = (text: string): string => `<FEFF${toUtf16Hex(text)}>`

const formatDate = (at: Date): string => `(D:${at.toISOString().replace(/\D/g, "").slice(0, 14)}Z)`

/** Bold letters are drawn with an outline (text rendering mode 2). */
const BOLD_OUTLINE = 0.03

function drawText(font: PdfFont, { text, x, y, size, isBold = false, gray = 0 }: PdfText): string {
  const style = isBold ? `2 Tr ${(size * BOLD_OUTLINE).toFixed(2)} w ${gray} G ` : "0 Tr "
  const glyphs = font.listGlyphs(text).map(toHex).join("")
  return `${style}${gray} g /F1 ${size} Tf 1 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)} Tm <${glyphs}> Tj`
}

/** Maps glyphs to characters, so that the text can be searched and copied (ISO 32000-1, 9.10.3). */
function mapGlyphs(font: PdfFont, glyphs: readonly number[]): string {
  const line = (glyph: number) => `<${toHex(glyph)}> <${toUtf16Hex(font.characters[glyph - 1] ?? "?")}>`
  const lines = glyphs.map(line)
  const blocks: string[] = []
  // A block has at most 100 entries.
  for (let start = 0; start < lines.length; start += 100) {
    const block = lines.slice(start, start + 100)
    blocks.push(`${block.length} beginbfchar\n${block.join("\n")}\nendbfchar`)
  }
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
${blocks.join("\n")}
endcmap CMapName currentdict /CMap defineresource pop end end`
}

const stream = (content: string, entries = ""): string =>
  `<< /Length ${content.length}${entries} >>\nstream\n${content}\nendstream`

/** The numbers of the objects that each file has. Pages and their contents follow. */
const [CATALOG, PAGES, TYPE0, CID_FONT, DESCRIPTOR, TO_UNICODE, FONT_FILE, INFO] = [1, 2, 3, 4, 5, 6, 7, 8]
const FIRST_PAGE = 9

/**
 * Writes a file. The same content is always the same file.
 * @param options.title the title in the reader's window
 * @param options.language of the text, such as `en`
 * @param options.at the time of creation
 * @param options.size width and height of the pages in points
 * @param options.pages the texts of each page, which the font's `toPrintable` returned
 */
export function writePdf(options: {
  title: string
  language: string
  at: Date
  size: readonly [width: number, height: number]
  pages: readonly (readonly PdfText[])[]
  font: PdfFont
}): Uint8Array<ArrayBuffer> {
  const { title, language, at, size, pages, font } = options
  const used = [...new Set(pages.flat().flatMap(({ text }) => font.listGlyphs(text)))].sort((a, b) => a - b)
  const { metrics } = font
  const widths = used.map((glyph) => `${glyph} [${metrics.widths[glyph - 1] ?? 0}]`)
  const numberOf = (page: number) => FIRST_PAGE + 2 * page
  const kids = pages.map((_, index) => `${numberOf(index)} 0 R`)
  const name = `ABCDEF+${metrics.name}`
  const objects: string[] = []
  objects[CATALOG] = `<< /Type /Catalog /Pages ${PAGES} 0 R /Lang (${language}) >>`
  objects[PAGES] = `<< /Type /Pages /Kids [${kids.join(" ")}] /Count ${kids.length} /MediaBox [0 0 ${size.join(" ")}]
/Resources << /Font << /F1 ${TYPE0} 0 R >> >> >>`
  objects[TYPE0] = `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H
/DescendantFonts [${CID_FONT} 0 R] /ToUnicode ${TO_UNICODE} 0 R >>`
  objects[CID_FONT] = `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDToGIDMap /Identity
/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>
/FontDescriptor ${DESCRIPTOR} 0 R /DW 0 /W [${widths.join(" ")}] >>`
  objects[DESCRIPTOR] = `<< /Type /FontDescriptor /FontName /${name} /Flags 4 /FontBBox [${metrics.box.join(" ")}]
/ItalicAngle 0 /Ascent ${metrics.ascent} /Descent ${metrics.descent} /CapHeight ${metrics.capHeight} /StemV 80
/FontFile2 ${FONT_FILE} 0 R >>`
  objects[TO_UNICODE] = stream(mapGlyphs(font, used))
  objects[FONT_FILE] = stream(font.file, ` /Length1 ${metrics.length} /Filter /FlateDecode`)
  objects[INFO] = `<< /Title ${formatText(title)} /CreationDate ${formatDate(at)} /ModDate ${formatDate(at)} >>`
  for (const [index, texts] of pages.entries()) {
    const number = numberOf(index)
    objects[number] = `<< /Type /Page /Parent ${PAGES} 0 R /Contents ${number + 1} 0 R >>`
    objects[number + 1] = stream(`BT\n${texts.map((text) => drawText(font, text)).join("\n")}\nET`)
  }
  return writeObjects(objects)
}

/** Writes numbered objects with their cross-reference table (ISO 32000-1, 7.5). Each character is a byte. */
function writeObjects(objects: readonly string[]): Uint8Array<ArrayBuffer> {
  // The comment says that the file has binary data.
  let file = "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
  let table = "0000000000 65535 f \n"
  for (let number = 1; number < objects.length; number++) {
    table += `${String(file.length).padStart(10, "0")} 00000 n \n`
    file += `${number} 0 obj\n${objects[number]}\nendobj\n`
  }
  const start = file.length
  file += `xref\n0 ${objects.length}\n${table}`
  file += `trailer\n<< /Size ${objects.length} /Root ${CATALOG} 0 R /Info ${INFO} 0 R >>\nstartxref\n${start}\n%%EOF\n`
  return Uint8Array.from(file, (character) => character.charCodeAt(0))
}
