// Usage over HTTP.
import { Hono } from "hono"
import type { PlatformEnv } from "../../core/http/platform-env"
import { one } from "../../core/http/response-schemas"
import { describe, query } from "../../core/http/route"
import { ReadUsage, StoreUsage, storeUsage } from "./schemas"
import { readUsage } from "./service"

export const usage = new Hono<PlatformEnv>().get(
  "/stores/:id/usage",
  describe({
    id: "usage.get",
    summary: "Read what a store uses, as last counted or counted now",
    answers: { status: 200, body: one(StoreUsage) },
    refuses: ["not_found", "usage_unavailable"],
  }),
  query(ReadUsage),
  async (c) => {
    const refresh = c.req.valid("query").refresh ?? false
    return c.json({ data: storeUsage(await readUsage(c.var.ctx, c.req.param("id"), { refresh }), refresh) })
  },
)
