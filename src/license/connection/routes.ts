// The test of a key: by it the owner of a key, client or vendor, learns that the key works.
import { Hono } from "hono"
import { describe, type RouteDoc } from "../../core/http/route"
import { message } from "../refusal-messages"
import { Held } from "../response-schemas"
import type { LicenseEnv } from "../types"

const connection = (id: RouteDoc["id"]) =>
  new Hono<LicenseEnv>().get(
    "/connection-check",
    describe({ id, summary: "Test the key", answers: { status: 200, body: Held } }),
    (c) => c.json({ status: true, is_active: true, message: message("connected", c.var.ctx.language) }),
  )

export const externalConnection = connection("client.checkConnection")
export const internalConnection = connection("vendor.checkConnection")
