// domain.*
import * as z from "zod"
import { DomainResource } from "../../../src/platform/domains/schemas.ts"
import { aboutStore } from "./event.ts"
import { sparse } from "./sparse.ts"

const domain = { domain: sparse(DomainResource).meta({ id: "EventDomain" }) }

export const domainEvents = {
  "domain.added": aboutStore("domain.added", "A custom domain was attached.", domain),
  "domain.verified": aboutStore("domain.verified", "A domain was verified, for the first time.", domain),
  "domain.primary_changed": aboutStore("domain.primary_changed", "The store's root URL names another domain.", {
    ...domain,
    previous_primary: z.string().optional(),
  }),
  "domain.removed": aboutStore("domain.removed", "A domain was detached.", domain),
}
