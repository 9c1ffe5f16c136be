// Exports orders, payments and subscriptions as CSV, with the filters of their lists.
import { decimalAmount } from "../../lib/intl"
import { type CsvCell, createCsvResponse } from "../../page-kit/csv"
import { operatorOrderResource, paymentResource } from "../../platform/orders/schemas"
import { SearchOrders, SearchPayments, streamOrders, streamPayments } from "../../platform/orders/search"
import { subscriptionResource } from "../../platform/subscriptions/schemas"
import { SearchSubscriptions, streamSubscriptions } from "../../platform/subscriptions/search"
import { parseQuery } from "../query-params"
import { createPages } from "../router"

export const billingExports = createPages()
  .get("/console/orders.csv", (c) =>
    createCsvResponse(
      ORDERS,
      mapChunks(streamOrders(c.var.ctx, parseQuery(c, SearchOrders).input), operatorOrderResource),
      "orders",
    ),
  )
  .get("/console/payments.csv", (c) =>
    createCsvResponse(
      PAYMENTS,
      mapChunks(streamPayments(c.var.ctx, parseQuery(c, SearchPayments).input), paymentResource),
      "payments",
    ),
  )
  .get("/console/subscriptions.csv", (c) =>
    createCsvResponse(
      SUBSCRIPTIONS,
      mapChunks(streamSubscriptions(c.var.ctx, parseQuery(c, SearchSubscriptions).input), (row) => ({
        store: row.storeId,
        provider: row.provider,
        ...subscriptionResource(row),
      })),
      "subscriptions",
    ),
  )

async function* mapChunks<Row, Mapped>(
  chunks: AsyncIterable<Row[]>,
  map: (row: Row) => Mapped,
): AsyncGenerator<Mapped[]> {
  for await (const chunk of chunks) yield chunk.map(map)
}

/** Amounts are decimal numbers, as spreadsheets read them. */
const toAmount = ({ amount_cents, currency }: { amount_cents: number; currency: string }) =>
  decimalAmount(amount_cents, currency)

const ORDERS: Record<string, CsvCell<ReturnType<typeof operatorOrderResource>>> = {
  reference: (row) => row.reference,
  status: (row) => row.status,
  store: (row) => row.store,
  plan: (row) => row.plan,
  amount: toAmount,
  currency: (row) => row.currency,
  number: (row) => row.number,
  note: (row) => row.note,
  reason: (row) => row.reason,
  created_at: (row) => row.created_at,
  paid_at: (row) => row.paid_at,
}

const PAYMENTS: Record<string, CsvCell<ReturnType<typeof paymentResource>>> = {
  number: (row) => row.number,
  store: (row) => row.store,
  plan: (row) => row.plan,
  provider: (row) => row.provider,
  order: (row) => row.order,
  amount: toAmount,
  currency: (row) => row.currency,
  paid_at: (row) => row.paid_at,
}

type ExportedSubscription = ReturnType<typeof subscriptionResource> & { store: string; provider: string }

const SUBSCRIPTIONS: Record<string, CsvCell<ExportedSubscription>> = {
  store: (row) => row.store,
  status: (row) => row.status,
  plan: (row) => row.plan?.slug,
  price: ({ plan }) => plan && decimalAmount(plan.price_cents, plan.currency),
  currency: (row) => row.plan?.currency,
  interval: (row) => row.plan?.interval,
  provider: (row) => row.provider,
  coupon_code: (row) => row.coupon_code,
  trial_ends_at: (row) => row.trial_ends_at,
  current_period_ends_at: (row) => row.current_period_ends_at,
  past_due_since: (row) => row.past_due_since,
  cancel_at: (row) => row.cancel_at,
  cancelled_at: (row) => row.cancelled_at,
  created_at: (row) => row.created_at,
}
