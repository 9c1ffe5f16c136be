// A shop's orders: list, order, payment, shipping, cancellation, documents to print, and CSV.
import type { Context } from "hono"
import { isTransition, listOrderSums } from "../../apps/ecommerce/orders/rules"
import { type Order, UpdateOrder } from "../../apps/ecommerce/orders/schemas"
import { MAX_SEARCHED_ORDERS, readAllOrders, SearchOrders, searchOrders } from "../../apps/ecommerce/orders/search"
import { type OrderWithItems, payAndUpdateOrder, readOrder, updateOrder } from "../../apps/ecommerce/orders/service"
import { GUEST_USER_ID, ORDER_STATUSES } from "../../apps/ecommerce/tables"
import { loadStrings } from "../../core/i18n/load-strings"
import type { Locale } from "../../core/i18n/locale"
import { decimalAmount } from "../../lib/intl"
import { formatTimestamp } from "../../lib/time"
import { createCsvResponse } from "../../page-kit/csv"
import { ExportLink } from "../../page-kit/export-link"
import { FilterForm, SelectFilter, TextFilter } from "../../page-kit/filters"
import { ActionButton, Field, Form, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Card, Note, Pager, Time } from "../../page-kit/parts"
import { pickQuery } from "../../page-kit/query"
import { Table } from "../../page-kit/table"
import { listSubjectActivity } from "../../platform/audit/activity"
import type { AuditEntry } from "../../platform/audit/archived-entry"
import {
  Lines,
  listAddress,
  OrderFacts,
  OrderItems,
  type OrderTexts,
  orderNumber,
  OrderTable as SharedTable,
} from "../../shop-kit/orders"
import { createAdminPages, requireRole } from "../access"
import { requireShop } from "../apps"
import { EmptyList } from "../empty-list"
import { handleForm, withNotice } from "../forms"
import { page, printPage } from "../page"
import { CUSTOMERS, ORDERS } from "../paths"
import { getCtx } from "../session"
import type { ActivityStrings } from "../strings/activity"
import type { AdminStrings } from "../strings/types"
import type { AdminEnv } from "../types"
import { useAdminView, useT } from "../view"
import { Changes, Who } from "./activity-parts"

type C = Context<AdminEnv>

const PER_PAGE = 50

const orderPath = (id: number, action = "") => `${ORDERS}/${id}${action}`

/** The field of the form that marks an unpaid order as paid and as sent. */
const IS_PAID = "is_paid"

/** The field of the form that cancels a paid order. */
const WAS_PAID = "was_paid"

export const orders = createAdminPages()
  .get(ORDERS, requireShop, async (c) => {
    const { orders: t, nav } = c.var.strings
    const { input } = pickQuery(SearchOrders, c.req.query())
    const { rows, hasMore, isIncomplete } = await searchOrders(getCtx(c), input, PER_PAGE)
    return page(c, {
      title: nav.orders,
      actions: <ExportLink path={ORDERS} />,
      children: (
        <>
          <FilterForm live="orders">
            <TextFilter name="search" type="search" label={t.search} />
            <SelectFilter
              name="status"
              choices={ORDER_STATUSES.map((value) => ({ value, label: t.statuses[value] }))}
            />
          </FilterForm>
          <div id="orders">
            {rows.length === 0 ? <EmptyList texts={t} /> : <OrderTable rows={rows} />}
            {isIncomplete && <p class="sub">{t.latest_only(MAX_SEARCHED_ORDERS)}</p>}
            <Pager page={input.page} pageSize={PER_PAGE} hasMore={hasMore} />
          </div>
        </>
      ),
    })
  })
  .get(`${ORDERS}.csv`, requireShop, (c) =>
    createCsvResponse(
      {
        number: orderNumber,
        created_at: (row) => formatTimestamp(row.createdAt),
        status: (row) => row.status,
        name: (row) => row.customerName,
        email: (row) => row.customerEmail,
        phone: (row) => row.customerPhone,
        currency: (row) => row.currency,
        items: (row) => decimalAmount(row.itemsCents ?? row.totalCents, row.currency),
        shipping: (row) => decimalAmount(row.shippingCents ?? 0, row.currency),
        tax: (row) => decimalAmount(row.taxCents ?? 0, row.currency),
        total: (row) => decimalAmount(row.totalCents, row.currency),
        payment_method: (row) => row.paymentMethod,
        shipping_method: (row) => row.shippingMethod,
        address: (row) => listAddress(row).join(", "),
        tracking: (row) => row.tracking,
        note: (row) => row.note,
      },
      readAllOrders(getCtx(c)),
      "orders",
    ),
  )
  .get(`${ORDERS}/:id{[0-9]+}`, requireShop, (c) => renderOrder(c))
  .get(`${ORDERS}/:id{[0-9]+}/edit`, (c) => c.redirect(orderPath(Number(c.req.param("id"))), 303))
  .get(`${ORDERS}/:id{[0-9]+}/cancel`, requireShop, requireRole("editor"), async (c) => {
    const { orders: t, common, nav } = c.var.strings
    const { ctx } = c.var
    const { order } = await readOrder(getCtx(c), c.req.param("id"))
    const isPaid = order.status === "paid"
    return page(c, {
      title: t.cancel_title(orderNumber(order)),
      crumbs: [
        [nav.orders, ORDERS],
        [t.title(orderNumber(order)), orderPath(order.id)],
      ],
      children: (
        <>
          {isPaid && (
            <Note tone="warn">
              <p>{t.cancel_paid(ctx.settings.APP_NAME)}</p>
            </Note>
          )}
          <p>{t.cancel_body}</p>
          <ActionButton
            action={orderPath(order.id, "/edit")}
            label={t.cancel}
            hidden={{ status: "cancelled", ...(isPaid && { [WAS_PAID]: "true" }) }}
            danger
          />
          <p>
            <a href={orderPath(order.id)}>{common.back}</a>
          </p>
        </>
      ),
    })
  })
  .post(`${ORDERS}/:id{[0-9]+}/edit`, requireRole("editor"), requireShop, (c) =>
    handleForm(c, {
      schema: UpdateOrder,
      isEdit: true,
      run: async (input) => {
        const isPaid = c.var.form.has(IS_PAID)
        const change = isPaid ? payAndUpdateOrder : updateOrder
        const { order } = await change(getCtx(c), c.req.param("id"), input)
        return withNotice(orderPath(order.id), chooseNotice(input.valid.status, isPaid, c.var.form.has(WAS_PAID)))
      },
      render: (state) => renderOrder(c, state),
    }),
  )
  .get(`${ORDERS}/:id{[0-9]+}/:document{invoice|packing-slip}`, requireShop, async (c) => {
    const found = await readOrder(getCtx(c), c.req.param("id"))
    const isInvoice = c.req.param("document") === "invoice"
    const { orders: t } = c.var.strings
    const title = `${isInvoice ? t.invoice : t.packing_slip} ${orderNumber(found.order)}`
    return printPage(c, { title, children: <Document title={title} found={found} isInvoice={isInvoice} /> })
  })

/** Chooses the notice that names the status that the form set. */
function chooseNotice(
  status: Order["status"] | undefined,
  isPaid: boolean,
  wasPaid: boolean,
): keyof AdminStrings["notices"] {
  if (status === "fulfilled") return isPaid ? "order_paid_and_sent" : "order_sent"
  if (status === "paid") return "order_paid"
  const cancelled = wasPaid ? "paid_order_cancelled" : "order_cancelled"
  return status === "cancelled" ? cancelled : "order_saved"
}

/** The texts of the components that staff and operators share. */
function useOrderTexts(): OrderTexts {
  const { orders: t, common } = useT()
  return { ...t, created: common.created, updated: common.updated }
}

/** A table of orders. */
export const OrderTable = ({ rows }: { rows: readonly Order[] }) => (
  <SharedTable label={useT().nav.orders} rows={rows} texts={useOrderTexts()} pathOf={(id) => orderPath(id)} />
)

async function renderOrder(c: C, refused?: FormState) {
  const { strings } = c.var
  // The status is that of a button, which cannot show an error.
  const state = refused?.errors.status ? { ...refused, message: strings.orders.wrong_status } : refused
  const { ctx } = c.var
  const id = c.req.param("id") ?? ""
  const [{ order, items }, entries, activity] = await Promise.all([
    readOrder(getCtx(c), id),
    listSubjectActivity(
      ctx,
      { id: ctx.site.id, seq: ctx.site.store?.seq ?? 0 },
      { type: "order", id: String(Number(id)) },
    ),
    loadStrings<Record<Locale, ActivityStrings>>(ctx.env, "activity-strings.json"),
  ])
  const action = orderPath(order.id, "/edit")
  const isUnpaid = isTransition(order.status, "paid")
  return page(c, {
    title: strings.orders.title(orderNumber(order)),
    crumbs: [[strings.nav.orders, ORDERS]],
    state,
    actions: <OrderActions order={order} />,
    children: (
      <>
        <Card>
          <Facts order={order} />
        </Card>
        <Items found={{ order, items }} />
        {(isTransition(order.status, "fulfilled") || isUnpaid) && (
          <Card title={strings.orders.send} isForm>
            <Form action={action} submitLabel={isUnpaid ? strings.orders.mark_paid_and_sent : strings.orders.mark_sent}>
              <input type="hidden" name="status" value="fulfilled" />
              {isUnpaid && <input type="hidden" name={IS_PAID} value="true" />}
              <Field name="tracking" maxlength={200} value={order.tracking} hint={strings.orders.tracking_hint} />
            </Form>
          </Card>
        )}
        <Card title={strings.kit.fields.staff_note} isForm>
          <Form action={action} submitLabel={strings.common.save} readOnly={<p>{order.staffNote}</p>}>
            <TextArea
              name="staff_note"
              maxlength={2000}
              value={order.staffNote}
              hint={strings.orders.staff_note_hint}
            />
          </Form>
        </Card>
        <History order={order} entries={entries} t={activity[ctx.locale]} />
      </>
    ),
  })
}

interface HistoryProps {
  order: Order
  /** Newest first. */
  entries: readonly AuditEntry[]
  t: ActivityStrings
}

/** The history of an order. Its creation has no entry in the audit log. */
function History({ order, entries, t }: HistoryProps) {
  const { kit, orders: texts } = useT()
  const rows = [...entries, null]
  return (
    <Card title={t.history.title}>
      <Table
        label={t.history.title}
        rows={rows}
        columns={[
          { head: t.what, cell: (entry) => (entry ? nameChange(entry, t) : t.history.placed) },
          { head: t.who, cell: (entry) => (entry ? <Who entry={entry} t={t} /> : (order.customerName ?? texts.guest)) },
          { head: kit.when, cell: (entry) => <Time at={(entry ?? order).createdAt} isExact /> },
          {
            head: t.changes,
            isLong: true,
            cell: (entry) => entry && <Changes entry={entry} t={t} omit={["status"]} />,
          },
        ]}
      />
    </Card>
  )
}

/** Names what was done: the new status, if there is one. */
function nameChange({ type, before, after }: AuditEntry, { history }: ActivityStrings): string {
  const status = type === "order_cancelled" ? "cancelled" : after?.status
  const isChanged = status !== before?.status
  return isChanged && (status === "paid" || status === "fulfilled" || status === "cancelled")
    ? history[status]
    : history.changed
}

function OrderActions({ order }: { order: Order }) {
  const { canPost, t } = useAdminView()
  const action = orderPath(order.id, "/edit")
  return (
    <>
      {isTransition(order.status, "paid") && (
        <ActionButton action={action} label={t.orders.mark_paid} hidden={{ status: "paid" }} isPrimary />
      )}
      <a class="button" data-quiet href={orderPath(order.id, "/invoice")}>
        {t.orders.invoice}
      </a>
      <a class="button" data-quiet href={orderPath(order.id, "/packing-slip")}>
        {t.orders.packing_slip}
      </a>
      {canPost(action) && isTransition(order.status, "cancelled") && (
        <a class="button" data-danger href={orderPath(order.id, "/cancel")}>
          {t.orders.cancel}
        </a>
      )}
    </>
  )
}

function Items({ found: { order, items }, hasPrices = true }: { found: OrderWithItems; hasPrices?: boolean }) {
  return (
    <OrderItems {...{ order, items }} sums={hasPrices ? listOrderSums(order) : undefined} texts={useOrderTexts()} />
  )
}

function Facts({ order }: { order: Order }) {
  const name = order.customerName ?? useT().orders.guest
  const customer = order.userId > GUEST_USER_ID ? <a href={`${CUSTOMERS}/${order.userId}`}>{name}</a> : name
  return <OrderFacts order={order} texts={useOrderTexts()} customer={customer} />
}

/** An invoice or a packing slip, to print. */
function Document({ title, found, isInvoice }: { title: string; found: OrderWithItems; isInvoice: boolean }) {
  const { shopName, session, t } = useAdminView()
  const { order } = found
  return (
    <>
      <p>
        <b>{shopName}</b>
        <br />
        <Lines
          lines={[...(session?.shop.address?.split("\n") ?? []), session?.shop.tax_number ?? ""].filter(Boolean)}
        />
      </p>
      <h1>{title}</h1>
      <p>
        <Time at={order.createdAt} isExact />
      </p>
      <p>
        <Lines lines={[order.customerName ?? t.orders.guest, ...listAddress(order)]} />
      </p>
      <Items found={found} hasPrices={isInvoice} />
      {order.note && <p>{order.note}</p>}
    </>
  )
}
