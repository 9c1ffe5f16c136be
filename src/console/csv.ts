// Writes lists as CSV (RFC 4180), streamed as they are read.

/**
 * Where a spreadsheet could begin a formula: in front of a sign or a control character, at the start of a cell or behind a separator
 * within it. Blanks, quotes and invisible characters in between are skipped, as spreadsheets do.
 */
const FORMULA_START = /(?<=^|[;,\t\r\n])(?!(?<=\r)\n)(?=[\p{Z}\p{Cf}"']*[=+\-@＝＋－＠﹦﹢﹣﹫\p{Cc}])/gu

/**
 * A cell, always quoted. Where Excel splits at semicolons (as in most of Europe) only the first quoted cell of a line is left whole,
 * so an apostrophe disarms formulas behind separators too.
 */
function cell(value: unknown): string {
  const text = value === null || value === undefined ? "" : String(value)
  return `"${text.replace(FORMULA_START, "'").replaceAll('"', '""')}"`
}

const line = (values: readonly unknown[]): string => `${values.map(cell).join(",")}\r\n`

/**
 * A file of rows.
 * @param head the names of the columns
 * @param pieces rows as they are read, in pieces
 * @param name the file's name
 */
export function csv(head: readonly string[], pieces: AsyncIterable<readonly unknown[][]>, name: string): Response {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(line(head)))
    },
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value.map(line).join("")))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  return new Response(body, {
    headers: { "Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="${name}.csv"` },
  })
}
