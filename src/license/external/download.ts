// Update files on their way to an installation. What is refused is refused without a word: old clients write whatever comes
// into the file they wanted.
import type { Context } from "hono"
import { batch } from "../../db/client"
import type { UpdateFile } from "../../db/schema/central/licenses"
import { parseRange } from "../../lib/byte-range"
import { sanitiseFileName } from "../../lib/file-name"
import { oneHolding } from "../activations/queries"
import { type Fields, parseFields } from "../fields"
import { downloadFault } from "../rules/download"
import { isReleased } from "../rules/updates"
import type { LicenseCtx, LicenseEnv } from "../types"
import { oneVersion, selectVersion, type VersionOfProduct } from "../versions/queries"
import { parts, shownLicense } from "./hold"
import { Download } from "./schemas"

type C = Context<LicenseEnv>

const file = "application/octet-stream"

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

/** The file of a version that is out, or null: unknown, not out yet, of no such type, or never uploaded. */
function fileOf(ctx: LicenseCtx, found: VersionOfProduct | null, type: string): UpdateFile | null {
  if (!found?.product.isActive || !isReleased(found.version, ctx.now)) return null
  if (type === "main") return found.version.mainFile
  return type === "sql" ? found.version.sqlFile : null
}

/**
 * Sends a file, whole or in the part that is asked for.
 * @param type `main` or `sql`; any other has no file
 * @param fields the request's, which may prove a license
 * @throws Refusal `validation_failed` for fields of the wrong kind
 */
export async function download(c: C, versionId: string, type: string, fields: Fields): Promise<Response> {
  const { ctx } = c.var
  const input = parseFields(Download, fields)
  const { statement, request } = await shownLicense(ctx, input, "domain")
  const answers = await batch(ctx.db, [selectVersion(ctx.db, versionId), ...(statement ? [statement] : [])])
  const found = oneVersion(answers[0])
  const file = fileOf(ctx, found, type)
  if (!found || !file || (input.product_id && input.product_id !== found.product.referenceId)) return c.body(null, 404)

  const holding = statement && oneHolding(answers[1])
  const fault = downloadFault({ ...parts(holding), ...found, request, now: ctx.now })
  if (fault !== null) {
    ctx.log.info("download refused", { fault, license: holding?.license.id ?? null })
    return c.body(null, 401)
  }
  return send(c, file, fileName(found, type))
}

const fileName = ({ product, version }: VersionOfProduct, type: string): string =>
  sanitiseFileName(`${type}_${product.referenceId}_${version.version}${type === "sql" ? ".sql" : ".zip"}`)

async function send(c: C, file: UpdateFile, name: string): Promise<Response> {
  // A stored file is never written again, so its key says which one it is.
  const etag = `"${file.key.split("/").at(-1)}"`
  const range = isCurrent(c, etag) ? parseRange(c.req.header("Range"), file.size) : null
  if (range === "unsatisfiable") return c.body(null, 416, { "Content-Range": `bytes */${file.size}` })
  const object = await c.env.UPDATES.get(file.key, range ? { range } : undefined)
  if (!object) {
    c.var.log.error("an update file is gone", new Error("no such object"), { file: file.key })
    return c.body(null, 404)
  }

  const { offset, length } = range ?? { offset: 0, length: file.size }
  const headers = new Headers({
    ...fileHeaders({ size: length, type: file.type }),
    "Content-Disposition": `attachment; filename="${name}"`,
    "Accept-Ranges": "bytes",
    ETag: etag,
  })
  if (range) headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${file.size}`)
  // Without a fixed length the answer would be sent in chunks, and a client could not tell a cut one from a whole one.
  const body = object.body.pipeThrough(new FixedLengthStream(length))
  return new Response(body, { status: range ? 206 : 200, headers })
}

/** Whether a client that resumes has the beginning of this very file (RFC 9110, section 13.1.5). */
const isCurrent = (c: C, etag: string): boolean => (c.req.header("If-Range") ?? etag) === etag

const fileHeaders = ({ size, type }: { size: number; type: string }) => ({
  "Content-Length": String(size),
  "Content-Type": type,
  // Compressed on the way it would have another length than the one that was promised.
  "Cache-Control": "private, no-transform",
  "X-Content-Type-Options": "nosniff",
})

/**
 * A file's length and type, and not one byte of it. Needs no license: the size tells nothing.
 * @param type `main` or `sql`
 */
export async function fileSize(c: C, versionId: string, type: string): Promise<Response> {
  const file = fileOf(c.var.ctx, oneVersion(await selectVersion(c.var.ctx.db, versionId)), type)
  if (!file) return c.body(null, 404)
  const body = c.req.method === "HEAD" ? null : unsentBody(file.size)
  return new Response(body, { headers: fileHeaders(file) })
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
