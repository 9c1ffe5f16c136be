// Lists the events that the "Send test event" button can send an example of.
import { PING, TEST_EVENTS } from "../../src/core/write/event-types"

export const EXAMPLE_EVENTS = TEST_EVENTS.filter((event) => event !== PING)
