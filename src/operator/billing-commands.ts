// Operator commands of billing.
import * as z from "zod"
import { fault } from "../core/http/validation"
import { timestamp } from "../lib/time"
import { couponResource, SaveCoupon } from "../platform/coupons/schemas"
import { listCoupons, saveCoupon } from "../platform/coupons/service"
import { listFigures } from "../platform/metrics/service"
import { listedOrder, ORDER_STATUSES, paymentResource, RejectOrder, RequestOrder } from "../platform/orders/schemas"
import { approveOrder, listOrders, listPayments, rejectOrder, requestOrder } from "../platform/orders/service"
import { SaveOffline, saveOffline } from "../platform/orders/settings"
import { detachStore } from "../platform/payments/reconcile"
import { operateBilling } from "../platform/subscriptions/clock"
import { subscriptionResource } from "../platform/subscriptions/schemas"
import { type Command, command, flag } from "./command"
import { json, slugs } from "./options"

/** A moment with an offset, e.g. `2027-01-31T00:00:00Z`. */
const moment = z
  .string()
  .refine((value) => z.iso.datetime({ offset: true }).safeParse(value).success, { ...fault("date"), abort: true })
  .transform((value) => new Date(value))

const store = z.string().min(1).describe("a store's id")

const terms = SaveCoupon.shape

const CouponOptions = SaveCoupon.extend({
  trial_days: json(terms.trial_days).describe("days it adds to a trial, 1 to 365"),
  plans: slugs(terms.plans).describe("slugs of those it holds for, comma separated; all unless given"),
  max_redemptions: json(terms.max_redemptions).describe("how often it can be redeemed; without end unless given"),
  starts_at: terms.starts_at.describe("e.g. 2027-01-01T00:00:00Z"),
  expires_at: terms.expires_at.describe("e.g. 2027-02-01T00:00:00Z"),
  is_active: json(terms.is_active).describe("false withdraws it"),
})

const RunBilling = z.object({
  at: moment.optional().describe("the moment to run it for, e.g. 2027-01-31T00:00:00Z; needs TENANCY_TEST_CLOCK"),
  store: z.string().min(1).optional().describe("only this store"),
  "dry-run": flag.optional().describe("answer the steps that would be taken, store by store, and write nothing"),
})

export const billingCommands: Record<string, Command> = {
  "billing:run": command("Run the billing clock, as the cron of every hour does", RunBilling, async (ctx, input) => {
    const { "dry-run": dryRun, ...given } = input
    return operateBilling(ctx, { ...given, dryRun: dryRun ?? false })
  }),
  "billing:detach": command(
    "Put a store that the card provider bills on the platform's own books",
    z.object({ store }),
    async (ctx, { store: id }) => subscriptionResource((await detachStore(ctx, id)).subscription),
  ),
  "offline:settings": command("Show how bank transfers are sold, and change what is given", SaveOffline, saveOffline),
  "orders:list": command(
    "List bank-transfer orders, the newest first",
    z.object({
      status: z.enum(ORDER_STATUSES).optional().describe(ORDER_STATUSES.join(", ")),
      store: store.optional(),
    }),
    async (ctx, { store: storeId, status }) => (await listOrders(ctx, { storeId, status })).map(listedOrder),
  ),
  "orders:request": command(
    "Order a plan for a store by bank transfer",
    z.object({ store, ...RequestOrder.shape }),
    async (ctx, { store: id, ...input }) => listedOrder(await requestOrder(ctx, id, input)),
  ),
  "orders:approve": command(
    "Take an order for paid: the store gets its plan or its next period, and a receipt",
    z.object({ reference: z.string().min(1) }),
    async (ctx, input) => listedOrder(await approveOrder(ctx, input)),
  ),
  "orders:reject": command("Refuse an order", RejectOrder, async (ctx, input) =>
    listedOrder(await rejectOrder(ctx, input)),
  ),
  "coupons:save": command("Create a coupon, or replace the one of that code", CouponOptions, async (ctx, input) =>
    couponResource(await saveCoupon(ctx, input)),
  ),
  "coupons:list": command("List the coupons", z.object({}), async (ctx) =>
    (await listCoupons(ctx)).map(couponResource),
  ),
  "figures:list": command(
    "List the platform's nightly figures, the newest first",
    z.object({ days: z.coerce.number().int().min(1).max(1000).default(30).describe("days at most") }),
    async (ctx, { days }) =>
      (await listFigures(ctx, days)).map(({ countedUntil: _, createdAt, ...row }) => ({
        ...row,
        created_at: timestamp(createdAt),
      })),
  ),
  "payments:list": command(
    "List payments, by card and by bank transfer, the newest first",
    z.object({ store: store.optional() }),
    async (ctx, { store: storeId }) => (await listPayments(ctx, { storeId })).map(paymentResource),
  ),
}
