// Writes of the media library. A key makes them, so each leaves an entry in the trail; and each checks its conditions itself, so one
// that touched nothing has written nothing.
import type { SiteAudit } from "../../core/write/audit"
import { WriteConflict } from "../../core/write/commit"
import { commitSite } from "../../core/write/site-commit"
import type { Statement } from "../../db/client"
import { abortUnlessTouched, type Write } from "../../db/write"
import type { MediaCtx } from "../site"

/**
 * Commits a write that has to touch a row, and what goes with it.
 * @param write answers the rows it touched
 * @param more what follows once it touched one
 * @returns the answer of `write`; null when it touched nothing, and nothing was written
 */
export async function commitMedia<Rows, const More extends readonly Statement[] = []>(
  ctx: MediaCtx,
  write: Write<Rows>,
  entry: SiteAudit,
  more?: More,
): Promise<Rows | null> {
  try {
    const [rows] = await commitSite(ctx, ctx.site, {
      writes: [write, abortUnlessTouched, ...(more ?? [])],
      trail: [entry],
    })
    return rows as Rows
  } catch (cause) {
    if (cause instanceof WriteConflict) return null
    throw cause
  }
}
