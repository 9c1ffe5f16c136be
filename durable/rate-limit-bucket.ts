// One budget of requests: of one presented credential, or of one client address. Fixed windows of a minute.
import { durableObject, STATE_KEY } from "../src/lib/durable"
import { type Budget, hit } from "../src/lib/fixed-window"

export class RateLimitBucket extends durableObject() {
  endsAt = 0
  hits = 0

  /**
   * Counts one request.
   * @param limit requests a window allows; the caller's setting, so that a change of it holds at once
   */
  take(limit: number): Budget {
    const { window, budget } = hit({ endsAt: this.endsAt, hits: this.hits }, limit, Date.now())
    const opened = window.endsAt !== this.endsAt
    const counted = opened || window.hits !== this.hits
    this.endsAt = window.endsAt
    this.hits = window.hits
    // Unconfirmed: the count outlives an eviction, and no request waits for the disk. Past the limit there is nothing to write.
    if (counted) void this.state.storage.put(STATE_KEY, window, { allowUnconfirmed: true })
    if (opened) void this.state.storage.setAlarm(window.endsAt, { allowUnconfirmed: true })
    return budget
  }

  /** Leaves nothing behind once a window is over: most credentials and addresses are seen once. */
  async alarm(): Promise<void> {
    if (Date.now() < this.endsAt) await this.state.storage.setAlarm(this.endsAt)
    else await this.state.storage.deleteAll()
  }
}
