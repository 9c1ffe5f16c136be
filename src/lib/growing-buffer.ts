/** Memory before the first byte. */
const INITIAL_BYTES = 64 * 1024

/**
 * Collects an unknown number of bytes. Memory grows with the data received, so a stalled sender occupies little.
 */
export class GrowingBuffer {
  #memory: Uint8Array<ArrayBuffer>
  #length = 0
  readonly #maxBytes: number

  /** @param maxBytes bytes beyond this are dropped */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#memory = new Uint8Array(Math.min(INITIAL_BYTES, maxBytes))
  }

  /** The appended bytes: a view that the next `append` or `clear` invalidates. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(0, this.#length)
  }

  get length(): number {
    return this.#length
  }

  /** @returns the number of bytes that fitted */
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

  /** Clears the bytes without releasing the memory. */
  clear(): void {
    this.#length = 0
  }
}
