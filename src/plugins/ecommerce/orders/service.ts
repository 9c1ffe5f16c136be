// The verbs of an order: users place and see their own, staff see all and move them on.

import { sql } from "drizzle-orm"
import type * as z from "zod"
import { countedAt } from "../../../content/pagination"
import { authed, type UserCtx } from "../../../content/user"
import { type Page, pageFrom } from "../../../core/page"
import { Refusal } from "../../../core/refusal"
import { rowId } from "../../../core/row-id"
import { batch } from "../../../db/client"
import { yearMonth } from "../../../lib/time"
import { assertStaff } from "../../staff"
import { moveStatements, placeStatements, selectOrder, selectPage, selectSold } from "./queries"
import { assertMovable, assertOrderable } from "./rules"
import type { ListOrders, MoveOrder, Order, OrderItem, PlaceOrder } from "./schemas"

/** An order with its items. */
interface OrderFacts {
  order: Order
  items: OrderItem[]
}

/**
 * A page of the user's orders, or for staff of all, the newest first.
 * @throws Refusal `unauthenticated`; `forbidden` for all orders, unless it is staff that asks
 */
export async function listOrders(ctx: UserCtx, input: z.output<typeof ListOrders>): Promise<Page<Order>> {
  const all = input.scope === "all"
  const { user, answers } = await authed(ctx, (userId) => selectPage(ctx.site, input, all ? null : userId))
  if (all) assertStaff(user)
  return pageFrom(answers)
}

/**
 * One order: the user's own, or any for staff.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export async function readOrder(ctx: UserCtx, segment: string): Promise<OrderFacts> {
  const { user, answers } = await authed(ctx, () => selectOrder(ctx.site, rowId(segment)))
  const [[order], items] = answers
  if (!order || (order.userId !== user.id && !user.isStaff)) throw new Refusal("not_found")
  return { order, items: [...items] }
}

/** Of those who want one product at once, each round one gets through. */
const ROUNDS = 8

/**
 * Places an order at the products' prices of the moment, and takes them off the shelf.
 * @throws Refusal `unauthenticated`; `validation_failed` for what the site does not sell, does not have enough of, or sells in
 *   another currency; `limit_reached` when the plan's orders of the month are used up
 */
export async function placeOrder(ctx: UserCtx, input: z.output<typeof PlaceOrder>): Promise<OrderFacts> {
  const { site, now } = ctx
  const limit = site.subscription?.plan?.limits.orders ?? 0
  const month = yearMonth(now)
  const { items, note = null } = input
  for (let round = 1; ; round++) {
    const { user, answers } = await authed(ctx, () => [
      selectSold(
        site,
        items.map((item) => item.product_id),
      ),
      site.db.select({ total: countedAt(site.id, "orders", month).mapWith(Number) }).from(sql`(select 1)`),
    ])
    const [sold, [count]] = answers
    const currency = assertOrderable(input, sold)
    if (limit > 0 && (count?.total ?? 0) >= limit) throw new Refusal("limit_reached")
    try {
      const order = { userId: user.id, currency, note, items, now, limit, month }
      const [[placed], , lines] = await batch(site.db, placeStatements(site, order))
      if (!placed) throw new Error("The order was not stored")
      return { order: placed, items: lines }
    } catch (cause) {
      if (!isLostRace(cause) || round === ROUNDS) throw cause
    }
  }
}

/**
 * Moves an order on; one that is cancelled puts its products back on the shelf.
 * @throws Refusal `unauthenticated`, `forbidden`, `not_found`; `validation_failed` for a status it cannot come to
 */
export async function moveOrder(
  ctx: UserCtx,
  segment: string,
  { status }: z.output<typeof MoveOrder>,
): Promise<OrderFacts> {
  for (let round = 1; ; round++) {
    const { user, answers } = await authed(ctx, () => selectOrder(ctx.site, rowId(segment)))
    assertStaff(user)
    const [[order], items] = answers
    if (!order) throw new Refusal("not_found")
    assertMovable(order.status, status)
    try {
      await batch(ctx.site.db, moveStatements(ctx.site, order, status, ctx.now))
      return { order: { ...order, status, updatedAt: ctx.now }, items: [...items] }
    } catch (cause) {
      if (!isLostRace(cause) || round === ROUNDS) throw cause
    }
  }
}

/** Whether the shelf or the order was not as it was found. */
function isLostRace(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (/LOST_RACE|CHECK constraint failed: products_stock/.test(error.message)) return true
  }
  return false
}
