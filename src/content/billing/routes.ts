// The owner's side over HTTP: a store's billing for its staff, also while it is suspended or cancelled.
import { Hono } from "hono"
import * as z from "zod"
import { body, describe } from "../../core/http/route"
import { OrderResource, orderResource, RequestOrder } from "../../platform/orders/schemas"
import { PlanResource, planResource } from "../../platform/plans/schemas"
import { SubscriptionResource, subscriptionResource } from "../../platform/subscriptions/schemas"
import { single } from "../envelope"
import { singleOf } from "../response-schemas"
import type { ContentEnv } from "../types"
import { user } from "../user"
import { orderPlan, payByCard, portalUrl, readOwnBilling, takeBackOrder } from "./owner"

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

const PlanOnly = z.object({ plan: z.string().min(1).max(63) })

export const billing = new Hono<ContentEnv>()
  .get(
    "/billing",
    user,
    describe({
      id: "billing.read",
      summary: "The store's billing, for its staff; also while it is suspended",
      answers: { status: 200, body: singleOf(BillingResource) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    async (c) => {
      const { facts, plans, orders, offline, card } = await readOwnBilling(c.var.userCtx)
      const { enabled, label, instructions } = offline
      return single(c, {
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
    user,
    describe({
      id: "billing.listOrders",
      summary: "The store's bank-transfer orders, the newest first",
      answers: { status: 200, body: singleOf(z.array(OrderResource)) },
      refuses: ["unauthenticated", "forbidden", "not_found"],
    }),
    async (c) => single(c, (await readOwnBilling(c.var.userCtx)).orders.map(orderResource)),
  )
  .post(
    "/billing/orders",
    user,
    describe({
      id: "billing.requestOrder",
      summary: "Order a plan by bank transfer",
      answers: { status: 201, body: singleOf(OrderResource) },
      refuses: [
        "unauthenticated",
        "forbidden",
        "not_found",
        "rate_limited",
        "validation_failed",
        "offline_disabled",
        "stripe_managed",
        "order_already_open",
      ],
    }),
    body(RequestOrder),
    async (c) => {
      const order = await orderPlan(c.var.userCtx, c.req.valid("json"))
      return single(c, orderResource(order), { status: 201 })
    },
  )
  .delete(
    "/billing/orders/:reference",
    user,
    describe({
      id: "billing.withdrawOrder",
      summary: "Withdraw an order that is open",
      answers: { status: 200, body: singleOf(OrderResource) },
      refuses: ["unauthenticated", "forbidden", "not_found", "order_not_pending"],
    }),
    async (c) => {
      const order = await takeBackOrder(c.var.userCtx, c.req.param("reference"))
      return single(c, orderResource(order))
    },
  )
  .post(
    "/billing/checkout",
    user,
    describe({
      id: "billing.checkout",
      summary: "Where to pay for a plan by card",
      answers: { status: 200, body: singleOf(Link) },
      refuses: [
        "unauthenticated",
        "forbidden",
        "not_found",
        "rate_limited",
        "validation_failed",
        "card_disabled",
        "stripe_managed",
        "provider_unreachable",
      ],
    }),
    body(PlanOnly),
    async (c) => single(c, { url: await payByCard(c.var.userCtx, c.req.valid("json")) }),
  )
  .post(
    "/billing/portal",
    user,
    describe({
      id: "billing.portal",
      summary: "Where to change the card, or end what is paid by card",
      answers: { status: 200, body: singleOf(Link) },
      refuses: ["unauthenticated", "forbidden", "not_found", "card_disabled", "rate_limited", "provider_unreachable"],
    }),
    async (c) => single(c, { url: await portalUrl(c.var.userCtx) }),
  )
