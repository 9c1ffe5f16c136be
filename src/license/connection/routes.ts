// The connection check of both APIs: a successful response proves that the API key works.
import { describe, type RouteDoc } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { formatMessage } from "../refusal-messages"
import { ActiveStatusMessage } from "../response-schemas"
import type { LicenseEnv } from "../types"

const connection = (id: RouteDoc["id"]) =>
  createRouter<LicenseEnv>().get(
    "/connection-check",
    describe({ id, summary: "Test a key", responses: { status: 200, body: ActiveStatusMessage } }),
    (c) => c.json({ status: true, is_active: true, message: formatMessage("connected", c.var.ctx.language) }),
  )

export const externalConnection = connection("client.checkConnection")
export const internalConnection = connection("vendor.checkConnection")
