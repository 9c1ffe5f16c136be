// The run of a scheduled job, or of a step of a queued job: its time budget and the items that it processed.
import { currentMs, currentTime } from "../lib/clock"

/**
 * A run checks its time between two items or pages, because the clock of a Worker advances at I/O only. A run that
 * stops leaves the rest to the next one, so it must begin with the work that waited longest.
 */
export class JobRun {
  /** When the time budget is used up, in milliseconds since 1970; `Infinity` without a budget. */
  readonly endsAt: number
  /** Items that were processed, and those of them that failed. */
  items = 0
  failedItems = 0
  #stoppedAt: Date | null = null

  /** @param budgetMs time budget in milliseconds; a request has none */
  constructor(budgetMs: number = Number.POSITIVE_INFINITY) {
    this.endsAt = currentMs() + budgetMs
  }

  /** When the run stopped although work was left; null if it did not. */
  get stoppedAt(): Date | null {
    return this.#stoppedAt
  }

  /** Whether the rest of the work is left to the next run. Call it only while work is left. */
  isOutOfTime(): boolean {
    if (currentMs() < this.endsAt) return false
    this.stop()
    return true
  }

  /** Records that the run leaves work to the next one, for example because it reached a limit of statements. */
  stop(): void {
    this.#stoppedAt ??= currentTime()
  }

  /** Counts an item. */
  countItem(isFailed: boolean): void {
    this.items += 1
    if (isFailed) this.failedItems += 1
  }
}
