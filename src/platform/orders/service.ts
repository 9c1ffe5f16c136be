// Implements bank-transfer orders. References and receipt numbers are assigned in the commit, without gaps or
// duplicates.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import type { Input } from "../../core/http/input"
import { invalid, Refusal } from "../../core/http/refusal"
import { applyChange, commit, retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { billingDetails } from "../../db/schema/central/invoices"
import { type OrderStatus, orders } from "../../db/schema/central/orders"
import { plans } from "../../db/schema/central/plans"
import type { Subscription } from "../../db/schema/central/subscriptions"
import { insert, update } from "../../db/write"
import { enqueueMailRun } from "../../mails/outbox"
import { calculateAmount } from "../coupons/discounts"
import { selectBillingDetails } from "../invoices/details"
import { buildDocument, buildLocalPayment, type InvoiceTerms } from "../invoices/issue"
import type { Plan } from "../plans/schemas"
import { isPlanUnchanged, selectActivePlan } from "../plans/service"
import { requireStore, selectStore } from "../stores/queries"
import { type StoreDetails, storeResource } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { buildTransitionChange } from "../subscriptions/commit-transition"
import { subscriptionResource } from "../subscriptions/schemas"
import { calculateTax } from "../tax/rules"
import { parseTaxSettings, selectTaxSettings } from "../tax/settings"
import { buildClosedOrderMail } from "./mail"
import {
  formatSequence,
  incrementSequence,
  selectOpenOrder,
  selectOrder,
  selectOrders,
  selectPayments,
} from "./queries"
import { getPaidEnd, getReplaced, quoteOrder } from "./quote"
import { assertCanOrder, assertPending, buildPaymentTransition, isOrderable } from "./rules"
import { type Order, orderResource, type Payment, type RejectOrder, type RequestOrder } from "./schemas"
import { parseOfflineSettings, selectOfflineSettings } from "./settings"

/** Maximum number of listed orders or payments. */
const MAX_LIST_ROWS = 1000

/** Lists orders, newest first. */
export const listOrders = (ctx: Ctx, input: { storeId?: string; status?: OrderStatus }): Promise<Order[]> =>
  selectOrders(ctx.db, input, MAX_LIST_ROWS)

/** Lists payments, newest first. */
export const listPayments = (ctx: Ctx, input: { storeId?: string }): Promise<Payment[]> =>
  selectPayments(ctx.db, input.storeId, MAX_LIST_ROWS)

/** Loads everything that ordering a plan depends on. */
export const loadOrderState = (ctx: Pick<Ctx, "db">, storeId: string, plan = "") =>
  batch(ctx.db, [
    selectStore(ctx.db, storeId),
    selectActivePlan(ctx, plan),
    selectOfflineSettings({}),
    selectOpenOrder(ctx.db, storeId),
    selectTaxSettings({}),
    selectBillingDetails(ctx.db, storeId),
  ])

/**
 * Orders a plan at its current price less the coupon's discount, with the tax of the buyer's country. The order
 * entitles to nothing until it is paid.
 * @param load loads the state; a caller that has already started the query passes its own
 * @throws Refusal `not_found`, `validation_failed` about `plan`, `offline_disabled`, `stripe_managed`,
 *   `order_already_open`, `illegal_transition` while the next period is paid for another plan
 */
export const requestOrder = (
  ctx: Ctx,
  storeId: string,
  input: Input<typeof RequestOrder>,
  load = () => loadOrderState(ctx, storeId, input.valid.plan),
): Promise<Order> =>
  retryOnConflict(async () => {
    const [store, [plan], offline, [open], taxRows, [details]] = await load()
    const facts = requireStore(ctx, store)
    if (!isOrderable(plan)) throw input.reject("plan", "selected")
    const { note = null, start } = input.complete({ plan: null })
    assertCanOrder(facts, parseOfflineSettings(offline), open)
    const taxSettings = parseTaxSettings(taxRows)
    const { kind, ...charge } = quoteOrder(facts.subscription, plan, start, ctx.now)
    // The difference is one of discounted prices.
    const discount = kind === "difference" ? null : facts.subscription?.discount
    const tax = calculateAmount({ ...charge, plan: plan.slug }, discount, details, taxSettings)
    const values = {
      storeId,
      storeSeq: facts.store.seq,
      status: "pending" as const,
      plan: plan.slug,
      planName: plan.name,
      amountCents: tax.net_cents + tax.tax_cents,
      currency: plan.currency,
      priceCents: plan.priceCents,
      kind,
      replaces: kind === "difference" ? getReplaced(facts.subscription, ctx.now) : null,
      tax,
      interval: plan.interval,
      note,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    }
    const reference = sql<string>`'PO-' || ${formatSequence("orders")}`
    const draft = { ...values, id: 0, reference: "", reason: null, number: null, paidAt: null }
    const [, [order]] = await commit(ctx, {
      guard: guardedUpdate(facts, {}, isPlanUnchanged(plan)),
      writes: [
        incrementSequence("orders"),
        insert(orders)
          .values({ ...values, reference })
          .returning(),
      ],
      auditLog: [
        {
          audit: { storeId, type: "order_requested", data: { order: reference, plan: plan.slug } },
          events: [
            {
              type: "order.requested",
              data: { store: storeResource(ctx.settings, facts), order: orderResource(draft) },
              fill: { "$.data.order.reference": reference },
            },
          ],
        },
      ],
    })
    if (!order) throw new Error("The order was not stored")
    return order
  })

/**
 * Marks an order as paid: the store gets its plan or next period, and a receipt.
 * @throws Refusal `not_found`, `order_not_pending`, `no_tenant`, `validation_failed` about `plan` for an inactive or
 *   free one, `stripe_managed`, `not_provisioned`, `illegal_transition` for the difference of a period that has ended or
 *   changed
 */
export async function approveOrder(ctx: Ctx, input: { reference: string }): Promise<Order> {
  await applyChange(
    ctx,
    async () => {
      const [loaded, terms] = await Promise.all([
        loadOrder(ctx, input.reference),
        loadInvoiceTerms(ctx, input.reference),
      ])
      return { ...loaded, terms }
    },
    ({ order, facts, plan, terms }) => {
      assertPending(order)
      if (!facts) throw new Refusal("no_tenant")
      if (!isOrderable(plan)) throw invalid("plan", "selected")
      const transition = buildPaymentTransition(facts, plan, order, ctx.now)
      const { change: transitionChange, result: next } = buildTransitionChange(
        ctx,
        facts,
        transition,
        and(isOrderPending(order), isPlanUnchanged(plan)),
      )
      const amount = order.tax ?? calculateTax(order.amountCents, true, terms.details, terms.settings)
      const document = buildDocument(facts, terms, {
        plan: order.planName,
        period: getPaidPeriod(facts.subscription, next.subscription, order, ctx.now),
        method: "transfer",
        amount,
      })
      const { currency } = order
      const issued = { document, currency, paidAt: ctx.now, plan: order.plan }
      const { writes: paymentWrites, number } = buildLocalPayment(ctx, facts, issued, order.reference)
      const paid = { ...order, status: "paid" as const, paidAt: ctx.now, updatedAt: ctx.now }
      return {
        result: null,
        change: {
          ...transitionChange,
          writes: [
            ...transitionChange.writes,
            ...paymentWrites,
            update(orders)
              .set({ status: "paid", paidAt: ctx.now, updatedAt: ctx.now, number })
              .where(eq(orders.id, order.id)),
          ],
          auditLog: [
            {
              audit: {
                storeId: order.storeId,
                type: "order_paid",
                data: { order: order.reference, plan: order.plan, number },
              },
              events: [
                {
                  type: "order.paid",
                  data: {
                    store: storeResource(ctx.settings, next),
                    order: orderResource(paid),
                    subscription: subscriptionResource(next.subscription),
                  },
                  fill: { "$.data.order.number": number },
                },
              ],
            },
            ...transitionChange.auditLog,
          ],
        },
      }
    },
  )
  enqueueMailRun(ctx)
  return readOrder(ctx, input.reference)
}

/** Loads the seller and the buyer for the invoice of an order. */
async function loadInvoiceTerms(ctx: Pick<Ctx, "db">, reference: string): Promise<InvoiceTerms> {
  const [settings, [details]] = await batch(ctx.db, [
    selectTaxSettings({}),
    ctx.db
      .select()
      .from(billingDetails)
      .where(
        eq(
          billingDetails.storeSeq,
          sql`(select ${orders.storeSeq} from ${orders} where ${orders.reference} = ${reference})`,
        ),
      ),
  ])
  return { settings: parseTaxSettings(settings), details }
}

/** Returns the period that a payment is for: a difference from the time of its order, else from the end of the paid one. */
function getPaidPeriod(
  before: Subscription | null,
  { scheduledPlan, currentPeriodEndsAt }: Subscription,
  { kind, createdAt }: Order,
  now: Date,
): { from: string; to: string } | null {
  const until = scheduledPlan?.ends_at ? new Date(scheduledPlan.ends_at) : currentPeriodEndsAt
  if (!until) return null
  const start = kind === "difference" ? createdAt : getPaidEnd(before, now)
  const from = start && start < until ? start : now
  return { from: from.toISOString(), to: until.toISOString() }
}

/**
 * Rejects an order and mails its terms and the reason to the owner.
 * @throws Refusal `not_found`, `order_not_pending`
 */
export async function rejectOrder(ctx: Ctx, input: z.output<typeof RejectOrder>): Promise<Order> {
  const rejected = await applyChange(
    ctx,
    () => loadOrder(ctx, input.reference),
    ({ order, facts }) => {
      assertPending(order)
      const next = { ...order, status: "rejected" as const, reason: input.reason, updatedAt: ctx.now }
      const { reference, storeId } = order
      return {
        result: next,
        change: {
          guard: closeOrder(next),
          writes: facts ? [buildClosedOrderMail(ctx, facts, "order_rejected", order, input.reason)] : [],
          auditLog: facts
            ? [
                {
                  audit: { storeId, type: "order_rejected", data: { order: reference, reason: input.reason } },
                  events: [
                    {
                      type: "order.rejected",
                      data: { store: storeResource(ctx.settings, facts), order: orderResource(next) },
                    },
                  ],
                },
              ]
            : [{ audit: { subject: "order", id: reference, action: "rejected", data: { reason: input.reason } } }],
        },
      }
    },
  )
  enqueueMailRun(ctx)
  return rejected
}

/**
 * Withdraws a store's own order.
 * @param load loads the state; a caller that has already started the query passes its own
 * @throws Refusal `not_found`, also for an order of another store; `order_not_pending`
 */
export const withdrawOrder = (
  ctx: Ctx,
  storeId: string,
  reference: string,
  load = () => loadOrder(ctx, reference),
): Promise<Order> =>
  applyChange(ctx, load, ({ order, facts }) => {
    if (facts?.store.id !== storeId) throw new Refusal("not_found")
    assertPending(order)
    const next = { ...order, status: "withdrawn" as const, updatedAt: ctx.now }
    return {
      result: next,
      change: {
        guard: closeOrder(next),
        auditLog: [{ audit: { storeId, type: "order_withdrawn", data: { order: reference } } }],
      },
    }
  })

/** @throws Refusal `not_found` */
async function readOrder(ctx: Ctx, reference: string): Promise<Order> {
  const [order] = await selectOrder(ctx.db, reference)
  if (!order) throw new Refusal("not_found")
  return order
}

/**
 * Loads an order with its store (null if deleted) and its current plan.
 * @throws Refusal `not_found`
 */
export async function loadOrder(
  ctx: Pick<Ctx, "db">,
  reference: string,
): Promise<{ order: Order; facts: StoreDetails | null; plan: Plan | undefined }> {
  const of = (column: typeof orders.storeId | typeof orders.plan) =>
    sql`(select ${column} from ${orders} where ${orders.reference} = ${reference})`
  const [[order], stores, [plan]] = await batch(ctx.db, [
    selectOrder(ctx.db, reference),
    selectStore(ctx.db, of(orders.storeId)),
    ctx.db
      .select()
      .from(plans)
      .where(eq(plans.slug, of(orders.plan))),
  ])
  if (!order) throw new Refusal("not_found")
  const facts = stores.length ? requireStore({}, stores) : null
  return { order, facts: facts?.store.seq === order.storeSeq ? facts : null, plan }
}

const isOrderPending = (order: Order) =>
  sql`exists (select 1 from ${orders} where ${and(eq(orders.id, order.id), eq(orders.status, "pending"))})`

/** Updates the status of an order, if it is pending. */
const closeOrder = ({ id, status, reason, updatedAt }: Order) =>
  update(orders)
    .set({ status, reason, updatedAt })
    .where(and(eq(orders.id, id), eq(orders.status, "pending")))
