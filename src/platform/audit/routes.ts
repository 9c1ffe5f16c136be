// A store's audit trail over HTTP.
import { Hono } from "hono"
import { auditResource } from "../../core/audit"
import { describe, query } from "../../core/route"
import { paged } from "../answers"
import { pageMeta } from "../pages"
import type { PlatformEnv } from "../types"
import { AuditEntryResource, ListEntries } from "./schemas"
import { listEntries } from "./service"

export const audit = new Hono<PlatformEnv>().get(
  "/stores/:id/events",
  describe({
    id: "audit.list",
    summary: "List what happened to a store, the newest first",
    answers: { status: 200, body: paged(AuditEntryResource) },
    refuses: ["not_found"],
  }),
  query(ListEntries),
  async (c) => {
    const input = c.req.valid("query")
    const { rows, total } = await listEntries(c.var.ctx, c.req.param("id"), input)
    return c.json({ data: rows.map(auditResource), meta: pageMeta(input, total) })
  },
)
