// Strings of the status page.
import { createPageTranslator } from "../kit/page-strings"
import { COMMON_STRINGS } from "../kit/strings"

export const STRINGS = {
  title: "Status",
  all_operational: "All systems are operational",
  some_degraded: "Some systems are degraded",
  some_outage: "Some systems are down",
  some_unknown: "Some systems were not measured recently",
  api: "API and stores",
  deliveries: "Webhooks",
  push: "Push notifications",
  operational: "Operational",
  degraded: "Degraded",
  outage: "Down",
  unknown: "Not measured",
  latency: "Median time from an event to its delivery",
  slowest: "95% of deliveries within",
  oldest_due: "Oldest delivery that is due",
  none_due: "none is late",
  no_traffic: "no recent events",
  incidents: "Incidents",
  no_incidents: "No incidents in the last 90 days.",
  ongoing: "Ongoing",
  updated: "Updated: :time",
}

/** Looks up a string of the status page. */
export const t = createPageTranslator({ status: STRINGS, kit: COMMON_STRINGS })
