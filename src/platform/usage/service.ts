// Reading what a store uses: as it was last counted, or counted now.

import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited } from "../../core/write/commit"
import { loadStore } from "../stores/queries"
import type { StoreFacts } from "../stores/schemas"
import { countSite, usageOf } from "./collect"
import { keepSnapshots, snapshot } from "./snapshots"

/**
 * The store with its usage.
 * @param input `refresh` counts the store's own database now, and keeps what it counted
 * @throws Refusal `not_found`; with `refresh`, `usage_unavailable` for a store that was never provisioned or whose database
 *   cannot be asked
 */
export async function readUsage(ctx: Ctx, id: string, input: { refresh: boolean }): Promise<StoreFacts> {
  if (!input.refresh) return loadStore(ctx, id)
  const [facts, counted] = await Promise.all([loadStore(ctx, id), countSite(ctx, id)])
  if (!facts.store.provisionedAt) throw new Refusal("usage_unavailable")
  const usage = snapshot(ctx, id, usageOf(facts.store, counted))
  ctx.after(writeUnaudited(ctx, "a count, not a change", [keepSnapshots([{ ...usage, seq: facts.store.seq }])]))
  return { ...facts, usage }
}
