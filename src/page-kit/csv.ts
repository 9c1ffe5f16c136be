// Streams lists as CSV (RFC 4180).
import { escapeFormulas } from "../lib/csv"
import { listFields, type Omitted } from "../lib/every-field"

/** Returns the value of a cell. */
export type CsvCell<Row> = (row: Row) => unknown

/** Formats a cell, always quoted. */
function formatCell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value)
  return `"${escapeFormulas(text).replaceAll('"', '""')}"`
}

/** Excel reads a file without it in the encoding of the system. */
const BYTE_ORDER_MARK = "\uFEFF"

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
      controller.enqueue(encoder.encode(BYTE_ORDER_MARK + formatRow(cells.map(([header]) => header))))
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
