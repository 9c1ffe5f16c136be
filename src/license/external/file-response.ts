// Update files as HTTP answers. What is refused is refused without a word: old clients write whatever comes into the file they
// wanted.
import type { UpdateFile } from "../../db/schema/central/licenses"
import type { NoFile, OpenFile } from "./download"

/** Of whatever type it was uploaded as. */
const file = "*/*"

/** How a download answers: with the file or the part asked for, or without a word. */
export const downloaded = {
  answers: [
    { status: 200, file },
    { status: 206, file },
  ],
  silent: [401, 404, 416],
} as const

/** How a file's size is told. */
export const sized = { answers: { status: 200, file }, silent: [404] } as const

const NO_FILE_STATUS = { missing: 404, refused: 401, unsatisfiable: 416 } as const

/** The answer to a download. */
export function fileAnswer(opened: OpenFile | NoFile): Response {
  if (opened.kind !== "open") {
    const headers = new Headers(opened.kind === "unsatisfiable" ? { "Content-Range": `bytes */${opened.size}` } : {})
    return new Response(null, { status: NO_FILE_STATUS[opened.kind], headers })
  }
  const { range, size, type, name, etag } = opened
  const { offset, length } = range ?? { offset: 0, length: size }
  const headers = new Headers({
    ...fileHeaders({ size: length, type }),
    "Content-Disposition": `attachment; filename="${name}"`,
    "Accept-Ranges": "bytes",
    ETag: etag,
  })
  if (range) headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${size}`)
  // Without a fixed length the answer would be sent in chunks, and a client could not tell a cut one from a whole one.
  const body = opened.body.pipeThrough(new FixedLengthStream(length))
  return new Response(body, { status: range ? 206 : 200, headers })
}

const fileHeaders = ({ size, type }: { size: number; type: string }) => ({
  "Content-Length": String(size),
  "Content-Type": type,
  // Compressed on the way it would have another length than the one that was promised.
  "Cache-Control": "private, no-transform",
  "X-Content-Type-Options": "nosniff",
})

/** A file's length and type, and not one byte of it. */
export function sizeAnswer(file: UpdateFile | null, method: string): Response {
  if (!file) return new Response(null, { status: 404 })
  return new Response(method === "HEAD" ? null : unsentBody(file.size), { headers: fileHeaders(file) })
}

/** Milliseconds that the headers are given to leave before the connection is closed behind them. */
const HEADERS_LEAVE_MS = 50

/**
 * A body of a length of which nothing is ever sent. The runtime writes the Content-Length of the body it is given, whatever
 * the headers say: an answer to GET without a body says 0. So there is a body, and it breaks off before its first byte: the
 * client reads the true length, and then finds the connection closed. It is first read once the headers are written, and
 * breaking off at once would tear the connection down under them.
 */
function unsentBody(length: number): ReadableStream | null {
  if (length === 0) return null
  const source = {
    type: "bytes" as const,
    expectedLength: length,
    async pull(controller: ReadableByteStreamController) {
      await scheduler.wait(HEADERS_LEAVE_MS)
      controller.error(new Error("only the length was asked for"))
    },
  }
  return new ReadableStream(source)
}
