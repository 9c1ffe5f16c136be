// Builds the body of a request: the stored payload, or its thin form, which contains ids instead of resources.
import type { Ctx } from "../core/context"
import { PING } from "../core/write/event-types"
import { getFallbackHost, publicUrl } from "../env"
import type { Endpoint } from "./receiving-condition"
import { buildThinPayload } from "./thin-payload"

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
    ? buildThinPayload(
        event.payload,
        endpoint.storeId === null
          ? publicUrl(settings, settings.CENTRAL_DOMAIN, `/api/platform/v1/events/${event.id}`)
          : publicUrl(settings, getFallbackHost(settings, endpoint.storeId), `/api/v1/webhooks/events/${event.id}`),
      )
    : event.payload
