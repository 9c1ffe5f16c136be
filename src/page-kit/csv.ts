// Streams lists as CSV (RFC 4180).
import { listFields, type Omitted } from "../lib/every-field"

/** Returns the value of a cell. */
export type CsvCell<Row> = (row: Row) => unknown

/**
 * Positions at which a spreadsheet could start a formula: before a sign or a control character, at the start of a cell
 * or after a separator inside it. Spaces, quotes and invisible characters in between are skipped, as spreadsheets do
 * (CSV injection, OWASP).
 */
const FORMULA_START = /(?<=^|[;,\t\r\n])(?!(?<=\r)\n)(?=[\p{Z}\p{Cf}"']*[=+\-@＝＋－＠﹦﹢﹣﹫\p{Cc}])/gu

/**
 * Formats a cell, always quoted. Excel with a semicolon as list separator (most of Europe) only respects the quotes of
 * the first cell of a line, so formulas after separators are escaped with an apostrophe too.
 */
function formatCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value)
  return `"${text.replace(FORMULA_START, "'").replaceAll('"', '""')}"`
}

const formatRow = (values: readonly unknown[]): string => `${values.map(formatCell).join(",")}\r\n`

/**
 * Creates a CSV download.
 * @param columns the columns by their names, in order
 * @param chunks rows, in chunks as they are read
 * @param name file name without the extension
 */
export function createCsvResponse<Row>(
  columns: Readonly<Record<string, CsvCell<Row> | Omitted>>,
  chunks: AsyncIterable<readonly Row[]>,
  name: string,
): Response {
  const cells = listFields(columns)
  const encoder = new TextEncoder()
  const iterator = chunks[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(formatRow(cells.map(([header]) => header))))
    },
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else
        controller.enqueue(encoder.encode(value.map((row) => formatRow(cells.map(([, cell]) => cell(row)))).join("")))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  return new Response(body, {
    headers: { "Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="${name}.csv"` },
  })
}
