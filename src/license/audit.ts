// Entries of the platform's trail about products, versions, licenses and activations: what was done, and the fields that it
// changed under the names that the API gives them. A license code opens an activation, so that it is never written whole.
import type { PlatformAudit } from "../core/write/audit"

type Fields = Record<string, unknown>

/** The beginning of a license code: enough to know it again, too little to use it. */
const maskedCode = (code: string): string => `${code.slice(0, Math.min(4, code.length / 4))}…`

/** What follows from other fields, or names the row. */
const DERIVED = ["id", "created_at", "updated_at", "active_activations_count", "activations_count"]

const shown = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !DERIVED.includes(name))
      .map(([name, value]) => [name, name === "license_code" ? maskedCode(String(value)) : value]),
  )

/** The fields of something that was made. */
export const made = (after: Fields): Pick<PlatformAudit, "after"> => ({ after: shown(after) })

/** The fields of something that is gone. */
export const removed = (before: Fields): Pick<PlatformAudit, "before"> => ({ before: shown(before) })

/** The fields that differ, as they were and as they are; null when none does. */
export function changed(before: Fields, after: Fields): Required<Pick<PlatformAudit, "before" | "after">> | null {
  const [old, next] = [shown(before), shown(after)]
  const names = Object.keys(next).filter((name) => JSON.stringify(old[name]) !== JSON.stringify(next[name]))
  const only = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return names.length ? { before: only(old), after: only(next) } : null
}
