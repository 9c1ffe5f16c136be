// Routes of a store's audit log.
import { pageMeta } from "../../core/http/pagination"
import type { PlatformEnv } from "../../core/http/platform-env"
import { paged } from "../../core/http/response-schemas"
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { auditResource } from "../../core/write/audit"
import { AuditEntryResource, ListEntries } from "./schemas"
import { listEntries } from "./service"

export const audit = createRouter<PlatformEnv>().get(
  "/stores/:id/events",
  describe({
    id: "audit.list",
    summary: "List a store's audit log",
    responses: { status: 200, body: paged(AuditEntryResource) },
    refuses: ["not_found"],
  }),
  query(ListEntries),
  async (c) => {
    const input = c.req.valid("query")
    const { rows, total } = await listEntries(c.var.ctx, c.req.param("id"), input)
    return c.json({ data: rows.map(auditResource), meta: pageMeta(input, total) })
  },
)
