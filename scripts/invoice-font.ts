// npm run invoice-font -- <NotoSans-Regular.ttf>: writes the letters of the font that invoices embed. The file is in
// https://github.com/notofonts/latin-greek-cyrillic; its license is the SIL Open Font License 1.1.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { deflateSync } from "node:zlib"
import { type Font, openSync } from "fontkit"
import { root, UserError } from "../tools/lib/project.ts"

/** Ranges of code points: European languages, Vietnamese, Greek and Cyrillic, with their punctuation and currencies. */
const RANGES = [
  [0x20, 0x7e],
  [0xa0, 0x17f],
  [0x1a0, 0x1a1],
  [0x1af, 0x1b0],
  [0x218, 0x21b],
  [0x384, 0x3ce],
  [0x400, 0x45f],
  [0x490, 0x491],
  [0x1ea0, 0x1ef9],
  [0x2010, 0x2014],
  [0x2018, 0x201e],
  [0x2020, 0x2022],
  [0x2026, 0x2026],
  [0x202f, 0x202f],
  [0x2030, 0x2030],
  [0x2039, 0x203a],
  [0x20a0, 0x20bf],
  [0x2116, 0x2116],
  [0x2122, 0x2122],
  [0x2212, 0x2212],
] as const

const [file] = process.argv.slice(2)
if (!file) throw new UserError("Usage: npm run invoice-font -- <NotoSans-Regular.ttf>")
const font = openSync(file) as Font
const codePoints = RANGES.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, index) => from + index))
const characters = codePoints.filter((codePoint) => font.hasGlyphForCodePoint(codePoint))
const subset = font.createSubset()
const glyphs = characters.map((codePoint) => font.glyphForCodePoint(codePoint))
if (new Set(glyphs.map(({ id }) => id)).size < glyphs.length) throw new UserError("Two characters share a glyph.")
// Glyph 0 is the one of missing characters, so the glyph of a character has its position plus one.
for (const glyph of glyphs) subset.includeGlyph(glyph)
const bytes = Buffer.from(subset.encode())
const { ascent, descent, capHeight, bbox, unitsPerEm } = font
if (unitsPerEm !== 1000) throw new UserError("PDF needs widths in thousandths; this font has other units.")
const metrics = {
  name: "NotoSans-Regular",
  ...{ ascent, descent, capHeight },
  box: [bbox.minX, bbox.minY, bbox.maxX, bbox.maxY],
  characters: String.fromCodePoint(...characters),
  widths: glyphs.map(({ advanceWidth }) => Math.round(advanceWidth)),
  length: bytes.length,
  copyright: `${font.copyright}. SIL Open Font License 1.1, https://openfontlicense.org`,
}
const target = join(root, "assets/fonts/noto-sans-subset")
writeFileSync(`${target}.json`, `${JSON.stringify(metrics)}\n`)
writeFileSync(`${target}.zlib`, deflateSync(bytes, { level: 9 }))
console.log(`Wrote ${characters.length} glyphs, ${bytes.length} bytes.`)
