// Renders an invoice as a PDF.
import type { Locale } from "../../core/i18n/locale"
import type { Bindings } from "../../env"
import { describeInvoice } from "./describe"
import { type PdfText, writePdf } from "./pdf-file"
import { PdfFont } from "./pdf-font"
import type { Invoice } from "./service"
import { t } from "./strings"

const A4 = [595, 842] as const
const MARGIN = 60
const MAX_WIDTH = A4[0] - 2 * MARGIN
const SIZE = 10
const TITLE_SIZE = 20
const LINE_HEIGHT = 15
const GRAY = 0.4

/** Breaks a text into lines that fit the page. A longer word is cut. */
function wrap(font: PdfFont, text: string): string[] {
  const lines: string[] = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    const next = line ? `${line} ${word}` : word
    if (font.measureText(next, SIZE) <= MAX_WIDTH) {
      line = next
      continue
    }
    if (line) lines.push(line)
    line = word
    while (font.measureText(line, SIZE) > MAX_WIDTH) {
      const cut = Math.max(1, Math.floor((line.length * MAX_WIDTH) / font.measureText(line, SIZE)))
      lines.push(line.slice(0, cut))
      line = line.slice(cut)
    }
  }
  return line ? [...lines, line] : lines
}

/** Renders an invoice in a language. The same invoice is always the same file. */
export async function renderInvoicePdf(
  env: Bindings,
  issued: Invoice,
  locale: Locale,
): Promise<Uint8Array<ArrayBuffer>> {
  const invoice = describeInvoice(issued, locale)
  const font = await PdfFont.load(env)
  const pages: PdfText[][] = [[]]
  let y = A4[1] - MARGIN
  const write = (text: string, x: number, style: Partial<PdfText> = {}) =>
    pages.at(-1)?.push({ text: font.toPrintable(text), x, y, size: SIZE, ...style })
  const moveDown = (lines = 1) => {
    y -= lines * LINE_HEIGHT
    if (y >= MARGIN) return
    pages.push([])
    y = A4[1] - MARGIN
  }
  const writeParagraph = (text: string) => {
    for (const line of wrap(font, font.toPrintable(text))) {
      write(line, MARGIN)
      moveDown()
    }
  }
  write(invoice.title, MARGIN, { size: TITLE_SIZE, isBold: true })
  moveDown(3)
  for (const [label, lines] of [
    [t("seller", locale), invoice.seller],
    [t("buyer", locale), invoice.buyer],
  ] as const) {
    if (!lines.length) continue
    write(label, MARGIN, { gray: GRAY })
    moveDown()
    for (const line of lines) writeParagraph(line)
    moveDown()
  }
  for (const rows of [invoice.facts, invoice.amounts]) {
    for (const [label, value] of rows) {
      write(label, MARGIN, { gray: GRAY })
      write(value, A4[0] - MARGIN - font.measureText(font.toPrintable(value), SIZE))
      moveDown()
    }
    moveDown()
  }
  for (const note of invoice.notes) writeParagraph(note)
  return writePdf({
    font,
    title: invoice.title,
    language: locale,
    at: issued.issuedAt,
    size: A4,
    pages,
  })
}
