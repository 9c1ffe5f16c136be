// Example payloads of the events of shops, for the test button.
import type * as z from "zod"
import type { MessageResource } from "../apps/contact/schemas"
import type { ListedCustomer } from "../apps/ecommerce/customers/schemas"
import type { OrderResource } from "../apps/ecommerce/orders/schemas"
import type { ProductResource } from "../apps/ecommerce/products/schemas"
import type { ReviewResource } from "../apps/reviews/schemas"
import type { PageResource } from "../content/blog/pages/schemas"
import type { PostResource } from "../content/blog/posts/schemas"
import type { ShopSettings } from "../content/shop/schemas"
import type { EventPayloads } from "../core/write/event-payloads"
import type { ShopEvent } from "../core/write/event-types"
import type { Complete } from "../lib/every-field"
import { formatTimestamp } from "../lib/time"

type Resource<Schema extends z.ZodType> = Complete<z.input<Schema>>

const store = { id: "example" }

/** Builds the resources that the examples contain. */
function buildResources(now: Date) {
  const at = formatTimestamp(now)
  const times = { created_at: at, updated_at: at }
  const customer: Resource<typeof ListedCustomer> = {
    id: 7,
    name: "Ada Lovelace",
    email: "ada@example.com",
    phone: null,
    orders_count: 0,
    disabled_at: null,
    ...times,
  }
  const order: Resource<typeof OrderResource> = {
    id: 42,
    number: "1001",
    user_id: customer.id,
    status: "pending",
    customer: { name: customer.name, email: customer.email, phone: null },
    shipping_address: {
      line1: "12 St James's Square",
      line2: null,
      city: "London",
      state: null,
      postal_code: "SW1Y 4JH",
      country: "GB",
    },
    currency: "EUR",
    items_cents: 2400,
    shipping_cents: 490,
    tax_cents: 0,
    total_cents: 2890,
    payment_method: "transfer",
    shipping_method: "flat",
    tracking: null,
    note: null,
    staff_note: null,
    ...times,
    items: [{ product_id: 3, name: "Stoneware bowl", price_cents: 2400, quantity: 1, total_cents: 2400 }],
  }
  const product: Resource<typeof ProductResource> = {
    id: 3,
    slug: "stoneware-bowl",
    name: "Stoneware bowl",
    image: null,
    images: [],
    price_cents: 2400,
    currency: "EUR",
    stock: 12,
    in_stock: true,
    status: "published",
    ...times,
    description: "Thrown by hand.",
    seo_title: null,
    seo_description: null,
  }
  const post: Resource<typeof PostResource> = {
    id: 5,
    name: "A new glaze",
    slug: "a-new-glaze",
    description: null,
    image: null,
    status: "published",
    featured: false,
    published_at: null,
    categories: [],
    tags: [],
    author: { id: 1, name: "Grace Hopper", avatar: null },
    ...times,
    content: "<p>It is blue.</p>",
  }
  const page: Resource<typeof PageResource> = {
    id: 2,
    name: "About us",
    slug: "about-us",
    description: null,
    image: null,
    template: "default",
    status: "published",
    ...times,
    content: "<p>We make bowls.</p>",
  }
  const message: Resource<typeof MessageResource> = {
    id: 9,
    user_id: null,
    name: customer.name,
    email: customer.email,
    phone: null,
    subject: "Opening hours",
    message: "Are you open on Sundays?",
    status: "new",
    reply: null,
    replied_at: null,
    ...times,
  }
  const review: Resource<typeof ReviewResource> = {
    id: 11,
    product_id: product.id,
    rating: 5,
    comment: "Lovely.",
    status: "published",
    author: { id: customer.id, name: customer.name },
    ...times,
  }
  const settings: Resource<typeof ShopSettings> = {
    name: "Example Shop",
    contact_email: "shop@example.com",
    language: "en",
    currency: "EUR",
    timezone: "UTC",
    address: null,
    tax_number: null,
    tax_rate: 0,
    prices_include_tax: true,
    shipping: { flat_cents: 490, free_above_cents: null, pickup: false },
    payment: { transfer: null, on_delivery: null },
    guest_orders: true,
    max_item_quantity: 100,
    cors_origins: ["*"],
    legal_pages: [],
  }
  return { customer, order, product, post, page, message, review, settings }
}

const change = (from: unknown, to: unknown) => ({ from, to })

/** Builds the data of each event at a time. */
const DATA: { [Type in ShopEvent]: (resources: ReturnType<typeof buildResources>) => EventPayloads[Type]["data"] } = {
  "shop.order.placed": ({ order }) => ({ store, order }),
  "shop.order.updated": ({ order }) => ({
    store,
    order: { ...order, status: "paid" },
    changes: { status: change("pending", "paid") },
  }),
  "shop.product.created": ({ product }) => ({ store, product }),
  "shop.product.updated": ({ product }) => ({ store, product, changes: { stock: change(5, product.stock) } }),
  "shop.product.deleted": ({ product }) => ({ store, product }),
  "shop.customer.registered": ({ customer }) => ({ store, customer }),
  "shop.customer.deleted": ({ customer }) => ({ store, customer }),
  "shop.post.published": ({ post }) => ({ store, post }),
  "shop.post.updated": ({ post }) => ({ store, post, changes: { name: change("A glaze", post.name) } }),
  "shop.post.deleted": ({ post }) => ({ store, post }),
  "shop.page.published": ({ page }) => ({ store, page }),
  "shop.page.updated": ({ page }) => ({ store, page, changes: { name: change("About", page.name) } }),
  "shop.page.deleted": ({ page }) => ({ store, page }),
  "shop.message.received": ({ message }) => ({ store, message }),
  "shop.review.created": ({ review }) => ({ store, review }),
  "shop.settings.updated": ({ settings }) => ({
    store,
    settings,
    changes: { currency: change("USD", settings.currency) },
  }),
}

/** Builds an example of an event of a shop. */
export const buildShopExample = (type: ShopEvent, now: Date): { data: object } => ({
  data: DATA[type](buildResources(now)),
})
