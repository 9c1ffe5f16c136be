// Counts a webhook endpoint's consecutive failures and limits its first attempts in flight. A Durable Object handles
// one outcome at a time, so exactly one outcome disables the endpoint.
import { durableObject, STATE_KEY } from "../src/lib/durable"

/** The counter after an outcome. The endpoint's row is a replica; the highest `seq` wins. */
export interface FailureCount {
  /** Incremented by every change of this object; 0 before the first. */
  seq: number
  /** Consecutive failures. */
  failures: number
  /** When the endpoint was disabled, in milliseconds since 1970; null while it receives. */
  disabledAt: number | null
  /** Why it was disabled; null if an older version of this object disabled it, which only failures did. */
  disabledReason: "failures" | "gone" | null
  /** Whether this outcome is the one that disabled it. */
  disabledNow: boolean
}

/** The outcome of an attempt. A type, because an interface is no JSON to TypeScript. */
export type AttemptOutcome = {
  delivered: boolean
  /** Whether the receiver responded that it is gone; absent in calls of older versions. */
  isGone?: boolean
  /** The slot to release; null for an attempt without one. */
  slotToken: string | null
  /** Identifies the attempt. */
  attempt: string | null
  /** Whether it succeeded so fast that the endpoint may get another slot. */
  isFast: boolean
}

/** Concurrent first attempts of an endpoint: at first, and the bounds between which it adapts. */
const INITIAL_SLOTS = 10
const MIN_SLOTS = 5
const MAX_SLOTS = 50

export class EndpointFailures extends durableObject() {
  seq = 0
  failures = 0
  disabledAt: number | null = null
  disabledReason: "failures" | "gone" | null = null

  /** The attempt whose failure was counted last. In memory only: after an eviction, a repeated call counts it again. */
  #lastFailed: string | null = null

  /** Slot token → expiry in milliseconds since 1970. In memory only: an eviction releases all slots. */
  readonly #slots = new Map<string, number>()

  /** Slots for first attempts. In memory only: an eviction resets it. */
  #limit = INITIAL_SLOTS

  /** The token bucket of the endpoint's rate limit. In memory only: after an eviction, it is full. */
  #bucket: { tokens: number; at: number } | null = null

  /**
   * Acquires concurrency slots for first attempts.
   * @param tokens one per attempt, unique
   * @param expiresAt when the slots are released in any case, in milliseconds since 1970
   * @param now milliseconds since 1970
   * @param maxPerSecond the endpoint's rate limit; null for none, absent in calls of older versions
   * @returns how many are acquired: those of the first tokens
   */
  acquireSlots(tokens: string[], expiresAt: number, now: number, maxPerSecond: number | null): number {
    for (const [other, expiry] of this.#slots) if (expiry <= now) this.#slots.delete(other)
    const free = Math.min(tokens.length, Math.max(0, this.#limit - this.#slots.size))
    const acquired = tokens.slice(0, maxPerSecond ? this.takeFromBucket(free, maxPerSecond, now) : free)
    for (const token of acquired) this.#slots.set(token, expiresAt)
    return acquired.length
  }

  /**
   * Takes attempts from the token bucket of a rate limit, whose capacity is a burst of one second.
   * @param attempts the number of attempts
   * @param now milliseconds since 1970
   * @returns how many may be made now
   */
  takeFromBucket(attempts: number, maxPerSecond: number, now: number): number {
    const { tokens, at } = this.#bucket ?? { tokens: maxPerSecond, at: now }
    const refilled = Math.min(maxPerSecond, tokens + (Math.max(0, now - at) * maxPerSecond) / 1000)
    const taken = Math.min(attempts, Math.floor(refilled))
    this.#bucket = { tokens: refilled - taken, at: Math.max(at, now) }
    return taken
  }

  /** Releases the slots of attempts that were not made; those that were released already are ignored. */
  releaseSlots(tokens: string[]): null {
    for (const token of tokens) this.#slots.delete(token)
    return null
  }

  /**
   * Records the outcome of an attempt, for callers of the previous version.
   * @param threshold consecutive failures that disable the endpoint
   * @param now milliseconds since 1970
   * @param slotToken the slot to release; null for an attempt without one
   * @param attempt identifies the attempt
   */
  record(
    delivered: boolean,
    threshold: number,
    now: number,
    slotToken: string | null,
    attempt: string | null,
  ): Promise<FailureCount> {
    return this.recordAll([{ delivered, slotToken, attempt, isFast: false }], threshold, now)
  }

  /**
   * Records the outcomes of attempts in their order. A repeated call does not count them again.
   * @param threshold consecutive failures that disable the endpoint
   * @param now milliseconds since 1970
   */
  async recordAll(outcomes: AttemptOutcome[], threshold: number, now: number): Promise<FailureCount> {
    const lastFailed = outcomes.findLast(({ delivered }) => !delivered)?.attempt
    if (lastFailed && lastFailed === this.#lastFailed) {
      this.releaseSlots(outcomes.flatMap(({ slotToken }) => slotToken ?? []))
      return this.#count(this.disabledAt === now)
    }
    let isChanged = false
    let disabledNow = false
    for (const { delivered, isGone = false, slotToken, attempt, isFast } of outcomes) {
      if (slotToken !== null) this.#releaseAndAdapt(slotToken, delivered, isFast)
      // Most outcomes are a success after a success: they change nothing, so they cost no write.
      if (delivered && this.failures === 0) continue
      isChanged = true
      this.failures = delivered ? 0 : this.failures + 1
      if (!delivered) this.#lastFailed = attempt
      if ((this.failures < threshold && !isGone) || this.disabledAt !== null) continue
      this.disabledAt = now
      this.disabledReason = isGone ? "gone" : "failures"
      disabledNow = true
    }
    return isChanged ? this.#saveChange(disabledNow) : this.#count(false)
  }

  /** Additive increase, multiplicative decrease: as TCP adapts to what a receiver can take. */
  #releaseAndAdapt(slotToken: string, delivered: boolean, isFast: boolean): void {
    this.#slots.delete(slotToken)
    if (!delivered) this.#limit = Math.max(MIN_SLOTS, Math.floor(this.#limit / 2))
    else if (isFast) this.#limit = Math.min(MAX_SLOTS, this.#limit + 1)
  }

  /** Clears the count when an operator re-enables the endpoint. */
  async clear(): Promise<FailureCount> {
    this.failures = 0
    this.disabledAt = null
    this.disabledReason = null
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
    const { seq, failures, disabledAt, disabledReason } = count
    await this.state.storage.put(STATE_KEY, { seq, failures, disabledAt, disabledReason })
    return count
  }

  #count(disabledNow: boolean): FailureCount {
    const { seq, failures, disabledAt, disabledReason } = this
    return { seq, failures, disabledAt, disabledReason, disabledNow }
  }
}
