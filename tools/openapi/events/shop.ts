// The events about what happens in a shop. Their resources are those of the content API, with nulls.
import * as z from "zod"
import { MessageResource } from "../../../src/apps/contact/schemas.ts"
import { ListedCustomer } from "../../../src/apps/ecommerce/customers/schemas.ts"
import { OrderResource } from "../../../src/apps/ecommerce/orders/schemas.ts"
import { ProductResource } from "../../../src/apps/ecommerce/products/schemas.ts"
import { ReviewResource } from "../../../src/apps/reviews/schemas.ts"
import { PageResource } from "../../../src/content/blog/pages/schemas.ts"
import { PostResource } from "../../../src/content/blog/posts/schemas.ts"
import { ShopSettings } from "../../../src/content/shop/schemas.ts"
import { documentFields } from "../../../src/core/http/field-docs.ts"
import type { ShopEvent } from "../../../src/core/write/event-types.ts"
import { buildPayload, documentEvent, type EventDoc } from "./event.ts"

const Store = z.strictObject({ id: z.string() }).meta({ id: "EventShop" })

documentFields(Store, { id: { description: "Id of the store.", example: "acme" } })

const Change = z.strictObject({ from: z.unknown(), to: z.unknown() }).meta({ id: "EventChange" })

documentFields(Change, {
  from: { description: "Value before the change.", example: "pending" },
  to: { description: "Value after the change.", example: "paid" },
})

const changes = z.record(z.string(), Change)

const RESOURCES = {
  order: { schema: OrderResource.meta({ id: "EventShopOrder" }), description: "The order, as staff see it." },
  product: { schema: ProductResource.meta({ id: "EventShopProduct" }), description: "The product." },
  customer: { schema: ListedCustomer.meta({ id: "EventShopCustomer" }), description: "The customer." },
  post: {
    schema: PostResource.meta({ id: "EventShopPost" }),
    description: "The post. `published_at` may be in the future.",
  },
  page: { schema: PageResource.meta({ id: "EventShopPage" }), description: "The page." },
  message: { schema: MessageResource.meta({ id: "EventShopMessage" }), description: "The contact message." },
  review: { schema: ReviewResource.meta({ id: "EventShopReview" }), description: "The review." },
  settings: { schema: ShopSettings.meta({ id: "EventShopSettings" }), description: "All settings of the shop." },
} as const

function shopEvent(type: ShopEvent, summary: string, noun: keyof typeof RESOURCES): EventDoc {
  const { schema, description } = RESOURCES[noun]
  const isUpdate = type.endsWith(".updated")
  const payloadSchema = buildPayload(type, { store: Store, [noun]: schema, ...(isUpdate && { changes }) })
  documentEvent(payloadSchema.shape.data, {
    store: { description: "The store that the shop belongs to." },
    [noun]: { description },
    ...(isUpdate && {
      changes: {
        description: "The changed fields by name. Texts are cut after 10,000 characters.",
        example: { name: { from: "Old", to: "New" } },
      },
    }),
  })
  return { summary, payloadSchema }
}

export const shopEvents = {
  "shop.order.placed": shopEvent("shop.order.placed", "A customer or a guest placed an order.", "order"),
  "shop.order.updated": shopEvent(
    "shop.order.updated",
    "The status, the tracking or the note of an order changed, also because it was not paid in time.",
    "order",
  ),
  "shop.product.created": shopEvent("shop.product.created", "A product was created.", "product"),
  "shop.product.updated": shopEvent(
    "shop.product.updated",
    "Staff changed a product. Stock that an order takes or returns raises no event.",
    "product",
  ),
  "shop.product.deleted": shopEvent("shop.product.deleted", "A product was deleted.", "product"),
  "shop.customer.registered": shopEvent("shop.customer.registered", "A customer registered an account.", "customer"),
  "shop.customer.deleted": shopEvent(
    "shop.customer.deleted",
    "A customer deleted the own account, or staff erased it.",
    "customer",
  ),
  "shop.post.published": shopEvent("shop.post.published", "A post was published.", "post"),
  "shop.post.updated": shopEvent(
    "shop.post.updated",
    "A published post changed, or became a draft. Changes of drafts raise no event.",
    "post",
  ),
  "shop.post.deleted": shopEvent("shop.post.deleted", "A published post was deleted.", "post"),
  "shop.page.published": shopEvent("shop.page.published", "A page was published.", "page"),
  "shop.page.updated": shopEvent(
    "shop.page.updated",
    "A published page changed, or became a draft. Changes of drafts raise no event.",
    "page",
  ),
  "shop.page.deleted": shopEvent("shop.page.deleted", "A published page was deleted.", "page"),
  "shop.message.received": shopEvent("shop.message.received", "A visitor sent a contact message.", "message"),
  "shop.review.created": shopEvent("shop.review.created", "A customer reviewed a product.", "review"),
  "shop.settings.updated": shopEvent("shop.settings.updated", "Staff changed the settings of the shop.", "settings"),
} satisfies Record<ShopEvent, EventDoc>
