// The events about licenses. They do not belong to a store.
import * as z from "zod"
import { documentFields } from "../../../src/core/http/field-docs.ts"
import type { EventType } from "../../../src/core/write/event-types.ts"
import { LicenseResource } from "../../../src/license/licenses/schemas.ts"
import { buildPayload, type DataSchemas, documentEvent, type EventDoc } from "./event.ts"
import { sparse } from "./sparse.ts"

const EventLicense = sparse(LicenseResource).meta({ id: "EventLicense" })

documentEvent(EventLicense, {
  comments: { description: "Notes for the vendor.", omitFromExample: true },
  expires_at: { description: "When the license expires; absent if it does not.", omitFromExample: true },
  expiry_days: { description: "Days until expiry, counted from the first activation.", omitFromExample: true },
  uses: { description: "Number of uses sold, for the vendor's records. It is not enforced.", omitFromExample: true },
})

const activation = z
  .strictObject({
    id: z.int().optional(),
    domain: z.string().optional(),
    ip: z.string().optional(),
    client_name: z.string().optional(),
    activated_at: z.string().optional(),
  })
  .meta({ id: "EventActivation" })

documentFields(activation, {
  id: { description: "Id of the activation; absent when it was just created.", example: 42 },
  domain: { description: "Domain of the installation.", example: "shop.example.com" },
  ip: { description: "IP address of the installation's server.", example: "203.0.113.7" },
  client_name: { description: "Customer that the client sent.", example: "Ada Lovelace" },
  activated_at: { description: "When the installation was last activated.", example: "2026-09-02T10:15:00+00:00" },
})

const licenseEvent = <Type extends Extract<EventType, `license.${string}`>>(
  type: Type,
  summary: string,
  data: DataSchemas<Type, "license">,
): EventDoc => ({
  summary,
  payloadSchema: buildPayload(type, { license: EventLicense, ...data }),
})

export const licenseEvents = {
  "license.expiring": licenseEvent("license.expiring", "A license expires in 30, 7 or 1 days.", { days: z.int() }),
  "license.expired": licenseEvent("license.expired", "A license expired.", {}),
  "license.update_support_expired": licenseEvent(
    "license.update_support_expired",
    "A license is no longer entitled to new versions.",
    {},
  ),
  "license.activated": licenseEvent("license.activated", "A license was activated for an installation.", {
    activation,
  }),
  "license.deactivated": licenseEvent(
    "license.deactivated",
    "An activation ended (`activation`), or all activations of a license (`activations`, their number).",
    {
      activation: activation.optional(),
      activations: z.int().optional(),
    },
  ),
  "license.blocked": licenseEvent("license.blocked", "A license was blocked.", {}),
}
