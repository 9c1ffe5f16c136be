// Tables of the e-commerce app: products, and orders with the prices at the time of the order.
import { sql } from "drizzle-orm"
import { check, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core"
import { flag, json, timestamp } from "../../db/schema/columns"
import { siteTable } from "../../db/schema/site-table"

export type ProductStatus = "published" | "draft"

export const products = siteTable(
  "products",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** Unique within the site, and never digits only, so that it differs from an id. */
    slug: text("slug").notNull(),
    name: text("name").notNull(),
    /** The case-folded name, for sorting. */
    nameKey: text("name_key").notNull(),
    /** HTML or plain text, unmodified. */
    description: text("description"),
    /** The first of the images. */
    image: text("image"),
    /** All images; null for products from before they could have several. */
    images: json<string[]>("images"),
    /** Title and description of the product's page; null for those of the product. */
    seoTitle: text("seo_title"),
    seoDescription: text("seo_description"),
    /** In the currency's smallest unit. */
    priceCents: integer("price_cents").notNull(),
    currency: text("currency").notNull(),
    /** Stock; null when it is not tracked. */
    stock: integer("stock"),
    status: text("status").$type<ProductStatus>().notNull(),
    /** Whether it is one of a new shop's sample products, which staff have not changed; null for all others. */
    isSample: flag("is_sample"),
    /** Name and description, case-folded for search. */
    searchText: text("search_text").notNull(),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    uniqueIndex("products_slug").on(t.siteId, t.slug),
    index("products_id").on(t.siteId, t.status),
    index("products_created").on(t.siteId, t.status, t.createdAt),
    index("products_name").on(t.siteId, t.status, t.nameKey),
    index("products_sample").on(t.siteId).where(sql`is_sample = 1`),
    index("products_price").on(t.siteId, t.status, t.priceCents),
    // Of two concurrent orders for the last piece, the second fails as a whole.
    check("products_stock", sql`${t.stock} >= 0`),
  ],
)

export const ORDER_STATUSES = ["pending", "paid", "fulfilled", "cancelled"] as const
export type OrderStatus = (typeof ORDER_STATUSES)[number]

export const PAYMENT_METHODS = ["transfer", "on_delivery"] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

export const SHIPPING_METHODS = ["flat", "pickup"] as const
export type ShippingMethod = (typeof SHIPPING_METHODS)[number]

/** The `user_id` of orders that visitors placed without an account. */
export const GUEST_USER_ID = 0

/** The `user_id` of open orders whose account was deleted. They lose the customer when they are sent or cancelled. */
export const ERASED_USER_ID = -1

/** A postal address. */
export interface Address {
  line1: string
  line2: string | null
  city: string
  state: string | null
  postal_code: string | null
  country: string | null
}

export const orders = siteTable(
  "orders",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    siteId: text("site_id").notNull(),
    /** Sequential within the site, from 1001; null for orders from before they had numbers. */
    number: integer("number"),
    /** 0 for a guest, and after the account was deleted; -1 for an open order until then. */
    userId: integer("user_id").notNull(),
    /** When a guest's order was attached to the account of its email address; null for other orders. */
    attachedAt: timestamp("attached_at"),
    status: text("status").$type<OrderStatus>().notNull(),
    currency: text("currency").notNull(),
    totalCents: integer("total_cents").notNull(),
    /** The total's parts; null for orders from before shipping and taxes. */
    itemsCents: integer("items_cents"),
    shippingCents: integer("shipping_cents"),
    taxCents: integer("tax_cents"),
    customerName: text("customer_name"),
    customerEmail: text("customer_email"),
    customerPhone: text("customer_phone"),
    /** The language of the mails to the customer; null for orders from before it was recorded. */
    locale: text("locale"),
    shippingAddress: json<Address>("shipping_address"),
    paymentMethod: text("payment_method").$type<PaymentMethod>(),
    shippingMethod: text("shipping_method").$type<ShippingMethod>(),
    /** What the customer needs to follow the parcel. */
    tracking: text("tracking"),
    note: text("note"),
    /** A note that only staff can read. */
    staffNote: text("staff_note"),
    /** SHA-256 of the key in the link to the order's page, in hex. */
    keyHash: text("key_hash"),
    /** Hash of the `Idempotency-Key` that placed the order, with its caller; null without one. */
    onceHash: text("once_hash"),
    /** Hash of the request that the key was first used with. */
    onceRequest: text("once_request"),
    /** Keyed hash of the client network; null once the order is no longer pending. */
    network: text("network"),
    createdAt: timestamp("created_at").notNull(),
    updatedAt: timestamp("updated_at").notNull(),
  },
  (t) => [
    index("orders_site").on(t.siteId),
    uniqueIndex("orders_number").on(t.siteId, t.number),
    uniqueIndex("orders_once").on(t.siteId, t.onceHash).where(sql`once_hash is not null`),
    index("orders_user").on(t.siteId, t.userId),
    index("orders_guest_email").on(t.siteId, sql`lower(customer_email)`).where(sql`user_id = 0`),
    index("orders_unpaid").on(t.paymentMethod, t.createdAt).where(sql`status = 'pending'`),
    index("orders_unpaid_user").on(t.siteId, t.userId).where(sql`status = 'pending'`),
    index("orders_unpaid_network").on(t.siteId, t.network).where(sql`status = 'pending'`),
  ],
)

export const orderItems = siteTable(
  "order_items",
  {
    siteId: text("site_id").notNull(),
    orderId: integer("order_id").notNull(),
    /** Zero-based position in the order. */
    position: integer("position").notNull(),
    productId: integer("product_id").notNull(),
    /** The product's name at the time of the order. */
    name: text("name").notNull(),
    priceCents: integer("price_cents").notNull(),
    quantity: integer("quantity").notNull(),
    /** Quantity taken out of stock; null for orders from before it was recorded. */
    stockTaken: integer("stock_taken"),
  },
  (t) => [primaryKey({ columns: [t.siteId, t.orderId, t.position] })],
)
