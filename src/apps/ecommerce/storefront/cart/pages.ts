// The pages of the e-commerce app that depend on the visitor: the cart, the checkout and the customer's orders.
import type { VisitorPage } from "../../../../storefront/visitor/page"
import { ownOrderPages } from "../own-orders"
import { cartPage } from "./cart-page"
import { checkoutPage } from "./checkout"

export const ecommercePages: readonly VisitorPage[] = [cartPage, checkoutPage, ...ownOrderPages]
