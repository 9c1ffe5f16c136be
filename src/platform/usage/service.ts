// Reads a store's usage: the last snapshot, or a fresh count.

import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { writeUnaudited } from "../../core/write/commit"
import { retryTransient } from "../../core/write/retry"
import { loadStore } from "../stores/queries"
import type { StoreDetails } from "../stores/schemas"
import { countStoreUsage, getUsage } from "./collect"
import { buildSnapshot, upsertSnapshots } from "./snapshots"

/**
 * Reads a store with its usage.
 * @param input `refresh`: counts now, and stores the result as a snapshot in the background
 * @throws Refusal `not_found`; with `refresh`, `usage_unavailable` for a store that was never provisioned or whose
 *   database cannot be queried
 */
export async function readUsage(ctx: Ctx, id: string, input: { refresh: boolean }): Promise<StoreDetails> {
  if (!input.refresh) return loadStore(ctx, id)
  const [facts, counted] = await Promise.all([loadStore(ctx, id), countStoreUsage(ctx, id)])
  if (!facts.store.provisionedAt) throw new Refusal("usage_unavailable")
  const usage = buildSnapshot(ctx, id, getUsage(facts.store, counted))
  ctx.inBackground(
    retryTransient(() => writeUnaudited(ctx, "statistics", [upsertSnapshots([{ ...usage, seq: facts.store.seq }])])),
  )
  return { ...facts, usage }
}
