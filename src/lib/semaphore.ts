// Places: so many pieces of work at a time, the others wait their turn.

/** A fixed number of places. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  /** @param places how many pieces of work there may be at once */
  constructor(places: number) {
    this.#free = places
  }

  /** Does a piece of work once there is a place for it, in the order in which it was asked. */
  async with<Answer>(work: () => Promise<Answer>): Promise<Answer> {
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
