// Documents the API fields of the event feed.
import { documentFields } from "../../core/http/field-docs"
import { EventResponse, FeedResponse, ListEvents } from "./schemas"

documentFields(ListEvents, {
  after: {
    description:
      "Position to continue from: `next_cursor` of the last response, an event's id, or `now` for new events only. " +
      "Without it, the feed starts with the oldest event. With `order=desc`, the page continues with older events.",
    example: "now",
  },
  order: { description: "`asc` starts with the oldest event, `desc` with the newest. `wait` requires `asc`." },
  types: { description: "Comma-separated event types or wildcards, such as `store.*`.", example: ["store.*"] },
  store: { description: "Only events of this store.", example: "acme" },
  limit: { description: "Maximum number of events." },
  wait: { description: "Seconds to wait for an event if there is none yet (long polling)." },
})

documentFields(EventResponse.shape.data, {
  id: { description: "Id of the event.", example: "01K4YQZ0M8T3V6N9R2B5C7D1EF" },
  type: { description: "Event type.", example: "store.created" },
  api_version: { description: "API version of the payload.", example: "2026-09-02" },
  data: {
    description: "The resources that the event is about, as of the event.",
    example: { store: { id: "acme", name: "Acme Outfitters", status: "pending" } },
  },
  meta: {
    description: "The actor who caused the event, and other context.",
    example: { actor: { type: "api_key", id: 7, name: "Fulfilment" }, source: "api" },
  },
})

documentFields(FeedResponse.shape.meta, {
  next_cursor: { description: "Value of `after` for the next request.", example: "ev1_2s" },
  has_more: { description: "Whether more events are available now.", example: false },
})
