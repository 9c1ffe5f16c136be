// What the license manager tells webhook endpoints. Its events are about no store.

import type { LICENSE_EVENTS } from "../../core/write/event-types"
import type { EventDraft } from "../../core/write/events"
import { type LicenseOfProduct, licenseResource } from "./schemas"

/**
 * An event about a license.
 * @param facts the license as it is once the change is made
 * @param data the event's own keys beside `license`
 */
export const licenseEvent = (
  type: (typeof LICENSE_EVENTS)[number],
  facts: LicenseOfProduct,
  data: Record<string, unknown> = {},
): EventDraft => ({ type, data: { license: licenseResource(facts), ...data } })
