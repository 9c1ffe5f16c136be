// Commits writes of the media library. API keys make them, so each is recorded in the audit log. A write checks its
// conditions in its own statement: when it touches no row, nothing is written.
import type { SiteAudit } from "../../core/write/audit"
import { WriteConflict } from "../../core/write/commit"
import { commitSite } from "../../core/write/site-commit"
import type { Statement } from "../../db/client"
import { abortUnlessTouched, type Write } from "../../db/write"
import type { MediaCtx } from "../site"

/** Maximum number of ids in one audit entry. */
export const MAX_AUDITED_IDS = 100

/**
 * Commits a write that must touch at least one row, together with its audit entry.
 * @param write returns the rows it touched
 * @param followUp statements that run after it in the same transaction
 * @returns the rows of `write`; null when it touched none and nothing was written
 */
export async function commitMedia<Rows, const FollowUp extends readonly Statement[] = []>(
  ctx: MediaCtx,
  write: Write<Rows>,
  auditEntry: SiteAudit,
  followUp?: FollowUp,
): Promise<Rows | null> {
  try {
    const [rows] = await commitSite(ctx, ctx.site, {
      writes: [write, abortUnlessTouched, ...(followUp ?? [])],
      auditLog: [auditEntry],
    })
    return rows as Rows
  } catch (cause) {
    if (cause instanceof WriteConflict) return null
    throw cause
  }
}
