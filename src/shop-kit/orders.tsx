// Components of a shop's orders, for the pages of staff and of operators.
import type { Child } from "hono/jsx"
import type { OrderSum } from "../apps/ecommerce/orders/rules"
import type { Order, OrderItem } from "../apps/ecommerce/orders/schemas"
import { money } from "../lib/intl"
import { getFieldLabel } from "../page-kit/form"
import { Badge, DescriptionList, Time } from "../page-kit/parts"
import { Table } from "../page-kit/table"
import { useView } from "../page-kit/view"

export interface OrderTexts {
  title: (number: string) => string
  number: string
  statuses: Record<Order["status"], string>
  customer: string
  guest: string
  phone: string
  address: string
  note: string
  shipping_method: string
  payment_method: string
  methods: Record<NonNullable<Order["shippingMethod"] | Order["paymentMethod"]>, string>
  items: string
  item: string
  quantity: string
  unit_price: string
  subtotal: string
  shipping: string
  tax: string
  /** The tax that the total contains. */
  included_tax: string
  total: string
  created: string
  updated: string
}

/** The number of an order; orders from before they had numbers show their id. */
export const orderNumber = ({ number, id }: Pick<Order, "number" | "id">): string =>
  number === null ? `#${id}` : String(number)

/** The color of each status. */
const TONES = { pending: "pending", paid: "paid", fulfilled: "delivered", cancelled: "cancelled" } as const

export const OrderStatus = ({ status, texts }: { status: Order["status"]; texts: Pick<OrderTexts, "statuses"> }) => (
  <Badge status={TONES[status]} text={texts.statuses[status]} />
)

/** Lists the lines of the address that an order is sent to. */
export function listAddress({ shippingAddress: address }: Pick<Order, "shippingAddress">): string[] {
  if (!address) return []
  const place = [address.postal_code, address.city, address.state].filter(Boolean).join(" ")
  return [address.line1, address.line2, place, address.country].filter((line): line is string => Boolean(line))
}

/** Lines of text below each other. */
export const Lines = ({ lines }: { lines: readonly string[] }) => (
  <>
    {lines.map((line, index) => (
      <>
        {index > 0 && <br />}
        {line}
      </>
    ))}
  </>
)

interface OrderTableProps {
  label: string
  rows: readonly Order[]
  texts: OrderTexts
  /** The path of an order's page. */
  pathOf: (id: number) => string
}

/** A table of orders. */
export function OrderTable({ label, rows, texts: t, pathOf }: OrderTableProps) {
  const { locale } = useView()
  return (
    <Table
      label={label}
      rows={rows}
      columns={[
        { head: t.number, cell: (row) => <a href={pathOf(row.id)}>{orderNumber(row)}</a> },
        { head: getFieldLabel("status"), cell: (row) => <OrderStatus status={row.status} texts={t} /> },
        { head: t.customer, isLong: true, cell: (row) => row.customerName ?? row.customerEmail ?? "" },
        { head: t.total, isNumeric: true, cell: (row) => money(row.totalCents, row.currency, locale) },
        { head: t.created, cell: (row) => <Time at={row.createdAt} /> },
      ]}
    />
  )
}

/**
 * The customer, the address and the methods of an order, without the facts that it lacks.
 * @param customer the customer's name, linked to the customer's page if there is one
 */
export const OrderFacts = ({ order, texts: t, customer }: { order: Order; texts: OrderTexts; customer: Child }) => (
  <DescriptionList
    items={listPresent([
      [getFieldLabel("status"), <OrderStatus status={order.status} texts={t} />],
      [t.created, <Time at={order.createdAt} isExact />],
      [t.updated, <Time at={order.updatedAt} isExact />],
      [t.customer, customer],
      [getFieldLabel("email"), order.customerEmail],
      [t.phone, order.customerPhone],
      [t.address, order.shippingAddress && <Lines lines={listAddress(order)} />],
      [t.shipping_method, order.shippingMethod && t.methods[order.shippingMethod]],
      [t.payment_method, order.paymentMethod && t.methods[order.paymentMethod]],
      [getFieldLabel("tracking"), order.tracking],
      [t.note, order.note],
    ])}
  />
)

const listPresent = (facts: [name: string, value: Child][]) =>
  facts.filter(([, value]) => value !== null && value !== "")

interface ItemsProps {
  order: Order
  items: readonly OrderItem[]
  texts: OrderTexts
  /** Missing for a table without prices. */
  sums?: readonly OrderSum[] | undefined
}

/** The items and totals of an order. */
export function OrderItems({ order, items, texts: t, sums }: ItemsProps) {
  const { locale } = useView()
  const amount = (cents: number) => money(cents, order.currency, locale)
  const prices = sums
    ? [
        { head: t.unit_price, isNumeric: true, cell: (item: OrderItem) => amount(item.priceCents) },
        { head: t.total, isNumeric: true, cell: (item: OrderItem) => amount(item.priceCents * item.quantity) },
      ]
    : []
  return (
    <>
      <Table
        label={t.items}
        rows={items}
        columns={[
          { head: t.item, cell: ({ name }) => name },
          { head: t.quantity, isNumeric: true, cell: ({ quantity }) => quantity },
          ...prices,
        ]}
      />
      {sums && (
        <DescriptionList
          items={sums.map(({ name, cents }) => [t[name], name === "total" ? <b>{amount(cents)}</b> : amount(cents)])}
        />
      )}
    </>
  )
}
