// Parses CSV text (RFC 4180) in linear time, and escapes formulas in cells.

/**
 * Positions at which a spreadsheet could start a formula: before a sign or a control character, at the start of a cell
 * or after a separator inside it. Spaces, quotes and invisible characters in between are skipped, as spreadsheets do
 * (CSV injection, OWASP).
 */
const FORMULA_START = /(?<=^|[;,\t\r\n])(?!(?<=\r)\n)(?=[\p{Z}\p{Cf}"']*[=+\-@＝＋－＠﹦﹢﹣﹫\p{Cc}])/gu

/** The apostrophe that `escapeFormulas` inserts at such a position. */
const ESCAPED_START = /(?<=^|[;,\t\r\n])'(?=[\p{Z}\p{Cf}"']*[=+\-@＝＋－＠﹦﹢﹣﹫\p{Cc}])/gu

/**
 * Escapes formulas in the text of a cell with an apostrophe. Excel with a semicolon as list separator (most of Europe)
 * only respects the quotes of the first cell of a line, so formulas after separators are escaped too.
 */
export const escapeFormulas = (text: string): string => text.replace(FORMULA_START, "'")

/**
 * Reverses `escapeFormulas` exactly: where a text has an apostrophe before a formula, the escaped text has two. A text
 * that was never escaped loses one apostrophe before each formula.
 */
export const unescapeFormulas = (text: string): string => text.replace(ESCAPED_START, "")

/**
 * Parses CSV with commas, or with semicolons where the first line has no comma outside of quotes.
 * @returns the cells of each line; empty lines are left out
 */
export function parseCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, "")
  const separator = findSeparator(source)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ""
  let isQuoted = false
  const endCell = () => {
    row.push(cell)
    cell = ""
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0]?.trim()) rows.push(row)
    row = []
  }
  for (let at = 0; at < source.length; at++) {
    const character = source[at]
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (source[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === "") isQuoted = true
    else if (character === separator) endCell()
    else if (character === "\n") endRow()
    else if (character !== "\r") cell += character
  }
  endRow()
  return rows
}

function findSeparator(source: string): string {
  const [head = ""] = source.split("\n", 1)
  return head.replaceAll(/"[^"]*"/g, "").includes(",") ? "," : head.includes(";") ? ";" : ","
}
