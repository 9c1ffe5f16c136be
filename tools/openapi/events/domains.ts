// The events about domains.
import * as z from "zod"
import { DomainResource } from "../../../src/platform/domains/schemas.ts"
import { documentEvent, storeEvent } from "./event.ts"
import { sparse } from "./sparse.ts"

const EventDomain = sparse(DomainResource).meta({ id: "EventDomain" })

documentEvent(EventDomain, {
  verified_at: { description: "When the domain was verified.", example: "2026-09-02T10:15:00+00:00" },
  is_routable: { description: "Whether the store is served on this domain.", example: true },
  verification: { description: "DNS records to create; only while the domain is not verified.", omitFromExample: true },
})

const domain = { domain: EventDomain }

export const domainEvents = {
  "domain.added": storeEvent("domain.added", "A custom domain was attached.", domain),
  "domain.verified": storeEvent("domain.verified", "A domain was verified for the first time.", domain),
  "domain.primary_changed": storeEvent("domain.primary_changed", "A store's primary domain changed.", {
    ...domain,
    previous_primary: z.string().optional(),
  }),
  "domain.removed": storeEvent("domain.removed", "A domain was detached.", domain),
}
