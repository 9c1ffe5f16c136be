// Subscriptions over HTTP.
import { Hono } from "hono"
import { one } from "../../core/answers"
import { describe } from "../../core/route"
import type { PlatformEnv } from "../types"
import { SubscriptionResource, subscriptionResource } from "./schemas"
import { readSubscription } from "./service"

export const subscriptions = new Hono<PlatformEnv>().get(
  "/stores/:id/subscription",
  describe({
    summary: "Read a store's subscription",
    answers: { status: 200, body: one(SubscriptionResource) },
    refuses: ["not_found", "no_subscription"],
  }),
  async (c) => c.json({ data: subscriptionResource(await readSubscription(c.var.ctx, c.req.param("id"))) }),
)
