// GET /api/health-check: whether the Worker answers, without a key.
import { Hono } from "hono"
import { hostOf } from "./core/host"
import type { Env } from "./env"

export const health = new Hono<{ Bindings: Env }>().get("/api/health-check", (c) =>
  hostOf(c.env, c.req.url).kind === "central" ? c.json({ status: "ok" }) : c.notFound(),
)
