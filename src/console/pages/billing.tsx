// What stores owe and have paid: subscriptions, bank-transfer orders, payments.
import { type Context, Hono } from "hono"
import * as z from "zod"
import { Refusal } from "../../core/http/refusal"
import { DAY, later } from "../../lib/time"
import { ORDER_STATUSES, type Order, RejectOrder, RequestOrder } from "../../platform/orders/schemas"
import {
  type Foreseen,
  foreseeOrder,
  ORDERS_PAGE,
  readOrderTerms,
  SearchOrders,
  SearchPayments,
  searchOrders,
  searchPayments,
} from "../../platform/orders/search"
import { approveOrder, rejectOrder, requestOrder } from "../../platform/orders/service"
import { SaveOffline, saveOffline } from "../../platform/orders/settings"
import { listPlans } from "../../platform/plans/service"
import {
  PROVIDERS,
  SearchSubscriptions,
  SUBSCRIPTION_STATUSES,
  SUBSCRIPTIONS_PAGE,
  searchSubscriptions,
} from "../../platform/subscriptions/search"
import { change, done, type FormState, NOTHING, submit, wordsOf } from "../forms"
import { Area, Ask, Button, Check, Field, Filters, Form, Pick, Select } from "../kit/form"
import { page } from "../kit/page"
import { Badge, Card, Empty, Facts, LookedAmong, money, Note, Pager, Table, Time } from "../kit/parts"
import { readQuery } from "../query-params"
import { recentPassword, sessionOnly } from "../reauthentication"
import { W } from "../strings"
import type { ConsoleEnv } from "../types"

const ORDERS = "/console/orders"

export const billing = new Hono<ConsoleEnv>()
  .get("/console/subscriptions", async (c) => {
    const { ctx } = c.var
    const { input } = readQuery(c, SearchSubscriptions)
    const [{ rows, more, looked }, plans] = await Promise.all([
      searchSubscriptions(ctx, input),
      listPlans(ctx, { includeInactive: true }),
    ])
    return page(c, {
      title: W.subscriptions.title,
      children: (
        <>
          <Filters live="subscriptions">
            <Pick name="status" choices={[...SUBSCRIPTION_STATUSES]} />
            <Pick name="provider" label={W.store.billed_by} choices={[...PROVIDERS]} />
            <Pick name="plan" choices={plans.map(({ slug, name }) => ({ value: slug, label: name }))} />
            <Ask name="grace_within" label={W.subscriptions.grace_within} />
          </Filters>
          <div id="subscriptions">
            {rows.length === 0 ? (
              <Empty text={W.subscriptions.empty} />
            ) : (
              <Table
                label={W.subscriptions.title}
                rows={rows}
                columns={[
                  {
                    head: W.stores.store,
                    cell: (row) => <a href={`/console/stores/${row.storeId}#subscription`}>{row.storeId}</a>,
                  },
                  { head: W.stores.status, cell: (row) => <Badge of={row.status} /> },
                  { head: W.stores.plan, cell: (row) => row.plan?.name },
                  {
                    head: W.plans.price,
                    num: true,
                    cell: (row) => row.plan && money(row.plan.price_cents, row.plan.currency),
                  },
                  { head: W.store.billed_by, cell: (row) => row.provider },
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
                        <Time at={later(row.pastDueSince, ctx.settings.TENANCY_BILLING_GRACE_DAYS * DAY)} />
                      ),
                  },
                ]}
              />
            )}
            <Pager page={input.page} perPage={SUBSCRIPTIONS_PAGE} more={more} />
            <LookedAmong most={looked} />
          </div>
        </>
      ),
    })
  })
  .get(ORDERS, (c) => list(c))
  .post(ORDERS, sessionOnly, (c) =>
    submit(
      c,
      Request,
      async ({ store, ...input }) => {
        const order = await requestOrder(c.var.ctx, store, input)
        return done(`${ORDERS}/${order.reference}`, "order_requested")
      },
      (state) => list(c, state),
    ),
  )
  .post(`${ORDERS}/settings`, recentPassword("names the bank account that owners pay to"), (c) =>
    change(
      c,
      SaveOffline,
      async (input) => {
        await saveOffline(c.var.ctx, input)
        return done(ORDERS, "saved")
      },
      (state) => list(c, state),
    ),
  )
  .get(`${ORDERS}/:reference`, (c) => one(c))
  .post(`${ORDERS}/:reference/approve`, recentPassword("counts money as received"), (c) => {
    const reference = c.req.param("reference")
    return submit(
      c,
      NOTHING,
      async () => {
        await approveOrder(c.var.ctx, { reference })
        return done(`${ORDERS}/${reference}`, "order_approved")
      },
      (state) => one(c, state),
    )
  })
  .post(`${ORDERS}/:reference/reject`, recentPassword("rejects an order for good"), (c) => {
    const reference = c.req.param("reference")
    return submit(
      c,
      Reject,
      async ({ reason }) => {
        await rejectOrder(c.var.ctx, { reference, reason })
        return done(`${ORDERS}/${reference}`, "order_rejected")
      },
      (state) => one(c, state),
    )
  })
  .get("/console/payments", async (c) => {
    const { input } = readQuery(c, SearchPayments)
    const { rows, more } = await searchPayments(c.var.ctx, input)
    return page(c, {
      title: W.payments.title,
      children: (
        <>
          <Filters live="payments">
            <Ask name="store" />
          </Filters>
          <div id="payments">
            {rows.length === 0 ? (
              <Empty text={W.payments.empty} />
            ) : (
              <Table
                label={W.payments.title}
                rows={rows}
                columns={[
                  { head: W.payments.number, cell: (row) => row.number ?? `#${row.id}` },
                  { head: W.stores.store, cell: (row) => <a href={`/console/stores/${row.storeId}`}>{row.storeId}</a> },
                  { head: W.orders.amount, num: true, cell: (row) => money(row.amountCents, row.currency) },
                  { head: W.stores.plan, cell: (row) => row.plan },
                  {
                    head: W.payments.by,
                    cell: (row) => (row.provider === "stripe" ? W.payments.card : W.payments.transfer),
                  },
                  {
                    head: W.orders.order,
                    cell: (row) =>
                      row.orderReference && <a href={`${ORDERS}/${row.orderReference}`}>{row.orderReference}</a>,
                  },
                  { head: W.orders.paid, cell: (row) => <Time at={row.paidAt} /> },
                ]}
              />
            )}
            <Pager page={input.page} perPage={ORDERS_PAGE} more={more} />
          </div>
        </>
      ),
    })
  })

const Request = RequestOrder.extend({ store: z.string().min(1).max(63) })
const Reject = RejectOrder.pick({ reason: true })

async function list(c: Context<ConsoleEnv>, state?: FormState) {
  const { ctx } = c.var
  const { input } = readQuery(c, SearchOrders)
  const [{ rows, more }, { offline, plans }] = await Promise.all([searchOrders(ctx, input), readOrderTerms(ctx)])
  return page(c, {
    title: W.orders.title,
    state,
    children: (
      <>
        <Filters live="orders" action={ORDERS}>
          <Pick name="status" choices={[...ORDER_STATUSES]} />
          <Ask name="store" />
        </Filters>
        <div id="orders">
          {rows.length === 0 ? (
            <Empty text={offline.enabled ? W.orders.empty : W.orders.disabled} />
          ) : (
            <Orders rows={rows} />
          )}
          <Pager page={input.page} perPage={ORDERS_PAGE} more={more} />
        </div>
        <div class="grid">
          <Card title={W.orders.request} id="request" writes>
            <Form action={ORDERS} submit={W.orders.request}>
              <Field name="store" required hint={W.orders.store_hint} />
              <Select
                name="plan"
                choices={plans.map((plan) => ({
                  value: plan.slug,
                  label: `${plan.name}, ${money(plan.priceCents, plan.currency)}`,
                }))}
              />
              <Area name="note" rows={2} />
            </Form>
          </Card>
          <Card title={W.orders.settings} id="settings" writes>
            <Form action={`${ORDERS}/settings`} submit={W.common.save}>
              <Check name="enabled" label={W.orders.enabled} on={offline.enabled} />
              <Field name="label" label={W.orders.label} value={offline.label} required maxlength={120} />
              <Area name="instructions" label={W.orders.instructions} value={offline.instructions} />
              <Field
                name="receipt_prefix"
                label={W.orders.prefix}
                value={offline.receipt_prefix}
                required
                hint={W.orders.prefix_hint}
              />
            </Form>
          </Card>
        </div>
      </>
    ),
  })
}

const Orders = ({ rows }: { rows: Order[] }) => (
  <Table
    label={W.orders.title}
    rows={rows}
    columns={[
      { head: W.orders.order, cell: (row) => <a href={`${ORDERS}/${row.reference}`}>{row.reference}</a> },
      { head: W.stores.status, cell: (row) => <Badge of={row.status} /> },
      { head: W.stores.store, cell: (row) => <a href={`/console/stores/${row.storeId}`}>{row.storeId}</a> },
      { head: W.stores.plan, cell: (row) => row.planName },
      { head: W.orders.amount, num: true, cell: (row) => money(row.amountCents, row.currency) },
      { head: W.orders.number, cell: (row) => row.number },
      { head: W.orders.requested, cell: (row) => <Time at={row.createdAt} /> },
    ]}
  />
)

async function one(c: Context<ConsoleEnv>, state?: FormState) {
  const { order, foreseen } = await foreseeOrder(c.var.ctx, c.req.param("reference") ?? "")
  const path = `${ORDERS}/${order.reference}`
  return page(c, {
    title: order.reference,
    crumbs: [[W.orders.title, ORDERS]],
    state,
    children: (
      <>
        <Card>
          <Facts
            of={[
              [W.stores.status, <Badge of={order.status} />],
              [W.stores.store, <a href={`/console/stores/${order.storeId}`}>{order.storeId}</a>],
              [W.stores.plan, `${order.planName}, ${money(order.amountCents, order.currency)} / ${order.interval}`],
              [W.orders.note, order.note],
              [W.orders.requested, <Time at={order.createdAt} />],
              [W.orders.number, order.number],
              [W.orders.paid, <Time at={order.paidAt} none={W.store.not_yet} />],
              [W.orders.reason, order.reason],
            ]}
          />
        </Card>
        {order.status === "pending" && (
          <div class="grid">
            <Card title={W.orders.approve} id="approve" writes>
              <Outcome foreseen={foreseen} />
              {isForeseen(foreseen) && <Button action={`${path}/approve`} label={W.orders.approve} main />}
            </Card>
            <Card title={W.orders.reject} id="reject" writes>
              <Form action={`${path}/reject`} submit={W.orders.reject} danger>
                <Area name="reason" required hint={W.orders.reason_hint} />
              </Form>
            </Card>
          </div>
        )}
      </>
    ),
  })
}

const isForeseen = (foreseen: unknown): foreseen is Foreseen =>
  typeof foreseen === "object" && foreseen !== null && "number" in foreseen

function Outcome({ foreseen }: { foreseen: unknown }) {
  if (!isForeseen(foreseen)) {
    return (
      <Note tone="warn">
        <p>{foreseen instanceof Refusal ? wordsOf(foreseen) : W.orders.no_store}</p>
      </Note>
    )
  }
  return (
    <>
      <p>{W.orders.outcome}</p>
      <Facts
        of={[
          [W.orders.number, <code>{foreseen.number}</code>],
          [W.stores.status, <Badge of={foreseen.status} />],
          [W.orders.until, <Time at={foreseen.until} none={W.common.none} />],
        ]}
      />
    </>
  )
}
