// The control plane, /api/platform/v1: the gate in front, one folder of routes a noun behind it.
import { Hono } from "hono"
import { methodNotAllowed } from "hono/method-not-allowed"
import { maxBody } from "../core/http"
import { Refusal } from "../core/refusal"
import { deliveries } from "../webhooks/deliveries/routes"
import { endpoints } from "../webhooks/endpoints/routes"
import { apps } from "./apps/routes"
import { audit } from "./audit/routes"
import { domains } from "./domains/routes"
import { gate, onError, wrap } from "./gate/gate"
import { idempotency } from "./gate/idempotency"
import { plans } from "./plans/routes"
import { platformRoot } from "./root"
import { stores } from "./stores/routes"
import { subscriptions } from "./subscriptions/routes"
import type { PlatformEnv } from "./types"
import { usage } from "./usage/routes"

const MAX_BODY = 1_000_000

export const platform = new Hono<PlatformEnv>().basePath("/api/platform/v1")

platform.use(wrap, gate)
platform.use(
  methodNotAllowed({
    app: platform,
    onMethodNotAllowed: (c, methods) => {
      const allow = [...new Set([...methods, "OPTIONS"])]
      if (c.req.method === "OPTIONS") return c.body(null, 204, { Allow: allow.join(", ") })
      return onError(new Refusal("method_not_allowed", { allow }), c)
    },
  }),
)
platform.use(maxBody(MAX_BODY), idempotency)

platform.route("/", platformRoot)
platform.route("/", plans)
platform.route("/", stores)
platform.route("/", subscriptions)
platform.route("/", usage)
platform.route("/", audit)
platform.route("/", domains)
platform.route("/", apps)
platform.route("/", deliveries)
platform.route("/", endpoints)

platform.notFound((c) => onError(new Refusal("not_found"), c))
platform.onError(onError)
