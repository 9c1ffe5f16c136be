// Terminal output: width, color support, display width of text and removal of control characters.
import type { WriteStream } from "node:tty"

type Stream = Pick<WriteStream, "isTTY" | "columns" | "write">

/** Returns the columns of a terminal; undefined for a file or pipe, which has no width. */
export const getTerminalWidth = (stream: Stream): number | undefined =>
  stream.isTTY ? Math.max(20, stream.columns || 80) : undefined

/** Checks for color support: a terminal, unless NO_COLOR (https://no-color.org) or TERM=dumb is set. */
export const supportsColor = (stream: Stream, env: NodeJS.ProcessEnv = process.env): boolean =>
  stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb"

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const

/** Creates a function that colors text, or returns it unchanged without color support. */
export const createPainter =
  (hasColor: boolean) =>
  (color: keyof typeof CODES, text: string): string =>
    hasColor && text ? `\u001b[${CODES[color]}m${text}\u001b[0m` : text

/**
 * Control and formatting characters that can move the cursor, set the title, or hide or reorder text. Excludes tabs and
 * line breaks, and the joiners that emoji need.
 */
const UNPRINTABLE =
  /(?![\t\n])\p{Cc}(?<!\r(?=\n))|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

/**
 * Replaces control characters, because names come from untrusted users and could contain escape sequences. Line breaks
 * and tabs become spaces.
 */
export const replaceUnprintable = (text: string): string =>
  text.replaceAll(/[\r\n\t]+/g, " ").replaceAll(UNPRINTABLE, "\u{fffd}")

/** Escapes control characters as `\uXXXX`, which preserves the meaning and the lines of JSON. */
export const escapeUnprintable = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (found) =>
    found.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  )

const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{RGI_Emoji}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/v
const ASCII = /^[\x20-\x7e]*$/
const graphemeSegmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** Longer text is not measured by grapheme, since no terminal shows it in one line. */
const MAX_MEASURED_LENGTH = 10_000

/** Returns the display width in columns; wide East Asian characters and emoji take two. */
export function getTextWidth(text: string): number {
  if (text.length > MAX_MEASURED_LENGTH || ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemeSegmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1
  return width
}

/** Truncates text to a display width, with an ellipsis. */
export function truncateText(text: string, columns: number): string {
  // Only a prefix is segmented, so truncating a megabyte is as fast as truncating a line.
  const candidate = text.length > columns * 32 ? text.slice(0, columns * 32) : text
  if (candidate === text && getTextWidth(text) <= columns) return text
  let result = ""
  let width = 0
  for (const { segment } of graphemeSegmenter.segment(candidate)) {
    width += WIDE.test(segment) ? 2 : 1
    if (width > columns - 1) break
    result += segment
  }
  return `${result}…`
}

/** Pads text with spaces to a display width. */
export const padText = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - getTextWidth(text)))
