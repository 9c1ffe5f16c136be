// A version's files as they arrive: read as a stream and written to the UPDATES bucket piece by piece, so that a file of any
// size takes the memory of one piece.
import type { Context } from "hono"
import { storeBytes, TooManyBytes } from "../../content/media/bytes"
import { httpFault } from "../../core/refusal"
import type { UpdateFile } from "../../db/schema/central/licenses"
import { splitFileName } from "../../lib/file-name"
import { sniffMediaType } from "../../lib/media-type"
import { boundaryOf, MultipartFault, type Part, readMultipart } from "../../lib/multipart"
import { ulid } from "../../lib/ulid"
import { formFields, readFields } from "../body"
import type { Fields } from "../fields"
import type { LicenseEnv } from "../types"

const MAX_PARTS = 50
/** Bytes that a form's texts may have together: a changelog in the widest characters, and more. */
const MAX_TEXT = 1_000_000

const FILES = { main_file: "mainFile", sql_file: "sqlFile" } as const

export type UploadedFiles = Partial<Record<(typeof FILES)[keyof typeof FILES], UpdateFile>>

/** A form: its texts, and the files that are already stored. */
export interface Upload {
  fields: Fields
  files: UploadedFiles
}

/**
 * Reads a request that may bring files, and hands what it brought to `use`. When that fails, or the request ends early, the
 * files are removed again.
 * @throws Refusal `http_error` 400 or 413 for a body that cannot be read
 */
export async function withUpload<T>(c: Context<LicenseEnv>, use: (upload: Upload) => Promise<T>): Promise<T> {
  const boundary = boundaryOf(c.req.header("Content-Type"))
  const body = c.req.raw.body
  if (boundary === null || body === null) return use({ fields: await readFields(c), files: {} })

  const files: UploadedFiles = {}
  try {
    const fields = await receive(c, body, boundary, files)
    return await use({ fields, files })
  } catch (cause) {
    c.var.ctx.after(discard(c.env.UPDATES, Object.values(files)))
    if (cause instanceof TooManyBytes) throw httpFault(413)
    if (cause instanceof MultipartFault) throw httpFault(cause.reason === "too_large" ? 413 : 400)
    throw cause
  }
}

/** Removes files that nothing points at any more. */
export const discard = (bucket: R2Bucket, files: (UpdateFile | null | undefined)[]): Promise<void> => {
  const keys = files.flatMap((file) => (file ? [file.key] : []))
  return keys.length ? bucket.delete(keys) : Promise.resolve()
}

async function receive(
  c: Context<LicenseEnv>,
  body: ReadableStream,
  boundary: string,
  files: UploadedFiles,
): Promise<Fields> {
  const limits = { parts: MAX_PARTS, bytes: c.var.ctx.settings.MEDIA_MAX_BYTES + MAX_TEXT }
  const texts: [string, string][] = []
  let textBytes = 0
  for await (const part of readMultipart(body, boundary, limits)) {
    const column = FILES[part.name as keyof typeof FILES]
    if (column && part.filename !== null) {
      const replaced = files[column]
      const file = await store(c, part)
      await discard(c.env.UPDATES, [replaced])
      if (file) files[column] = file
    } else if (part.filename === null) {
      const text = await readText(part, MAX_TEXT - textBytes)
      textBytes += text.length
      texts.push([part.name, text])
    }
  }
  return formFields(texts)
}

async function readText(part: Part, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  for (let bytes = await part.read(); bytes !== null; bytes = await part.read()) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > limit) throw new MultipartFault("too_large")
  }
  return text + decoder.decode()
}

/** Stores one file under a key of its own; null for the empty file of a form field that was left alone. */
async function store(c: Context<LicenseEnv>, part: Part): Promise<UpdateFile | null> {
  const { settings, now } = c.var.ctx
  const extension = splitFileName(part.filename ?? "").extension.toLowerCase()
  const key = `updates/${ulid(now)}`
  const stored = await storeBytes(c.env.UPDATES, key, part.read, {
    limit: settings.MEDIA_MAX_BYTES,
    expected: Number(c.req.header("Content-Length") ?? settings.MEDIA_MAX_BYTES),
    typeOf: (start) => sniffMediaType(start, extension),
  })
  return stored && { key, size: stored.size, type: stored.type }
}
