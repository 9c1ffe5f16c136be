// One budget of requests: of one presented credential, of one client address, of whatever else is limited. Fixed windows; a longer one
// may be held beside the first, so that what either of them refuses uses up nothing of the other.
import { durableObject, STATE_KEY } from "../src/lib/durable"
import { type Budget, hit, UNUSED, WINDOW_MS, type Window } from "../src/lib/fixed-window"

/** Hits at which a count is written: few rows a window, and an object that is evicted forgets few hits. */
const FIRST_WRITE = 16

export class RateLimitBucket extends durableObject() {
  windows: Window[] = []

  /**
   * Counts one request, unless it is refused.
   * @param limit requests a window allows; the caller's setting, so that a change of it holds at once
   * @param windowMs milliseconds of a window
   * @param longer a window that is held beside it; null for none
   */
  take(limit: number, windowMs: number, longer: { limit: number; windowMs: number } | null): Budget {
    const { rules, hits, budget } = this.#hit(limit, windowMs, longer)
    if (!budget.allowed) return budget
    this.windows = hits.map(({ window }) => window)
    if (rules.some((rule, i) => isWritten(this.windows[i] ?? UNUSED, rule))) this.#write()
    return budget
  }

  /** What `take` would answer, without counting anything. */
  peek(limit: number, windowMs: number, longer: { limit: number; windowMs: number } | null): Budget {
    return this.#hit(limit, windowMs, longer).budget
  }

  /** The windows after one more request, and the budget of the one that refuses it, else of the first. */
  #hit(limit: number, windowMs: number, longer: { limit: number; windowMs: number } | null) {
    const rules = longer ? [{ limit, windowMs }, longer] : [{ limit, windowMs }]
    const hits = rules.map((rule, i) => hit(this.windows[i] ?? UNUSED, rule.limit, Date.now(), rule.windowMs))
    const { budget } = hits.find(({ budget }) => !budget.allowed) ?? (hits[0] as (typeof hits)[number])
    return { rules, hits, budget }
  }

  /**
   * Takes a hit back: what was counted before it was tried turned out to be none. It is written, because the hit may have been: an
   * evicted object would count successes as failures.
   */
  giveBack(): null {
    const now = Date.now()
    for (const window of this.windows) if (now < window.endsAt && window.hits > 0) window.hits -= 1
    if (now < this.#end()) this.#write()
    return null
  }

  /** Leaves nothing behind once its windows are over: most credentials and addresses are seen once. */
  async alarm(): Promise<void> {
    const endsAt = this.#end()
    if (Date.now() < endsAt) await this.state.storage.setAlarm(endsAt)
    else await this.state.storage.deleteAll()
  }

  #end(): number {
    return Math.max(0, ...this.windows.map(({ endsAt }) => endsAt))
  }

  /** Unconfirmed: no request waits for the disk. The alarm is set where something is there to be cleared. */
  #write(): void {
    const { storage } = this.state
    void storage.put(STATE_KEY, { windows: this.windows }, { allowUnconfirmed: true })
    void storage.setAlarm(this.#end(), { allowUnconfirmed: true })
  }
}

/**
 * Whether a count is worth a row. A busy object stays in memory and writes at powers of two and at its limit; one with a small limit or
 * a long window may well be evicted within it, and writes every hit.
 */
const isWritten = ({ hits }: Window, { limit, windowMs }: { limit: number; windowMs: number }): boolean =>
  limit < FIRST_WRITE ||
  windowMs > WINDOW_MS ||
  hits === limit ||
  (hits >= FIRST_WRITE && Number.isInteger(Math.log2(hits)))
