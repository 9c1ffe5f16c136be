// Counts a webhook endpoint's consecutive failures and limits its first attempts in flight. A Durable Object handles
// one outcome at a time, so exactly one outcome disables the endpoint.
import { durableObject, STATE_KEY } from "../src/lib/durable"

/** The counter after an outcome. The endpoint's row is a replica; the highest `seq` wins. */
export interface FailureCount {
  /** Incremented by every change of this object; 0 before the first. */
  seq: number
  /** Consecutive failures. */
  failures: number
  /** When the failures reached the threshold, in milliseconds since 1970; null while the endpoint receives. */
  disabledAt: number | null
  /** Whether this outcome is the one that reached the threshold. */
  disabledNow: boolean
}

export class EndpointFailures extends durableObject() {
  seq = 0
  failures = 0
  disabledAt: number | null = null

  /** The attempt whose failure was counted last. In memory only: after an eviction, a repeated call counts it again. */
  #lastFailed: string | null = null

  /** Slot token → expiry in milliseconds since 1970. In memory only: an eviction releases all slots. */
  readonly #slots = new Map<string, number>()

  /**
   * Acquires a concurrency slot for a first attempt.
   * @param token unique per attempt
   * @param limit slots of the endpoint
   * @param expiresAt when the slot is released in any case, in milliseconds since 1970
   * @param now milliseconds since 1970
   * @returns false when all slots are taken
   */
  acquireSlot(token: string, limit: number, expiresAt: number, now: number): boolean {
    for (const [other, expiry] of this.#slots) if (expiry <= now) this.#slots.delete(other)
    if (this.#slots.size >= limit) return false
    this.#slots.set(token, expiresAt)
    return true
  }

  /** Releases the slot of an attempt that was not made; does nothing if it was released already. */
  releaseSlot(token: string): null {
    this.#slots.delete(token)
    return null
  }

  /**
   * Records the outcome of an attempt. A repeated call does not count it again.
   * @param threshold consecutive failures that disable the endpoint
   * @param now milliseconds since 1970
   * @param slotToken the slot to release; null for an attempt without one
   * @param attempt identifies the attempt; callers of the previous version send none
   */
  async record(
    delivered: boolean,
    threshold: number,
    now: number,
    slotToken: string | null,
    attempt: string | null,
  ): Promise<FailureCount> {
    if (slotToken !== null) this.#slots.delete(slotToken)
    if (!delivered && attempt && attempt === this.#lastFailed) return this.#count(this.disabledAt === now)
    // Most outcomes are a success after a success: they change nothing, so they cost no write.
    if (delivered && this.failures === 0) return this.#count(false)
    this.failures = delivered ? 0 : this.failures + 1
    if (!delivered) this.#lastFailed = attempt
    const disabledNow = this.failures >= threshold && this.disabledAt === null
    if (disabledNow) this.disabledAt = now
    return this.#saveChange(disabledNow)
  }

  /** Clears the count when an operator re-enables the endpoint. */
  async clear(): Promise<FailureCount> {
    this.failures = 0
    this.disabledAt = null
    return this.#saveChange(false)
  }

  /** Deletes the stored state of a deleted endpoint, whose id is never reused. */
  async deleteState(): Promise<null> {
    await this.state.storage.deleteAll()
    return null
  }

  async #saveChange(disabledNow: boolean): Promise<FailureCount> {
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
