// Streams a version's uploaded files to the UPDATES bucket part by part, so that memory use does not depend on the file
// size.
import { or, sql } from "drizzle-orm"
import type { Ctx } from "../../core/context"
import { groupByName } from "../../core/http/body"
import { httpError, isServerFailure, Refusal } from "../../core/http/refusal"
import { FileTooLargeError } from "../../core/storage/object-store"
import { updateStore } from "../../core/storage/updates"
import { retryTransient } from "../../core/write/retry"
import { licenseVersions, type UpdateFile } from "../../db/schema/central/licenses"
import { splitFileName } from "../../lib/file-name"
import { sniffMediaType } from "../../lib/media-type"
import { MultipartError, type Part, readMultipart, readPartText } from "../../lib/multipart"
import { ulid } from "../../lib/ulid"
import { type Fields, formFields } from "../fields"

const MAX_PARTS = 50
/** Limit for all text fields together; enough for a changelog of 4-byte characters. */
const MAX_TEXT_BYTES = 1_000_000

const FILES = { main_file: "mainFile", sql_file: "sqlFile" } as const

export type UploadedFiles = Partial<Record<(typeof FILES)[keyof typeof FILES], UpdateFile>>

/** An unparsed multipart form (RFC 7578). */
export interface Form {
  body: ReadableStream
  boundary: string
}

/** The fields of a form, and its files, already stored in R2. */
export interface Upload {
  fields: Fields
  files: UploadedFiles
}

/**
 * Stores a form's files and passes its fields and files to `handle`. The files are deleted again if that fails or the
 * request ends early, unless a version has them: the response to its commit may have been lost.
 * @throws Refusal `http_error` 400 or 413 for a form that cannot be read
 */
export async function withUpload<T>(ctx: Ctx, form: Form, handle: (upload: Upload) => Promise<T>): Promise<T> {
  const files: UploadedFiles = {}
  try {
    const fields = await receiveForm(ctx, form, files)
    await ctx.bodyArrived?.()
    return await handle({ fields, files })
  } catch (cause) {
    const isRefused = cause instanceof Refusal && !isServerFailure(cause)
    ctx.inBackground((isRefused ? deleteFiles : deleteUnusedFiles)(ctx, Object.values(files)))
    if (cause instanceof FileTooLargeError) throw httpError(413)
    if (cause instanceof MultipartError) throw httpError(cause.reason === "too_large" ? 413 : 400)
    throw cause
  }
}

/** Deletes files that are no longer referenced. Nothing looks for them later, so transient errors are retried. */
export const deleteFiles = ({ env }: Pick<Ctx, "env">, files: (UpdateFile | null | undefined)[]): Promise<void> =>
  retryTransient(() => updateStore(env).delete(files.flatMap((file) => (file ? [file.key] : []))))

/** Deletes the files that no version has. While that is unknown, they stay. */
async function deleteUnusedFiles(ctx: Pick<Ctx, "db" | "env">, files: UpdateFile[]): Promise<void> {
  if (!files.length) return
  const { mainFile, sqlFile } = licenseVersions
  const keys = sql`(select value from json_each(${JSON.stringify(files.map(({ key }) => key))}))`
  const versions = await retryTransient(async () =>
    ctx.db
      .select({ mainFile, sqlFile })
      .from(licenseVersions)
      .where(or(sql`${mainFile} ->> 'key' in ${keys}`, sql`${sqlFile} ->> 'key' in ${keys}`)),
  )
  const used = versions.flatMap((version) => [version.mainFile?.key, version.sqlFile?.key])
  await deleteFiles(
    ctx,
    files.filter(({ key }) => !used.includes(key)),
  )
}

async function receiveForm(ctx: Ctx, form: Form, files: UploadedFiles): Promise<Fields> {
  const limits = { parts: MAX_PARTS, bytes: ctx.settings.MEDIA_MAX_BYTES + MAX_TEXT_BYTES }
  const texts: [string, string][] = []
  let textBytes = 0
  for await (const part of readMultipart(form.body, form.boundary, limits)) {
    const column = Object.hasOwn(FILES, part.name) ? FILES[part.name as keyof typeof FILES] : undefined
    if (column && part.filename !== null) {
      const replaced = files[column]
      const file = await storePart(ctx, part)
      await deleteFiles(ctx, [replaced])
      if (file) files[column] = file
    } else if (part.filename === null) {
      const text = await readPartText(part, MAX_TEXT_BYTES - textBytes)
      textBytes += text.length
      texts.push([part.name, text])
    }
  }
  return formFields(groupByName(texts))
}

/** Stores a file under a new key; returns null for the empty part of a file input without a file. */
async function storePart(ctx: Ctx, part: Part): Promise<UpdateFile | null> {
  const { settings, now } = ctx
  const extension = splitFileName(part.filename ?? "").extension.toLowerCase()
  const key = `updates/${ulid(now)}`
  const digests = createDigests()
  const read = async () => {
    const bytes = await part.read()
    if (bytes) await digests.update(bytes)
    return bytes
  }
  const stored = await updateStore(ctx.env).upload(key, read, {
    limit: settings.MEDIA_MAX_BYTES,
    typeOf: (start) => sniffMediaType(start, extension),
  })
  return stored && { key, size: stored.size, type: stored.type, ...(await digests.finish()) }
}

/** Computes the digests of a file while it is received. */
function createDigests() {
  const streams = { sha256: new crypto.DigestStream("SHA-256"), sha384: new crypto.DigestStream("SHA-384") }
  const writers = Object.values(streams).map((stream) => stream.getWriter())
  return {
    // A copy, because the reader reuses its buffer.
    update: (bytes: Uint8Array) => Promise.all(writers.map((writer) => writer.write(bytes.slice()))),
    async finish() {
      await Promise.all(writers.map((writer) => writer.close()))
      const [sha256, sha384] = await Promise.all([streams.sha256.digest, streams.sha384.digest])
      return { sha256: new Uint8Array(sha256).toHex(), sha384: new Uint8Array(sha384).toHex() }
    },
  }
}
