/** Memory of a growing buffer before the first byte. */
const INITIAL_BYTES = 64 * 1024

/**
 * Collects bytes of unknown number. Its memory grows with what has arrived, so that a sender who stalls holds little of it.
 */
export class GrowingBuffer {
  #memory: Uint8Array<ArrayBuffer>
  #length = 0
  readonly #maxBytes: number

  /** @param maxBytes further bytes are dropped */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#memory = new Uint8Array(Math.min(INITIAL_BYTES, maxBytes))
  }

  /** The bytes that were appended: a view that the next `append` or `clear` changes. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  /** @returns how many of the bytes fitted */
  append(bytes: Uint8Array): number {
    const taken = bytes.subarray(0, this.#maxBytes - this.#length)
    const needed = this.#length + taken.length
    if (needed > this.#memory.length) {
      const grown = new Uint8Array(Math.min(Math.max(needed, 2 * this.#memory.length), this.#maxBytes))
      grown.set(this.bytes)
      this.#memory = grown
    }
    this.#memory.set(taken, this.#length)
    this.#length = needed
    return taken.length
  }

  /** Drops the bytes and keeps the memory. */
  clear(): void {
    this.#length = 0
  }
}
