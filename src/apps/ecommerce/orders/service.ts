// Operations on orders: users place and read their own, staff read all and change their status.
import { sql } from "drizzle-orm"
import type * as z from "zod"
import { authenticate, getCallerParams, type UserCtx, writeAsUser } from "../../../content/user"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { rowId } from "../../../core/http/row-id"
import { type Page, pageFrom } from "../../../core/list/page"
import { selectSiteCounter } from "../../../core/list/site-totals"
import { retryOnConflict, WriteConflict } from "../../../core/write/commit"
import { isCheckViolation } from "../../../db/errors"
import { abortUnlessTouched } from "../../../db/write"
import { hmacSha256 } from "../../../lib/hash"
import { clientNetwork } from "../../../lib/ip"
import { yearMonth } from "../../../lib/time"
import { assertStaff } from "../../authorization"
import { cancelExcessPendingOrders } from "./expire"
import {
  countPendingOfNetwork,
  countPendingOfUser,
  placeOrderWrites,
  returnToStock,
  selectAllOrdersPage,
  selectOrder,
  selectOwnOrdersPage,
  selectPublishedProducts,
  setStatus,
} from "./queries"
import { computePendingLimits, findItemErrors, isTransition } from "./rules"
import type { ListOrders, Order, OrderItem, PlaceOrder, UpdateOrderStatus } from "./schemas"

/** Order with its items. */
interface OrderWithItems {
  order: Order
  items: OrderItem[]
}

/**
 * Lists a page of the user's orders, or of all orders for staff, newest first.
 * @throws Refusal `unauthenticated`; `forbidden` for all orders unless the user is staff
 */
export async function listOrders(ctx: UserCtx, input: z.output<typeof ListOrders>): Promise<Page<Order>> {
  const all = input.scope === "all"
  const { user, results } = await authenticate(ctx, () =>
    (all ? selectAllOrdersPage : selectOwnOrdersPage)(input, getCallerParams(ctx)),
  )
  if (all) assertStaff(user, "viewer")
  return pageFrom(results)
}

/**
 * Reads an order: the user's own, or any for staff.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export async function readOrder(ctx: UserCtx, segment: string): Promise<OrderWithItems> {
  const { user, results } = await authenticate(ctx, () => selectOrder(ctx.site, rowId(segment)))
  const [[order], items] = results
  if (!order || (order.userId !== user.id && !user.isStaff)) throw new Refusal("not_found")
  return { order, items: [...items] }
}

/**
 * Places an order at the current prices and takes its products out of stock.
 * @throws Refusal `unauthenticated`, `email_unverified`; `validation_failed` for a product that is not published, has
 *   too little stock or has another currency; `limit_reached` when the plan's orders of the month are used up;
 *   `unpaid_orders` when the user or the client's network has too many pending orders
 */
export async function placeOrder(ctx: UserCtx, input: Input<typeof PlaceOrder>): Promise<OrderWithItems> {
  const { site, now } = ctx
  const limit = site.subscription?.plan?.limits.orders ?? 0
  const pending = computePendingLimits(limit)
  const month = yearMonth(now)
  const network = await networkHash(ctx)
  const requested = input.valid.items ?? []
  return retryOnConflict(async () => {
    const { user, results } = await authenticate(
      ctx,
      (userId) =>
        [
          selectPublishedProducts(
            site,
            requested.map((item) => item.product_id),
          ),
          site.db
            .select({
              placed: selectSiteCounter(site.id, "orders", month).mapWith(Number).as("placed"),
              ofUser: countPendingOfUser(site, userId).mapWith(Number).as("ofUser"),
              ofNetwork: countPendingOfNetwork(site, network).mapWith(Number).as("ofNetwork"),
            })
            .from(sql`(select 1)`),
        ] as const,
    )
    const [sold, [count]] = results
    if (!count) throw new Error("The orders were not counted")
    const { items, note = null } = input.complete({ items: findItemErrors(requested, sold) })
    const currency = sold[0]?.currency ?? ""
    const hasTooMany = count.ofUser >= pending.user || count.ofNetwork >= pending.network
    // Near the monthly limit, pending orders may have to expire early, but not for a client that has too many of them.
    if (limit > 0 && !hasTooMany && (limit - count.placed) * 5 < limit)
      ctx.inBackground(cancelExcessPendingOrders(ctx, site, limit))
    if (limit > 0 && count.placed >= limit) throw new Refusal("limit_reached")
    if (hasTooMany) throw new Refusal("unpaid_orders")
    const order = { userId: user.id, currency, note, items, now, limit, month, network, pending }
    const [[placed], , lines] = await conflictIfSoldOut(writeAsUser(ctx, () => placeOrderWrites(site, order)))
    if (!placed) throw new Error("The order was not stored")
    return { order: placed, items: lines }
  })
}

/**
 * Computes a keyed hash of the client's network: the IPv4 address, or the IPv6 /48 that one customer can have. The key
 * prevents the addresses from being guessed from a copy of the database.
 */
async function networkHash({ address, settings, site }: UserCtx): Promise<string> {
  const { network, wider } = clientNetwork(address ?? "")
  const hash = await hmacSha256(settings.APP_KEY.current, `order network\n${site.id}\n${wider ?? network}`)
  return hash.toHex().slice(0, 32)
}

/** @throws WriteConflict when a concurrent order took the last item in stock */
const conflictIfSoldOut = <Answer>(work: Promise<Answer>): Promise<Answer> =>
  work.catch((cause) => {
    throw isCheckViolation(cause, "products_stock") ? new WriteConflict("The stock is used up", { cause }) : cause
  })

/**
 * Changes the status of an order. Cancelling it returns its products to stock.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`; `validation_failed` for a status
 *   that cannot follow the current one
 */
export const updateOrderStatus = (
  ctx: UserCtx,
  segment: string,
  input: Input<typeof UpdateOrderStatus>,
): Promise<OrderWithItems> =>
  retryOnConflict(async () => {
    const siteId = ctx.site.id
    const { user, results } = await authenticate(ctx, () => selectOrder(ctx.site, rowId(segment)))
    assertStaff(user, "editor")
    const [[order], items] = results
    if (!order) throw new Refusal("not_found")
    const status = input.require("status")
    if (!isTransition(order.status, status)) throw input.reject("status", "selected")
    await writeAsUser(ctx, () => [
      setStatus(siteId, order, status, ctx.now),
      abortUnlessTouched,
      ...(status === "cancelled" ? [returnToStock(siteId, order.id)] : []),
    ])
    return { order: { ...order, status, network: null, updatedAt: ctx.now }, items: [...items] }
  })
