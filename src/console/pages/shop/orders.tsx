// The orders of a store: list, order, payment, shipping, cancellation and the staff's note.
import * as z from "zod"
import { ecommerce } from "../../../apps/ecommerce/manifest"
import { isTransition, listOrderSums } from "../../../apps/ecommerce/orders/rules"
import { type Order, UpdateOrder } from "../../../apps/ecommerce/orders/schemas"
import { MAX_SEARCHED_ORDERS, SearchOrders, searchOrders } from "../../../apps/ecommerce/orders/search"
import { payAndUpdateOrder, readOrder, updateOrder } from "../../../apps/ecommerce/orders/service"
import { GUEST_USER_ID, ORDER_STATUSES } from "../../../apps/ecommerce/tables"
import { withLookups } from "../../../core/http/validation"
import { SelectFilter, TextFilter } from "../../../page-kit/filters"
import { ActionButton, Field, Form, TextArea } from "../../../page-kit/form"
import type { FormState } from "../../../page-kit/form-state"
import { Card, EmptyState, Pager } from "../../../page-kit/parts"
import { OrderFacts, OrderItems, OrderStatus, OrderTable, orderNumber } from "../../../shop-kit/orders"
import type { ShownChange } from "../../confirmation/confirmed"
import { harmless } from "../../form-access"
import { pathParam } from "../../form-handler"
import { handleEditForm } from "../../forms"
import { Filters } from "../../kit/filters"
import { withNotice } from "../../notices"
import { parseQuery } from "../../query-params"
import { createPages } from "../../router"
import { W } from "../../strings"
import { getSitePath, sitePage, withSiteCrumbs } from "../site-page"
import { AppState, type C, getReaderCtx, getStaffCtx, PER_PAGE, SITE } from "./shared"

const PATH = `${SITE}/orders`

const { orders: T } = W.shop

const listPath = (c: C) => `${getSitePath(c)}/orders`

/** The notice after each change of the status. */
const NOTICES = {
  pending: "saved",
  paid: "order_paid",
  fulfilled: "order_sent",
  cancelled: "order_cancelled",
  paid_and_sent: "order_paid_and_sent",
} as const

/** `is_paid` also marks an unpaid order as paid, in the same write. */
const ChangeOrder = withLookups(UpdateOrder.extend({ is_paid: z.boolean().optional() }), "status")

type Change = keyof typeof NOTICES

const getChange = (status: Order["status"], isPaid: boolean | undefined): Change =>
  isPaid && status === "fulfilled" ? "paid_and_sent" : status

/** The text of the confirmation page for each change. */
const EFFECTS: Record<Change, string[]> = {
  pending: [T.effects.pending],
  paid: [T.effects.paid],
  fulfilled: [T.effects.fulfilled],
  cancelled: [T.effects.cancelled],
  paid_and_sent: [T.effects.paid, T.effects.fulfilled],
}

export const shopOrders = createPages()
  .get(PATH, async (c) => {
    const { input } = parseQuery(c, SearchOrders)
    const ctx = await getReaderCtx(c)
    const { rows, hasMore, isIncomplete } = await searchOrders(ctx, input, PER_PAGE)
    return sitePage(c, {
      title: W.sites.orders,
      children: (
        <>
          <AppState site={ctx.site} app={ecommerce} />
          <Filters live="orders">
            <TextFilter name="search" type="search" label={T.search} />
            <SelectFilter
              name="status"
              choices={ORDER_STATUSES.map((value) => ({ value, label: T.statuses[value] }))}
            />
          </Filters>
          <div id="orders">
            {rows.length === 0 ? (
              <EmptyState text={T.empty} />
            ) : (
              <OrderTable label={W.sites.orders} rows={rows} texts={T} pathOf={(id) => `${listPath(c)}/${id}`} />
            )}
            {isIncomplete && <p class="sub">{W.shop.latest_only(MAX_SEARCHED_ORDERS)}</p>}
            <Pager page={input.page} pageSize={PER_PAGE} hasMore={hasMore} />
          </div>
        </>
      ),
    })
  })
  .get(`${PATH}/:id`, (c) => renderOrder(c))
  .post(`${PATH}/:id/note`, harmless("support"), (c) =>
    handleEditForm(
      c,
      UpdateOrder,
      async (input) => {
        const note = input.map(({ staff_note }) => ({ staff_note }))
        await updateOrder(await getStaffCtx(c), pathParam(c, "id"), note)
        return withNotice(`${listPath(c)}/${pathParam(c, "id")}`, "saved")
      },
      (state) => renderOrder(c, state),
    ),
  )
  .confirmed(`${PATH}/:id/edit`, {
    roles: ["support"],
    schema: ChangeOrder,
    isEdit: true,
    async preview(c, input) {
      const { order } = await readOrder(await getReaderCtx(c), pathParam(c, "id"))
      const { status: desired, is_paid: isPaid } = input.valid
      const from = isPaid ? "paid" : order.status
      const isRefused =
        (isPaid && !isTransition(order.status, from)) ||
        (desired !== undefined && desired !== from && !isTransition(from, desired))
      const { status = from, tracking, staff_note: note } = input.complete({ status: isRefused ? "selected" : null })
      const back = `${listPath(c)}/${order.id}`
      const number = orderNumber(order)
      const kind = status === order.status ? "pending" : getChange(status, isPaid)
      return {
        title: T.confirm[kind](number),
        crumbs: withSiteCrumbs(c, [
          [W.sites.orders, listPath(c)],
          [T.title(number), back],
        ]),
        back,
        state: [order.siteId, order.id, order.status, order.tracking, order.staffNote],
        changes: listChanges(order, { status, tracking, note }),
        effects: [...EFFECTS[kind], T.webhooks],
        submitLabel: T.actions[kind],
        isHarmful: kind === "cancelled",
      }
    },
    async run(c, input) {
      const { status = "pending", is_paid: isPaid } = input.valid
      const change = isPaid ? payAndUpdateOrder : updateOrder
      const { order } = await change(await getStaffCtx(c), pathParam(c, "id"), input)
      return withNotice(`${listPath(c)}/${order.id}`, NOTICES[getChange(status, isPaid)])
    },
    renderForm: renderOrder,
  })

/** The changes that a confirmation page shows. */
function listChanges(
  order: Order,
  after: { status: Order["status"]; tracking: string | null | undefined; note: string | null | undefined },
): ShownChange[] {
  const changes: (ShownChange | false)[] = [
    after.status !== order.status && {
      label: W.stores.status,
      before: <OrderStatus status={order.status} texts={T} />,
      after: <OrderStatus status={after.status} texts={T} />,
    },
    after.tracking !== undefined &&
      after.tracking !== order.tracking && {
        label: T.tracking,
        before: order.tracking ?? W.common.none,
        after: after.tracking ?? W.common.none,
      },
    after.note !== undefined &&
      after.note !== order.staffNote && {
        label: T.staff_note,
        before: order.staffNote ?? W.common.none,
        after: after.note ?? W.common.none,
      },
  ]
  return changes.filter((change) => change !== false)
}

async function renderOrder(c: C, refused?: FormState) {
  // The status is that of a button, which cannot show an error.
  const state = refused?.errors.status ? { ...refused, message: W.shop.wrong_status } : refused
  const ctx = await getReaderCtx(c)
  const { order, items } = await readOrder(ctx, pathParam(c, "id"))
  const path = `${listPath(c)}/${order.id}`
  const name = order.customerName ?? T.guest
  const isUnpaid = isTransition(order.status, "paid")
  return sitePage(c, {
    title: T.title(orderNumber(order)),
    crumbs: [[W.sites.orders, listPath(c)]],
    state,
    actions: <OrderActions order={order} action={`${path}/edit`} />,
    children: (
      <>
        <AppState site={ctx.site} app={ecommerce} />
        <Card>
          <OrderFacts
            order={order}
            texts={T}
            customer={
              order.userId > GUEST_USER_ID ? <a href={`${getSitePath(c)}/users/${order.userId}`}>{name}</a> : name
            }
          />
        </Card>
        <Card title={T.items} id="items">
          <OrderItems order={order} items={items} texts={T} sums={listOrderSums(order)} />
        </Card>
        {(isTransition(order.status, "fulfilled") || isUnpaid) && (
          <Card title={T.send} isForm>
            <Form action={`${path}/edit`} submitLabel={T.actions[isUnpaid ? "paid_and_sent" : "fulfilled"]}>
              <input type="hidden" name="status" value="fulfilled" />
              {isUnpaid && <input type="hidden" name="is_paid" value="true" />}
              <Field name="tracking" label={T.tracking} maxlength={200} value={order.tracking} hint={T.tracking_hint} />
            </Form>
          </Card>
        )}
        <Card title={T.staff_note}>
          <Form
            action={`${path}/note`}
            submitLabel={W.common.save}
            isSecondary={isUnpaid}
            readOnly={<p>{order.staffNote}</p>}
          >
            <TextArea
              name="staff_note"
              label={T.staff_note}
              maxlength={2000}
              value={order.staffNote}
              hint={T.staff_note_hint}
            />
          </Form>
        </Card>
      </>
    ),
  })
}

const OrderActions = ({ order, action }: { order: Order; action: string }) => (
  <>
    {isTransition(order.status, "paid") && (
      <ActionButton action={action} label={T.actions.paid} hidden={{ status: "paid" }} isPrimary />
    )}
    {isTransition(order.status, "cancelled") && (
      <ActionButton action={action} label={T.actions.cancelled} hidden={{ status: "cancelled" }} danger />
    )}
  </>
)
