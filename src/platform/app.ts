// Assembles the control plane, /api/platform/v1: the gate, idempotency, and the routes of each resource.

import type { PlatformEnv } from "../core/http/platform-env"
import { rowId } from "../core/http/row-id"
import { createSurface } from "../core/http/surface"
import { API_VERSION } from "../core/write/events"
import { deliveries } from "../webhooks/deliveries/routes"
import { endpoints } from "../webhooks/endpoints/routes"
import { readEndpoint } from "../webhooks/endpoints/service"
import { events } from "../webhooks/events/routes"
import { apps } from "./apps/routes"
import { audit } from "./audit/routes"
import { domains } from "./domains/routes"
import { refuse } from "./envelope"
import { gate } from "./gate/gate"
import { idempotency } from "./gate/idempotency"
import { notFoundFirst } from "./gate/not-found-first"
import { plans } from "./plans/routes"
import { platformRoot } from "./root"
import { stores } from "./stores/routes"
import { readStore } from "./stores/service"
import { subscriptions } from "./subscriptions/routes"
import { usage } from "./usage/routes"

const MAX_BODY = 1_000_000

export const platform = createSurface<PlatformEnv>({
  name: "platform",
  base: "/api/platform/v1",
  headers: { "X-Tenancy-Api-Version": API_VERSION },
  facts: (c) => ({ key: c.var.ctx?.actor.id }),
  gate: [gate],
  maxBody: MAX_BODY,
  refuse,
})

platform.use(idempotency)
platform.use("/stores/:id/*", notFoundFirst(readStore))
platform.use(
  "/webhooks/:id{[0-9]+}/*",
  notFoundFirst((ctx, id) => readEndpoint(ctx, rowId(id))),
)

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
platform.route("/", events)
