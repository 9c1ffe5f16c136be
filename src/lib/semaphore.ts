// A counting semaphore: limits concurrent work; the rest waits in FIFO order.

/** A counting semaphore. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param slots maximum number of concurrent pieces of work */
  constructor(slots: number) {
    this.#free = slots
  }

  /** Runs work once a slot is free, in FIFO order. */
  async with<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
