// Writes an archive as an upload in parts, which the steps of a job continue. The bytes that do not fill a part yet are
// stored with the progress in one object, so that both always belong together. A step that is repeated uploads the same
// parts again.
import type { ObjectStore } from "../../core/storage/object-store"
import { GrowingBuffer } from "../../lib/growing-buffer"
import { buildTarHeader, buildTarPadding, TAR_END, type TarEntry } from "../../lib/tar"

/** R2 requires parts of equal size, except for the last, and allows 10,000 of them. */
const PART_BYTES = 16 * 1024 * 1024

const CONTENT_TYPE = "application/x-tar"

/** The progress of the upload. */
export interface UploadProgress {
  id: string
  parts: R2UploadedPart[]
}

/** The prefix of the keys of an export's objects. */
export const exportPrefix = (id: number): string => `exports/${id}/`

export const archiveKey = (id: number): string => `${exportPrefix(id)}archive.tar`
const progressKey = (id: number): string => `${exportPrefix(id)}progress`

/** A file that ended before the size that its header states. */
class TruncatedEntry extends Error {
  override readonly name = "TruncatedEntry"
}

export class Archive<Progress> {
  readonly #bucket: ObjectStore
  readonly #id: number
  readonly #upload: UploadProgress
  readonly #buffer = new GrowingBuffer(PART_BYTES)
  /** The contents of the archive as of the last step; null for a new archive. */
  readonly progress: Progress | null

  private constructor(bucket: ObjectStore, id: number, upload: UploadProgress, progress: Progress | null) {
    this.#bucket = bucket
    this.#id = id
    this.#upload = upload
    this.progress = progress
  }

  /** Opens the archive where the last step left it, or starts it. */
  static async open<Progress>(bucket: ObjectStore, id: number): Promise<Archive<Progress>> {
    const object = await bucket.get(progressKey(id))
    if (!object) return Archive.start(bucket, id)
    const bytes = new Uint8Array(await object.arrayBuffer())
    const end = bytes.indexOf(0x0a)
    const { upload, progress } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as {
      upload: UploadProgress
      progress: Progress
    }
    const archive = new Archive(bucket, id, upload, progress)
    archive.#buffer.append(bytes.subarray(end + 1))
    return archive
  }

  /** Starts the archive, again if it was started before. */
  static async start<Progress>(bucket: ObjectStore, id: number): Promise<Archive<Progress>> {
    const upload = { id: await bucket.startUpload(archiveKey(id), CONTENT_TYPE), parts: [] }
    return new Archive<Progress>(bucket, id, upload, null)
  }

  /** Adds a file that is in memory. */
  async addBytes(path: string, bytes: Uint8Array, modifiedAt: Date): Promise<void> {
    await this.#write(buildTarHeader({ path, size: bytes.length, modifiedAt }))
    await this.#write(bytes)
    await this.#write(buildTarPadding(bytes.length))
  }

  /**
   * Adds a file from a stream.
   * @throws TruncatedEntry when the stream has another length than the entry
   */
  async addStream(entry: TarEntry, body: ReadableStream<Uint8Array>): Promise<void> {
    await this.#write(buildTarHeader(entry))
    let length = 0
    for await (const bytes of body) {
      length += bytes.length
      await this.#write(bytes)
    }
    if (length !== entry.size) throw new TruncatedEntry(`a file has ${length} bytes instead of ${entry.size}`)
    await this.#write(buildTarPadding(entry.size))
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; ) {
      start += this.#buffer.append(bytes.subarray(start))
      if (this.#buffer.length === PART_BYTES) await this.#flush()
    }
  }

  async #flush(): Promise<void> {
    const { id, parts } = this.#upload
    parts.push(await this.#bucket.uploadPart(archiveKey(this.#id), id, parts.length + 1, this.#buffer.bytes))
    this.#buffer.clear()
  }

  /** Stores the progress, for the next step. */
  async suspend(progress: Progress): Promise<void> {
    const head = new TextEncoder().encode(`${JSON.stringify({ upload: this.#upload, progress })}\n`)
    const bytes = new Uint8Array(head.length + this.#buffer.length)
    bytes.set(head)
    bytes.set(this.#buffer.bytes, head.length)
    await this.#bucket.put(progressKey(this.#id), bytes, "application/octet-stream")
  }

  /**
   * Completes the archive, unless an earlier run of the step did.
   * @returns its size in bytes
   */
  async complete(): Promise<number> {
    const completed = await this.#bucket.head(archiveKey(this.#id))
    if (completed) return completed.size
    await this.#write(TAR_END)
    if (this.#buffer.length) await this.#flush()
    const { id, parts } = this.#upload
    const { size } = await this.#bucket.completeUpload(archiveKey(this.#id), id, parts)
    return size
  }
}
