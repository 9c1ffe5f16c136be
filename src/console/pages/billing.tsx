// Subscriptions, bank-transfer orders and payments of all stores.
import type { Context } from "hono"
import type { Child } from "hono/jsx"
import * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { withLookups } from "../../core/http/validation"
import type { BillingKind } from "../../db/schema/central/billing-providers"
import { addMs, DAY } from "../../lib/time"
import { Disclosure } from "../../page-kit/disclosure"
import { ExportLink } from "../../page-kit/export-link"
import { SelectFilter, TextFilter } from "../../page-kit/filters"
import { ActionButton, Checkbox, Field, Form, Select, TextArea } from "../../page-kit/form"
import type { FormState } from "../../page-kit/form-state"
import { Badge, Card, DescriptionList, EmptyState, formatMoney, Note, Pager, Time } from "../../page-kit/parts"
import { Table } from "../../page-kit/table"
import { ShownVersion } from "../../page-kit/version-guard"
import { ORDER_STATUSES, type Order, RequestOrder } from "../../platform/orders/schemas"
import {
  ORDERS_PAGE_SIZE,
  type OrderPreview,
  previewOrder,
  readOrderTerms,
  SearchOrders,
  SearchPayments,
  searchOrders,
  searchPayments,
} from "../../platform/orders/search"
import { approveOrder, rejectOrder, requestOrder } from "../../platform/orders/service"
import { offlineTag, SaveOfflineSettings, saveOfflineSettings } from "../../platform/orders/settings"
import { listPlans } from "../../platform/plans/service"
import { getBillingKind } from "../../platform/subscriptions/rules"
import {
  PROVIDERS,
  SearchSubscriptions,
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTIONS_PAGE_SIZE,
  searchSubscriptions,
} from "../../platform/subscriptions/search"
import type { Preview } from "../confirmation/confirmed"
import { harmless, recentPassword } from "../form-access"
import { pathParam } from "../form-handler"
import { getRefusalMessage, handleEditForm, handleForm, isConsoleRefusal, NoFields } from "../forms"
import { CREATED_COLUMN, CreatedSortFilter } from "../kit/created-sort"
import { Filters } from "../kit/filters"
import { IncompleteResults } from "../kit/incomplete"
import { page } from "../kit/page"
import { withNotice } from "../notices"
import { parseQuery } from "../query-params"
import { createPages } from "../router"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"
import { getInvoicePath } from "./invoices"

const ORDERS = "/console/orders"

export const billing = createPages()
  .get("/console/subscriptions", async (c) => {
    const { ctx } = c.var
    const { input } = parseQuery(c, SearchSubscriptions)
    const [{ rows, more, scanned }, plans] = await Promise.all([
      searchSubscriptions(ctx, input),
      listPlans(ctx, { includeInactive: true }),
    ])
    return page(c, {
      title: W.subscriptions.title,
      actions: <ExportLink path="/console/subscriptions" />,
      children: (
        <>
          <Filters live="subscriptions">
            <SelectFilter name="status" choices={[...SUBSCRIPTION_STATUSES]} />
            <SelectFilter
              name="provider"
              label={W.store.billed_by}
              choices={PROVIDERS.map((value) => ({ value, label: W.subscriptions.providers[value] }))}
            />
            <SelectFilter name="plan" choices={plans.map(({ slug, name }) => ({ value: slug, label: name }))} />
            <TextFilter name="grace_within" label={W.subscriptions.grace_within} />
            <CreatedSortFilter />
          </Filters>
          <div id="subscriptions">
            {rows.length === 0 ? (
              <EmptyState text={W.subscriptions.empty} />
            ) : (
              <Table
                label={W.subscriptions.title}
                rows={rows}
                hasColumnChoice
                columns={[
                  {
                    head: W.stores.store,
                    cell: (row) => <a href={`/console/stores/${row.storeId}/billing`}>{row.storeId}</a>,
                  },
                  { head: W.stores.status, cell: (row) => <Badge status={row.status} /> },
                  { head: W.stores.plan, cell: (row) => row.plan?.name },
                  {
                    head: W.plans.price,
                    isNumeric: true,
                    cell: (row) => row.plan && formatMoney(row.plan.price_cents, row.plan.currency),
                  },
                  { head: W.store.billed_by, cell: (row) => W.subscriptions.providers[row.provider] },
                  {
                    head: W.subscriptions.until,
                    cell: (row) => (
                      <Time
                        at={row.status === "trialing" ? row.trialEndsAt : row.currentPeriodEndsAt}
                        none={W.common.none}
                      />
                    ),
                  },
                  {
                    head: W.subscriptions.grace_ends,
                    cell: (row) =>
                      row.status === "past_due" &&
                      row.pastDueSince && (
                        <Time at={addMs(row.pastDueSince, ctx.settings.TENANCY_BILLING_GRACE_DAYS * DAY)} />
                      ),
                  },
                  { head: W.common.created, sort: CREATED_COLUMN, cell: (row) => <Time at={row.createdAt} /> },
                ]}
              />
            )}
            <Pager page={input.page} pageSize={SUBSCRIPTIONS_PAGE_SIZE} hasMore={more} />
            <IncompleteResults scanned={scanned} />
          </div>
        </>
      ),
    })
  })
  .get(ORDERS, (c) => renderOrders(c))
  .post(ORDERS, harmless("finance"), (c) =>
    handleForm(
      c,
      OrderForm,
      async (input) => {
        const order = await requestOrder(c.var.ctx, input.require("store"), input)
        return withNotice(`${ORDERS}/${order.reference}`, "order_requested")
      },
      (state) => renderOrders(c, state),
    ),
  )
  .post(`${ORDERS}/settings`, recentPassword("finance", "change the bank details that owners pay to"), (c) =>
    handleEditForm(
      c,
      SaveOfflineSettings,
      async (input, assertUnchanged) => {
        await saveOfflineSettings(c.var.ctx, input, assertUnchanged)
        return withNotice(ORDERS, "saved")
      },
      (state) => renderOrders(c, state),
    ),
  )
  .get(`${ORDERS}/:reference`, (c) => renderOrder(c))
  .confirmed(`${ORDERS}/:reference/approve`, {
    roles: ["finance"],
    password: "mark an order as paid",
    schema: NoFields,
    async preview(c) {
      const { order, preview } = await previewOrder(c.var.ctx, pathParam(c, "reference"))
      if (!isOrderPreview(preview)) throw isConsoleRefusal(preview) ? preview : new Refusal("illegal_transition")
      return {
        ...aboutOrder(order),
        title: W.orders.approve_title(order.reference, order.storeId),
        changes: [
          { label: W.stores.status, before: <Badge status="pending" />, after: <Badge status="paid" /> },
          { label: W.orders.number, before: W.common.none, after: <code>{preview.number}</code> },
          {
            label: W.orders.until,
            before: <Time at={preview.paidUntil} none={W.common.none} isExact />,
            after: <Time at={preview.until} none={W.common.none} isExact />,
          },
        ],
        effects: W.orders.approve_effects,
        submitLabel: W.orders.approve,
        isHarmful: false,
      }
    },
    async run(c) {
      const reference = pathParam(c, "reference")
      await approveOrder(c.var.ctx, { reference })
      return withNotice(`${ORDERS}/${reference}`, "order_approved")
    },
    renderForm: (c, state) => renderOrder(c, state),
  })
  .confirmed(`${ORDERS}/:reference/reject`, {
    roles: ["finance"],
    password: "reject an order",
    schema: NoFields,
    async preview(c) {
      const { order } = await previewOrder(c.var.ctx, pathParam(c, "reference"))
      if (order.status !== "pending") throw new Refusal("illegal_transition")
      return {
        ...aboutOrder(order),
        title: W.orders.reject_title(order.reference, order.storeId),
        changes: [{ label: W.stores.status, before: <Badge status="pending" />, after: <Badge status="rejected" /> }],
        effects: W.orders.reject_effects,
        submitLabel: W.orders.reject,
        requiresReason: W.orders.reason_hint,
      }
    },
    async run(c, _, { reason }) {
      const reference = pathParam(c, "reference")
      await rejectOrder(c.var.ctx, { reference, reason: reason ?? "" })
      return withNotice(`${ORDERS}/${reference}`, "order_rejected")
    },
    renderForm: (c, state) => renderOrder(c, state),
  })
  .get("/console/payments", async (c) => {
    const { input } = parseQuery(c, SearchPayments)
    const { rows, more } = await searchPayments(c.var.ctx, input)
    return page(c, {
      title: W.payments.title,
      actions: <ExportLink path="/console/payments" />,
      children: (
        <>
          <Filters live="payments">
            <TextFilter name="store" />
            <CreatedSortFilter />
          </Filters>
          <div id="payments">
            {rows.length === 0 ? (
              <EmptyState text={W.payments.empty} />
            ) : (
              <Table
                label={W.payments.title}
                rows={rows}
                hasColumnChoice
                columns={[
                  {
                    head: W.payments.number,
                    cell: (row) => (row.number ? <a href={getInvoicePath(row.number)}>{row.number}</a> : `#${row.id}`),
                  },
                  { head: W.stores.store, cell: (row) => <a href={`/console/stores/${row.storeId}`}>{row.storeId}</a> },
                  { head: W.orders.amount, isNumeric: true, cell: (row) => formatMoney(row.amountCents, row.currency) },
                  { head: W.stores.plan, cell: (row) => row.plan },
                  {
                    head: W.payments.method,
                    cell: (row) => PAYMENT_METHODS[getBillingKind(row.provider)],
                  },
                  {
                    head: W.orders.order,
                    cell: (row) =>
                      row.orderReference && <a href={`${ORDERS}/${row.orderReference}`}>{row.orderReference}</a>,
                  },
                  { head: W.orders.paid, sort: CREATED_COLUMN, cell: (row) => <Time at={row.paidAt} /> },
                ]}
              />
            )}
            <Pager page={input.page} pageSize={ORDERS_PAGE_SIZE} hasMore={more} />
          </div>
        </>
      ),
    })
  })

/** Names of payment methods, by the kind of provider. */
const PAYMENT_METHODS: Record<BillingKind, string> = { local: W.payments.transfer, card: W.payments.card }

const OrderForm = withLookups(RequestOrder.extend({ store: z.string().min(1).max(63) }), "plan")

async function renderOrders(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = parseQuery(c, SearchOrders)
  const [{ rows, more }, { offline, plans }] = await Promise.all([searchOrders(ctx, input), readOrderTerms(ctx)])
  return page(c, {
    title: W.orders.title,
    actions: <ExportLink path={ORDERS} />,
    state,
    children: (
      <>
        <Disclosure label={W.orders.request} id="request" action={ORDERS}>
          <Form action={ORDERS} submitLabel={W.orders.request}>
            <Field name="store" required hint={W.orders.store_hint} />
            <Select
              name="plan"
              choices={plans.map((plan) => ({
                value: plan.slug,
                label: `${plan.name}, ${formatMoney(plan.priceCents, plan.currency)}`,
              }))}
            />
            <TextArea name="note" rows={2} />
          </Form>
        </Disclosure>
        <Filters live="orders" action={ORDERS}>
          <SelectFilter name="status" choices={[...ORDER_STATUSES]} />
          <TextFilter name="store" />
          <CreatedSortFilter />
        </Filters>
        <div id="orders">
          {rows.length === 0 ? (
            <EmptyState text={offline.enabled ? W.orders.empty : W.orders.disabled} />
          ) : (
            <OrderTable rows={rows} />
          )}
          <Pager page={input.page} pageSize={ORDERS_PAGE_SIZE} hasMore={more} />
        </div>
        <Card title={W.orders.settings} id="settings">
          <Form
            action={`${ORDERS}/settings`}
            submitLabel={W.common.save}
            isSecondary
            readOnly={
              <DescriptionList
                items={[
                  [W.orders.enabled, offline.enabled ? W.common.yes : W.common.no],
                  [W.orders.label, offline.label],
                  [W.orders.instructions, offline.instructions],
                  [W.orders.prefix, offline.receipt_prefix],
                ]}
              />
            }
          >
            <ShownVersion version={offlineTag(offline)} />
            <Checkbox name="enabled" label={W.orders.enabled} isChecked={offline.enabled} />
            <Field name="label" label={W.orders.label} value={offline.label} required maxlength={120} />
            <TextArea name="instructions" label={W.orders.instructions} value={offline.instructions} />
            <Field
              name="receipt_prefix"
              label={W.orders.prefix}
              value={offline.receipt_prefix}
              required
              hint={W.orders.prefix_hint}
            />
          </Form>
        </Card>
      </>
    ),
  })
}

const OrderTable = ({ rows }: { rows: Order[] }) => (
  <Table
    label={W.orders.title}
    rows={rows}
    hasColumnChoice
    columns={[
      { head: W.orders.order, cell: (row) => <a href={`${ORDERS}/${row.reference}`}>{row.reference}</a> },
      { head: W.stores.status, cell: (row) => <Badge status={row.status} /> },
      { head: W.stores.store, cell: (row) => <a href={`/console/stores/${row.storeId}`}>{row.storeId}</a> },
      { head: W.stores.plan, cell: (row) => row.planName },
      { head: W.orders.amount, isNumeric: true, cell: (row) => formatMoney(row.amountCents, row.currency) },
      { head: W.orders.number, cell: (row) => row.number && <a href={getInvoicePath(row.number)}>{row.number}</a> },
      { head: W.orders.requested, sort: CREATED_COLUMN, cell: (row) => <Time at={row.createdAt} /> },
    ]}
  />
)

async function renderOrder(c: Context<ConsoleEnv>, state?: FormState) {
  const { order, preview } = await previewOrder(c.var.ctx, c.req.param("reference") ?? "")
  const path = `${ORDERS}/${order.reference}`
  const isRejected = order.status === "rejected"
  return page(c, {
    title: order.reference,
    crumbs: [[W.orders.title, ORDERS]],
    state,
    children: (
      <>
        <Card>
          <DescriptionList
            items={[
              [W.stores.status, <Badge status={order.status} />],
              [W.stores.store, <a href={`/console/stores/${order.storeId}`}>{order.storeId}</a>],
              ...describeTerms(order),
              [W.orders.note, order.note],
              [W.orders.requested, <Time at={order.createdAt} />],
              isRejected
                ? null
                : [W.orders.number, order.number && <a href={getInvoicePath(order.number)}>{order.number}</a>],
              isRejected ? null : [W.orders.paid, <Time at={order.paidAt} none={W.store.not_yet} />],
              order.reason ? [W.orders.reason, order.reason] : null,
            ]}
          />
        </Card>
        {order.status === "pending" && (
          <div class="grid">
            <Card title={W.orders.approve} id="approve" isForm={isOrderPreview(preview)}>
              <ApprovalPreview preview={preview} />
              {isOrderPreview(preview) && (
                <ActionButton action={`${path}/approve`} label={W.orders.approve} isPrimary />
              )}
            </Card>
            <Card title={W.orders.reject} id="reject" isForm>
              <p>{W.orders.reject_hint}</p>
              <ActionButton action={`${path}/reject`} label={W.orders.reject} danger />
            </Card>
          </div>
        )}
      </>
    ),
  })
}

/** The amount to pay, and the discount and tax in it. */
function OrderAmount({ order: { amountCents, currency, tax } }: { order: Order }) {
  const discount = tax?.discount ? formatMoney(tax.discount.cents, currency) : null
  const details = W.orders.includes(discount, tax?.tax_cents ? formatMoney(tax.tax_cents, currency) : null)
  return (
    <>
      {formatMoney(amountCents, currency)} {details && <span class="sub">{details}</span>}
    </>
  )
}

const aboutOrder = (order: Order): Pick<Preview, "crumbs" | "back" | "state" | "facts"> => ({
  crumbs: [
    [W.orders.title, ORDERS],
    [order.reference, `${ORDERS}/${order.reference}`],
  ],
  back: `${ORDERS}/${order.reference}`,
  state: [order.reference, order.status, order.amountCents, order.currency],
  facts: describeTerms(order),
})

/** The subject of an order, and its amount. */
const describeTerms = (order: Order): [name: string, value: Child][] => [
  [
    W.stores.plan,
    `${order.planName}, ${formatMoney(order.priceCents ?? order.amountCents, order.currency)} / ${order.interval}`,
  ],
  ...(order.kind ? [[W.orders.kind, W.orders.kinds[order.kind]] as [string, Child]] : []),
  [W.orders.amount, <OrderAmount order={order} />],
]

const isOrderPreview = (preview: unknown): preview is OrderPreview =>
  typeof preview === "object" && preview !== null && "number" in preview

/** Shows why an order cannot be approved. */
function describeRefusal(refusal: unknown): string {
  if (!isConsoleRefusal(refusal)) return W.orders.no_store
  return refusal.code === "stripe_managed" ? W.orders.billed_by_card : getRefusalMessage(refusal)
}

function ApprovalPreview({ preview }: { preview: unknown }) {
  if (!isOrderPreview(preview)) {
    return (
      <Note tone="warn">
        <p>{describeRefusal(preview)}</p>
      </Note>
    )
  }
  return (
    <>
      <p>{W.orders.outcome}</p>
      <DescriptionList
        items={[
          [W.orders.number, <code>{preview.number}</code>],
          [W.stores.status, <Badge status={preview.status} />],
          [W.orders.until, <Time at={preview.until} none={W.common.none} isExact />],
        ]}
      />
    </>
  )
}
