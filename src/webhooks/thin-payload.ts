// Builds the thin form of a payload, which contains ids instead of resources. `listen` uses it too.

/** The fields that identify a resource, the first that it has. */
const KEY_FIELDS = ["id", "slug", "reference"] as const

interface FullPayload {
  id: string
  type: string
  created_at: string
  api_version: string
  data: Record<string, unknown>
}

/**
 * @param payload the text of the full payload
 * @param url where the event can be read
 */
export function buildThinPayload(payload: string, url: string): string {
  const { id, type, created_at, api_version, data } = JSON.parse(payload) as FullPayload
  const keys = Object.entries(data).flatMap(([name, resource]) => {
    // The changes are not a resource, but may have a field of that name.
    const key = name === "changes" ? null : getKey(resource)
    return key ? [[name, key]] : []
  })
  return JSON.stringify({ id, type, created_at, api_version, data: Object.fromEntries(keys), url })
}

/** Returns the field that identifies a resource; null for a value without one, such as a subscription. */
function getKey(resource: unknown): Record<string, unknown> | null {
  if (typeof resource !== "object" || resource === null) return null
  const field = KEY_FIELDS.find((name) => Object.hasOwn(resource, name))
  return field ? { [field]: (resource as Record<string, unknown>)[field] } : null
}
