// Builds the response of GET /platform: the constants that are the same for every store.
import * as z from "zod"
import { DELIVERY_EVENTS, LICENSE_EVENTS, PLATFORM_EVENTS, SHOP_EVENTS } from "../core/write/event-types"
import { API_VERSION } from "../core/write/events"
import type { Settings } from "../env"
import { FEATURES } from "./plans/features"

export const Platform = z
  .object({
    api_version: z.string(),
    grace_days: z.int(),
    retention_days: z.int(),
    central_domain: z.string(),
    features: z.record(
      z.string(),
      z.object({ label: z.string(), description: z.string(), default: z.boolean(), column: z.string() }),
    ),
    webhook_events: z.array(z.string()),
    license_events: z.array(z.string()),
  })
  .meta({ id: "Platform" })

export const buildPlatformConstants = (settings: Settings): z.input<typeof Platform> => ({
  api_version: API_VERSION,
  grace_days: settings.TENANCY_BILLING_GRACE_DAYS,
  retention_days: settings.TENANCY_RETENTION_DAYS,
  central_domain: settings.CENTRAL_DOMAIN,
  features: FEATURES,
  webhook_events: [...PLATFORM_EVENTS, ...DELIVERY_EVENTS, ...SHOP_EVENTS],
  license_events: [...LICENSE_EVENTS],
})
