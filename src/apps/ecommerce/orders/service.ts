// Operations on orders: users read their own, staff read all and change them. `place.ts` places them.
import type * as z from "zod"
import { enqueueAccountMails } from "../../../content/mails/outbox"
import { selectShopSettings } from "../../../content/shop/settings"
import { writeAsStaff } from "../../../content/staff/write"
import { authenticate, getCallerParams, type UserCtx } from "../../../content/user"
import type { Input } from "../../../core/http/input"
import { Refusal } from "../../../core/http/refusal"
import { rowId } from "../../../core/http/row-id"
import { type Page, pageFrom } from "../../../core/list/page"
import { auditChanges, compareResources } from "../../../core/write/changes"
import { retryOnConflict } from "../../../core/write/commit"
import { abortUnlessTouched } from "../../../db/write"
import { assertStaff } from "../../authorization"
import type { OrderStatus } from "../tables"
import { returnToStock, selectAllOrdersPage, selectOrder, selectOwnOrdersPage, updateOrderRow } from "./queries"
import { getErasedColumns, isTransition } from "./rules"
import { type ListOrders, type Order, type OrderItem, orderResource, type UpdateOrder } from "./schemas"
import { buildUpdateMailWrites, type OrderUpdate } from "./update-mails"

/** Order with its items. */
export interface OrderWithItems {
  order: Order
  items: OrderItem[]
}

/** Removes what only staff may read. */
const forCustomer = (order: Order): Order => ({ ...order, staffNote: null })

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
  const { rows, total } = pageFrom(results)
  return { rows: all ? rows : rows.map(forCustomer), total }
}

/**
 * Reads an order: the user's own, or any for staff.
 * @throws Refusal `unauthenticated`, `not_found`
 */
export async function readOrder(ctx: UserCtx, segment: string): Promise<OrderWithItems> {
  const { user, results } = await authenticate(ctx, () => selectOrder(ctx.site, rowId(segment)))
  const [[order], items] = results
  if (!order || (order.userId !== user.id && !user.isStaff)) throw new Refusal("not_found")
  return { order: user.isStaff ? order : forCustomer(order), items: [...items] }
}

/**
 * Changes the status of an order, its tracking or the staff's note. Cancelling it returns its products to stock. The
 * customer gets a mail when the order is sent or cancelled.
 * @throws Refusal `unauthenticated`, `email_unverified`, `forbidden`, `not_found`; `validation_failed` for a status
 *   that cannot follow the current one
 */
export const updateOrder = (ctx: UserCtx, segment: string, input: Input<typeof UpdateOrder>): Promise<OrderWithItems> =>
  changeOrder(ctx, segment, input, { isPaid: false })

/**
 * Marks an unpaid order as paid and applies a further change, such as to `fulfilled`, in one write. The audit log and the
 * webhooks get both statuses.
 * @throws Refusal as `updateOrder`
 */
export const payAndUpdateOrder = (
  ctx: UserCtx,
  segment: string,
  input: Input<typeof UpdateOrder>,
): Promise<OrderWithItems> => changeOrder(ctx, segment, input, { isPaid: true })

/** The statuses that the customer gets a mail about. */
const MAILED_UPDATES: Partial<Record<OrderStatus, OrderUpdate>> = { fulfilled: "sent", cancelled: "cancelled" }

/** Texts about the customer, which are erased with the account. */
const PERSONAL_FIELDS = ["tracking", "staff_note"] as const satisfies (keyof z.output<typeof UpdateOrder>)[]

/** @param isPaid whether an unpaid order becomes a paid one first */
const changeOrder = (
  ctx: UserCtx,
  segment: string,
  input: Input<typeof UpdateOrder>,
  { isPaid }: { isPaid: boolean },
): Promise<OrderWithItems> =>
  retryOnConflict(async () => {
    const { site, now } = ctx
    const { user, results } = await authenticate(ctx, () => [
      ...selectOrder(site, rowId(segment)),
      selectShopSettings({ site: site.id }),
    ])
    assertStaff(user, "editor")
    const [[order], items, [shop]] = results
    if (!order) throw new Refusal("not_found")
    const to = input.valid.status
    const from = isPaid ? "paid" : order.status
    const isRefused = (isPaid && !isTransition(order.status, from)) || (to !== undefined && !isTransition(from, to))
    const values = input.complete({ status: isRefused ? "selected" : null })
    const { status = from, tracking = order.tracking, staff_note: staffNote = order.staffNote } = values
    if (status === order.status && tracking === order.tracking && staffNote === order.staffNote)
      return { order, items: [...items] }
    const network = status === "pending" ? order.network : null
    const changed = { status, tracking, staffNote, network, updatedAt: now }
    const after = { ...order, ...changed }
    const erased = getErasedColumns(order, status)
    const identity = { number: order.number }
    const record = (before: Order, result: Order) => {
      const resource = orderResource(result, items)
      const changes = compareResources(orderResource(before, items), resource, ["updated_at"])
      const sides = auditChanges(changes, { before: identity, after: identity }, PERSONAL_FIELDS)
      return {
        audit: { subject: "order", id: order.id, action: "changed", ...sides },
        event: { type: "shop.order.updated", data: { order: resource, changes } },
      } as const
    }
    const paid = { ...order, status: from, network: null, updatedAt: now }
    const hasTwoSteps = isPaid && status !== from
    const records = hasTwoSteps
      ? ([record(order, paid), record(paid, after)] as const)
      : ([record(order, after)] as const)
    const [first, ...rest] = records
    const update = status === order.status ? undefined : MAILED_UPDATES[status]
    const mails = update
      ? buildUpdateMailWrites(ctx, after, update, {
          name: site.store?.name ?? ctx.settings.APP_NAME,
          language: site.language,
          contactEmail: shop?.settings.contact_email ?? null,
        })
      : []
    await writeAsStaff(ctx, user, {
      writes: [
        updateOrderRow(site.id, order, { ...changed, ...erased }),
        abortUnlessTouched,
        ...(update === "cancelled" ? [returnToStock(site.id, order.id)] : []),
        ...mails,
      ],
      auditLog: [first.audit, ...rest.map(({ audit }) => audit)],
      events: records.map(({ event }) => event),
    })
    if (mails.length > 0) enqueueAccountMails(ctx)
    return { order: { ...after, ...erased }, items: [...items] }
  })
