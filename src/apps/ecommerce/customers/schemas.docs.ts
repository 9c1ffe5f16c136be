// Documents the API fields of customers.
import { documentFields } from "../../../core/http/field-docs"
import { CustomerResource, ListCustomers, ListedCustomer } from "./schemas"

documentFields(ListCustomers, {
  search: { description: "Only customers whose name or email address contains this text.", example: "ada" },
})

documentFields(ListedCustomer, {
  name: { description: "Full name.", example: "Ada Lovelace" },
  email: { description: "Email address.", example: "ada@example.com" },
  phone: { description: "Phone number.", example: "+44 20 7946 0018" },
  disabled_at: {
    description: "When staff disabled the account, which can then no longer log in; null while it is enabled.",
    example: null,
  },
  orders_count: { description: "Number of orders, also of cancelled ones.", example: 3 },
})

documentFields(
  CustomerResource,
  {
    spent: {
      description: "Sum of the paid and fulfilled orders in each currency.",
      example: [{ currency: "EUR", total_cents: 26_780 }],
    },
    orders: { description: "The latest 20 orders, without their items.", omitFromExample: true },
  },
  ListedCustomer,
)
