// What a store uses, held against what a plan allows. Pure.

import type { UsageOfApps } from "../../apps/definition"
import { plugins } from "../../apps/registry"
import { type FieldFaults, Refusal } from "../../core/http/refusal"
import type { Limits } from "../../db/schema/central/plans"
import { MEGABYTE } from "../../lib/megabyte"

/** What a store uses, by its name in the API; what is missing is nothing. Apps name what they count in their manifests. */
export type Counts = Readonly<Record<string, number>>

/** A name of something that is counted. */
export type CountedName = keyof UsageOfApps | "storage_bytes" | "staff_users"

/** A store that was never provisioned. */
export const NOTHING: Counts = {}

/** Everything that is counted: of every installed app, bytes in media, staff users. */
export const counted = (): CountedName[] => [
  ...plugins.flatMap(({ usage = {} }) => Object.keys(usage) as (keyof UsageOfApps)[]),
  "storage_bytes",
  "staff_users",
]

/** How much of a limit is used. Limits have the names of what is counted, but for storage, which is sold by the megabyte. */
const used = (usage: Counts, limit: string): number =>
  limit === "storage_mb" ? Math.ceil((usage.storage_bytes ?? 0) / MEGABYTE) : (usage[limit] ?? 0)

/**
 * Holds usage to limits, of which 0 is none.
 * @throws Refusal `plan_too_small` naming every limit that usage is over
 */
export function assertFits(usage: Counts, limits: Limits): void {
  const fields: FieldFaults = {}
  for (const [name, limit] of Object.entries(limits)) {
    const total = used(usage, name)
    if (limit > 0 && total > limit) fields[name] = [{ rule: "limit_exceeded", facts: { usage: total, limit } }]
  }
  if (Object.keys(fields).length) throw new Refusal("plan_too_small", { fields })
}
