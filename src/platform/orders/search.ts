// Orders and payments a page at a time, and what approving an order would come to.
import { and, asc, desc, eq, gt, inArray, sql } from "drizzle-orm"
import * as z from "zod"
import type { Ctx } from "../../core/context"
import { queryChoice, queryNumber, queryText } from "../../core/http/validation"
import { boundedScan } from "../../core/list/bounded-scan"
import { batch } from "../../db/client"
import { orders, payments, sequences } from "../../db/schema/central/orders"
import { plans } from "../../db/schema/central/plans"
import type { Plan } from "../plans/schemas"
import { assertOrderable, assertPending, pay } from "./rules"
import { ORDER_STATUSES, type Order, type Payment } from "./schemas"
import { loadOrder } from "./service"
import { type OfflineSettings, offlineFrom, offlineRow, receiptPrefix } from "./settings"

export const ORDERS_PAGE = 50

export const SearchOrders = z.object({
  status: queryChoice(ORDER_STATUSES),
  store: queryText,
  page: queryNumber(100_000).default(1),
})

export const SearchPayments = z.object({ store: queryText, page: queryNumber(100_000).default(1) })

const slice = ({ page }: { page: number }) => ({ limit: ORDERS_PAGE + 1, offset: (page - 1) * ORDERS_PAGE })

const paged = <Row>(rows: Row[]) => ({ rows: rows.slice(0, ORDERS_PAGE), more: rows.length > ORDERS_PAGE })

/** A page of orders, the newest first, and whether older ones follow. */
export async function searchOrders(
  ctx: Ctx,
  input: z.output<typeof SearchOrders>,
): Promise<{ rows: Order[]; more: boolean }> {
  const ofStatus = input.status && eq(orders.status, input.status)
  const ofStore = input.store ? eq(orders.storeId, input.store) : undefined
  const order = [desc(orders.id)]
  const { ids } = boundedScan(
    orders.id,
    { lead: () => [ofStore ?? ofStatus ?? sql`true`], also: ofStore && ofStatus, order },
    slice(input),
  )
  return paged(
    await ctx.db
      .select()
      .from(orders)
      .where(inArray(orders.id, ids))
      .orderBy(...order),
  )
}

/** How bank transfers are sold, and the plans that can be ordered; in one round trip. */
export async function readOrderTerms(ctx: Ctx): Promise<{ offline: OfflineSettings; plans: Plan[] }> {
  const [offline, sold] = await batch(ctx.db, [
    offlineRow({}),
    ctx.db
      .select()
      .from(plans)
      .where(and(eq(plans.isActive, true), gt(plans.priceCents, 0)))
      .orderBy(asc(plans.sortOrder), asc(plans.id)),
  ])
  return { offline: offlineFrom(offline), plans: sold }
}

/** A page of payments, the newest first, and whether older ones follow. */
export async function searchPayments(
  ctx: Ctx,
  input: z.output<typeof SearchPayments>,
): Promise<{ rows: Payment[]; more: boolean }> {
  const { limit, offset } = slice(input)
  const where = input.store ? eq(payments.storeId, input.store) : undefined
  return paged(await ctx.db.select().from(payments).where(where).orderBy(desc(payments.id)).limit(limit).offset(offset))
}

/** What approving an order now would come to. */
export interface Foreseen {
  /** The receipt's number. */
  number: string
  /** The subscription's status and the end of its period. */
  status: string
  until: Date | null
}

/**
 * An order and, while it is pending, what approving it now would come to. Nothing is written, so that another approval may take the
 * number first.
 * @returns `foreseen` is what was thrown where it could not be approved
 * @throws Refusal `not_found`
 */
export async function foreseeOrder(
  ctx: Ctx,
  reference: string,
): Promise<{ order: Order; foreseen: Foreseen | unknown }> {
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
  if (order.status !== "pending" || !facts) return { order, foreseen: null }
  try {
    assertPending(order)
    assertOrderable(plan)
    const { subscription } = pay(facts, plan, order, ctx.now)
    const foreseen: Foreseen = {
      number: next?.number ?? "",
      status: subscription.status,
      until: subscription.currentPeriodEndsAt ?? null,
    }
    return { order, foreseen }
  } catch (thrown) {
    return { order, foreseen: thrown }
  }
}
