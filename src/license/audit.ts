// Builds the before/after fields of audit log entries about products, versions, licenses and activations, under their
// API names. License codes are masked, because a code is all it takes to activate a license.
import type { PlatformAudit } from "../core/write/audit"

type Fields = Record<string, unknown>

/** Shortens a license code to a prefix that identifies it and cannot be used. */
const maskCode = (code: string): string => `${code.slice(0, Math.min(4, code.length / 4))}…`

/** Derived fields, and the id, which the entry has already. */
const EXCLUDED_FIELDS = ["id", "created_at", "updated_at", "active_activations_count", "activations_count"]

const auditFields = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !EXCLUDED_FIELDS.includes(name))
      .map(([name, value]) => [name, name === "license_code" ? maskCode(String(value)) : value]),
  )

/** Returns the audited fields of a created row. */
export const auditCreated = (after: Fields): Pick<PlatformAudit, "after"> => ({ after: auditFields(after) })

/** Returns the audited fields of a deleted row. */
export const auditRemoved = (before: Fields): Pick<PlatformAudit, "before"> => ({ before: auditFields(before) })

/** Returns the fields that differ, before and after; null when none does. */
export function auditChanged(before: Fields, after: Fields): Required<Pick<PlatformAudit, "before" | "after">> | null {
  const [previous, next] = [auditFields(before), auditFields(after)]
  const names = Object.keys(next).filter((name) => JSON.stringify(previous[name]) !== JSON.stringify(next[name]))
  const pick = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return names.length ? { before: pick(previous), after: pick(next) } : null
}
