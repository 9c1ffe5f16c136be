// HTTP routes of customers.
import { sendData, sendPage } from "../../../content/envelope"
import { appUser } from "../../../content/mount-apps"
import { dataEnvelope, pageEnvelope } from "../../../content/response-schemas"
import type { ContentEnv } from "../../../content/types"
import { describe, query } from "../../../core/http/route"
import { createRouter } from "../../../core/http/router"
import { CustomerResource, customerResource, ListCustomers, ListedCustomer, listedCustomer } from "./schemas"
import { listCustomers, readCustomer } from "./service"

export const customers = createRouter<ContentEnv>()
  .get(
    "/customers",
    describe({
      id: "customers.list",
      summary: "List customers",
      responses: { status: 200, body: pageEnvelope(ListedCustomer) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    query(ListCustomers),
    async (c) => {
      const input = c.req.valid("query")
      const { rows, total } = await listCustomers(c.var.userCtx, input)
      return sendPage(c, input, { rows: rows.map(listedCustomer), total })
    },
  )
  .get(
    "/customers/:id",
    describe({
      id: "customers.get",
      summary: "Retrieve a customer",
      responses: { status: 200, body: dataEnvelope(CustomerResource) },
      refuses: ["not_found", "unauthenticated", "forbidden"],
    }),
    appUser,
    async (c) => sendData(c, customerResource(await readCustomer(c.var.userCtx, c.req.param("id")))),
  )
