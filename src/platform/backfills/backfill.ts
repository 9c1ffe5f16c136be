// The shape of a backfill: it changes existing rows of a large table in small steps, because a migration that changed
// all of them would exceed D1's 30 seconds.
import type { Ctx } from "../../core/context"
import type { Write } from "../../db/write"

export interface Backfill {
  summary: string
  /** Reads the highest position, for the progress. */
  readLast(ctx: Ctx): Promise<number>
  /**
   * Prepares the next step. It must be idempotent: the write changes a row only if the row still needs it.
   * @param after the position of the last checked row
   * @param limit number of rows to read
   * @returns the number of rows that were read, the position of the last of them, and how many the write changes; the
   *   position is ignored when fewer rows than the limit were read
   */
  prepareStep(
    ctx: Ctx,
    after: number,
    limit: number,
  ): Promise<{ checked: number; position: number; changed: number; write: Write | null }>
}
