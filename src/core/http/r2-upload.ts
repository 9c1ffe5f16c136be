// Bytes on their way into the bucket. R2 takes a file in one piece only when its length is known beforehand, which inside a form
// it is not; so what does not fit into one piece goes up in several, of which one is held in memory at a time.
import { GrowingBuffer } from "../../lib/growing-buffer"

/** R2 takes pieces of equal size, the last one excepted, and none below 5 MiB. */
const PIECE = 5 * 1024 * 1024

/** What was stored. */
export interface StoredBytes {
  size: number
  type: string
  /** The entity tag, quoted. */
  etag: string
}

export interface BytesOptions {
  /** Bytes the file may have. */
  limit: number
  /** Tells the media type by the first bytes. */
  typeOf(start: Uint8Array): string
}

/** The file has more bytes than it may have. */
export class TooManyBytes extends Error {
  override readonly name = "TooManyBytes"
}

/**
 * Stores what `read` hands out until it answers null.
 * @param read answers views that may change at its next call
 * @returns null, and nothing is stored, when there was not a single byte
 * @throws TooManyBytes
 */
export async function storeBytes(
  bucket: R2Bucket,
  key: string,
  read: () => Promise<Uint8Array | null>,
  { limit, typeOf }: BytesOptions,
): Promise<StoredBytes | null> {
  const piece = new GrowingBuffer(PIECE)
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
      if (size > limit) throw new TooManyBytes()
      for (let start = 0; start < bytes.length; ) {
        if (piece.length === PIECE) await flush()
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
