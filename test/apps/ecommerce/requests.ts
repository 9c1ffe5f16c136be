// Requests to the e-commerce app, for the tests of all routes.
import { type AppRequests, itemOf } from "../../support/app-requests"
import { resourceWrite, type Site, userWrite } from "../../support/prepared-writes"
import { siteRows } from "../../support/rows"
import { nextSerial } from "../../support/serial"

const newProduct = async () => ({ name: `Bowl ${nextSerial()}`, price_cents: 100, currency: "EUR", stock: 9 })

/** Creates a product. */
export async function makeProduct({ createUser, send }: Site): Promise<number> {
  return (await send("POST", "/products", await createUser({ isStaff: true }), await newProduct())).body.data.id
}

const newOrder = async (site: Site) => ({ items: [{ product_id: await makeProduct(site), quantity: 2 }] })

export const requests: AppRequests = {
  async createItems({ staff, customer }, { secret, personal }) {
    const products = await staff("/products", { name: secret, price_cents: 100, currency: "EUR", stock: 99 })
    const items = [{ product_id: products.id, quantity: 1 }]
    const orders = await customer("/orders", { items, note: personal })
    const [buyer] = await siteRows("select user_id from orders where id = ?", orders.id)
    return { products, orders, customers: { id: Number(buyer?.user_id) } }
  },
  reads: (items) => ({
    "products.list": "/products",
    "products.get": `/products/${itemOf(items, "products").id}`,
    "orders.list": "/orders",
    "customers.list": "/customers",
    "customers.get": `/customers/${itemOf(items, "customers").id}`,
    "orders.get": `/orders/${itemOf(items, "orders").id}`,
  }),
  writes: {
    "products.create": userWrite(async ({ send }, user) => send("POST", "/products", user, await newProduct()), {
      isStaff: true,
    }),
    "products.update": resourceWrite("/products", newProduct, ({ send }, { id, user }) =>
      send("PUT", `/products/${id}`, user, { name: "Renamed", stock: 3 }),
    ),
    "products.delete": resourceWrite("/products", newProduct, ({ send }, { id, user }) =>
      send("DELETE", `/products/${id}`, user),
    ),
    "orders.place": async (site) => {
      const order = await newOrder(site)
      const customer = await site.createUser()
      return () => site.send("POST", "/orders", customer, order)
    },
    "orders.move": resourceWrite("/orders", newOrder, ({ send }, { id, user }) =>
      send("PUT", `/orders/${id}`, user, { status: "cancelled" }),
    ),
  },
  updates: { products: { name: "Mine", price_cents: 1, currency: "EUR" }, orders: { status: "paid" } },
  lists: () => ["/products", "/orders?scope=all", "/customers"],
  staffQueries: { "products.list": "?status=draft", "orders.list": "?scope=all" },
}
