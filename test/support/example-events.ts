// The events that the test button can make an example of.
import { PING, TEST_EVENTS } from "../../src/core/write/event-types"

export const EXAMPLE_EVENTS = TEST_EVENTS.filter((event) => event !== PING)
