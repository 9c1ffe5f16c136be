// Routes of a store's domains.
import type { PlatformEnv } from "../../core/http/platform-env"
import { list, one } from "../../core/http/response-schemas"
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { isRoutable } from "../../core/http/store-access"
import { formatTimestamp } from "../../lib/time"
import { allowsCustomDomains } from "./rules"
import { AttachDomain, DomainMeta, DomainResource, domainResource, VerificationResponse } from "./schemas"
import { attachDomain, makePrimary, readDomains, removeDomain } from "./service"
import { verifyDomain } from "./verify"

export const domains = createRouter<PlatformEnv>()
  .get(
    "/stores/:id/domains",
    describe({
      id: "domains.list",
      summary: "List a store's domains",
      responses: { status: 200, body: list(DomainResource, DomainMeta) },
      refuses: ["not_found"],
    }),
    async (c) => {
      const { ctx } = c.var
      const { attached, subscription } = await readDomains(ctx, c.req.param("id"))
      return c.json({
        data: attached.map((row) => domainResource(ctx.settings, row)),
        meta: {
          plan_allows_custom_domains: allowsCustomDomains(subscription),
          max_custom_domains: ctx.settings.TENANCY_MAX_CUSTOM_DOMAINS,
        },
      })
    },
  )
  .post(
    "/stores/:id/domains",
    describe({
      id: "domains.create",
      summary: "Attach a custom domain",
      responses: { status: 201, body: one(DomainResource) },
      refuses: ["not_found", "plan_upgrade_required", "limit_reached", "already_taken"],
    }),
    body(AttachDomain),
    async (c) => {
      const row = await attachDomain(c.var.ctx, c.req.param("id"), c.req.valid("json").domain)
      return c.json({ data: domainResource(c.var.ctx.settings, row) }, 201)
    },
  )
  .post(
    "/stores/:id/domains/:domain/verify",
    describe({
      id: "domains.verify",
      summary: "Verify a domain",
      responses: { status: 200, body: VerificationResponse },
      refuses: ["not_found"],
    }),
    async (c) => {
      const { domain, reason } = await verifyDomain(c.var.ctx, c.req.param("id"), c.req.param("domain"))
      return c.json({
        data: { id: domain.id, verified_at: formatTimestamp(domain.verifiedAt), is_routable: isRoutable(domain) },
        verification_result: { verified: reason === null, method: "txt", reason },
      })
    },
  )
  .post(
    "/stores/:id/domains/:domain/primary",
    describe({
      id: "domains.makePrimary",
      summary: "Make a domain primary",
      responses: { status: 200, body: one(DomainResource) },
      refuses: ["not_found", "verify_first"],
    }),
    async (c) => {
      const row = await makePrimary(c.var.ctx, c.req.param("id"), c.req.param("domain"))
      return c.json({ data: domainResource(c.var.ctx.settings, row) })
    },
  )
  .delete(
    "/stores/:id/domains/:domain",
    describe({
      id: "domains.delete",
      summary: "Detach a custom domain",
      responses: { status: 204 },
      refuses: ["not_found", "not_removable"],
    }),
    async (c) => {
      await removeDomain(c.var.ctx, c.req.param("id"), c.req.param("domain"))
      return c.body(null, 204)
    },
  )
