// The verbs of bank-transfer orders. References and receipt numbers are counted in the commit itself: without holes, without twins.
import { and, eq, sql } from "drizzle-orm"
import type * as z from "zod"
import type { Ctx } from "../../core/context"
import { Refusal } from "../../core/http/refusal"
import { change, commit, retryOnConflict } from "../../core/write/commit"
import { batch } from "../../db/client"
import { type OrderStatus, orders, payments } from "../../db/schema/central/orders"
import { plans } from "../../db/schema/central/plans"
import { insert, update } from "../../db/write"
import { mailWrite, postMails } from "../../mails/outbox"
import type { Plan } from "../plans/schemas"
import { activePlan, stillOffered } from "../plans/service"
import { oneStore, selectStore } from "../stores/queries"
import { type StoreFacts, storeResource } from "../stores/schemas"
import { guardedUpdate } from "../stores/service"
import { subscriptionChange } from "../subscriptions/commit-transition"
import { ownerMail } from "../subscriptions/mail"
import { subscriptionResource } from "../subscriptions/schemas"
import { countUp, numberOf, selectOpenOrder, selectOrder, selectOrders, selectPayments } from "./queries"
import { assertMayOrder, assertOrderable, assertPending, pay } from "./rules"
import { type Order, orderResource, type Payment, type RejectOrder, type RequestOrder } from "./schemas"
import { offlineFrom, offlineRow, receiptPrefix } from "./settings"

/** Orders and payments that a list holds at most. */
const LIMIT = 1000

/** Orders, the newest first. */
export const listOrders = (ctx: Ctx, input: { storeId?: string; status?: OrderStatus }): Promise<Order[]> =>
  selectOrders(ctx.db, input, LIMIT)

/** Payments, the newest first. */
export const listPayments = (ctx: Ctx, input: { storeId?: string }): Promise<Payment[]> =>
  selectPayments(ctx.db, input.storeId, LIMIT)

/** What an order of a plan is decided on. */
export const loadOrderable = (ctx: Pick<Ctx, "db">, storeId: string, plan: string) =>
  batch(ctx.db, [selectStore(ctx.db, storeId), activePlan(ctx, plan), offlineRow({}), selectOpenOrder(ctx.db, storeId)])

/**
 * Orders a plan at its price of the moment. It entitles to nothing until it is paid.
 * @param load what it is decided on, where that is on its way already
 * @throws Refusal `not_found`, `validation_failed` about `plan`, `offline_disabled`, `stripe_managed`, `order_already_open`
 */
export const requestOrder = (
  ctx: Ctx,
  storeId: string,
  input: z.output<typeof RequestOrder>,
  load = () => loadOrderable(ctx, storeId, input.plan),
): Promise<Order> =>
  retryOnConflict(async () => {
    const [store, [plan], offline, [open]] = await load()
    const facts = oneStore(ctx, store)
    assertMayOrder(facts, offlineFrom(offline), open)
    assertOrderable(plan)
    const values = {
      storeId,
      storeSeq: facts.store.seq,
      status: "pending" as const,
      plan: plan.slug,
      planName: plan.name,
      amountCents: plan.priceCents,
      currency: plan.currency,
      interval: plan.interval,
      note: input.note ?? null,
      createdAt: ctx.now,
      updatedAt: ctx.now,
    }
    const reference = sql<string>`'PO-' || ${numberOf("orders")}`
    const shown = { ...values, id: 0, reference: "", reason: null, number: null, paidAt: null }
    const [, [order]] = await commit(ctx, {
      guard: guardedUpdate(facts, {}, stillOffered(plan)),
      writes: [
        countUp("orders"),
        insert(orders)
          .values({ ...values, reference })
          .returning(),
      ],
      trail: [
        {
          audit: { storeId, type: "order_requested", data: { order: reference, plan: plan.slug } },
          events: [
            {
              type: "order.requested",
              store: storeResource(ctx.settings, facts),
              data: { order: orderResource(shown) },
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
 * Takes an order for paid: the store gets its plan or its next period, and a receipt.
 * @throws Refusal `not_found`, `order_not_pending`, `no_tenant`, `validation_failed` about `plan` for one that is retired or free,
 *   `stripe_managed`, `not_provisioned`
 */
export async function approveOrder(ctx: Ctx, input: { reference: string }): Promise<Order> {
  await change(
    ctx,
    () => loadOrder(ctx, input.reference),
    ({ order, facts, plan }) => {
      assertPending(order)
      if (!facts) throw new Refusal("no_tenant")
      assertOrderable(plan)
      const move = pay(facts, plan, order, ctx.now)
      const { change: moved, answer: next } = subscriptionChange(
        ctx,
        facts,
        move,
        and(isPending(order), stillOffered(plan)),
      )
      const sequence = `receipts:${ctx.now.getUTCFullYear()}`
      const number = sql<string>`${receiptPrefix} || ${`-${ctx.now.getUTCFullYear()}-`} || ${numberOf(sequence)}`
      const paid = { ...order, status: "paid" as const, paidAt: ctx.now, updatedAt: ctx.now }
      const receipt = ownerMail(ctx.settings, facts, "receipt", order.reference, {
        plan: order.planName,
        amount_cents: order.amountCents,
        currency: order.currency,
        paid_on: ctx.now.toISOString(),
      })
      return {
        answer: null,
        change: {
          ...moved,
          writes: [
            ...moved.writes,
            countUp(sequence),
            update(orders)
              .set({ status: "paid", paidAt: ctx.now, updatedAt: ctx.now, number })
              .where(eq(orders.id, order.id)),
            insert(payments).values({
              storeId: order.storeId,
              storeSeq: order.storeSeq,
              provider: "local",
              number,
              orderReference: order.reference,
              plan: order.plan,
              amountCents: order.amountCents,
              currency: order.currency,
              paidAt: ctx.now,
              createdAt: ctx.now,
            }),
            mailWrite(ctx, receipt, { number }),
          ],
          trail: [
            {
              audit: {
                storeId: order.storeId,
                type: "order_paid",
                data: { order: order.reference, plan: order.plan, number },
              },
              events: [
                {
                  type: "order.paid",
                  store: storeResource(ctx.settings, next),
                  data: { order: orderResource(paid), subscription: subscriptionResource(next.subscription) },
                  fill: { "$.data.order.number": number },
                },
              ],
            },
            ...moved.trail,
          ],
        },
      }
    },
  )
  postMails(ctx)
  return readOrder(ctx, input.reference)
}

/**
 * Refuses an order; the owner is told why in the very words.
 * @throws Refusal `not_found`, `order_not_pending`
 */
export async function rejectOrder(ctx: Ctx, input: z.output<typeof RejectOrder>): Promise<Order> {
  const rejected = await change(
    ctx,
    () => loadOrder(ctx, input.reference),
    ({ order, facts }) => {
      assertPending(order)
      const next = { ...order, status: "rejected" as const, reason: input.reason, updatedAt: ctx.now }
      const { reference, storeId } = order
      return {
        answer: next,
        change: {
          guard: close(next),
          writes: facts
            ? [
                mailWrite(
                  ctx,
                  ownerMail(ctx.settings, facts, "order_rejected", reference, { reference, reason: input.reason }),
                ),
              ]
            : [],
          trail: facts
            ? [
                {
                  audit: { storeId, type: "order_rejected", data: { order: reference, reason: input.reason } },
                  events: [
                    {
                      type: "order.rejected",
                      store: storeResource(ctx.settings, facts),
                      data: { order: orderResource(next) },
                    },
                  ],
                },
              ]
            : [],
        },
      }
    },
  )
  postMails(ctx)
  return rejected
}

/**
 * Takes a store's own order back.
 * @param load what it is decided on, where that is on its way already
 * @throws Refusal `not_found`, also for an order of another store; `order_not_pending`
 */
export const withdrawOrder = (
  ctx: Ctx,
  storeId: string,
  reference: string,
  load = () => loadOrder(ctx, reference),
): Promise<Order> =>
  change(ctx, load, ({ order, facts }) => {
    if (facts?.store.id !== storeId) throw new Refusal("not_found")
    assertPending(order)
    const next = { ...order, status: "withdrawn" as const, updatedAt: ctx.now }
    return {
      answer: next,
      change: {
        guard: close(next),
        trail: [{ audit: { storeId, type: "order_withdrawn", data: { order: reference } } }],
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
 * An order with its store, unless that is gone, and its plan as it is sold today.
 * @throws Refusal `not_found`
 */
export async function loadOrder(
  ctx: Pick<Ctx, "db">,
  reference: string,
): Promise<{ order: Order; facts: StoreFacts | null; plan: Plan | undefined }> {
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
  const facts = stores.length ? oneStore({}, stores) : null
  return { order, facts: facts?.store.seq === order.storeSeq ? facts : null, plan }
}

const isPending = (order: Order) =>
  sql`exists (select 1 from ${orders} where ${and(eq(orders.id, order.id), eq(orders.status, "pending"))})`

/** The update that ends an order while it is pending. */
const close = ({ id, status, reason, updatedAt }: Order) =>
  update(orders)
    .set({ status, reason, updatedAt })
    .where(and(eq(orders.id, id), eq(orders.status, "pending")))
