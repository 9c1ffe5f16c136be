// Documents the API fields of the shop's settings.
import { documentFields } from "../../core/http/field-docs"
import { ShopSettings, UpdateShopSettings } from "./schemas"

const fields = {
  name: { description: "Name of the store.", example: "Harbor Tea" },
  contact_email: {
    description:
      "Address that gets the shop's mails about orders, by default the owner's, and about contact messages, by default none. A new address gets a link to confirm it; until then, it gets only a few of these emails.",
    example: "shop@example.com",
  },
  language: { description: "Language of mails to the owner.", example: "en" },
  currency: { description: "ISO 4217 currency code that the shop sells in.", example: "EUR" },
  timezone: { description: "Name in the IANA time zone database.", example: "Europe/Berlin" },
  address: { description: "The shop's postal address, in lines.", example: "Pier 4\n20457 Hamburg" },
  tax_number: { description: "The shop's tax number.", example: "DE123456789" },
  tax_rate: { description: "Tax rate in percent, also of shipping.", example: 19 },
  prices_include_tax: { description: "Whether prices and shipping include the tax.", example: true },
  shipping: {
    description:
      "Price of shipping, the order value from which it is free (null for none), and whether customers may collect orders. A field that is absent from an update is unchanged.",
    example: { flat_cents: 490, free_above_cents: 5000, pickup: true },
  },
  payment: {
    description:
      "Instructions of each payment method. A method without instructions (null) is not offered. A field that is absent from an update is unchanged.",
    example: { transfer: "IBAN DE02 1203 0000 0000 2020 51", on_delivery: null },
  },
  guest_orders: { description: "Whether visitors may order without an account.", example: true },
  max_item_quantity: {
    description: "Largest quantity of a product in one order.",
    example: 100,
  },
  cors_origins: {
    description: "Origins whose pages may call the API in a browser; `*` for all.",
    example: ["https://app.example.com"],
  },
  legal_pages: {
    description:
      "Slugs of published legal pages, such as the terms. The store links them in the footer and at the checkout.",
    example: ["terms"],
  },
} as const

documentFields(UpdateShopSettings, { ...fields, legal_pages: { ...fields.legal_pages, omitFromExample: true } })

documentFields(ShopSettings, fields)
