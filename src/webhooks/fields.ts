// Fields that several inputs of webhooks have.
import { shortText } from "../core/http/validation"
import { SUBSCRIPTIONS, TEST_EVENTS } from "../core/write/event-types"

/** What an endpoint may subscribe to; a list of them names no item when one is not known. */
export const subscription = shortText(100).meta({ id: "WebhookSubscription", enum: [...SUBSCRIPTIONS] })

/** An event's name, the ping's too. */
export const eventName = shortText(100).meta({ enum: [...TEST_EVENTS] })
