// Renders an invoice as a PDF of one page. Loaded on first use, because the library is larger than the page itself.

import { PDFDocument, type PDFFont, rgb, StandardFonts } from "@cantoo/pdf-lib"
import type { Locale } from "../../core/i18n/locale"
import { describeInvoice } from "./describe"
import type { Invoice } from "./service"
import { t } from "./strings"

const A4: [number, number] = [595, 842]
const MARGIN = 60
const MAX_WIDTH = A4[0] - 2 * MARGIN
const SIZE = 10
const LINE_HEIGHT = 15
const GRAY = rgb(0.4, 0.4, 0.4)

/** Letters without a decomposition that the built-in fonts lack. */
const REPLACEMENTS: Readonly<Record<string, string>> = { đ: "d", Đ: "D", ł: "l", Ł: "L", "\u202f": " ", "\u2212": "-" }

/**
 * Replaces characters that a PDF's built-in fonts cannot show (WinAnsi) by their base letters, or by `?`. The page shows
 * the text unchanged.
 */
function toPrintable(text: string, font: PDFFont): string {
  const available = new Set(font.getCharacterSet())
  const fits = (character: string) => available.has(character.codePointAt(0) ?? 0)
  return [...text.normalize("NFC")]
    .map((character) => {
      if (fits(character)) return character
      const base = REPLACEMENTS[character] ?? character.normalize("NFD").replace(/\p{M}/gu, "")
      return [...base].map((letter) => (fits(letter) ? letter : "?")).join("")
    })
    .join("")
}

/** Breaks a text into lines that fit a width. A longer word is cut. */
function wrap(text: string, font: PDFFont, width: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    const next = line ? `${line} ${word}` : word
    if (font.widthOfTextAtSize(next, SIZE) <= width) {
      line = next
      continue
    }
    if (line) lines.push(line)
    line = word
    while (font.widthOfTextAtSize(line, SIZE) > width) {
      const cut = Math.max(1, Math.floor((line.length * width) / font.widthOfTextAtSize(line, SIZE)))
      lines.push(line.slice(0, cut))
      line = line.slice(cut)
    }
  }
  return line ? [...lines, line] : lines
}

/** Renders an invoice in a language. The same invoice is always the same file. */
export async function renderInvoicePdf(issued: Invoice, locale: Locale): Promise<Uint8Array<ArrayBuffer>> {
  const invoice = describeInvoice(issued, locale)
  const pdf = await PDFDocument.create({ updateMetadata: false })
  const [font, bold] = [await pdf.embedFont(StandardFonts.Helvetica), await pdf.embedFont(StandardFonts.HelveticaBold)]
  pdf.setTitle(invoice.title)
  pdf.setCreationDate(issued.issuedAt)
  pdf.setModificationDate(issued.issuedAt)
  const page = pdf.addPage(A4)
  let y = A4[1] - MARGIN
  const write = (
    text: string,
    x: number,
    options: { font?: PDFFont; size?: number; color?: ReturnType<typeof rgb> } = {},
  ) => page.drawText(toPrintable(text, font), { x, y, size: SIZE, font, ...options })
  const paragraph = (text: string) => {
    for (const line of wrap(toPrintable(text, font), font, MAX_WIDTH)) {
      write(line, MARGIN)
      y -= LINE_HEIGHT
    }
  }
  write(invoice.title, MARGIN, { font: bold, size: 20 })
  y -= 3 * LINE_HEIGHT
  for (const [label, lines] of [
    [t("seller", locale), invoice.seller],
    [t("buyer", locale), invoice.buyer],
  ] as const) {
    if (!lines.length) continue
    write(label, MARGIN, { color: GRAY })
    y -= LINE_HEIGHT
    for (const line of lines) paragraph(line)
    y -= LINE_HEIGHT
  }
  for (const rows of [invoice.facts, invoice.amounts]) {
    for (const [label, value] of rows) {
      write(label, MARGIN, { color: GRAY })
      const text = toPrintable(value, font)
      write(text, A4[0] - MARGIN - font.widthOfTextAtSize(text, SIZE))
      y -= LINE_HEIGHT
    }
    y -= LINE_HEIGHT
  }
  for (const note of invoice.notes) paragraph(note)
  return new Uint8Array(await pdf.save())
}
