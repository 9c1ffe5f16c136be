// Builds the license manager's webhook events. They do not belong to a store.

import type { LICENSE_EVENTS } from "../../core/write/event-types"
import type { EventDraft } from "../../core/write/events"
import { type LicenseWithProduct, licenseResource } from "./schemas"

/**
 * Builds an event about a license.
 * @param facts the license after the change
 * @param data further keys of the event, in addition to `license`
 */
export const licenseEvent = (
  type: (typeof LICENSE_EVENTS)[number],
  facts: LicenseWithProduct,
  data: Record<string, unknown> = {},
): EventDraft => ({ type, data: { license: licenseResource(facts), ...data } })
