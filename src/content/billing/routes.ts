// Routes of a store's billing for its staff, also while the store is suspended or cancelled.
import * as z from "zod"
import { body, describe } from "../../core/http/route"
import { createRouter } from "../../core/http/router"
import { withLookups } from "../../core/http/validation"
import { OrderResource, orderResource, RequestOrder } from "../../platform/orders/schemas"
import { PlanResource, planResource } from "../../platform/plans/schemas"
import { SubscriptionResource, subscriptionResource } from "../../platform/subscriptions/schemas"
import { sendData } from "../envelope"
import { dataEnvelope } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { openBillingPortal, orderPlan, readBillingAsOwner, startCheckout, withdrawOwnOrder } from "./owner"

const BillingResource = z
  .object({
    subscription: SubscriptionResource.nullable(),
    plans: z.array(PlanResource),
    orders: z.array(OrderResource),
    offline: z.object({ enabled: z.boolean(), label: z.string(), instructions: z.string() }),
    card: z.object({ enabled: z.boolean() }),
  })
  .meta({ id: "Billing" })

const Link = z.object({ url: z.string() })

const PlanOnly = withLookups(z.object({ plan: z.string().min(1).max(63) }), "plan")

export const billing = createRouter<ContentEnv>()
  .get(
    "/billing",
    describe({
      id: "billing.read",
      summary: "Retrieve the store's billing",
      responses: { status: 200, body: dataEnvelope(BillingResource) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    user,
    async (c) => {
      const { facts, plans, orders, offline, card } = await readBillingAsOwner(c.var.userCtx)
      const { enabled, label, instructions } = offline
      return sendData(c, {
        subscription: facts.subscription && subscriptionResource(facts.subscription),
        plans: plans.map(planResource),
        orders: orders.map(orderResource),
        offline: { enabled, label, instructions },
        card,
      })
    },
  )
  .get(
    "/billing/orders",
    describe({
      id: "billing.listOrders",
      summary: "List bank-transfer orders",
      responses: { status: 200, body: dataEnvelope(z.array(OrderResource)) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    user,
    async (c) => sendData(c, (await readBillingAsOwner(c.var.userCtx)).orders.map(orderResource)),
  )
  .post(
    "/billing/orders",
    describe({
      id: "billing.requestOrder",
      summary: "Order a plan by bank transfer",
      responses: { status: 201, body: dataEnvelope(OrderResource) },
      refuses: [
        "unauthenticated",
        "forbidden",
        "not_found",
        "rate_limited",
        "validation_failed",
        "offline_disabled",
        "stripe_managed",
        "order_already_open",
        "illegal_transition",
        "usage_unavailable",
        "plan_too_small",
      ],
    }),
    user,
    body(RequestOrder),
    async (c) => {
      const order = await orderPlan(c.var.userCtx, c.req.valid("json"))
      return sendData(c, orderResource(order), { status: 201 })
    },
  )
  .delete(
    "/billing/orders/:reference",
    describe({
      id: "billing.withdrawOrder",
      summary: "Withdraw a pending order",
      responses: { status: 200, body: dataEnvelope(OrderResource) },
      refuses: ["unauthenticated", "forbidden", "not_found", "order_not_pending"],
    }),
    user,
    async (c) => {
      const order = await withdrawOwnOrder(c.var.userCtx, c.req.param("reference"))
      return sendData(c, orderResource(order))
    },
  )
  .post(
    "/billing/checkout",
    describe({
      id: "billing.checkout",
      summary: "Create a checkout",
      responses: { status: 200, body: dataEnvelope(Link) },
      refuses: [
        "unauthenticated",
        "forbidden",
        "not_found",
        "rate_limited",
        "validation_failed",
        "card_disabled",
        "stripe_managed",
        "illegal_transition",
        "usage_unavailable",
        "plan_too_small",
        "provider_unreachable",
      ],
    }),
    user,
    body(PlanOnly),
    async (c) => sendData(c, { url: await startCheckout(c.var.userCtx, c.req.valid("json")) }),
  )
  .post(
    "/billing/portal",
    describe({
      id: "billing.portal",
      summary: "Open the billing portal",
      responses: { status: 200, body: dataEnvelope(Link) },
      refuses: ["unauthenticated", "forbidden", "not_found", "card_disabled", "rate_limited", "provider_unreachable"],
    }),
    user,
    async (c) => sendData(c, { url: await openBillingPortal(c.var.userCtx) }),
  )
