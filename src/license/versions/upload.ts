// A version's files as they arrive: read as a stream and written to the UPDATES bucket piece by piece, so that a file of any
// size takes the memory of one piece.

import type { Ctx } from "../../core/context"
import { groupByName } from "../../core/http/body"
import { storeBytes, TooManyBytes } from "../../core/http/r2-upload"
import { httpFault } from "../../core/http/refusal"
import type { UpdateFile } from "../../db/schema/central/licenses"
import { splitFileName } from "../../lib/file-name"
import { sniffMediaType } from "../../lib/media-type"
import { MultipartFault, type Part, readMultipart, readPartText } from "../../lib/multipart"
import { ulid } from "../../lib/ulid"
import { type Fields, formFields } from "../fields"

const MAX_PARTS = 50
/** Bytes that a form's texts may have together: a changelog in the widest characters, and more. */
const MAX_TEXT = 1_000_000

const FILES = { main_file: "mainFile", sql_file: "sqlFile" } as const

export type UploadedFiles = Partial<Record<(typeof FILES)[keyof typeof FILES], UpdateFile>>

/** A form as it arrives (RFC 7578). */
export interface Form {
  body: ReadableStream
  boundary: string
}

/** What a form brought: its texts, and the files that are already stored. */
export interface Upload {
  fields: Fields
  files: UploadedFiles
}

/**
 * Reads a form that brings files, and hands what it brought to `use`. When that fails, or the request ends early, the files
 * are removed again.
 * @throws Refusal `http_error` 400 or 413 for a form that cannot be read
 */
export async function withUpload<T>(ctx: Ctx, form: Form, use: (upload: Upload) => Promise<T>): Promise<T> {
  const files: UploadedFiles = {}
  try {
    const fields = await receive(ctx, form, files)
    await ctx.bodyArrived?.()
    return await use({ fields, files })
  } catch (cause) {
    ctx.after(discard(ctx.env.UPDATES, Object.values(files)))
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

async function receive(ctx: Ctx, form: Form, files: UploadedFiles): Promise<Fields> {
  const limits = { parts: MAX_PARTS, bytes: ctx.settings.MEDIA_MAX_BYTES + MAX_TEXT }
  const texts: [string, string][] = []
  let textBytes = 0
  for await (const part of readMultipart(form.body, form.boundary, limits)) {
    const column = Object.hasOwn(FILES, part.name) ? FILES[part.name as keyof typeof FILES] : undefined
    if (column && part.filename !== null) {
      const replaced = files[column]
      const file = await store(ctx, part)
      await discard(ctx.env.UPDATES, [replaced])
      if (file) files[column] = file
    } else if (part.filename === null) {
      const text = await readPartText(part, MAX_TEXT - textBytes)
      textBytes += text.length
      texts.push([part.name, text])
    }
  }
  return formFields(groupByName(texts))
}

/** Stores one file under a key of its own; null for the empty file of a form field that was left alone. */
async function store(ctx: Ctx, part: Part): Promise<UpdateFile | null> {
  const { settings, now } = ctx
  const extension = splitFileName(part.filename ?? "").extension.toLowerCase()
  const key = `updates/${ulid(now)}`
  const stored = await storeBytes(ctx.env.UPDATES, key, part.read, {
    limit: settings.MEDIA_MAX_BYTES,
    typeOf: (start) => sniffMediaType(start, extension),
  })
  return stored && { key, size: stored.size, type: stored.type }
}
