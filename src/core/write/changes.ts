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

/**
 * Returns the values of an audit entry: the changed fields, next to those that identify the resource.
 * @param identity fields that every entry about the resource shows, such as its name
 */
export const auditChanges = <Identity extends object>(
  changes: Changes,
  identity: { before: Identity; after: Identity },
): { before: Record<string, unknown>; after: Record<string, unknown> } => ({
  before: { ...identity.before, ...pickSide(changes, "from") },
  after: { ...identity.after, ...pickSide(changes, "to") },
})

const pickSide = (changes: Changes, side: "from" | "to") =>
  Object.fromEntries(Object.entries(changes).map(([name, change]) => [name, shorten(change[side])]))

/** Shortens texts and lists. The audit log shows what changed; it does not copy the content. */
function shorten(value: unknown): unknown {
  if (typeof value === "string") return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shorten)
  if (value === null || typeof value !== "object") return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shorten(inner)]))
}
