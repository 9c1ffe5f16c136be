// What a terminal can show: its width, whether it takes colour, and how wide a text stands in it.
import type { WriteStream } from "node:tty"

type Stream = Pick<WriteStream, "isTTY" | "columns" | "write">

/** Columns of a terminal; undefined where the text goes to a file or another program, which takes any length. */
export const widthOf = (stream: Stream): number | undefined =>
  stream.isTTY ? Math.max(20, stream.columns || 80) : undefined

/** Whether text for a stream may carry colour: a terminal's may, unless NO_COLOR (https://no-color.org) or a dumb terminal says otherwise. */
export const takesColour = (stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean =>
  stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb"

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const

/** A function that colours text, or leaves it as it is where colour is not taken. */
export const painter =
  (isColoured: boolean) =>
  (colour: keyof typeof CODES, text: string): string =>
    isColoured && text ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text

/** What moves a terminal's cursor, changes its title, or hides or reorders text; tabs and line breaks aside. Emoji need their joiners. */
const UNPRINTABLE =
  /(?![\t\n])\p{Cc}(?<!\r(?=\n))|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/**
 * Text without what would move a terminal's cursor or change its title: names in it are whatever a stranger typed.
 * An end of line becomes a space.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[\r\n\t]+/g, " ").replaceAll(UNPRINTABLE, "\u{fffd}")

/** Text whose unprintable characters are written as `\uXXXX`: JSON means the same with them, and keeps its lines. */
export const escaped = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (found) =>
    found.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  )

const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{RGI_Emoji}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/v
const ASCII = /^[\x20-\x7e]*$/
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Characters above which a text's width is no longer counted out: no terminal shows it in a line. */
const COUNTED = 10_000

/** Columns that a text takes: two for what East Asian scripts and emoji draw wide. */
export function textWidth(text: string): number {
  if (text.length > COUNTED || ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

/** A text cut to some columns, an ellipsis at its end when something is missing. */
export function cutTo(text: string, columns: number): string {
  // More characters than any grapheme is made of are not looked at: a megabyte is cut as fast as a line.
  const near = text.length > columns * 32 ? text.slice(0, columns * 32) : text
  if (near === text && textWidth(text) <= columns) return text
  let kept = ""
  let width = 0
  for (const { segment } of graphemes.segment(near)) {
    width += WIDE.test(segment) ? 2 : 1
    if (width > columns - 1) break
    kept += segment
  }
  return `${kept}…`
}

/** A text with spaces behind it, up to some columns. */
export const pad = (text: string, columns: number): string => text + " ".repeat(Math.max(0, columns - textWidth(text)))
