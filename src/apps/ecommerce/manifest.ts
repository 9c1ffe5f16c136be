// Manifest of the e-commerce app: products and orders.
import { localize } from "../../core/i18n/locale"
import type { AppManifest } from "../definition"
import type * as docs from "./docs"
import type * as tables from "./tables"

declare module "../../db/schema/sites/counters" {
  interface SiteLists {
    products: true
    orders: true
  }
  interface RowLists {
    orders: true
  }
}

declare module "../definition" {
  interface AppUsage {
    products: true
    orders: true
  }
}

export const ecommerce: AppManifest<typeof tables, typeof docs> = {
  slug: "ecommerce",
  name: "E-commerce",
  description: localize(
    "Products, a cart with checkout, orders and customers.",
    "Productos, un carrito con pago, pedidos y clientes.",
    "Des produits, un panier avec passage de commande, des commandes et des clients.",
    "Sản phẩm, giỏ hàng và thanh toán, đơn hàng và khách hàng.",
  ),
  requires: [],
  preinstalled: true,
  api: {
    paths: {
      products: "The shop's products.",
      orders: "Orders placed in the shop.",
      customers: "The shop's customers, for its staff.",
    },
    routes: async () => [
      (await import("./products/routes")).products,
      (await import("./orders/routes")).orders,
      (await import("./customers/routes")).customers,
    ],
  },
  storefront: async () => (await import("./storefront/part")).productsPart,
  visitorPages: {
    paths: ["cart", "checkout", "account"],
    accountLinks: [{ href: "/account/orders", name: localize("Orders", "Pedidos", "Commandes", "Đơn hàng") }],
    load: async () => (await import("./storefront/cart/pages")).ecommercePages,
  },
  usage: { products: { counter: "products", excludes: "is_sample" }, orders: { counter: "orders", monthly: true } },
  tables: {
    products: {
      // Public pages show neither the stock nor the columns for search and sorting.
      visibility: {
        publicColumns: [
          "slug",
          "name",
          "description",
          "image",
          "images",
          "seoTitle",
          "seoDescription",
          "priceCents",
          "currency",
          "status",
          "createdAt",
        ],
      },
      counters: [{ list: "products", by: "status" }],
      customTriggers: ["products_search_insert", "products_search_update", "products_search_delete"],
    },
    orders: {
      visibility: "private",
      counters: [
        { list: "orders", byMonthOf: "createdAt" },
        { list: "orders", per: "userId" },
      ],
      // A cancelled order does not count in its month; an order may change its user.
      customTriggers: ["orders_count_cancelled", "orders_count_delete_cancelled", "orders_count_user"],
    },
    order_items: { visibility: "private", counters: [] },
  },
  migrations: [
    "0003_app_tables.sql",
    "0004_app_triggers.sql",
    "0011_content_versions.sql",
    "0012_reset_tokens_unpaid_orders.sql",
    "0013_user_guard_cancelled_orders.sql",
    "0018_held_sites.sql",
    "0021_order_networks_avatar_sizes.sql",
    "0029_shop_orders.sql",
    "0030_product_images.sql",
    "0033_guest_orders.sql",
    "0034_customers_reviews_messages.sql",
    "0039_sample_products.sql",
    "0042_order_mails.sql",
    "0044_accent_free_search.sql",
  ],
  hourly: async () => (await import("./orders/expire")).expireOrders,
  searchProducts: async () => (await import("./products/search")).searchProducts,
  accounts: async () => (await import("./orders/accounts")).orderAccounts,
  samples: async () => (await import("./seed")).sampleProducts,
}
