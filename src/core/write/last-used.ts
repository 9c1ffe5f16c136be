// Records in the background when an API key was last used.
import type { Write } from "../../db/write"
import { MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { writeUnaudited } from "./commit"

/**
 * Records that a key was used, in the background and at most once per minute. Failures are ignored; concurrent requests
 * may each write.
 * @param lastUsedAt the value in the key's row
 * @param used builds the write that stores the time
 */
export function recordLastUsed(ctx: Ctx, lastUsedAt: Date | null, used: () => Write): void {
  if (lastUsedAt && ctx.now.getTime() - lastUsedAt.getTime() < MINUTE) return
  // lint: the next use records a later time
  ctx.inBackground(writeUnaudited(ctx, "last_used", [used()]).catch(() => undefined))
}
