// Documents the API fields of recoveries.
import { documentFields } from "../../core/http/field-docs"
import { RecoverEndpoint, RecoveryResource } from "./schemas"

documentFields(RecoverEndpoint, {
  since: { description: "Start of the period, inclusive." },
  until: { description: "End of the period; now when omitted." },
  events: {
    description: "Event types or wildcards to recover; those that the endpoint subscribes to when omitted.",
    example: ["store.*"],
  },
  mode: {
    description:
      "`failed` resends deliveries that failed, `missed` sends subscribed events without a delivery, `all` does both.",
    example: "failed",
  },
})

documentFields(RecoveryResource, {
  queued: { description: "Events to send.", example: 12 },
  done: { description: "Events delivered so far.", example: 11 },
  failed: { description: "Events that could not be delivered.", example: 0 },
  since: { description: "Start of the recovered period.", example: "2026-09-01T00:00:00+00:00" },
  until: { description: "End of the recovered period.", example: "2026-09-02T10:15:00+00:00" },
})
