// One budget of requests: of one presented credential, of one client address, of whatever else is limited. Fixed windows.
import { durableObject, STATE_KEY } from "../src/lib/durable"
import { type Budget, hit, WINDOW_MS } from "../src/lib/fixed-window"

/** Hits at which a count is written: few rows a window, and an object that is evicted forgets few hits. */
const FIRST_WRITE = 16

export class RateLimitBucket extends durableObject() {
  endsAt = 0
  hits = 0

  /**
   * Counts one request.
   * @param limit requests a window allows; the caller's setting, so that a change of it holds at once
   * @param windowMs milliseconds of a window
   */
  take(limit: number, windowMs: number): Budget {
    const { window, budget } = hit({ endsAt: this.endsAt, hits: this.hits }, limit, Date.now(), windowMs)
    const counted = window.endsAt !== this.endsAt || window.hits !== this.hits
    this.endsAt = window.endsAt
    this.hits = window.hits
    if (counted && isWritten(window.hits, limit, windowMs)) this.#write()
    return budget
  }

  /** What is left of the budget, without counting anything. */
  peek(limit: number): Budget {
    const hits = Date.now() < this.endsAt ? this.hits : 0
    return { allowed: hits < limit, limit, remaining: Math.max(0, limit - hits), resetAt: this.endsAt }
  }

  /** Takes a hit back: what was counted before it was tried turned out to be none. */
  giveBack(): null {
    if (Date.now() < this.endsAt && this.hits > 0) this.hits -= 1
    return null
  }

  /** Leaves nothing behind once a window is over: most credentials and addresses are seen once. */
  async alarm(): Promise<void> {
    if (Date.now() < this.endsAt) await this.state.storage.setAlarm(this.endsAt)
    else await this.state.storage.deleteAll()
  }

  /** Unconfirmed: no request waits for the disk. The alarm is set where something is there to be cleared. */
  #write(): void {
    const { endsAt, hits } = this
    const { storage } = this.state
    void storage.put(STATE_KEY, { endsAt, hits }, { allowUnconfirmed: true })
    void storage.setAlarm(endsAt, { allowUnconfirmed: true })
  }
}

/**
 * Whether a count is worth a row. A busy object stays in memory and writes at powers of two and at its limit; one with a small limit or
 * a long window may well be evicted within it, and writes every hit.
 */
const isWritten = (hits: number, limit: number, windowMs: number): boolean =>
  hits <= limit &&
  (limit < FIRST_WRITE ||
    windowMs > WINDOW_MS ||
    hits === limit ||
    (hits >= FIRST_WRITE && Number.isInteger(Math.log2(hits))))
