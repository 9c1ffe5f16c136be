// Counts requests per fixed window, for one API credential, client address or other key. A second, longer window can be
// checked together with the first; a request that either refuses counts in neither.
import { currentMs } from "../src/lib/clock"
import { durableObject, STATE_KEY } from "../src/lib/durable"
import { type Budget, EMPTY_WINDOW, hit, WINDOW_MS, type Window } from "../src/lib/fixed-window"

/** Hits from which a count is persisted. An object is evicted after about ten seconds without a request. */
const MIN_HITS_TO_PERSIST = 16

/** A count is persisted this many times between two powers of two, so an eviction loses at most that share of it. */
const WRITES_PER_DOUBLING = 8

export class RateLimitBucket extends durableObject() {
  windows: Window[] = []

  /** The time of the alarm that this instance set, in milliseconds since 1970; it is not persisted. */
  #alarmAt = 0

  /**
   * Counts one request, unless it is refused.
   * @param limit requests per window; passed on every call, so that a changed setting applies at once
   * @param windowMs length of the window in milliseconds
   * @param longWindow a second window, checked together with the first; null for none
   */
  take(limit: number, windowMs: number, longWindow: { limit: number; windowMs: number } | null): Budget {
    const { rules, hits, budget } = this.#hit(limit, windowMs, longWindow)
    if (!budget.allowed) return budget
    this.windows = hits.map(({ window }) => window)
    if (rules.some((rule, i) => shouldPersist(this.windows[i] ?? EMPTY_WINDOW, rule))) this.#persist()
    return budget
  }

  /** Returns the budget that `take` would return, without counting a request. */
  peek(limit: number, windowMs: number, longWindow: { limit: number; windowMs: number } | null): Budget {
    return this.#hit(limit, windowMs, longWindow).budget
  }

  /** Computes the windows after one more request, and the budget of the refusing window, else of the first one. */
  #hit(limit: number, windowMs: number, longWindow: { limit: number; windowMs: number } | null) {
    const rules = longWindow ? [{ limit, windowMs }, longWindow] : [{ limit, windowMs }]
    const hits = rules.map((rule, i) => hit(this.windows[i] ?? EMPTY_WINDOW, rule.limit, currentMs(), rule.windowMs))
    const { budget } = hits.find(({ budget }) => !budget.allowed) ?? (hits[0] as (typeof hits)[number])
    return { rules, hits, budget }
  }

  /**
   * Refunds a hit that was counted in advance. The refund is always persisted, because the hit may have been: otherwise
   * an eviction would turn successes into failures.
   */
  refund(): null {
    const now = currentMs()
    for (const window of this.windows) if (now < window.endsAt && window.hits > 0) window.hits -= 1
    if (now < this.#getLastEnd()) this.#persist()
    return null
  }

  /** Deletes the state once the windows are over, because most credentials and addresses are seen only once. */
  async alarm(): Promise<void> {
    const endsAt = this.#getLastEnd()
    this.#alarmAt = endsAt
    if (currentMs() < endsAt) await this.state.storage.setAlarm(endsAt)
    else await this.state.storage.deleteAll()
  }

  #getLastEnd(): number {
    return Math.max(0, ...this.windows.map(({ endsAt }) => endsAt))
  }

  /** Writes without confirmation, so that no request waits for storage. The alarm cleans up what was written. */
  #persist(): void {
    const { storage } = this.state
    // lint: storage writes in order, and an object lives until its writes are done
    void storage.put(STATE_KEY, { windows: this.windows }, { allowUnconfirmed: true })
    const end = this.#getLastEnd()
    if (end === this.#alarmAt) return
    this.#alarmAt = end
    // lint: as above
    void storage.setAlarm(end, { allowUnconfirmed: true })
  }
}

/**
 * Decides whether a count is worth a write. An object with a low limit or a long window writes every hit. Any other
 * writes at its limit, every eighth hit from 16 to 64, and at steps of an eighth above: 33 times for a limit of 600.
 */
const shouldPersist = ({ hits }: Window, { limit, windowMs }: { limit: number; windowMs: number }): boolean =>
  limit < MIN_HITS_TO_PERSIST ||
  windowMs > WINDOW_MS ||
  hits === limit ||
  (hits >= MIN_HITS_TO_PERSIST && hits % getStep(hits) === 0)

/** Returns the hits between two writes: an eighth of the next lower power of two, but at least 8. */
const getStep = (hits: number): number => Math.max(8, 2 ** Math.floor(Math.log2(hits)) / WRITES_PER_DOUBLING)
