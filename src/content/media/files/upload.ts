// Uploads a file: streams its bytes into the bucket, then inserts its row. Until then the bytes are recorded as an
// orphan, so the sweep deletes what an interrupted upload leaves behind.
import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm"
import * as z from "zod"
import { parseInput } from "../../../core/http/input"
import { httpError, invalid, Refusal } from "../../../core/http/refusal"
import { withLookups } from "../../../core/http/validation"
import { mediaStore } from "../../../core/storage/media"
import { FileTooLargeError, type StoredFile } from "../../../core/storage/object-store"
import { commitSite } from "../../../core/write/site-commit"
import { writesAllowed } from "../../../db/deferred-writes"
import { mediaFiles, mediaOrphans } from "../../../db/schema/sites/media"
import { inSite } from "../../../db/site-scope"
import { sanitiseFileName, splitFileName } from "../../../lib/file-name"
import { sniffMediaType } from "../../../lib/media-type"
import { boundaryOf, MultipartError, type Part, readMultipart } from "../../../lib/multipart"
import { slugify } from "../../../lib/slug"
import { addMs, DAY } from "../../../lib/time"
import { ulid } from "../../../lib/ulid"
import { objectKey } from "../../files"
import type { MediaCtx } from "../../site"
import { isLive } from "../ancestors"
import { commitMedia } from "../commit"
import { queryFolderId } from "../ids"
import { firstAvailableName, nameCandidates } from "../names"
import { abandonUpload, storageLeft, storageLimit } from "../storage"
import type { FileRow } from "./schemas"
import { filesWithSameName, isFolderLive } from "./service"

/** Bytes of a form in addition to the file. */
const MAX_FORM_OVERHEAD_BYTES = 256 * 1024
const MAX_PARTS = 20
const MAX_FIELD_LENGTH = 100

/** Time after which the sweep deletes the bytes of an unfinished upload. */
const UPLOAD_TTL = DAY

export interface UploadRequest {
  contentType: string | undefined
  /** Value of the Content-Length header, if present. */
  contentLength: string | undefined
  body: ReadableStream<Uint8Array> | null
  /** Whether a file of this media type is stored; every type by default. */
  accepts?: (type: string) => boolean
}

interface StoredUpload {
  name: string
  stored: StoredFile
}

/** The fields of the form, once its file is stored. */
const Upload = withLookups(
  z.object({ file: z.custom<StoredUpload>((file) => file !== undefined), folder_id: queryFolderId }),
  "folder_id",
)

/**
 * Stores the file of a form with the fields `file` and `folder_id`, in any order.
 * @returns the row of the file
 * @throws Refusal `http_error` 415 for a body that is not a form, 400 for a malformed one, 413 for one that is too
 *   large; `limit_reached` when the plan's storage has no room for the file; `validation_failed` for a form without a
 *   file, with an empty file, with several files, or with a folder that does not exist
 */
export function uploadFile(ctx: MediaCtx, request: UploadRequest): Promise<FileRow> {
  const row = storeUpload(ctx, request)
  // When the client disconnects, only background work continues: it releases the reserved storage.
  ctx.inBackground(row.then(noop, noop))
  return row
}

const noop = () => undefined

async function storeUpload(ctx: MediaCtx, request: UploadRequest): Promise<FileRow> {
  const boundary = boundaryOf(request.contentType)
  if (!boundary && !/^multipart\/form-data/i.test(request.contentType ?? "")) throw httpError(415)
  if (!boundary || !request.body) throw httpError(400)
  const limit = ctx.settings.MEDIA_MAX_BYTES
  const length = /^\d{1,15}$/.test(request.contentLength ?? "") ? Number(request.contentLength) : null
  if (length !== null && length > limit + MAX_FORM_OVERHEAD_BYTES) throw httpError(413)
  // The body is stored while it is read, so the rate limit must have passed before the first byte.
  await writesAllowed(ctx.site.db)
  const parts = readMultipart(request.body, boundary, { parts: MAX_PARTS, bytes: limit + MAX_FORM_OVERHEAD_BYTES })
  const reservation = new UploadReservation(ctx, length)
  try {
    const form = await readForm(ctx, parts, reservation, request.accepts)
    await ctx.bodyArrived?.()
    const input = parseInput(Upload, form)
    const fields = await input.completeBeforeCommit(async ({ folder_id: folder = 0 }) => ({
      folder_id: (await isFolderLive(ctx, folder)) ? null : "selected",
    }))
    const row = await insertFile(ctx, fields, reservation.path)
    if (row) return row
    if (!(await isFolderLive(ctx, fields.folder_id))) throw input.reject("folder_id", "selected")
    throw new Error("The upload expired: its bytes were deleted by the sweep")
  } catch (cause) {
    reservation.abandon()
    const isOutOfStorage = cause instanceof FileTooLargeError && reservation.limit < limit
    throw isOutOfStorage ? new Refusal("limit_reached") : refusalOf(cause)
  }
}

/** Object key of an upload, and its row among the orphans, which also reserves storage for the bytes. */
class UploadReservation {
  path = ""
  /** Maximum size of the file in bytes. */
  limit: number
  #recorded: Promise<unknown> = Promise.resolve()
  readonly #ctx: MediaCtx
  readonly #length: number | null

  /** @param length length of the request's body in bytes; null when unknown */
  constructor(ctx: MediaCtx, length: number | null) {
    this.#ctx = ctx
    this.#length = length
    this.limit = ctx.settings.MEDIA_MAX_BYTES
  }

  /**
   * Chooses the path and records it as an orphan: in parallel with the transfer, or before it when storage is limited.
   * @returns the key in the bucket
   * @throws Refusal `limit_reached`
   */
  async open(name: string): Promise<string> {
    const { stem, extension } = splitFileName(name)
    const suffix = extension.toLowerCase().replace(/[^a-z0-9.]/g, "")
    const path = `${ulid(this.#ctx.now)}/${slugify(stem, 80) || "file"}${suffix.length > 1 ? suffix : ""}`
    if (storageLimit(this.#ctx)) await this.#reserve(path)
    else this.#recorded = this.#insertOrphan(path, sql`null`, sql`where true`)
    // Awaited by `whenRecorded`; this handler avoids an unhandled rejection until then.
    this.#recorded.catch(() => undefined)
    this.path = path
    return objectKey(this.#ctx.site.id, path)
  }

  /**
   * Reserves storage for the file, or all that is left when its length is unknown, so that stored files and concurrent
   * uploads together never exceed the plan's limit.
   */
  async #reserve(path: string): Promise<void> {
    const left = storageLeft(this.#ctx.site.id, storageLimit(this.#ctx))
    const requested = Math.min(this.#length ?? this.limit, this.limit)
    const [orphan] = await this.#insertOrphan(
      path,
      sql`min(${requested}, ${left})`,
      sql`where ${left} >= ${this.#length === null ? 1 : requested}`,
    )
    if (!orphan) throw new Refusal("limit_reached")
    this.limit = orphan.reservedBytes ?? requested
  }

  async #insertOrphan(path: string, reservedBytes: SQL, where: SQL) {
    const values = { path, dueAt: addMs(this.#ctx.now, UPLOAD_TTL), reservedBytes }
    const [orphans] = await commitSite(this.#ctx, this.#ctx.site, {
      writes: [
        inSite(this.#ctx.site.id)
          .insertSelect(mediaOrphans, values, where)
          .returning({ reservedBytes: mediaOrphans.reservedBytes }),
      ],
      auditLog: { auditSkipped: "coordination" },
    })
    return orphans
  }

  /** Resolves once the orphan row is stored. */
  whenRecorded = (): Promise<unknown> => this.#recorded

  /** Leaves the stored bytes to the sweep and releases the reservation. */
  abandon(): void {
    const { path } = this
    if (path) this.#ctx.inBackground(this.#recorded.then(() => abandonUpload(this.#ctx, path)))
  }
}

async function readForm(
  ctx: MediaCtx,
  parts: AsyncIterable<Part>,
  reservation: UploadReservation,
  accepts: (type: string) => boolean = () => true,
): Promise<{ file?: StoredUpload; folder_id?: string }> {
  let file: StoredUpload | undefined
  let folder: string | undefined
  for await (const part of parts) {
    if (part.name === "folder_id" && part.filename === null) folder = await readField(part)
    if (part.name !== "file") continue
    if (file) throw invalid("file", "format")
    // A part without a file name is a text field.
    if (part.filename === null) continue
    // An empty file counts as missing, and must not reserve storage.
    let start = await part.read()
    if (!start) continue
    const name = sanitiseFileName(part.filename)
    const read = async () => {
      const bytes = start ?? (await part.read())
      start = null
      // The transfer completes only after the orphan row is stored, so no bytes are ever unrecorded.
      if (!bytes) await reservation.whenRecorded()
      return bytes
    }
    const key = await reservation.open(name)
    const stored = await mediaStore(ctx.env).upload(key, read, {
      limit: reservation.limit,
      typeOf(start) {
        const type = sniffMediaType(start, splitFileName(name).extension.toLowerCase())
        if (!accepts(type)) throw invalid("file", "format")
        return type
      },
    })
    if (stored) file = { name, stored }
  }
  return { file, folder_id: folder || undefined }
}

async function readField(part: Part): Promise<string> {
  const decoder = new TextDecoder()
  let value = ""
  for (let bytes = await part.read(); bytes; bytes = await part.read()) {
    value += decoder.decode(bytes, { stream: true })
    if (value.length > MAX_FIELD_LENGTH) throw invalid("folder_id", "integer")
  }
  return value.trim()
}

/**
 * Inserts the file's row under the first available variant of its name, and deletes its orphan row.
 * @returns undefined when the folder or the orphan row is gone
 */
async function insertFile(
  ctx: MediaCtx,
  { file: { name, stored }, folder_id: folder }: z.output<typeof Upload>,
  path: string,
): Promise<FileRow | undefined> {
  const { id } = ctx.site
  const available = firstAvailableName(nameCandidates(name, ctx.now), filesWithSameName(id, folder))
  const isOwnOrphan = eq(mediaOrphans.path, path)
  const addFile = inSite(id)
    .insertSelect(
      mediaFiles,
      {
        folderId: folder,
        name: sql`available.name`,
        nameKey: sql`available.key`,
        path,
        size: stored.size,
        mimeType: stored.type,
        etag: stored.etag,
        createdAt: ctx.now,
        updatedAt: ctx.now,
      },
      sql`from ${available} available
      where ${isLive(id, folder)} and exists (select 1 from ${mediaOrphans} where ${and(eq(mediaOrphans.siteId, id), isOwnOrphan, isNull(mediaOrphans.sweptAt))})`,
    )
    .returning(getTableColumns(mediaFiles))
  const fileId = sql`(select ${mediaFiles.id} from ${mediaFiles} where ${and(eq(mediaFiles.siteId, id), eq(mediaFiles.path, path))})`
  const entry = {
    subject: "file",
    id: fileId,
    action: "created",
    after: { name, size: stored.size, type: stored.type },
  } as const
  const rows = await commitMedia(ctx, addFile, entry, [inSite(id).remove(mediaOrphans).where(isOwnOrphan)])
  return rows?.[0]
}

function refusalOf(cause: unknown): unknown {
  if (cause instanceof FileTooLargeError) return httpError(413)
  if (cause instanceof MultipartError) return httpError(cause.reason === "too_large" ? 413 : 400)
  return cause
}
