// Input fields shared by several webhook schemas.
import { shortText } from "../core/http/validation"
import { SUBSCRIPTIONS, TEST_EVENTS } from "../core/write/event-types"

/** An event type or pattern that an endpoint may subscribe to. */
export const subscription = shortText(100).meta({ id: "WebhookSubscription", enum: [...SUBSCRIPTIONS] })

/** An event type, including `ping`. */
export const eventName = shortText(100).meta({ enum: [...TEST_EVENTS] })
