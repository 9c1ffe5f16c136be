// The rules for the items of an order.
import { expect, test } from "vitest"
import { findItemErrors } from "../../../src/apps/ecommerce/orders/rules"

const withoutShipping = { max_item_quantity: 10, shippingCurrency: null }

test("refuses the items in another currency than the first item of the request", () => {
  const products = [
    { id: 1, currency: "EUR", stock: null },
    { id: 2, currency: "USD", stock: null },
  ]
  const items = [9, 2, 1].map((product_id) => ({ product_id, quantity: 1 }))
  expect(findItemErrors(items, products, withoutShipping).map(({ path }) => path)).toEqual([
    "0.product_id",
    "2.product_id",
  ])
})

test("refuses the items in another currency than the price of shipping", () => {
  const items = [1, 2].map((product_id) => ({ product_id, quantity: 1 }))
  const products = [
    { id: 1, currency: "USD", stock: null },
    { id: 2, currency: "VND", stock: null },
  ]
  const shop = { max_item_quantity: 10, shippingCurrency: "VND" }
  expect(findItemErrors(items, products, shop)).toEqual([{ path: "0.product_id", rule: "selected" }])
})
