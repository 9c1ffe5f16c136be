// Lists as CSV (RFC 4180), sent as they are read.

/** A cell that a spreadsheet would take for a formula is a text with an apostrophe in front. */
const disarm = (text: string): string => (/^[=+\-@\p{Cc}]/u.test(text) ? `'${text}` : text)

function cell(value: unknown): string {
  const text = disarm(value === null || value === undefined ? "" : String(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
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
