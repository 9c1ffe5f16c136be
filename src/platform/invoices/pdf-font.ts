// The font that PDF files embed: a part of Noto Sans, whose files `npm run invoice-font` writes to assets/fonts.
import { openStaticFile } from "../../core/storage/static-files"
import type { Bindings } from "../../env"

/** Lengths are in thousandths of the size. */
interface Metrics {
  name: string
  ascent: number
  descent: number
  capHeight: number
  box: number[]
  /** The character of each glyph, from glyph 1. */
  characters: string
  /** The width of each of them. */
  widths: number[]
  /** Bytes of the font's file before it was deflated. */
  length: number
}

const EM = 1000

/** Characters whose base letter is not what Unicode decomposes them to. */
const REPLACEMENTS: Readonly<Record<string, string>> = { "\u2007": "\u00a0", "\u2009": "\u00a0", "\u2011": "-" }

export class PdfFont {
  readonly metrics: Metrics
  /** The deflated file; each character is a byte. */
  readonly file: string
  /** The character of each glyph, from glyph 1. */
  readonly characters: readonly string[]
  readonly #glyphs: ReadonlyMap<string, number>

  private constructor(metrics: Metrics, file: string) {
    this.metrics = metrics
    this.file = file
    this.characters = [...metrics.characters]
    this.#glyphs = new Map(this.characters.map((character, index) => [character, index + 1]))
  }

  /** @throws Refusal `temporarily_unavailable` when the font cannot be read now */
  static async load(env: Bindings): Promise<PdfFont> {
    const [metrics, file] = await Promise.all([
      openStaticFile(env, "fonts/noto-sans-subset.json").then((response) => response.json<Metrics>()),
      openStaticFile(env, "fonts/noto-sans-subset.zlib").then((response) => response.arrayBuffer()),
    ])
    return new PdfFont(metrics, Array.from(new Uint8Array(file), (byte) => String.fromCharCode(byte)).join(""))
  }

  /** Replaces characters that the font lacks by their base letters, or by `?`. */
  toPrintable(text: string): string {
    const replace = (character: string): string => {
      if (this.#glyphs.has(character)) return character
      const base = REPLACEMENTS[character] ?? character.normalize("NFKD").replace(/\p{M}/gu, "")
      return [...base].map((letter) => (this.#glyphs.has(letter) ? letter : "?")).join("")
    }
    return [...text.normalize("NFC")].map(replace).join("")
  }

  listGlyphs(text: string): number[] {
    return [...text].map((character) => this.#glyphs.get(character) ?? 0)
  }

  /** The width of a printable text, in points. */
  measureText(text: string, size: number): number {
    const width = this.listGlyphs(text).reduce((sum, glyph) => sum + (this.metrics.widths[glyph - 1] ?? 0), 0)
    return (width * size) / EM
  }
}
