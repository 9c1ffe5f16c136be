// Lets a test wait until something has happened a number of times.

/** Counts occurrences of an event and lets tests wait for them. */
export class Occurrences {
  #count = 0
  readonly #waiting: { count: number; resolve: () => void }[] = []

  /** Counts one occurrence. */
  record(): void {
    this.#count += 1
    for (const { count, resolve } of this.#waiting) if (count <= this.#count) resolve()
  }

  /** Resolves when the event has occurred that many times. */
  reached(count: number): Promise<void> {
    if (count <= this.#count) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ count, resolve }))
  }
}
