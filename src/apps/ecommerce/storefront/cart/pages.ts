// The pages of the e-commerce app that depend on the visitor: the cart and the checkout.
import type { VisitorPage } from "../../../../storefront/visitor/page"
import { cartPage } from "./cart-page"
import { checkoutPage } from "./checkout"

export const ecommercePages: readonly VisitorPage[] = [cartPage, checkoutPage]
