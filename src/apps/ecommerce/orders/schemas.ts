// Request and response schemas of orders.

import * as z from "zod"
import { pageQuery } from "../../../content/pagination"
import { email, emptyAsNull, listOf, multilineText, text, violates, withLookups } from "../../../core/http/validation"
import { formatTimestamp } from "../../../lib/time"
import {
  GUEST_USER_ID,
  ORDER_STATUSES,
  type orderItems,
  type orders,
  PAYMENT_METHODS,
  SHIPPING_METHODS,
} from "../tables"

export type Order = typeof orders.$inferSelect
export type OrderItem = typeof orderItems.$inferSelect

const order = z.object({
  items: listOf(z.object({ product_id: z.int().min(1), quantity: z.int().min(1).max(1000) }), {
    min: 1,
    max: 100,
  }).refine((items) => new Set(items.map((item) => item.product_id)).size === items.length, violates("duplicate")),
  note: emptyAsNull(multilineText({ max: 1000 })),
  customer: z
    .object({
      name: text({ max: 120 }).optional(),
      email: email(190).optional(),
      phone: emptyAsNull(text({ max: 40 })),
    })
    .optional(),
  shipping_address: z
    .object({
      line1: text({ max: 120 }),
      line2: emptyAsNull(text({ max: 120 })),
      city: text({ max: 120 }),
      state: emptyAsNull(text({ max: 120 })),
      postal_code: emptyAsNull(text({ max: 20 })),
      country: emptyAsNull(text({ max: 60 })),
    })
    .nullish(),
  payment_method: z.enum(PAYMENT_METHODS).optional(),
  shipping_method: z.enum(SHIPPING_METHODS).optional(),
})

export const PlaceOrder = withLookups(order, "items", "customer", "payment_method", "shipping_method")

export const UpdateOrder = withLookups(
  z.object({
    status: z.enum(ORDER_STATUSES).optional(),
    tracking: emptyAsNull(text({ max: 200 })),
    staff_note: emptyAsNull(multilineText({ max: 2000 })),
  }),
  "status",
)

export const ListOrders = z.object({ ...pageQuery(), scope: z.enum(["own", "all"]).default("own") })

export const ListedOrder = z
  .object({
    id: z.int(),
    number: z.string().nullable(),
    user_id: z.int().nullable(),
    status: z.enum(ORDER_STATUSES),
    customer: z.object({
      name: z.string().nullable(),
      email: z.string().nullable(),
      phone: z.string().nullable(),
    }),
    shipping_address: z
      .object({
        line1: z.string(),
        line2: z.string().nullable(),
        city: z.string(),
        state: z.string().nullable(),
        postal_code: z.string().nullable(),
        country: z.string().nullable(),
      })
      .nullable(),
    currency: z.string(),
    items_cents: z.int(),
    shipping_cents: z.int(),
    tax_cents: z.int(),
    total_cents: z.int(),
    payment_method: z.enum(PAYMENT_METHODS).nullable(),
    shipping_method: z.enum(SHIPPING_METHODS).nullable(),
    tracking: z.string().nullable(),
    note: z.string().nullable(),
    staff_note: z.string().nullable(),
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

/** An order that was just placed, with the key of its page. */
export const PlacedOrder = OrderResource.extend({ key: z.string().nullable() }).meta({ id: "PlacedShopOrder" })

/** Builds the resource of an order. */
export const listedOrder = (row: Order): z.input<typeof ListedOrder> => ({
  id: row.id,
  number: row.number === null ? null : String(row.number),
  user_id: row.userId > GUEST_USER_ID ? row.userId : null,
  status: row.status,
  customer: { name: row.customerName, email: row.customerEmail, phone: row.customerPhone },
  shipping_address: row.shippingAddress,
  currency: row.currency,
  items_cents: row.itemsCents ?? row.totalCents,
  shipping_cents: row.shippingCents ?? 0,
  tax_cents: row.taxCents ?? 0,
  total_cents: row.totalCents,
  payment_method: row.paymentMethod,
  shipping_method: row.shippingMethod,
  tracking: row.tracking,
  note: row.note,
  staff_note: row.staffNote,
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
