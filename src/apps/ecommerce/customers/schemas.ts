// Request and response schemas of customers.
import * as z from "zod"
import { foldCase } from "../../../content/case-folding"
import { pageQuery } from "../../../content/pagination"
import { searchTerm } from "../../../core/http/validation"
import type { users } from "../../../db/schema/sites/users"
import { fullName } from "../../../lib/full-name"
import { formatTimestamp } from "../../../lib/time"
import { ListedOrder, listedOrder, type Order } from "../orders/schemas"

export const ListCustomers = z.object({
  ...pageQuery(),
  search: searchTerm((value) => foldCase(value).replaceAll("\0", "").trim()).optional(),
})

export const ListedCustomer = z
  .object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    phone: z.string().nullable(),
    orders_count: z.int(),
    disabled_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ListedCustomer" })

export const CustomerResource = ListedCustomer.extend({
  spent: z.array(z.object({ currency: z.string(), total_cents: z.int() })),
  orders: z.array(ListedOrder),
}).meta({ id: "Customer" })

/** A customer's account, with the number of orders. */
export interface Customer
  extends Pick<
    typeof users.$inferSelect,
    "id" | "firstName" | "lastName" | "email" | "phone" | "disabledAt" | "createdAt" | "updatedAt"
  > {
  ordersCount: number
}

/** A customer with the totals of paid orders by currency, and the latest orders. */
export interface CustomerWithOrders {
  customer: Customer
  spent: readonly { currency: string; totalCents: number }[]
  orders: readonly Order[]
}

export const listedCustomer = (row: Customer): z.input<typeof ListedCustomer> => ({
  id: row.id,
  name: fullName(row),
  email: row.email,
  phone: row.phone,
  orders_count: row.ordersCount,
  disabled_at: formatTimestamp(row.disabledAt),
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
})

export const customerResource = ({
  customer,
  spent,
  orders,
}: CustomerWithOrders): z.input<typeof CustomerResource> => ({
  ...listedCustomer(customer),
  spent: spent.map(({ currency, totalCents }) => ({ currency, total_cents: totalCents })),
  orders: orders.map(listedOrder),
})
