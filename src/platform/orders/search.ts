// Searches orders and payments page by page, and previews the approval of an order.
import { and, asc, eq, gt, inArray, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { invalid } from "../../core/http/refusal"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { orderByCreation, queryCreatedSort } from "../../core/list/created-sort"
import { streamRows } from "../../core/list/stream"
import { batch } from "../../db/client"
import { orders, payments, sequences } from "../../db/schema/central/orders"
import { plans } from "../../db/schema/central/plans"
import type { SubscriptionStatus } from "../../db/schema/central/subscriptions"
import { receiptPrefix } from "../invoices/prefixes"
import type { Plan } from "../plans/schemas"
import { getPaidEnd } from "./quote"
import { assertPending, buildPaymentTransition, isOrderable } from "./rules"
import { ORDER_STATUSES, type Order, type Payment } from "./schemas"
import { loadOrder } from "./service"
import { type OfflineSettings, parseOfflineSettings, selectOfflineSettings } from "./settings"

export const ORDERS_PAGE_SIZE = 50

export const SearchOrders = z.object({
  status: queryChoice(ORDER_STATUSES),
  store: queryText,
  sort: queryCreatedSort,
  page: queryNumber(100_000).default(1),
})

export const SearchPayments = z.object({
  store: queryText,
  sort: queryCreatedSort,
  page: queryNumber(100_000).default(1),
})

const toSlice = ({ page }: { page: number }) => ({ limit: ORDERS_PAGE_SIZE + 1, offset: (page - 1) * ORDERS_PAGE_SIZE })

const toPage = <Row>(rows: Row[]) => ({ rows: rows.slice(0, ORDERS_PAGE_SIZE), more: rows.length > ORDERS_PAGE_SIZE })

/** Returns a page of orders, and whether more follow. */
export async function searchOrders(
  ctx: Ctx,
  input: z.output<typeof SearchOrders>,
): Promise<{ rows: Order[]; more: boolean }> {
  const hasStatus = input.status && eq(orders.status, input.status)
  const isOfStore = input.store ? eq(orders.storeId, input.store) : undefined
  const order = [orderByCreation(orders.id, input.sort)]
  const { ids } = boundedScan(
    orders.id,
    { indexed: () => [isOfStore ?? hasStatus ?? sql`true`], filter: isOfStore && hasStatus, order },
    toSlice(input),
  )
  return toPage(
    await ctx.db
      .select()
      .from(orders)
      .where(inArray(orders.id, ids))
      .orderBy(...order),
  )
}

/** Streams all matching orders. */
export const streamOrders = (
  ctx: Ctx,
  { status, store, sort }: z.output<typeof SearchOrders>,
): AsyncGenerator<Order[]> =>
  streamRows(ctx.db, orders, orders.id, {
    indexed: store ? eq(orders.storeId, store) : undefined,
    filter: status && eq(orders.status, status),
    sort,
  })

/** Streams all matching payments. */
export const streamPayments = (ctx: Ctx, { store, sort }: z.output<typeof SearchPayments>): AsyncGenerator<Payment[]> =>
  streamRows(ctx.db, payments, payments.id, { indexed: store ? eq(payments.storeId, store) : undefined, sort })

/** Reads the bank-transfer settings and the plans that can be ordered, in one round trip. */
export async function readOrderTerms(ctx: Ctx): Promise<{ offline: OfflineSettings; plans: Plan[] }> {
  const [offline, paidPlans] = await batch(ctx.db, [
    selectOfflineSettings({}),
    ctx.db
      .select()
      .from(plans)
      .where(and(eq(plans.isActive, true), gt(plans.priceCents, 0)))
      .orderBy(asc(plans.sortOrder), asc(plans.id)),
  ])
  return { offline: parseOfflineSettings(offline), plans: paidPlans }
}

/** Returns a page of payments, and whether more follow. */
export async function searchPayments(
  ctx: Ctx,
  input: z.output<typeof SearchPayments>,
): Promise<{ rows: Payment[]; more: boolean }> {
  const { limit, offset } = toSlice(input)
  const where = input.store ? eq(payments.storeId, input.store) : undefined
  return toPage(
    await ctx.db
      .select()
      .from(payments)
      .where(where)
      .orderBy(orderByCreation(payments.id, input.sort))
      .limit(limit)
      .offset(offset),
  )
}

/** The result that approving an order now would have. */
export interface OrderPreview {
  /** The number of the receipt. */
  number: string
  /** Status of the subscription, and the end of its billing period. */
  status: SubscriptionStatus
  until: Date | null
  /** The current end of the paid period; null when none is running. */
  paidUntil: Date | null
}

/**
 * Reads an order and previews its approval while it is pending. Nothing is reserved: another approval may take the
 * number first.
 * @returns `preview` is the thrown value if the order cannot be approved, and null if it is not pending
 * @throws Refusal `not_found`
 */
export async function previewOrder(
  ctx: Ctx,
  reference: string,
): Promise<{ order: Order; preview: OrderPreview | unknown }> {
  const year = ctx.now.getUTCFullYear()
  const sequence = `receipts:${year}`
  const [{ order, facts, plan }, [[next]]] = await Promise.all([
    loadOrder(ctx, reference),
    batch(ctx.db, [
      ctx.db
        .select({
          number: sql<string>`${receiptPrefix} || ${`-${year}-`} || printf('%06d', coalesce((select ${sequences.value} from ${sequences} where ${sequences.name} = ${sequence}), 0) + 1)`,
        })
        .from(sql`(select 1)`),
    ]),
  ])
  if (order.status !== "pending" || !facts) return { order, preview: null }
  try {
    assertPending(order)
    if (!isOrderable(plan)) throw invalid("plan", "selected")
    const { subscription } = buildPaymentTransition(facts, plan, order, ctx.now)
    const preview: OrderPreview = {
      number: next?.number ?? "",
      status: subscription.status,
      until: subscription.scheduledPlan?.ends_at
        ? new Date(subscription.scheduledPlan.ends_at)
        : (subscription.currentPeriodEndsAt ?? null),
      paidUntil: getPaidEnd(facts.subscription, ctx.now),
    }
    return { order, preview }
  } catch (thrown) {
    return { order, preview: thrown }
  }
}
