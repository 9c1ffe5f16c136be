// Routes of a store's usage.
import type { PlatformEnv } from "../../core/http/platform-env"
import { one } from "../../core/http/response-schemas"
import { describe, query } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { ReadUsage, StoreUsageResource, storeUsageResource } from "./schemas"
import { readUsage } from "./service"

// lint: refreshed counts are stored for the next reader
export const usage = createRouter<PlatformEnv>().get(
  "/stores/:id/usage",
  describe({
    id: "usage.get",
    summary: "Retrieve a store's usage",
    responses: { status: 200, body: one(StoreUsageResource) },
    refuses: ["not_found", "usage_unavailable"],
  }),
  query(ReadUsage),
  async (c) => {
    const refresh = c.req.valid("query").refresh ?? false
    return c.json({ data: storeUsageResource(await readUsage(c.var.ctx, c.req.param("id"), { refresh }), refresh) })
  },
)
