// Stores objects in R2. A single put needs the length of a file in advance, which a form does not give, so larger files
// are multipart uploads with one part in memory at a time.
import { GrowingBuffer } from "../../lib/growing-buffer"

/** R2 requires parts of equal size, except for the last, and at least 5 MiB. */
const PART_BYTES = 5 * 1024 * 1024

/** A stored file. */
export interface StoredFile {
  size: number
  type: string
  /** The entity tag, quoted. */
  etag: string
}

export interface StoreFileOptions {
  /** Maximum size in bytes. */
  limit: number
  /** Detects the media type from the first bytes. */
  typeOf(start: Uint8Array): string
}

/** The file exceeds the limit. */
export class FileTooLargeError extends Error {
  override readonly name = "FileTooLargeError"
}

/** Objects listed per call. */
const OBJECTS_PER_PAGE = 1_000

/** A bucket, as far as the platform uses it. */
export class ObjectStore {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** Returns an object without its body; null when there is none. */
  head(key: string): Promise<R2Object | null> {
    return this.#bucket.head(key)
  }

  /** Returns an object, or a range of it; null when there is none. */
  get(key: string, range: R2Range | null = null): Promise<R2ObjectBody | null> {
    return this.#bucket.get(key, range ? { range } : {})
  }

  /** Stores an object that is in memory. */
  async put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    await this.#bucket.put(key, bytes, { httpMetadata: { contentType } })
  }

  /**
   * Stores an object whose SHA-256 R2 verifies and stores.
   * @param body bytes, or the body of another object
   * @param sha256 in hex
   * @throws when the body has another digest; nothing is stored then
   */
  async putVerified(key: string, body: Uint8Array | ReadableStream, sha256: string, contentType: string) {
    await this.#bucket.put(key, body, { sha256, httpMetadata: { contentType } })
  }

  /** Lists up to 1,000 objects in the order of their keys, with their media types. */
  list(prefix: string, startAfter?: string): Promise<R2Objects> {
    const options = { prefix, limit: OBJECTS_PER_PAGE, include: ["httpMetadata" as const] }
    return this.#bucket.list(startAfter === undefined ? options : { ...options, startAfter })
  }

  /**
   * Stores the chunks that `read` returns until it returns null.
   * @param read returns views that its next call may overwrite
   * @returns null when the file is empty; nothing is stored then
   * @throws FileTooLargeError
   */
  upload(key: string, read: () => Promise<Uint8Array | null>, options: StoreFileOptions): Promise<StoredFile | null> {
    return storeFile(this.#bucket, key, read, options)
  }

  /**
   * Starts an upload in parts, which several invocations can continue. R2 deletes one that is not completed within
   * seven days.
   * @returns the id of the upload
   */
  async startUpload(key: string, contentType: string): Promise<string> {
    const { uploadId } = await this.#bucket.createMultipartUpload(key, { httpMetadata: { contentType } })
    return uploadId
  }

  /** Uploads a part, or replaces it. All parts but the last have the same size, of at least 5 MiB. */
  uploadPart(key: string, uploadId: string, number: number, bytes: Uint8Array): Promise<R2UploadedPart> {
    return this.#bucket.resumeMultipartUpload(key, uploadId).uploadPart(number, bytes)
  }

  /** Creates the object from the parts. */
  completeUpload(key: string, uploadId: string, parts: R2UploadedPart[]): Promise<R2Object> {
    return this.#bucket.resumeMultipartUpload(key, uploadId).complete(parts)
  }

  /** Deletes objects; missing ones are ignored. */
  async delete(keys: string[]): Promise<void> {
    if (keys.length) await this.#bucket.delete(keys)
  }

  /**
   * Deletes the first objects whose keys start with a prefix.
   * @returns false when there are none
   */
  async deletePage(prefix: string): Promise<boolean> {
    const { objects } = await this.#bucket.list({ prefix, limit: OBJECTS_PER_PAGE })
    await this.delete(objects.map(({ key }) => key))
    return objects.length > 0
  }
}

async function storeFile(
  bucket: R2Bucket,
  key: string,
  read: () => Promise<Uint8Array | null>,
  { limit, typeOf }: StoreFileOptions,
): Promise<StoredFile | null> {
  const piece = new GrowingBuffer(PART_BYTES)
  const parts: R2UploadedPart[] = []
  let upload: R2MultipartUpload | undefined
  let type = ""
  let size = 0
  const flush = async () => {
    type ||= typeOf(piece.bytes)
    upload ??= await bucket.createMultipartUpload(key, { httpMetadata: { contentType: type } })
    parts.push(await upload.uploadPart(parts.length + 1, piece.bytes))
    piece.clear()
  }
  try {
    for (let bytes = await read(); bytes; bytes = await read()) {
      size += bytes.length
      if (size > limit) throw new FileTooLargeError()
      for (let start = 0; start < bytes.length; ) {
        if (piece.length === PART_BYTES) await flush()
        start += piece.append(bytes.subarray(start))
      }
    }
    if (!size) return null
    if (upload) {
      await flush()
      const { httpEtag } = await (upload as R2MultipartUpload).complete(parts)
      return { size, type, etag: httpEtag }
    }
    type = typeOf(piece.bytes)
    const { httpEtag } = await bucket.put(key, piece.bytes, { httpMetadata: { contentType: type } })
    return { size, type, etag: httpEtag }
  } catch (cause) {
    await upload?.abort().catch(() => undefined)
    throw cause
  }
}
