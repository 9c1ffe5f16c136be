// Operations on orders: users place and read their own, staff read all and change their status.
import { sql } from "drizzle-orm"
import type * as z from "zod"
import { askerOf, asUser, authed, type UserCtx } from "../../../content/user"
import { Refusal } from "../../../core/http/refusal"
import { rowId } from "../../../core/http/row-id"
import { type Page, pageFrom } from "../../../core/list/page"
import { countedAt } from "../../../core/list/site-totals"
import { WriteConflict, retryOnConflict } from "../../../core/write/commit"
import { isCheck } from "../../../db/errors"
import { abortUnlessTouched } from "../../../db/write"
import { hmacSha256 } from "../../../lib/hash"
import { clientNetwork } from "../../../lib/ip"
import { yearMonth } from "../../../lib/time"
import { assertStaff } from "../../authorization"
import { expireCrowd } from "./expire"
import {
  countPendingOfNetwork,
  countPendingOfUser,
  moveOn,
  pagesOfAll,
  pagesOfAsker,
  placeWrites,
  returnToStock,
  selectOrder,
  selectSold,
} from "./queries"
import { assertMovable, assertOrderable, pendingLimits } from "./rules"
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
  const { user, answers } = await authed(ctx, () => (all ? pagesOfAll : pagesOfAsker)(input, askerOf(ctx)))
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

/**
 * Places an order at the products' prices of the moment, and takes them out of stock.
 * @throws Refusal `unauthenticated`, `email_unverified`; `validation_failed` for what the site does not sell, does not have enough of,
 *   or sells in another currency; `limit_reached` when the plan's orders of the month are used up; `unpaid_orders` when the user or the
 *   client's network has too many pending ones
 */
export async function placeOrder(ctx: UserCtx, input: z.output<typeof PlaceOrder>): Promise<OrderFacts> {
  const { site, now } = ctx
  const limit = site.subscription?.plan?.limits.orders ?? 0
  const pending = pendingLimits(limit)
  const month = yearMonth(now)
  const network = await networkHash(ctx)
  const { items, note = null } = input
  return retryOnConflict(async () => {
    const { user, answers } = await authed(
      ctx,
      (userId) =>
        [
          selectSold(
            site,
            items.map((item) => item.product_id),
          ),
          site.db
            .select({
              placed: countedAt(site.id, "orders", month).mapWith(Number).as("placed"),
              ofUser: countPendingOfUser(site, userId).mapWith(Number).as("ofUser"),
              ofNetwork: countPendingOfNetwork(site, network).mapWith(Number).as("ofNetwork"),
            })
            .from(sql`(select 1)`),
        ] as const,
    )
    const [sold, [count]] = answers
    if (!count) throw new Error("The orders were not counted")
    const currency = assertOrderable(input, sold)
    const hasTooMany = count.ofUser >= pending.user || count.ofNetwork >= pending.network
    // Few places are left: pending orders may have to end sooner, but not for a client that holds too many of them.
    if (limit > 0 && !hasTooMany && (limit - count.placed) * 5 < limit) ctx.after(expireCrowd(ctx, site, limit))
    if (limit > 0 && count.placed >= limit) throw new Refusal("limit_reached")
    if (hasTooMany) throw new Refusal("unpaid_orders")
    const order = { userId: user.id, currency, note, items, now, limit, month, network, pending }
    const [[placed], , lines] = await inStock(asUser(ctx, () => placeWrites(site, order)))
    if (!placed) throw new Error("The order was not stored")
    return { order: placed, items: lines }
  })
}

/**
 * Keyed hash of the client's network: its IPv4 address, or the /48 that one customer of IPv6 can have. The key keeps the addresses from
 * being guessed out of a copy of the database.
 */
async function networkHash({ address, settings, site }: UserCtx): Promise<string> {
  const { network, wider } = clientNetwork(address ?? "")
  const hash = await hmacSha256(settings.APP_KEY.current, `order network\n${site.id}\n${wider ?? network}`)
  return hash.toHex().slice(0, 32)
}

/** @throws LostRace when the last piece went to somebody else */
const inStock = <Answer>(work: Promise<Answer>): Promise<Answer> =>
  work.catch((cause) => {
    throw isCheck(cause, "products_stock") ? new WriteConflict("The stock is used up", { cause }) : cause
  })

/**
 * Moves an order on; one that is cancelled puts its products back into stock.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`; `validation_failed` for a status it cannot come to
 */
export const moveOrder = (ctx: UserCtx, segment: string, { status }: z.output<typeof MoveOrder>): Promise<OrderFacts> =>
  retryOnConflict(async () => {
    const siteId = ctx.site.id
    const { user, answers } = await authed(ctx, () => selectOrder(ctx.site, rowId(segment)))
    assertStaff(user)
    const [[order], items] = answers
    if (!order) throw new Refusal("not_found")
    assertMovable(order.status, status)
    await asUser(ctx, () => [
      moveOn(siteId, order, status, ctx.now),
      abortUnlessTouched,
      ...(status === "cancelled" ? [returnToStock(siteId, order.id)] : []),
    ])
    return { order: { ...order, status, network: null, updatedAt: ctx.now }, items: [...items] }
  })
