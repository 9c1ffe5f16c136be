// The control plane, /api/platform/v1: the gate in front, one folder of routes a noun behind it.
import { Hono } from "hono"
import { API_VERSION } from "../core/events"
import { maxBody } from "../core/http"
import { Refusal } from "../core/refusal"
import { knownVerbs, wrap } from "../core/surface"
import { deliveries } from "../webhooks/deliveries/routes"
import { endpoints } from "../webhooks/endpoints/routes"
import { apps } from "./apps/routes"
import { audit } from "./audit/routes"
import { domains } from "./domains/routes"
import { gate, onError } from "./gate/gate"
import { idempotency } from "./gate/idempotency"
import { plans } from "./plans/routes"
import { platformRoot } from "./root"
import { stores } from "./stores/routes"
import { subscriptions } from "./subscriptions/routes"
import type { PlatformEnv } from "./types"
import { usage } from "./usage/routes"

const MAX_BODY = 1_000_000

export const platform = new Hono<PlatformEnv>().basePath("/api/platform/v1")

platform.use(
  wrap("platform", { "X-Tenancy-Api-Version": API_VERSION }, (c) => ({ key: c.var.ctx?.actor.id })),
  gate,
)
platform.use(knownVerbs(platform, (c, refusal) => onError(refusal, c)))
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
