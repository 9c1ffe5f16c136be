// The internal API's own test of a key.
import { Hono } from "hono"
import { describe } from "../core/route"
import { Held } from "./answers"
import { message } from "./messages"
import type { LicenseEnv } from "./types"

export const internal = new Hono<LicenseEnv>().get(
  "/connection-check",
  describe({ id: "vendor.checkConnection", summary: "Test the key", answers: { status: 200, body: Held } }),
  (c) => c.json({ status: true, is_active: true, message: message("connected", c.var.ctx.language) }),
)
