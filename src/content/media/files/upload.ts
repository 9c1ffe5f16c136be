// Uploading a file: its bytes stream into the bucket, then its row appears. Until then the bytes stand among the orphans, so
// that whatever ends an upload halfway, the sweep finds what it left.
import { and, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm"
import { type StoredBytes, storeBytes, TooManyBytes } from "../../../core/http/r2-upload"
import { httpFault, invalid, Refusal } from "../../../core/http/refusal"
import { commitSite } from "../../../core/write/site-commit"
import { mayBeWritten } from "../../../db/client"
import { mediaFiles, mediaOrphans } from "../../../db/schema/sites/media"
import { insertSelect, remove } from "../../../db/write"
import { sanitiseFileName, splitFileName } from "../../../lib/file-name"
import { sniffMediaType } from "../../../lib/media-type"
import { boundaryOf, MultipartFault, type Part, readMultipart } from "../../../lib/multipart"
import { slugify } from "../../../lib/slug"
import { DAY, later } from "../../../lib/time"
import { ulid } from "../../../lib/ulid"
import { objectKey } from "../../files"
import type { MediaCtx } from "../../site"
import { isLive } from "../ancestors"
import { commitMedia } from "../commit"
import { folderId } from "../ids"
import { firstFree, variants } from "../names"
import { abandonUpload, storageLeft, storageLimit } from "../storage"
import type { FileRow } from "./schemas"
import { namesakes } from "./service"

/** What a form may hold beside the file's bytes. */
const FORM_OVERHEAD = 256 * 1024
const MAX_PARTS = 20
const MAX_FIELD = 100

/** How long an upload may take before the sweep takes its bytes for lost. */
const LONGEST = DAY

export interface UploadRequest {
  contentType: string | undefined
  /** The Content-Length header's value, when there is one. */
  contentLength: string | undefined
  body: ReadableStream<Uint8Array> | null
}

interface Form {
  name: string
  stored: StoredBytes
  folder: unknown
}

/**
 * Stores the file of a form (`file`, and `folder_id` in whatever order) and answers its record.
 * @throws Refusal `http_error` 415 for a body that is no form, 400 for one that is no whole one, 413 for one that is too large; `limit_reached` for a file that
 *   the plan's storage has no room for; `validation_failed` for a form without a file, with an empty one or more than one, or with a
 *   folder that is not there
 */
export async function uploadFile(ctx: MediaCtx, request: UploadRequest): Promise<FileRow> {
  const boundary = boundaryOf(request.contentType)
  if (!boundary && !/^multipart\/form-data/i.test(request.contentType ?? "")) throw httpFault(415)
  if (!boundary || !request.body) throw httpFault(400)
  const limit = ctx.settings.MEDIA_MAX_BYTES
  const length = /^\d{1,15}$/.test(request.contentLength ?? "") ? Number(request.contentLength) : null
  if (length !== null && length > limit + FORM_OVERHEAD) throw httpFault(413)
  // A body is stored as it is read: of one that the count refuses not a byte is.
  await mayBeWritten(ctx.site.db)
  const parts = readMultipart(request.body, boundary, { parts: MAX_PARTS, bytes: limit + FORM_OVERHEAD })
  const place = new UploadPlace(ctx, length)
  try {
    const form = await readForm(ctx, parts, place)
    await ctx.bodyArrived?.()
    return await record(ctx, form, place.path)
  } catch (cause) {
    place.abandon()
    const full = cause instanceof TooManyBytes && place.limit < limit
    throw full ? new Refusal("limit_reached") : refusalOf(cause)
  }
}

/** Where an upload's bytes go, and the note of it among the orphans, which also keeps the room that they may take. */
class UploadPlace {
  path = ""
  /** Bytes that the file may have. */
  limit: number
  #noted: Promise<unknown> = Promise.resolve()
  readonly #ctx: MediaCtx
  readonly #length: number | null

  /** @param length of the request's body; null when it does not say */
  constructor(ctx: MediaCtx, length: number | null) {
    this.#ctx = ctx
    this.#length = length
    this.limit = ctx.settings.MEDIA_MAX_BYTES
  }

  /**
   * Chooses the path, and notes it while the bytes are already on their way; where storage is limited, before the first of them.
   * @returns the key in the bucket
   * @throws Refusal `limit_reached`
   */
  async open(name: string): Promise<string> {
    const { stem, extension } = splitFileName(name)
    const suffix = extension.toLowerCase().replace(/[^a-z0-9.]/g, "")
    const path = `${ulid(this.#ctx.now)}/${slugify(stem, 80) || "file"}${suffix.length > 1 ? suffix : ""}`
    if (storageLimit(this.#ctx)) await this.#reserve(path)
    else this.#noted = this.#note(path, sql`null`, sql`where true`)
    // Waited for below; until then a failure is nobody's surprise.
    this.#noted.catch(() => undefined)
    this.path = path
    return objectKey(this.#ctx.site.id, path)
  }

  /**
   * Keeps room for the file, or all that is left for one of unknown length: what is stored, what others are uploading, and this
   * come to no more than the plan has.
   */
  async #reserve(path: string): Promise<void> {
    const left = storageLeft(this.#ctx.site.id, storageLimit(this.#ctx))
    const most = Math.min(this.#length ?? this.limit, this.limit)
    const [noted] = await this.#note(
      path,
      sql`min(${most}, ${left})`,
      sql`where ${left} >= ${this.#length === null ? 1 : most}`,
    )
    if (!noted) throw new Refusal("limit_reached")
    this.limit = noted.reservedBytes ?? most
  }

  async #note(path: string, reservedBytes: SQL, where: SQL) {
    const note = { siteId: this.#ctx.site.id, path, dueAt: later(this.#ctx.now, LONGEST), reservedBytes }
    const [noted] = await commitSite(this.#ctx, this.#ctx.site, {
      writes: [insertSelect(mediaOrphans, note, where).returning({ reservedBytes: mediaOrphans.reservedBytes })],
      trail: [],
    })
    return noted
  }

  /** Resolves once the note is there. */
  noted = (): Promise<unknown> => this.#noted

  /** Leaves the bytes, if there are any, to the sweep, and releases the reservation. */
  abandon(): void {
    const { path } = this
    if (path) this.#ctx.after(this.#noted.then(() => abandonUpload(this.#ctx, path)))
  }
}

async function readForm(ctx: MediaCtx, parts: AsyncIterable<Part>, place: UploadPlace): Promise<Form> {
  let file: { name: string; stored: StoredBytes } | undefined
  let folder: unknown
  for await (const part of parts) {
    if (part.name === "folder_id" && part.filename === null) folder = await readField(part)
    if (part.name !== "file") continue
    if (file) throw invalid("file", "format")
    // A part without a file name is a text field, whatever its name.
    if (part.filename === null) continue
    const name = sanitiseFileName(part.filename)
    const read = async () => {
      const bytes = await part.read()
      // The end is told only once the note is there, so that there are never bytes that nothing knows of.
      if (!bytes) await place.noted()
      return bytes
    }
    const key = await place.open(name)
    const stored = await storeBytes(ctx.env.MEDIA, key, read, {
      limit: place.limit,
      typeOf: (start) => sniffMediaType(start, splitFileName(name).extension.toLowerCase()),
    })
    if (!stored) throw invalid("file", "required")
    file = { name, stored }
  }
  if (!file) throw invalid("file", "required")
  return { ...file, folder }
}

async function readField(part: Part): Promise<string> {
  const decoder = new TextDecoder()
  let value = ""
  for (let bytes = await part.read(); bytes; bytes = await part.read()) {
    value += decoder.decode(bytes, { stream: true })
    if (value.length > MAX_FIELD) throw invalid("folder_id", "integer")
  }
  return value.trim()
}

/** Writes the row, under the first variant of its name that is free, and takes the bytes from among the orphans. */
async function record(ctx: MediaCtx, { name, stored, folder: given }: Form, path: string): Promise<FileRow> {
  const wanted = folderId.default(0).safeParse(given || undefined)
  if (!wanted.success) throw invalid("folder_id", "integer")
  const folder = wanted.data
  const { db, id } = ctx.site
  const free = firstFree(variants(name, ctx.now), namesakes(id, folder))
  const here = and(eq(mediaOrphans.siteId, id), eq(mediaOrphans.path, path))
  const added = insertSelect(
    mediaFiles,
    {
      siteId: id,
      folderId: folder,
      name: sql`free.name`,
      nameKey: sql`free.key`,
      path,
      size: stored.size,
      mimeType: stored.type,
      etag: stored.etag,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    },
    sql`from ${free} free
      where ${isLive(id, folder)} and exists (select 1 from ${mediaOrphans} where ${and(here, isNull(mediaOrphans.sweptAt))})`,
  ).returning(getTableColumns(mediaFiles))
  const made = sql`(select ${mediaFiles.id} from ${mediaFiles} where ${and(eq(mediaFiles.siteId, id), eq(mediaFiles.path, path))})`
  const entry = {
    subject: "file",
    id: made,
    deed: "created",
    after: { name, size: stored.size, type: stored.type },
  } as const
  const rows = await commitMedia(ctx, added, entry, [remove(mediaOrphans).where(here)])
  const [file] = rows ?? []
  if (file) return file
  const [parent] = await db.select({ live: isLive(id, folder) }).from(sql`(select 1)`)
  if (!parent?.live) throw invalid("folder_id", "selected")
  throw new Error("The upload took so long that its bytes were swept up")
}

function refusalOf(cause: unknown): unknown {
  if (cause instanceof TooManyBytes) return httpFault(413)
  if (cause instanceof MultipartFault) return httpFault(cause.reason === "too_large" ? 413 : 400)
  return cause
}
