// Uploading a file: its bytes stream into the bucket, then its row appears. Until then the bytes stand among the orphans, so
// that whatever ends an upload halfway, the sweep finds what it left.
import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm"
import { type StoredBytes, storeBytes, TooManyBytes } from "../../../core/bytes"
import { httpFault, invalid } from "../../../core/refusal"
import { mediaFiles, mediaOrphans } from "../../../db/schema/sites/media"
import { sanitiseFileName, splitFileName } from "../../../lib/file-name"
import { sniffMediaType } from "../../../lib/media-type"
import { boundaryOf, MultipartFault, type Part, readMultipart } from "../../../lib/multipart"
import { slugify } from "../../../lib/slug"
import { DAY, later } from "../../../lib/time"
import { ulid } from "../../../lib/ulid"
import { objectKey } from "../../files"
import type { SiteCtx } from "../../site"
import { folderId } from "../ids"
import { isLive } from "../lineage"
import { firstFree, variants } from "../names"
import { requestSweep } from "../sweep"
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
 * @throws Refusal `http_error` 400 for a body that is no whole form, 413 for one that is too large; `validation_failed` for a
 *   form without a file, with an empty one or more than one, or with a folder that is not there
 */
export async function uploadFile(ctx: SiteCtx, request: UploadRequest): Promise<FileRow> {
  const boundary = boundaryOf(request.contentType)
  if (!boundary || !request.body) throw httpFault(400)
  const limit = ctx.settings.MEDIA_MAX_BYTES
  const length = /^\d+$/.test(request.contentLength ?? "") ? Number(request.contentLength) : limit
  if (length > limit + FORM_OVERHEAD) throw httpFault(413)
  const parts = readMultipart(request.body, boundary, { parts: MAX_PARTS, bytes: limit + FORM_OVERHEAD })
  const place = new UploadPlace(ctx)
  try {
    const form = await readForm(ctx, parts, place, length)
    return await record(ctx, form, place.path)
  } catch (cause) {
    place.abandon()
    throw refusalOf(cause)
  }
}

/** Where an upload's bytes go, and the note of it among the orphans. */
class UploadPlace {
  path = ""
  #noted: Promise<unknown> = Promise.resolve()
  readonly #ctx: SiteCtx

  constructor(ctx: SiteCtx) {
    this.#ctx = ctx
  }

  /** Chooses the path, and notes it while the bytes are already on their way. */
  open(name: string): string {
    const { stem, extension } = splitFileName(name)
    const suffix = extension.toLowerCase().replace(/[^a-z0-9.]/g, "")
    this.path = `${ulid(this.#ctx.now)}/${slugify(stem, 80) || "file"}${suffix.length > 1 ? suffix : ""}`
    const { db, id: siteId } = this.#ctx.site
    const note = { siteId, path: this.path, dueAt: later(this.#ctx.now, LONGEST) }
    this.#noted = db.insert(mediaOrphans).values(note).run()
    // Waited for below; until then a failure is nobody's surprise.
    this.#noted.catch(() => undefined)
    return objectKey(siteId, this.path)
  }

  /** Resolves once the note is there. */
  noted = (): Promise<unknown> => this.#noted

  /** Leaves the bytes, if there are any, to the sweep. */
  abandon(): void {
    const { path } = this
    if (!path) return
    const { db, id, database } = this.#ctx.site
    const due = db
      .update(mediaOrphans)
      .set({ dueAt: this.#ctx.now })
      .where(and(eq(mediaOrphans.siteId, id), eq(mediaOrphans.path, path), isNull(mediaOrphans.sweptAt)))
    this.#ctx.after(this.#noted.then(() => due.run()).then(() => requestSweep(this.#ctx, database)))
  }
}

async function readForm(ctx: SiteCtx, parts: AsyncIterable<Part>, place: UploadPlace, length: number): Promise<Form> {
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
    const stored = await storeBytes(ctx.env.MEDIA, place.open(name), read, {
      limit: ctx.settings.MEDIA_MAX_BYTES,
      expected: length,
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
async function record(ctx: SiteCtx, { name, stored, folder: given }: Form, path: string): Promise<FileRow> {
  const wanted = folderId.default(0).safeParse(given || undefined)
  if (!wanted.success) throw invalid("folder_id", "integer")
  const folder = wanted.data
  const { db, id } = ctx.site
  const now = ctx.now.getTime()
  const free = firstFree(variants(name, ctx.now), namesakes(id, folder))
  const here = and(eq(mediaOrphans.siteId, id), eq(mediaOrphans.path, path))
  const [[file], , [parent]] = await db.batch([
    db
      .insert(mediaFiles)
      .select(
        sql`select null, ${id}, ${folder}, free.name, free.key, ${path}, ${stored.size}, ${stored.type}, ${stored.etag}, null, ${now}, ${now}
          from ${free} free
          where ${isLive(id, folder)} and exists (select 1 from ${mediaOrphans} where ${and(here, isNull(mediaOrphans.sweptAt))})`,
      )
      .returning(getTableColumns(mediaFiles)),
    db
      .delete(mediaOrphans)
      .where(
        and(
          here,
          sql`exists (select 1 from ${mediaFiles} where ${and(eq(mediaFiles.siteId, id), eq(mediaFiles.path, path))})`,
        ),
      ),
    db.select({ live: isLive(id, folder) }).from(sql`(select 1)`),
  ])
  if (file) return file
  if (!parent?.live) throw invalid("folder_id", "selected")
  throw new Error("The upload took so long that its bytes were swept up")
}

function refusalOf(cause: unknown): unknown {
  if (cause instanceof TooManyBytes) return httpFault(413)
  if (cause instanceof MultipartFault) return httpFault(cause.reason === "too_large" ? 413 : 400)
  return cause
}
