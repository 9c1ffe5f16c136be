// Stores and reads blobs: immutable objects named by their SHA-256. The same bytes are stored once per incarnation, and
// storing them again does nothing, so steps of a backup can be repeated.
import type { ObjectStore } from "../../core/storage/object-store"
import { sha256 } from "../../lib/hash"
import { blobPrefix, type FileEntry, type Part } from "./manifest"

/** A file up to this size is read once and hashed in memory. A larger one is read twice: to hash it, and to copy it. */
const MAX_BYTES_IN_MEMORY = 4_000_000

const LINES_TYPE = "application/x-ndjson"

/** An object of a backup is missing, or its bytes have another SHA-256 than its name. */
export class CorruptBackup extends Error {
  override readonly name = "CorruptBackup"
}

const encoder = new TextEncoder()

/** The blobs of one incarnation. */
export class Blobs {
  readonly #bucket: ObjectStore
  readonly #prefix: string
  readonly #known: Set<string>

  /**
   * @param seq the store's incarnation
   * @param known digests of blobs that are stored already
   */
  constructor(bucket: ObjectStore, seq: number, known: Iterable<string> = []) {
    this.#bucket = bucket
    this.#prefix = blobPrefix(seq)
    this.#known = new Set(known)
  }

  /** Stores lines of JSON. */
  async putLines(lines: readonly string[]): Promise<Part> {
    const bytes = encoder.encode(lines.join("\n"))
    const digest = await sha256(bytes)
    await this.#put(digest, async () => bytes, LINES_TYPE)
    return { sha256: digest, bytes: bytes.length, count: lines.length }
  }

  /**
   * Copies an object of another bucket.
   * @returns its SHA-256; null when it was deleted
   */
  async copyFrom(source: ObjectStore, key: string, size: number, type: string): Promise<string | null> {
    const object = await source.get(key)
    if (!object) return null
    if (size <= MAX_BYTES_IN_MEMORY) {
      const bytes = new Uint8Array(await object.arrayBuffer())
      const digest = await sha256(bytes)
      await this.#put(digest, async () => bytes, type)
      return digest
    }
    const digest = await digestOf(object.body)
    const isStored = await this.#put(digest, async () => (await source.get(key))?.body ?? null, type)
    return isStored ? digest : null
  }

  /**
   * Stores a blob unless it is stored.
   * @returns false when `read` returned no bytes
   */
  async #put(digest: string, read: () => Promise<Uint8Array | ReadableStream | null>, type: string): Promise<boolean> {
    if (this.#known.has(digest)) return true
    const key = this.#prefix + digest
    if (!(await this.#bucket.head(key))) {
      const body = await read()
      if (!body) return false
      await this.#bucket.putVerified(key, body, digest, type)
    }
    this.#known.add(digest)
    return true
  }

  /**
   * Reads lines of JSON.
   * @throws CorruptBackup
   */
  async readLines({ sha256: digest }: Part): Promise<string[]> {
    const object = await this.#bucket.get(this.#prefix + digest)
    if (!object) throw new CorruptBackup(`the part ${digest} is missing`)
    const bytes = new Uint8Array(await object.arrayBuffer())
    if ((await sha256(bytes)) !== digest) throw new CorruptBackup(`the part ${digest} is corrupt`)
    return new TextDecoder().decode(bytes).split("\n")
  }

  /** Whether a file is stored with its bytes. R2 verified their digest when they were stored. */
  async isIntact({ sha256: digest, size }: FileEntry): Promise<boolean> {
    const object = await this.#bucket.head(this.#prefix + digest)
    const stored = object?.checksums.sha256
    return object?.size === size && stored !== undefined && new Uint8Array(stored).toHex() === digest
  }

  /**
   * Opens a file.
   * @throws CorruptBackup
   */
  async openFile({ path, sha256: digest }: FileEntry): Promise<ReadableStream> {
    const object = await this.#bucket.get(this.#prefix + digest)
    if (!object) throw new CorruptBackup(`the file ${path} is missing`)
    return object.body
  }
}

async function digestOf(body: ReadableStream): Promise<string> {
  const stream = new crypto.DigestStream("SHA-256")
  await body.pipeTo(stream)
  return new Uint8Array(await stream.digest).toHex()
}
