// Assembles the control plane, /api/platform/v1: the gate, idempotency, and the routes of each resource.

import type { PlatformEnv } from "../core/http/platform-env"
import { rowId } from "../core/http/row-id"
import { createApi } from "../core/http/surface"
import { API_VERSION } from "../core/write/events"
import { deliveries } from "../webhooks/deliveries/routes"
import { readEndpoint } from "../webhooks/endpoints/list"
import { endpoints } from "../webhooks/endpoints/routes"
import { events } from "../webhooks/events/routes"
import { apps } from "./apps/routes"
import { audit } from "./audit/routes"
import { coupons } from "./coupons/routes"
import { domains } from "./domains/routes"
import { refuse, STATUS_BY_CODE } from "./envelope"
import { BASE_PATH, gate } from "./gate/gate"
import { idempotency } from "./gate/idempotency"
import { notFoundFirst } from "./gate/not-found-first"
import { keys } from "./keys/routes"
import { plans } from "./plans/routes"
import type { PlatformCode } from "./refusal-messages"
import { platformRoot } from "./root"
import { stores } from "./stores/routes"
import { readStore } from "./stores/service"
import { subscriptions } from "./subscriptions/routes"
import { usage } from "./usage/routes"

const MAX_BODY = 1_000_000

export const platform = createApi<PlatformEnv, PlatformCode>(
  {
    name: "platform",
    base: BASE_PATH,
    headers: { "X-Tenancy-Api-Version": API_VERSION },
    logFields: (c) => ({ key: c.var.ctx?.actor.id }),
    gate: [gate],
    maxBody: MAX_BODY,
    codes: STATUS_BY_CODE,
    refuse,
  },
  [
    platformRoot,
    keys,
    plans,
    coupons,
    stores,
    subscriptions,
    usage,
    audit,
    domains,
    apps,
    deliveries,
    endpoints,
    events,
  ],
  {
    "*": idempotency,
    "/stores/:id/*": notFoundFirst(readStore),
    "/webhooks/:id{[0-9]+}/*": notFoundFirst((ctx, id) => readEndpoint(ctx, rowId(id))),
  },
)
