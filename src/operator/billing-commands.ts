// CLI commands for billing: orders, payments, coupons, metrics and the billing clock.
import * as z from "zod"
import { isTimestamp, violates, withLookups } from "../core/http/validation"
import { formatTimestamp } from "../lib/time"
import { couponResource, SaveCoupon } from "../platform/coupons/schemas"
import { listCoupons, saveCoupon } from "../platform/coupons/service"
import { listMetrics } from "../platform/metrics/service"
import {
  ORDER_STATUSES,
  operatorOrderResource,
  paymentResource,
  RejectOrder,
  RequestOrder,
} from "../platform/orders/schemas"
import { approveOrder, listOrders, listPayments, rejectOrder, requestOrder } from "../platform/orders/service"
import { SaveOfflineSettings, saveOfflineSettings } from "../platform/orders/settings"
import { detachStore } from "../platform/payments/reconcile"
import { runOrPreviewBilling } from "../platform/subscriptions/clock"
import { subscriptionResource } from "../platform/subscriptions/schemas"
import { type Command, command, flag } from "./command"
import { withCreated } from "./created"
import { jsonOption, slugListOption } from "./options"

/** A timestamp with an offset, such as `2027-01-31T00:00:00Z`. */
const timestampOption = z
  .string()
  .refine(isTimestamp, { ...violates("date"), abort: true })
  .transform((value) => new Date(value))

const store = z.string().min(1).describe("Store ID")

const terms = SaveCoupon.shape

const CouponOptions = SaveCoupon.extend({
  trial_days: jsonOption(terms.trial_days).describe("Days to add to the trial, 1 to 365; none by default"),
  percent_off: jsonOption(terms.percent_off).describe("Percentage off the price, 1 to 100"),
  amount_off: jsonOption(terms.amount_off).describe(
    "Amount off the price in the smallest unit of the plan's currency; not together with percent_off",
  ),
  months: jsonOption(terms.months).describe(
    "The discount applies to paid periods that begin within this many months of the first one; to all by default",
  ),
  plans: slugListOption(terms.plans).describe(
    "Comma-separated slugs of the plans that the coupon applies to; all plans by default",
  ),
  max_redemptions: jsonOption(terms.max_redemptions).describe("Maximum number of redemptions; unlimited by default"),
  starts_at: terms.starts_at.describe("Start of validity, such as 2027-01-01T00:00:00Z"),
  expires_at: terms.expires_at.describe("End of validity, such as 2027-02-01T00:00:00Z"),
  is_active: jsonOption(terms.is_active).describe("Whether the coupon can be redeemed"),
})

const RunBilling = z.object({
  at: timestampOption
    .optional()
    .describe("Run as of this time, such as 2027-01-31T00:00:00Z; requires TENANCY_TEST_CLOCK"),
  store: z.string().min(1).optional().describe("Only run for this store"),
  "dry-run": flag.optional().describe("Show each store's next steps without applying them"),
})

export const billingCommands: Record<string, Command> = {
  "billing:run": command(
    "Run the billing clock now instead of waiting for the hourly job",
    RunBilling,
    async (ctx, input) => {
      const { "dry-run": dryRun, ...options } = input
      return runOrPreviewBilling(ctx, { ...options, dryRun: dryRun ?? false })
    },
  ),
  "billing:detach": command(
    "Move a store from the card provider to billing by the platform",
    z.object({ store }),
    async (ctx, { store: id }) => subscriptionResource((await detachStore(ctx, id)).subscription),
  ),
  "offline:settings": command("Show or update the bank transfer settings", SaveOfflineSettings, saveOfflineSettings),
  "orders:list": command(
    "List bank transfer orders, newest first",
    z.object({
      status: z
        .enum(ORDER_STATUSES)
        .optional()
        .describe(`Only orders with this status: ${ORDER_STATUSES.join(", ")}`),
      store: store.optional(),
    }),
    async (ctx, { store: storeId, status }) => (await listOrders(ctx, { storeId, status })).map(operatorOrderResource),
  ),
  "orders:request": command(
    "Order a plan for a store by bank transfer",
    withLookups(z.object({ store, ...RequestOrder.shape }), "plan"),
    async (ctx, input) => operatorOrderResource(await requestOrder(ctx, input.require("store"), input)),
  ),
  "orders:approve": command(
    "Mark an order as paid, apply or renew its plan, and send an invoice",
    z.object({ reference: z.string().min(1).describe("Order reference") }),
    async (ctx, input) => operatorOrderResource(await approveOrder(ctx, input)),
  ),
  "orders:reject": command("Reject an order", RejectOrder, async (ctx, input) =>
    operatorOrderResource(await rejectOrder(ctx, input)),
  ),
  "coupons:save": command("Create or replace a coupon, identified by its code", CouponOptions, async (ctx, input) =>
    withCreated(await saveCoupon(ctx, input), couponResource),
  ),
  "coupons:list": command("List coupons", z.object({}), async (ctx) => (await listCoupons(ctx)).map(couponResource)),
  "figures:list": command(
    "List the platform's daily metrics, newest first: stores, recurring revenue, trials and cancellations",
    z.object({ days: z.coerce.number().int().min(1).max(1000).default(30).describe("Maximum number of days to list") }),
    async (ctx, { days }) =>
      (await listMetrics(ctx, days)).map(({ countedUntil: _, progress: __, createdAt, ...row }) => ({
        ...row,
        created_at: formatTimestamp(createdAt),
      })),
  ),
  "payments:list": command(
    "List card and bank transfer payments, newest first",
    z.object({ store: store.optional() }),
    async (ctx, { store: storeId }) => (await listPayments(ctx, { storeId })).map(paymentResource),
  ),
}
