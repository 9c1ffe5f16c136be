// Compares a resource before and after a change: in full for events, shortened for the audit log.

/** The changed fields of a resource by their names. */
export type Changes = Readonly<Record<string, { from: unknown; to: unknown }>>

/**
 * Returns the fields whose values differ.
 * @param derived fields that follow from others, or that every change sets, such as `updated_at`
 */
export function compareResources<Resource extends object>(
  before: Resource,
  after: Resource,
  derived: readonly (keyof Resource)[],
): Changes {
  const names = Object.keys({ ...before, ...after }) as (keyof Resource)[]
  return Object.fromEntries(
    names
      .filter((name) => !derived.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]),
  )
}

/** Characters of a text, and items of a list, in an audit entry. */
const MAX_TEXT_LENGTH = 200
const MAX_ITEMS = 20

interface AuditedChanges {
  before: Record<string, unknown>
  after: Record<string, unknown>
  /** The personal fields that changed. */
  data?: { fields: string[] }
}

/**
 * Returns the values of an audit entry: the changed fields, next to those that identify the resource.
 * @param identity fields that every entry about the resource shows, such as its name
 * @param personal fields whose values are erased with a customer's account. The audit log is permanent, so the entry
 *   only names those that changed.
 */
export function auditChanges<Identity extends object>(
  changes: Changes,
  identity: { before: Identity; after: Identity },
  personal: readonly string[] = [],
): AuditedChanges {
  const shown = Object.entries(changes).filter(([name]) => !personal.includes(name))
  const fields = Object.keys(changes).filter((name) => personal.includes(name))
  return {
    before: { ...identity.before, ...pickSide(shown, "from") },
    after: { ...identity.after, ...pickSide(shown, "to") },
    ...(fields.length > 0 && { data: { fields } }),
  }
}

const pickSide = (changes: readonly [string, Changes[string]][], side: "from" | "to") =>
  Object.fromEntries(changes.map(([name, change]) => [name, shorten(change[side])]))

/** Shortens texts and lists. The audit log shows what changed; it does not copy the content. */
function shorten(value: unknown): unknown {
  if (typeof value === "string") return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shorten)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]))
}
