// One webhook endpoint: its run of failures, and how many first attempts are under way. It is told one outcome at a time, so exactly
// one of them is the one that switches the endpoint off.
import { durableObject, STATE_KEY } from "../src/lib/durable"

/** The counter after an outcome. The endpoint's row mirrors it, newest `seq` wins. */
export interface FailureCount {
  /** Counts the changes of this object; 0 before the first. */
  seq: number
  failures: number
  /** When the run reached the threshold, in milliseconds since 1970; null while the endpoint receives. */
  disabledAt: number | null
  /** Whether it was this very outcome that reached it. */
  disabledNow: boolean
}

export class EndpointFailures extends durableObject() {
  seq = 0
  failures = 0
  disabledAt: number | null = null

  /** Place -> when its attempt is given up, in milliseconds since 1970. In memory only: an object that is evicted has none. */
  readonly #places = new Map<string, number>()

  /**
   * Lets a first attempt begin, when not too many are under way.
   * @param place a name that no other attempt has
   * @param most attempts at a time
   * @param until when this one counts no more, whatever became of it, in milliseconds since 1970
   */
  begin(place: string, most: number, until: number, now: number): boolean {
    for (const [other, end] of this.#places) if (end <= now) this.#places.delete(other)
    if (this.#places.size >= most) return false
    this.#places.set(place, until)
    return true
  }

  /** Ends an attempt that was not made; nothing where its place is given back already. */
  release(place: string): null {
    this.#places.delete(place)
    return null
  }

  /**
   * Records how an attempt ended.
   * @param threshold failures in a row that switch the endpoint off
   * @param now milliseconds since 1970
   * @param place what a first attempt held; null for any other
   */
  async record(delivered: boolean, threshold: number, now: number, place: string | null): Promise<FailureCount> {
    if (place !== null) this.#places.delete(place)
    // Most of what is recorded is a success after a success: nothing changes, so nothing is written.
    if (delivered && this.failures === 0) return this.#count(false)
    this.failures = delivered ? 0 : this.failures + 1
    const disabledNow = this.failures >= threshold && this.disabledAt === null
    if (disabledNow) this.disabledAt = now
    return this.#changed(disabledNow)
  }

  /** Forgets the run: the operator switched the endpoint on again. */
  async clear(): Promise<FailureCount> {
    this.failures = 0
    this.disabledAt = null
    return this.#changed(false)
  }

  /** Leaves nothing behind: the endpoint was deleted, and its id is never given again. */
  async forget(): Promise<null> {
    await this.state.storage.deleteAll()
    return null
  }

  async #changed(disabledNow: boolean): Promise<FailureCount> {
    this.seq += 1
    const count = this.#count(disabledNow)
    const { seq, failures, disabledAt } = count
    await this.state.storage.put(STATE_KEY, { seq, failures, disabledAt })
    return count
  }

  #count(disabledNow: boolean): FailureCount {
    const { seq, failures, disabledAt } = this
    return { seq, failures, disabledAt, disabledNow }
  }
}
