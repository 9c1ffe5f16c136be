// Request and response schemas of orders.

import * as z from "zod"
import { pageQuery } from "../../../content/pagination"
import { emptyAsNull, listOf, multilineText, violates, withLookups } from "../../../core/http/validation"
import { formatTimestamp } from "../../../lib/time"
import { ORDER_STATUSES, type orderItems, type orders } from "../tables"

export type Order = typeof orders.$inferSelect
export type OrderItem = typeof orderItems.$inferSelect

const order = z.object({
  items: listOf(z.object({ product_id: z.int().min(1), quantity: z.int().min(1).max(1000) }), {
    min: 1,
    max: 100,
  }).refine((items) => new Set(items.map((item) => item.product_id)).size === items.length, violates("duplicate")),
  note: emptyAsNull(multilineText({ max: 1000 })),
})

export const PlaceOrder = withLookups(order, "items")

export const UpdateOrderStatus = withLookups(z.object({ status: z.enum(ORDER_STATUSES) }), "status")

export const ListOrders = z.object({ ...pageQuery(), scope: z.enum(["own", "all"]).default("own") })

export const ListedOrder = z
  .object({
    id: z.int(),
    user_id: z.int(),
    status: z.enum(ORDER_STATUSES),
    currency: z.string(),
    total_cents: z.int(),
    note: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "ListedShopOrder" })

export const OrderResource = ListedOrder.extend({
  items: z.array(
    z.object({
      product_id: z.int(),
      name: z.string(),
      price_cents: z.int(),
      quantity: z.int(),
      total_cents: z.int(),
    }),
  ),
}).meta({ id: "ShopOrder" })

export const listedOrder = (row: Order): z.input<typeof ListedOrder> => ({
  id: row.id,
  user_id: row.userId,
  status: row.status,
  currency: row.currency,
  total_cents: row.totalCents,
  note: row.note,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
})

export const orderResource = (row: Order, items: readonly OrderItem[]): z.input<typeof OrderResource> => ({
  ...listedOrder(row),
  items: items.map((item) => ({
    product_id: item.productId,
    name: item.name,
    price_cents: item.priceCents,
    quantity: item.quantity,
    total_cents: item.priceCents * item.quantity,
  })),
})
