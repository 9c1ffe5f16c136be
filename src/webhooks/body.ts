// Builds the body of a request: the stored payload, or its thin form, which contains ids instead of resources.
import type { Ctx } from "../core/context"
import { PING } from "../core/write/event-types"
import { publicUrl } from "../env"
import type { Endpoint } from "./receiving-condition"

/** The fields that identify a resource, the first that it has. */
const KEY_FIELDS = ["id", "slug", "reference"] as const

/**
 * Returns the text that is signed and sent.
 * @param event its exact payload; a ping has no resources, so it is always sent as it is
 */
export const buildBody = (
  { settings }: Pick<Ctx, "settings">,
  endpoint: Pick<Endpoint, "payloadFormat" | "storeId">,
  event: { id: string; event: string; payload: string },
): string =>
  endpoint.payloadFormat === "thin" && event.event !== PING
    ? JSON.stringify(
        toThinPayload(
          JSON.parse(event.payload) as FullPayload,
          endpoint.storeId === null
            ? publicUrl(settings, settings.CENTRAL_DOMAIN, `/api/platform/v1/events/${event.id}`)
            : publicUrl(
                settings,
                `${endpoint.storeId}.${settings.CENTRAL_DOMAIN}`,
                `/api/v1/webhooks/events/${event.id}`,
              ),
        ),
      )
    : event.payload

interface FullPayload {
  id: string
  type: string
  created_at: string
  api_version: string
  data: Record<string, unknown>
}

/** @param url where the event can be read */
const toThinPayload = ({ id, type, created_at, api_version, data }: FullPayload, url: string) => ({
  id,
  type,
  created_at,
  api_version,
  data: Object.fromEntries(
    Object.entries(data).flatMap(([name, resource]) => {
      // The changes are no resource, but may have a field of that name.
      const key = name === "changes" ? null : getKey(resource)
      return key ? [[name, key]] : []
    }),
  ),
  url,
})

/** Returns the field that identifies a resource; null for a value without one, such as a subscription. */
function getKey(resource: unknown): Record<string, unknown> | null {
  if (typeof resource !== "object" || resource === null) return null
  const field = KEY_FIELDS.find((name) => Object.hasOwn(resource, name))
  return field ? { [field]: (resource as Record<string, unknown>)[field] } : null
}
