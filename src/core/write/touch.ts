// When a key was last used: bookkeeping behind the answer.
import type { Write } from "../../db/write"
import { MINUTE } from "../../lib/time"
import type { Ctx } from "../context"
import { writeUnaudited } from "./commit"

/**
 * Notes that a key was used: behind the answer, once a minute, and in silence when it fails. Requests of one moment may each note it.
 * @param lastUsedAt as the key's row has it
 * @param used makes the write that notes it
 */
export function touch(ctx: Ctx, lastUsedAt: Date | null, used: () => Write): void {
  if (lastUsedAt && ctx.now.getTime() - lastUsedAt.getTime() < MINUTE) return
  ctx.after(writeUnaudited(ctx, "when a key was last used", [used()]).catch(() => undefined))
}
