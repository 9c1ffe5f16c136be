// One run at a time works on a store that is moved: a step of its move, or of its purge, which takes away what the move puts there.
import type { Ctx } from "../../core/context"
import { withLock } from "../../core/lock"
import { MINUTE } from "../../lib/time"

/** After how long a run that died is followed by another. */
const LEASE = 2 * MINUTE

/**
 * Works on a store that is moved while no other run does.
 * @returns what the work answers; null when another run is at it
 */
export const alone = <Answer>(ctx: Ctx, storeId: string, work: () => Promise<Answer>): Promise<Answer | null> =>
  withLock(ctx, `move:${storeId}`, LEASE, work)
