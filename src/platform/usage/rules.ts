// Compares a store's usage with a plan's limits. Pure functions.

import type { AppUsage } from "../../apps/definition"
import { availableApps } from "../../apps/registry"
import { type FieldErrors, Refusal } from "../../core/http/refusal"
import type { Limits } from "../../db/schema/central/plans"
import { MEGABYTE } from "../../lib/megabyte"

/** Usage by name in the API; a missing name counts as 0. Apps define their names in their manifests. */
export type UsageCounts = Readonly<Record<string, number>>

/** The name of a kind of usage. */
export type UsageName = keyof AppUsage | "storage_bytes" | "staff_users"

/** The usage of a store that was never provisioned. */
export const NO_USAGE: UsageCounts = {}

/** Lists all kinds of usage: those of every installed app, media storage in bytes, staff users. */
export const listUsageNames = (): UsageName[] => [
  ...availableApps.flatMap(({ usage = {} }) => Object.keys(usage) as (keyof AppUsage)[]),
  "storage_bytes",
  "staff_users",
]

/**
 * Returns the usage in the unit of a limit. Limits have the same names as usage, except storage, whose limit is in
 * megabytes.
 */
const getUsedAmount = (usage: UsageCounts, limit: string): number =>
  limit === "storage_mb" ? Math.ceil((usage.storage_bytes ?? 0) / MEGABYTE) : (usage[limit] ?? 0)

/** A limit of a plan that is almost used up. */
export interface NearLimit {
  name: LimitName
  used: number
  limit: number
}

type LimitName = keyof Limits

/** The limits in the order of their importance to a shop: without orders it cannot sell. */
const LIMIT_NAMES = ["orders", "products", "storage_mb", "staff_users"] as const satisfies readonly LimitName[]

/** Lists the limits of which more than four fifths are used. Every shop has one member of the staff, who never counts. */
export const listNearLimits = (usage: UsageCounts, limits: Limits): NearLimit[] =>
  LIMIT_NAMES.map((name) => ({ name, used: getUsedAmount(usage, name), limit: limits[name] })).filter(
    ({ name, used, limit }) => limit > 0 && used * 5 > limit * 4 && !(name === "staff_users" && used <= 1),
  )

/**
 * Asserts that usage is within the limits; a limit of 0 means unlimited.
 * @throws Refusal `plan_too_small` naming every exceeded limit
 */
export function assertWithinLimits(usage: UsageCounts, limits: Limits): void {
  const fields: FieldErrors = {}
  for (const [name, limit] of Object.entries(limits)) {
    const total = getUsedAmount(usage, name)
    if (limit > 0 && total > limit) fields[name] = [{ rule: "limit_exceeded", facts: { usage: total, limit } }]
  }
  if (Object.keys(fields).length) throw new Refusal("plan_too_small", { fields })
}
