// Routes of a store's subscription. Every action returns the subscription.
import type { PlatformEnv } from "../../core/http/platform-env"
import { one } from "../../core/http/response-schemas"
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import {
  AssignPlan,
  CancelSubscription,
  ChangePlan,
  Extend,
  SubscriptionResource,
  subscriptionResource,
} from "./schemas"
import {
  assignPlan,
  cancelSubscription,
  changeToPlan,
  extendSubscription,
  reactivateSubscription,
  readSubscription,
} from "./service"

const subscription = { status: 200, body: one(SubscriptionResource) } as const

export const subscriptions = createRouter<PlatformEnv>()
  .get(
    "/stores/:id/subscription",
    describe({
      id: "subscriptions.get",
      summary: "Retrieve a subscription",
      responses: subscription,
      refuses: ["not_found", ["no_subscription", 404]],
    }),
    async (c) => c.json({ data: subscriptionResource(await readSubscription(c.var.ctx, c.req.param("id"))) }),
  )
  .post(
    "/stores/:id/subscription/assign",
    describe({
      id: "subscriptions.assign",
      summary: "Assign a plan",
      responses: subscription,
      refuses: ["not_found", "stripe_managed", "not_provisioned", "illegal_transition", "plan_unavailable"],
    }),
    body(AssignPlan),
    async (c) => {
      const facts = await assignPlan(c.var.ctx, c.req.param("id"), c.req.valid("json"))
      return c.json({ data: subscriptionResource(facts.subscription) })
    },
  )
  .post(
    "/stores/:id/subscription/change-plan",
    describe({
      id: "subscriptions.changePlan",
      summary: "Change the plan",
      responses: subscription,
      refuses: [
        "not_found",
        "no_subscription",
        "stripe_managed",
        "illegal_transition",
        "no_plan",
        "same_plan",
        "usage_unavailable",
        "plan_too_small",
        "plan_unavailable",
      ],
    }),
    body(ChangePlan),
    async (c) => {
      const facts = await changeToPlan(c.var.ctx, c.req.param("id"), c.req.valid("json"))
      return c.json({ data: subscriptionResource(facts.subscription) })
    },
  )
  .post(
    "/stores/:id/subscription/extend",
    describe({
      id: "subscriptions.extend",
      summary: "Extend a subscription",
      responses: subscription,
      refuses: ["not_found", "no_subscription", "stripe_managed", "illegal_transition", "no_plan"],
    }),
    body(Extend),
    async (c) => {
      const facts = await extendSubscription(c.var.ctx, c.req.param("id"), c.req.valid("json"))
      return c.json({ data: subscriptionResource(facts.subscription) })
    },
  )
  .post(
    "/stores/:id/subscription/reactivate",
    describe({
      id: "subscriptions.reactivate",
      summary: "Reactivate a subscription",
      responses: subscription,
      refuses: ["not_found", "no_subscription", "stripe_managed", "illegal_transition", "no_plan"],
    }),
    async (c) => {
      const facts = await reactivateSubscription(c.var.ctx, c.req.param("id"))
      return c.json({ data: subscriptionResource(facts.subscription) })
    },
  )
  .post(
    "/stores/:id/subscription/cancel",
    describe({
      id: "subscriptions.cancel",
      summary: "Cancel a subscription",
      responses: subscription,
      refuses: ["not_found", "no_subscription", "stripe_managed", "illegal_transition"],
    }),
    body(CancelSubscription),
    async (c) => {
      const facts = await cancelSubscription(c.var.ctx, c.req.param("id"), c.req.valid("json"))
      return c.json({ data: subscriptionResource(facts.subscription) })
    },
  )
