// Builds HTTP responses for update files. Refusals have no body, because legacy clients write any response body to the
// file.
import type { UpdateFile } from "../../db/schema/central/licenses"
import type { DownloadFailure, FileDownload } from "./download"

/** The media type is detected on upload. */
const file = "*/*"

/** OpenAPI responses of a download: the file or a range of it, or a status without a body. */
export const DOWNLOAD_RESPONSES = {
  responses: [
    { status: 200, file },
    { status: 206, file },
  ],
  silent: [401, 404, 416],
} as const

/** OpenAPI responses of a size request. */
export const SIZE_RESPONSES = { responses: { status: 200, file }, silent: [404] } as const

const FAILURE_STATUS = { missing: 404, refused: 401, unsatisfiable: 416 } as const

/** Builds the response for a download. */
export function downloadResponse(opened: FileDownload | DownloadFailure): Response {
  if (opened.kind !== "open") {
    const headers = new Headers(opened.kind === "unsatisfiable" ? { "Content-Range": `bytes */${opened.size}` } : {})
    return new Response(null, { status: FAILURE_STATUS[opened.kind], headers })
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
  // Without a fixed length the response would be chunked, and clients could not detect a truncated download.
  const body = opened.body.pipeThrough(new FixedLengthStream(length))
  return new Response(body, { status: range ? 206 : 200, headers })
}

const fileHeaders = ({ size, type }: { size: number; type: string }) => ({
  "Content-Length": String(size),
  "Content-Type": type,
  // Compression by a proxy would change the length.
  "Cache-Control": "private, no-transform",
  "X-Content-Type-Options": "nosniff",
})

/** Builds the response with a file's size and type in the headers, and no content. */
export function sizeResponse(file: UpdateFile | null, method: string): Response {
  if (!file) return new Response(null, { status: 404 })
  return new Response(method === "HEAD" ? null : unsentBodyOfLength(file.size), { headers: fileHeaders(file) })
}

/** Delay that lets the runtime send the headers before the connection is closed. */
const HEADER_FLUSH_MS = 50

/**
 * Returns a body with a declared length that fails before its first byte. The runtime derives Content-Length from the
 * body and ignores the header, so a GET response without a body would report 0. With this body the client reads the
 * true length and then sees the connection close. The delay in `pull` prevents the close from overtaking the headers.
 */
function unsentBodyOfLength(length: number): ReadableStream | null {
  if (length === 0) return null
  const source = {
    type: "bytes" as const,
    expectedLength: length,
    async pull(controller: ReadableByteStreamController) {
      await scheduler.wait(HEADER_FLUSH_MS)
      controller.error(new Error("only the length was asked for"))
    },
  }
  return new ReadableStream(source)
}
