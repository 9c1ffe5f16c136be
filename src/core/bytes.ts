// Bytes on their way into the bucket. R2 takes a file in one piece only when its length is known beforehand, which inside a form
// it is not; so what does not fit into one piece goes up in several, of which one is held in memory at a time.
import { SNIFFED_BYTES } from "../lib/media-type"

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
  /** Bytes it can have at most, from what the request says of its length, so that small files take little memory. */
  expected: number
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
  { limit, expected, typeOf }: BytesOptions,
): Promise<StoredBytes | null> {
  const piece = new Uint8Array(Math.min(PIECE, Math.max(expected, SNIFFED_BYTES)))
  const parts: R2UploadedPart[] = []
  let upload: R2MultipartUpload | undefined
  let type = ""
  let held = 0
  let size = 0
  const flush = async () => {
    type ||= typeOf(piece.subarray(0, held))
    upload ??= await bucket.createMultipartUpload(key, { httpMetadata: { contentType: type } })
    parts.push(await upload.uploadPart(parts.length + 1, piece.subarray(0, held)))
    held = 0
  }
  try {
    for (let bytes = await read(); bytes; bytes = await read()) {
      size += bytes.length
      if (size > limit) throw new TooManyBytes()
      for (let start = 0; start < bytes.length; ) {
        if (held === piece.length) await flush()
        const taken = bytes.subarray(start, start + piece.length - held)
        piece.set(taken, held)
        held += taken.length
        start += taken.length
      }
    }
    if (!size) return null
    if (upload) {
      await flush()
      const { httpEtag } = await (upload as R2MultipartUpload).complete(parts)
      return { size, type, etag: httpEtag }
    }
    type = typeOf(piece.subarray(0, held))
    const { httpEtag } = await bucket.put(key, piece.subarray(0, held), { httpMetadata: { contentType: type } })
    return { size, type, etag: httpEtag }
  } catch (cause) {
    await upload?.abort().catch(() => undefined)
    throw cause
  }
}
